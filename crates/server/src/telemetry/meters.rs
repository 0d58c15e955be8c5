//! All meters of models on channels. The number of series is bounded: the first pairs that are used
//! have their own, later ones share one for each channel. Names that nobody serves have none.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use parking_lot::Mutex;

use super::meter::{Meter, Reading};
use super::pauses::Pauses;

/// So many pairs of channel and model have series of their own.
pub const MOST_NAMED: usize = 400;
/// What the others are called.
pub const OTHERS: &str = "(others)";

/// The meters.
#[derive(Debug, Default)]
pub struct Meters {
    used: Arc<AtomicUsize>,
    pauses: Arc<Pauses>,
    all: Mutex<HashMap<Pair, Arc<Meter>>>,
}

/// A channel's name and a model's.
type Pair = (Arc<str>, Box<str>);

/// The numbers of one series: a channel and a model, or a channel's other models.
#[derive(Debug)]
pub struct Series {
    /// The channel's name.
    pub channel: String,
    /// The model's name, or [`OTHERS`].
    pub model: String,
    /// The numbers.
    pub reading: Reading,
}

impl Meters {
    /// The meter of a model on a channel. For whoever loads channels; calls have theirs.
    pub fn of(&self, channel: &Arc<str>, model: &str) -> Arc<Meter> {
        let mut all = self.all.lock();
        let meter = all
            .entry((channel.clone(), model.into()))
            .or_insert_with(|| {
                let (used, pauses) = (self.used.clone(), self.pauses.clone());
                Arc::new(Meter::new((channel.clone(), model.into()), used, pauses))
            });
        meter.clone()
    }

    /// How many there are.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.all.lock().len()
    }

    /// What the gateway has paused on any channel.
    pub fn pauses(&self) -> &Pauses {
        &self.pauses
    }

    /// Forgets what no channel uses any more; series that were shown stay, so that no counter goes
    /// backwards.
    pub fn tidy(&self) {
        self.all.lock().retain(|_, meter| {
            let is_shown = meter.order().is_some_and(|order| order < MOST_NAMED);
            is_shown || Arc::strong_count(meter) > 1
        });
    }

    /// Every meter that has numbers.
    pub fn used(&self) -> Vec<Arc<Meter>> {
        let all = self.all.lock();
        let used = all.values().filter(|meter| meter.order().is_some());
        used.cloned().collect()
    }

    /// The series to show, in order.
    pub fn series(&self) -> Vec<Series> {
        let mut series: BTreeMap<(String, String), Reading> = BTreeMap::new();
        for meter in self.used() {
            let (Some(order), Some(reading)) = (meter.order(), meter.reading()) else {
                continue;
            };
            let model = if order < MOST_NAMED {
                meter.model()
            } else {
                OTHERS
            };
            let key = (meter.channel().to_owned(), model.to_owned());
            series.entry(key).or_default().add(&reading);
        }
        let shown = series.into_iter();
        shown
            .map(|((channel, model), reading)| Series {
                channel,
                model,
                reading,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use billing::pricing::Tokens;

    use super::super::meter::Outcome;
    use super::*;

    #[test]
    fn many_models_share_a_series_and_no_call_is_lost() {
        let meters = Meters::default();
        let channel: Arc<str> = "wide".into();
        let held: Vec<_> = (0..MOST_NAMED + 100)
            .map(|number| meters.of(&channel, &format!("model-{number}")))
            .collect();
        assert!(meters.series().is_empty());
        for meter in &held {
            meter.call_ended(Outcome::Answered, Duration::ZERO, Tokens::default(), 0);
        }
        let series = meters.series();
        assert_eq!(series.len(), MOST_NAMED + 1);
        let calls: u64 = series.iter().map(|series| series.reading.calls()).sum();
        assert_eq!(calls, held.len() as u64);
        let others = series.iter().find(|series| series.model == OTHERS);
        assert_eq!(others.unwrap().reading.calls(), 100);
        drop(held);
        meters.tidy();
        assert_eq!(meters.used().len(), MOST_NAMED);
    }

    #[test]
    fn a_channel_that_is_loaded_again_keeps_its_meters() {
        let meters = Meters::default();
        let channel: Arc<str> = "a".into();
        let first = meters.of(&channel, "m");
        assert!(Arc::ptr_eq(&first, &meters.of(&"a".into(), "m")));
        drop(first);
        meters.tidy();
        assert!(meters.all.lock().is_empty());
    }
}
