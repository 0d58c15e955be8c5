//! How long something takes, as the vendors write it: `120ms`, `1.5s`, `6m0s`.

/// The longest text: minutes, seconds and thousandths of the longest time.
const LONGEST: usize = 32;

/// A time as text, which takes no memory of its own: every answer has some of them.
pub(super) struct Span {
    text: [u8; LONGEST],
    length: usize,
}

impl Span {
    /// So many milliseconds.
    pub(super) fn of_ms(ms: u64) -> Self {
        let mut span = Self {
            text: [0; LONGEST],
            length: 0,
        };
        let (minutes, rest) = (ms / 60_000, ms % 60_000);
        let (seconds, thousandths) = (rest / 1_000, rest % 1_000);
        if minutes == 0 && seconds == 0 && thousandths > 0 {
            span.add(thousandths, "ms");
            return span;
        }
        if minutes > 0 {
            span.add(minutes, "m");
        }
        span.add(seconds, if thousandths > 0 { "." } else { "" });
        let (mut left, mut divisor) = (thousandths, 100);
        while left > 0 {
            span.add(left / divisor, "");
            left %= divisor;
            divisor /= 10;
        }
        span.push("s");
        span
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.text[..self.length]
    }

    fn add(&mut self, number: u64, unit: &str) {
        self.push(itoa::Buffer::new().format(number));
        self.push(unit);
    }

    fn push(&mut self, text: &str) {
        let end = self.length + text.len();
        self.text[self.length..end].copy_from_slice(text.as_bytes());
        self.length = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_vendors_write_them() {
        for (ms, text) in [
            (0, "0s"),
            (120, "120ms"),
            (1_000, "1s"),
            (1_500, "1.5s"),
            (60_000, "1m0s"),
            (361_250, "6m1.25s"),
            (1_005, "1.005s"),
            (u64::MAX, "307445734561825m51.615s"),
        ] {
            assert_eq!(Span::of_ms(ms).as_bytes(), text.as_bytes());
        }
    }
}
