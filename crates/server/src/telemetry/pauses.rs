//! What the gateway has paused by itself, over all channels.

use std::sync::atomic::{AtomicU64, Ordering};

/// What can be paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paused {
    /// A channel.
    Channel,
    /// One of a channel's keys.
    Key,
}

impl Paused {
    const ALL: [Self; 2] = [Self::Channel, Self::Key];

    /// Its name in metrics and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Channel => "channel",
            Self::Key => "key",
        }
    }
}

/// How often something was paused.
#[derive(Debug, Default)]
pub struct Pauses([AtomicU64; Paused::ALL.len()]);

impl Pauses {
    /// Something was paused.
    pub fn add(&self, what: Paused) {
        self.0[what as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How often, by what.
    pub fn counts(&self) -> [(&'static str, u64); Paused::ALL.len()] {
        Paused::ALL.map(|what| {
            let count = self.0[what as usize].load(Ordering::Relaxed);
            (what.name(), count)
        })
    }
}
