//! A sample of a long text. Counting all of a text of many megabytes takes seconds of processor time, so a text
//! that is longer than the sample is counted by pieces that are spread evenly over it.

use super::text;

/// The length of a piece.
const PIECE: usize = 1024;
/// The most pieces. A text of up to 64 KiB is counted completely.
const PIECES: usize = 64;

/// A text in evenly spread pieces.
#[derive(Debug, Clone)]
pub struct Sample {
    kept: Vec<String>,
    /// Every piece of this many is kept.
    stride: usize,
    /// The number of the current piece, and its length so far.
    number: usize,
    filled: usize,
    bytes: u64,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            kept: Vec::new(),
            stride: 1,
            number: 0,
            filled: 0,
            bytes: 0,
        }
    }
}

impl Sample {
    /// Adds the next part of the text.
    pub fn push(&mut self, mut rest: &str) {
        self.bytes = self.bytes.saturating_add(rest.len() as u64);
        while !rest.is_empty() {
            let room = PIECE - self.filled;
            let end = match rest.floor_char_boundary(room) {
                // The next character is longer than the room that is left.
                0 => rest.ceil_char_boundary(1),
                end => end,
            };
            let (part, after) = rest.split_at(end);
            self.add(part);
            rest = after;
        }
    }

    fn add(&mut self, part: &str) {
        if self.number.is_multiple_of(self.stride) {
            if self.filled == 0 {
                self.thin_out();
            }
            if self.number.is_multiple_of(self.stride) {
                match self.kept.last_mut().filter(|_| self.filled > 0) {
                    Some(open) => open.push_str(part),
                    None => self.kept.push(part.to_owned()),
                }
            }
        }
        self.filled += part.len();
        if self.filled >= PIECE {
            self.filled = 0;
            self.number += 1;
        }
    }

    /// Leaves out every second piece if there is no room for another.
    fn thin_out(&mut self) {
        if self.kept.len() < PIECES {
            return;
        }
        let mut is_kept = false;
        self.kept.retain(|_| {
            is_kept = !is_kept;
            is_kept
        });
        self.stride *= 2;
    }

    /// Counts the tokens of the text. Exact if all of it was kept, otherwise by the kept pieces.
    pub fn count(&self) -> u64 {
        let kept = self.kept.concat();
        if kept.is_empty() {
            return text::approximate(self.bytes);
        }
        let all = u128::from(text::count(&kept)) * u128::from(self.bytes) / kept.len() as u128;
        u64::try_from(all).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampled(parts: &[&str]) -> Sample {
        let mut sample = Sample::default();
        for part in parts {
            sample.push(part);
        }
        sample
    }

    #[test]
    fn a_short_text_is_counted_completely_however_it_comes() {
        let words = "It was the best of times, größer und 語. ".repeat(1_000);
        assert_eq!(sampled(&[&words]).count(), text::count(&words));
        let (first, rest) = words.split_at(7);
        assert_eq!(sampled(&[first, rest]).count(), text::count(&words));
        assert_eq!(sampled(&[]).count(), 0);
    }

    #[test]
    fn a_long_text_is_counted_by_pieces_from_all_of_it() {
        let plain = "It was the best of times. ".repeat(20_000);
        let dense = "9f8e,{}:[7a]".repeat(40_000);
        let text = format!("{plain}{dense}");
        let sample = sampled(&[&text]);
        assert!(sample.kept.len() <= PIECES);
        let (all, counted) = (text::count(&text), sample.count());
        assert!(counted.abs_diff(all) < all / 20, "{counted} of {all}");
    }

    #[test]
    fn memory_is_bounded_and_characters_stay_whole() {
        let text = "語".repeat(2_000_000);
        let sample = sampled(&[&text]);
        let bytes: usize = sample.kept.iter().map(String::len).sum();
        assert!(bytes <= (PIECE + 4) * PIECES);
        assert_eq!(sample.bytes, 6_000_000);
    }
}
