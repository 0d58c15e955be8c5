//! What was seen in a window, and the line of JSON that tells it.

use std::time::Duration;

use serde_json::{Value, json};

use super::answer::Answer;

/// Counts and times.
#[derive(Default)]
pub(super) struct Tally {
    totals: Vec<Duration>,
    first_bytes: Vec<Duration>,
    events: u64,
    failed: u64,
    broken: u64,
    first_failure: Option<String>,
}

impl Tally {
    pub fn add(&mut self, answer: &Answer) {
        self.totals.push(answer.total);
        self.first_bytes.push(answer.first_byte);
        self.events += answer.events;
        if !(200..300).contains(&answer.status) {
            self.failed += 1;
            let Answer { status, sample, .. } = answer;
            self.first_failure
                .get_or_insert_with(|| format!("{status}: {sample}"));
        }
    }

    /// A connection that broke, or was never made.
    pub fn add_broken(&mut self, error: &std::io::Error) {
        self.broken += 1;
        self.first_failure.get_or_insert_with(|| error.to_string());
    }

    /// All of it, for a window of this length.
    pub fn told(&mut self, window: Duration) -> Value {
        self.totals.sort_unstable();
        self.first_bytes.sort_unstable();
        json!({
            "seconds": window.as_secs_f64(),
            "requests": self.totals.len(),
            "failed": self.failed,
            "broken": self.broken,
            "first_failure": self.first_failure,
            "events": self.events,
            "p50_us": percentile(&self.totals, 50),
            "p99_us": percentile(&self.totals, 99),
            "first_byte_p50_us": percentile(&self.first_bytes, 50),
            "first_byte_p99_us": percentile(&self.first_bytes, 99),
        })
    }
}

/// In microseconds, of sorted times.
fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = (last * percent + 50) / 100;
    sorted
        .get(place)
        .map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_sorted_times() {
        let times: Vec<Duration> = (0..=100).map(Duration::from_micros).collect();
        assert!((percentile(&times, 50) - 50.0).abs() < 0.01);
        assert!((percentile(&times, 99) - 99.0).abs() < 0.01);
        assert!(percentile(&[], 99).abs() < f64::EPSILON);
    }
}
