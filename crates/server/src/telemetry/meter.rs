//! What is counted of the calls of one model on one channel. A call adds to it without a lock and
//! without an allocation: it has the meter with its place on the channel.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use billing::pricing::Tokens;
use providers::Fault;
use providers::transport::Phase;

use super::histogram::{Counts, Histogram};
use super::pauses::{Paused, Pauses};

/// How a call ended, as metrics tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With an answer.
    Answered,
    /// With a failure that the client can mend.
    Refused,
    /// With a failure of ours or of an upstream.
    Failed,
    /// The client went away.
    Left,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Answered, Self::Refused, Self::Failed, Self::Left];

    /// Its name in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Left => "left",
        }
    }
}

/// Every fault that is told apart, in the order of its counters.
pub const FAULTS: [Fault; 18] = [
    Fault::Misconfigured,
    Fault::Unreachable,
    Fault::Tls,
    Fault::Timeout(Phase::Connect),
    Fault::Timeout(Phase::FirstByte),
    Fault::Timeout(Phase::Idle),
    Fault::BrokenOff,
    Fault::Nonsense,
    Fault::Credential,
    Fault::QuotaSpent,
    Fault::RateLimited,
    Fault::Overloaded,
    Fault::ServerError,
    Fault::ModelMissing,
    Fault::BadRequest,
    Fault::ContextTooLong,
    Fault::ContentBlocked,
    Fault::UploadBroken,
];

/// The kinds of tokens, in the order of their counters.
pub const TOKEN_KINDS: [&str; 5] = ["input", "output", "cache_read", "cache_write", "reasoning"];

/// The meter of one model on one channel.
#[derive(Debug)]
pub struct Meter {
    channel: Arc<str>,
    model: Box<str>,
    /// How many meters have numbers, over all of them.
    used: Arc<AtomicUsize>,
    /// What was paused, over all of them.
    pauses: Arc<Pauses>,
    numbers: OnceLock<Box<Numbers>>,
}

/// What a meter has counted; made when the first call comes.
#[derive(Debug)]
struct Numbers {
    /// Its place in the order of first use: the first ones have series of their own.
    order: usize,
    ends: [AtomicU64; Outcome::ALL.len()],
    answered_attempts: AtomicU64,
    faults: [AtomicU64; FAULTS.len()],
    tokens: [AtomicU64; TOKEN_KINDS.len()],
    charge_nanos: AtomicU64,
    first_byte: Histogram,
    total: Histogram,
}

/// What a meter held at some time; meters can be added up.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Calls by outcome.
    pub ends: [u64; Outcome::ALL.len()],
    /// Attempts that gave an answer.
    pub answered_attempts: u64,
    /// Attempts that failed, by fault.
    pub faults: [u64; FAULTS.len()],
    /// Tokens by kind.
    pub tokens: [u64; TOKEN_KINDS.len()],
    /// What was charged, in nano-dollars.
    pub charge_nanos: u64,
    /// From the beginning of an attempt to its first byte.
    pub first_byte: Counts,
    /// From the beginning of a call to its end.
    pub total: Counts,
}

impl Meter {
    pub(super) fn new(
        (channel, model): (Arc<str>, Box<str>),
        used: Arc<AtomicUsize>,
        pauses: Arc<Pauses>,
    ) -> Self {
        Self {
            channel,
            model,
            used,
            pauses,
            numbers: OnceLock::new(),
        }
    }

    /// The gateway has paused the channel or one of its keys.
    pub fn paused(&self, what: Paused) {
        self.pauses.add(what);
    }

    /// The channel's name.
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The model's name, as clients ask for it.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Its place in the order of first use; none before.
    pub(super) fn order(&self) -> Option<usize> {
        self.numbers.get().map(|numbers| numbers.order)
    }

    fn numbers(&self) -> &Numbers {
        self.numbers.get_or_init(|| {
            Box::new(Numbers {
                order: self.used.fetch_add(1, Ordering::Relaxed),
                ends: Default::default(),
                answered_attempts: AtomicU64::default(),
                faults: Default::default(),
                tokens: Default::default(),
                charge_nanos: AtomicU64::default(),
                first_byte: Histogram::default(),
                total: Histogram::default(),
            })
        })
    }

    /// An attempt gave an answer, whose first byte came after this long.
    pub fn attempt_answered(&self, first_byte: Duration) {
        let numbers = self.numbers();
        numbers.answered_attempts.fetch_add(1, Ordering::Relaxed);
        numbers.first_byte.add(first_byte);
    }

    /// An attempt failed.
    pub fn attempt_failed(&self, fault: Fault) {
        self.numbers().faults[index(fault)].fetch_add(1, Ordering::Relaxed);
    }

    /// A call has ended that had its last attempt here.
    pub fn call_ended(&self, outcome: Outcome, total: Duration, tokens: Tokens, charge_nanos: i64) {
        let numbers = self.numbers();
        numbers.ends[outcome as usize].fetch_add(1, Ordering::Relaxed);
        numbers.total.add(total);
        let writes = tokens.cache_write_5m.saturating_add(tokens.cache_write_1h);
        let counts = [
            tokens.input,
            tokens.output,
            tokens.cache_read,
            writes,
            tokens.reasoning,
        ];
        for (sum, count) in numbers.tokens.iter().zip(counts) {
            if count > 0 {
                sum.fetch_add(count, Ordering::Relaxed);
            }
        }
        let charge = u64::try_from(charge_nanos).unwrap_or(0);
        if charge > 0 {
            numbers.charge_nanos.fetch_add(charge, Ordering::Relaxed);
        }
    }

    /// What it holds now; none before the first call.
    pub fn reading(&self) -> Option<Reading> {
        let numbers = self.numbers.get()?;
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut reading = Reading {
            answered_attempts: load(&numbers.answered_attempts),
            charge_nanos: load(&numbers.charge_nanos),
            first_byte: numbers.first_byte.counts(),
            total: numbers.total.counts(),
            ..Reading::default()
        };
        copy(&mut reading.ends, &numbers.ends);
        copy(&mut reading.faults, &numbers.faults);
        copy(&mut reading.tokens, &numbers.tokens);
        Some(reading)
    }
}

fn copy(into: &mut [u64], from: &[AtomicU64]) {
    for (count, counter) in into.iter_mut().zip(from) {
        *count = counter.load(Ordering::Relaxed);
    }
}

/// The counter of a fault.
fn index(fault: Fault) -> usize {
    let name = fault.name();
    let position = FAULTS.iter().position(|known| known.name() == name);
    position.unwrap_or_default()
}

impl Reading {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.ends[..], &other.ends[..]),
            (&mut self.faults[..], &other.faults[..]),
            (&mut self.tokens[..], &other.tokens[..]),
        ];
        for (into, from) in pairs {
            for (count, more) in into.iter_mut().zip(from) {
                *count += more;
            }
        }
        self.answered_attempts += other.answered_attempts;
        self.charge_nanos += other.charge_nanos;
        self.first_byte.add(&other.first_byte);
        self.total.add(&other.total);
    }

    /// Calls, however they ended.
    pub fn calls(&self) -> u64 {
        self.ends.iter().sum()
    }

    /// Calls that failed for our or an upstream's fault.
    pub fn failed(&self) -> u64 {
        self.ends[Outcome::Failed as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_has_a_counter_of_its_own() {
        let mut names: Vec<&str> = FAULTS.iter().map(|fault| fault.name()).collect();
        for (position, fault) in FAULTS.into_iter().enumerate() {
            assert_eq!(index(fault), position, "{}", fault.name());
        }
        assert_eq!(index(Fault::Timeout(Phase::Head)), 4);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FAULTS.len());
    }

    #[test]
    fn a_meter_without_calls_has_no_numbers_and_takes_no_place() {
        let used = Arc::new(AtomicUsize::new(0));
        let meter = Meter::new(("a".into(), "m".into()), used.clone(), Arc::default());
        assert!(meter.reading().is_none());
        let tokens = Tokens {
            input: 3,
            output: 2,
            ..Tokens::default()
        };
        meter.call_ended(Outcome::Failed, Duration::from_millis(1), tokens, 7);
        meter.attempt_failed(Fault::ServerError);
        let mut reading = meter.reading().unwrap();
        assert_eq!((reading.calls(), reading.failed()), (1, 1));
        assert_eq!(
            (reading.tokens[..2].to_vec(), reading.charge_nanos),
            (vec![3, 2], 7)
        );
        reading.add(&meter.reading().unwrap());
        assert_eq!((reading.calls(), reading.total.count()), (2, 2));
        assert_eq!((meter.order(), used.load(Ordering::Relaxed)), (Some(0), 1));
    }
}
