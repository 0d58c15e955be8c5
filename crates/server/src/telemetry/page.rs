//! The text form that Prometheus reads: families with their help and type once, samples below them.

use std::fmt::{Display, Write as _};

use super::histogram::{BOUNDS_MICROS, Counts};

/// What kind of numbers a family has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// Labels of a sample.
pub(super) type Labels<'a> = [(&'a str, &'a str)];

/// A page in the making.
#[derive(Debug, Default)]
pub(super) struct Page(String);

// Writing to a string cannot fail, which is why results are dropped here.
impl Page {
    /// Begins a family; its samples come next.
    pub(super) fn family(&mut self, name: &str, kind: Kind, help: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    /// One number.
    pub(super) fn sample(&mut self, name: &str, labels: &Labels<'_>, value: impl Display) {
        self.0.push_str(name);
        self.labels(labels, None);
        let _ = writeln!(self.0, " {value}");
    }

    /// A family with one number.
    pub(super) fn single(&mut self, name: &str, kind: Kind, help: &str, value: impl Display) {
        self.family(name, kind, help);
        self.sample(name, &[], value);
    }

    /// The numbers of a histogram of times.
    pub(super) fn histogram(&mut self, name: &str, labels: &Labels<'_>, counts: &Counts) {
        let mut sum = 0;
        let bounds = BOUNDS_MICROS.iter().map(|bound| seconds(*bound));
        let bounds = bounds.chain(std::iter::once("+Inf".to_owned()));
        for (bound, count) in bounds.zip(counts.buckets) {
            sum += count;
            let _ = write!(self.0, "{name}_bucket");
            self.labels(labels, Some(&bound));
            let _ = writeln!(self.0, " {sum}");
        }
        self.sample(&format!("{name}_sum"), labels, seconds(counts.micros));
        self.sample(&format!("{name}_count"), labels, sum);
    }

    /// The page so far.
    pub(super) fn into_text(self) -> String {
        self.0
    }

    fn labels(&mut self, labels: &Labels<'_>, bound: Option<&str>) {
        let bound = bound.map(|bound| ("le", bound));
        let mut is_first = true;
        for (name, value) in labels.iter().copied().chain(bound) {
            let _ = write!(self.0, "{}{name}=\"", if is_first { '{' } else { ',' });
            for letter in value.chars() {
                match letter {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    letter => self.0.push(letter),
                }
            }
            self.0.push('"');
            is_first = false;
        }
        if !is_first {
            self.0.push('}');
        }
    }
}

/// Microseconds as seconds, exactly.
pub(super) fn seconds(micros: u64) -> String {
    decimal(micros, 1_000_000, 6)
}

/// Nano-dollars as dollars, exactly.
pub(super) fn dollars(nanos: u64) -> String {
    decimal(nanos, 1_000_000_000, 9)
}

fn decimal(value: u64, unit: u64, digits: usize) -> String {
    let text = format!("{}.{:0digits$}", value / unit, value % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::histogram::Histogram;
    use super::*;

    #[test]
    fn labels_are_escaped_and_numbers_are_exact() {
        let mut page = Page::default();
        page.family("a_total", Kind::Counter, "Help.");
        page.sample(
            "a_total",
            &[("x", "a\"b\\c\nd"), ("y", "z")],
            dollars(1_230_000_000),
        );
        let text = "# HELP a_total Help.\n# TYPE a_total counter\n\
                    a_total{x=\"a\\\"b\\\\c\\nd\",y=\"z\"} 1.23\n";
        assert_eq!(page.into_text(), text);
        assert_eq!(
            (seconds(0), seconds(10), seconds(1_000_000)),
            ("0".into(), "0.00001".into(), "1".into())
        );
    }

    #[test]
    fn buckets_are_summed_up_to_infinity() {
        let histogram = Histogram::default();
        histogram.add(Duration::from_millis(6));
        histogram.add(Duration::from_secs(1000));
        let mut page = Page::default();
        page.histogram("t_seconds", &[("m", "x")], &histogram.counts());
        let text = page.into_text();
        for line in [
            "t_seconds_bucket{m=\"x\",le=\"0.005\"} 0\n",
            "t_seconds_bucket{m=\"x\",le=\"0.01\"} 1\n",
            "t_seconds_bucket{m=\"x\",le=\"300\"} 1\n",
            "t_seconds_bucket{m=\"x\",le=\"+Inf\"} 2\n",
            "t_seconds_sum{m=\"x\"} 1000.006\n",
            "t_seconds_count{m=\"x\"} 2\n",
        ] {
            assert!(text.contains(line), "{line} {text}");
        }
    }
}
