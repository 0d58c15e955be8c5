//! What is known of the service as a whole: since when it runs, and how many incidents are open.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// Figures of the service.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    open_incidents: AtomicI64,
}

impl Metrics {
    /// The service starts now.
    pub fn start() -> Self {
        Self {
            started: Instant::now(),
            open_incidents: AtomicI64::new(0),
        }
    }

    /// Notes how many incidents are open, over all nodes.
    pub fn note_open_incidents(&self, count: i64) {
        self.open_incidents.store(count, Ordering::Relaxed);
    }

    /// How many incidents were open when somebody last looked.
    pub(super) fn open_incidents(&self) -> i64 {
        self.open_incidents.load(Ordering::Relaxed)
    }

    /// How long the service has run.
    pub(super) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }
}
