//! What the limits of all calls share: the state of all nodes, this node's own state for the time
//! that the other is away, and the slots that running calls hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};

use foldhash::HashMap;
use parking_lot::Mutex;
use store::shared::{Limit, Shared, SlotHold};

use super::leftovers::Leftovers;
use super::scope::SCOPES;
use crate::clock::Clock;

/// How long a slot on Redis is held unless it is renewed: after a crash it is free again by then.
pub(super) const LEASE_MS: u64 = 60_000;
/// The same in this process, with which its slots go.
const ENDLESS: u64 = u64::MAX;

/// What is left to do on Redis after a call.
#[derive(Debug)]
pub(super) enum Aftermath {
    /// Give slots back.
    Release(Shared, Held),
    /// Correct what was charged.
    Correct(Shared, Correction),
}

/// What a call really took of a limit.
#[derive(Debug)]
pub(super) struct Correction {
    pub(super) key: Arc<str>,
    pub(super) limit: Limit,
    pub(super) delta: i64,
    pub(super) charged_at_ms: i64,
}

/// The slots of a running call.
#[derive(Debug, Clone)]
pub(super) struct Held {
    pub(super) owner: String,
    /// The names of its slots, scope by scope.
    pub(super) keys: [Option<Arc<str>>; SCOPES],
}

impl Held {
    /// The slots one by one.
    pub(super) fn slots(&self) -> impl Iterator<Item = SlotHold> {
        self.keys.iter().flatten().map(|key| SlotHold {
            key: key.to_string(),
            owner: self.owner.clone(),
        })
    }
}

/// The limits of all calls; clones are the same.
#[derive(Clone)]
pub struct Limiter(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) shared: Shared,
    /// This node's own state, for the time that the shared one is away.
    pub(super) own: Shared,
    pub(super) node: String,
    pub(super) clock: Arc<dyn Clock>,
    /// Nodes that run, this one included.
    pub(super) nodes: AtomicU32,
    pub(super) is_away: AtomicBool,
    /// The slots on Redis, by the numbers of their calls.
    pub(super) held: Mutex<HashMap<u64, Held>>,
    running: AtomicUsize,
    calls: AtomicU64,
    pub(super) leftovers: Leftovers,
}

impl Limiter {
    /// Limits over this shared state.
    pub fn new(shared: Shared, node: &str, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            shared,
            own: Shared::memory(),
            node: node.to_owned(),
            clock,
            nodes: AtomicU32::new(1),
            is_away: AtomicBool::new(false),
            held: Mutex::default(),
            running: AtomicUsize::new(0),
            calls: AtomicU64::new(0),
            leftovers: Leftovers::default(),
        }))
    }

    /// A number that no other call of this process has.
    pub(super) fn next_call(&self) -> u64 {
        self.0.calls.fetch_add(1, Ordering::Relaxed)
    }

    /// How many calls hold slots.
    pub fn running(&self) -> usize {
        self.0.running.load(Ordering::Acquire)
    }

    /// How many calls' aftermath waits for Redis.
    pub fn waiting(&self) -> usize {
        self.0.leftovers.count()
    }

    /// How many corrections were lost because too many waited.
    pub fn lost(&self) -> u64 {
        self.0.leftovers.lost()
    }

    /// Whether the shared state is away, so that this node keeps to its share.
    pub fn is_away(&self) -> bool {
        self.0.is_away.load(Ordering::Relaxed)
    }

    /// Corrects what was charged: at once in this process, in the background on Redis.
    pub(super) fn correct(&self, by: &Shared, correction: Correction, now_ms: i64) {
        match by {
            Shared::Memory(memory) => {
                let Correction { key, limit, .. } = &correction;
                let charged_at = correction.charged_at_ms;
                memory.correct(key, *limit, correction.delta, charged_at, now_ms);
            }
            Shared::Redis(_) => self.afterwards(Aftermath::Correct(by.clone(), correction)),
        }
    }

    /// How long slots of this state are held.
    pub(super) fn lease_ms(by: &Shared) -> u64 {
        match by {
            Shared::Memory(_) => ENDLESS,
            Shared::Redis(_) => LEASE_MS,
        }
    }

    /// Notes the slots of a call; those whose lease has an end are renewed from now on.
    pub(super) fn hold(&self, by: &Shared, call: u64, held: &Held) {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        if matches!(by, Shared::Redis(_)) {
            self.0.held.lock().insert(call, held.clone());
        }
    }

    /// Gives the slots of a call back: at once in this process, in the background on Redis.
    pub(super) fn release(&self, by: &Shared, call: u64, held: Held) {
        match by {
            Shared::Memory(memory) => {
                for key in held.keys.iter().flatten() {
                    memory.release_slot(key, &held.owner);
                }
            }
            Shared::Redis(_) => {
                self.0.held.lock().remove(&call);
                self.afterwards(Aftermath::Release(by.clone(), held));
            }
        }
        // Who finds no call running finds what all of them have left to do.
        self.0.running.fetch_sub(1, Ordering::Release);
    }

    fn afterwards(&self, aftermath: Aftermath) {
        self.0.leftovers.add(aftermath);
    }

    /// Notes whether the shared state answers; says so once each time that it changes.
    pub(super) fn note_away(&self, is_away: bool) {
        if self.0.is_away.load(Ordering::Relaxed) == is_away
            || self.0.is_away.swap(is_away, Ordering::Relaxed) == is_away
        {
            return;
        }
        let nodes = self.0.nodes.load(Ordering::Relaxed);
        if is_away {
            tracing::warn!(
                nodes,
                "Redis is away: this node keeps to its share of all limits"
            );
        } else {
            tracing::info!("limits are counted over all nodes again");
        }
    }

    /// This node's share of a limit: an equal part, and never nothing.
    pub(super) fn share(&self, limit: u64) -> u64 {
        let nodes = u64::from(self.0.nodes.load(Ordering::Relaxed).max(1));
        (limit / nodes).max(1)
    }

    /// Sets how many nodes run.
    pub(super) fn set_nodes(&self, nodes: u32) {
        self.0.nodes.store(nodes.max(1), Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Limiter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Limiter").finish_non_exhaustive()
    }
}
