//! What is known of a channel as a whole, beside its keys.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use providers::Operation;

use super::gate::Gate;
use super::latency::Latency;
use super::spoken::Spoken;
use super::stop::{Stop, StopSignal};

/// How long a channel is left out for a model that its upstream did not know, or cannot do this with.
const WITHOUT_MODEL_MS: i64 = 60_000;
/// Most models of one operation that are remembered as unknown.
const MOST_MODELS: usize = 256;

/// The health of a channel.
#[derive(Debug, Default)]
pub(in crate::channels) struct ChannelHealth {
    pub(in crate::channels) gate: Gate,
    pub(in crate::channels) latency: Latency,
    lacking: Lacking,
    pub(in crate::channels) spoken: Spoken,
    turn: AtomicUsize,
    stop: Arc<Stop>,
}

/// Models of the upstream's naming that it did not know, and until when that is believed. What a model cannot do says
/// nothing of what else it can.
#[derive(Debug, Default)]
struct Lacking {
    /// Whether there are any: the one thing that most calls read.
    has_some: AtomicBool,
    models: Box<Mutex<HashMap<Operation, Models>>>,
}

/// Until when each model is left out.
type Models = HashMap<Arc<str>, i64>;

impl ChannelHealth {
    /// The first byte of an answer came after this long.
    pub(in crate::channels) fn answered(&self, first_byte: Duration, now_ms: i64) {
        self.latency.add(first_byte, now_ms);
    }

    /// Whose turn it is among so many keys.
    pub(in crate::channels) fn next_turn(&self, keys: usize) -> usize {
        self.turn.fetch_add(1, Ordering::Relaxed) % keys
    }

    /// The upstream does not know this model, or does not do this with it.
    pub(in crate::channels) fn lacks(&self, operation: Operation, model: &Arc<str>, now_ms: i64) {
        let mut lacking = self.lacking.models.lock();
        let models = lacking.entry(operation).or_default();
        if models.len() >= MOST_MODELS {
            models.retain(|_, until| *until > now_ms);
        }
        if models.len() < MOST_MODELS {
            models.insert(model.clone(), now_ms.saturating_add(WITHOUT_MODEL_MS));
        }
        self.lacking.has_some.store(true, Ordering::Release);
    }

    /// Until when the channel is left out for doing this with the model.
    pub(in crate::channels) fn lacks_until(
        &self,
        operation: Operation,
        model: &str,
        now_ms: i64,
    ) -> Option<i64> {
        if !self.lacking.has_some.load(Ordering::Acquire) {
            return None;
        }
        let lacking = self.lacking.models.lock();
        let until = lacking.get(&operation)?.get(model).copied();
        until.filter(|until| *until > now_ms)
    }

    /// Somebody has switched the channel off, which ends what runs on it, or has not.
    pub(in crate::channels) fn set_off(&self, is_off: bool) {
        self.stop.set(is_off);
    }

    /// Tells a call when the channel is switched off.
    pub(in crate::channels) fn stop_signal(&self) -> StopSignal {
        StopSignal::new(self.stop.clone())
    }

    /// Forgets what went wrong: the channel was edited.
    pub(in crate::channels) fn start_afresh(&self) {
        self.gate.start_afresh();
        self.spoken.start_afresh();
        self.lacking.models.lock().clear();
        self.lacking.has_some.store(false, Ordering::Release);
    }
}
