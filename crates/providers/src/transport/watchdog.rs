//! The deadline of one call, phase after phase. It is armed once and looks again when it fires, so
//! that a piece of a body costs a look at the clock and no timer.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::error::{Phase, TransportError};

/// When a request's body last made progress; shared with the body.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    start: Instant,
    millis: Arc<AtomicU64>,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            millis: Arc::default(),
        }
    }

    pub(crate) fn note(&self) {
        let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.millis.store(millis, Ordering::Relaxed);
    }

    fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.millis.load(Ordering::Relaxed))
    }
}

/// Barks when nothing has happened for too long.
pub(crate) struct Watchdog {
    sleep: Pin<Box<Sleep>>,
    phase: Phase,
    limit: Duration,
    last: Instant,
    /// Whether the timer still has the deadline of the phase before.
    is_outdated: bool,
    /// The upload that puts the deadline off while it goes on.
    upload: Option<Progress>,
}

impl Watchdog {
    pub(crate) fn new(phase: Phase, limit: Duration, upload: Option<Progress>) -> Self {
        let last = Instant::now();
        let sleep = Box::pin(tokio::time::sleep_until(last + limit));
        Self {
            sleep,
            phase,
            limit,
            last,
            is_outdated: false,
            upload,
        }
    }

    /// When the call last made progress, or began.
    pub(crate) fn last(&self) -> Instant {
        self.last
    }

    /// The answer's head has come; its first byte has the same deadline.
    pub(crate) fn head_came(&mut self) {
        self.phase = Phase::FirstByte;
    }

    /// A piece of the body has come.
    pub(crate) fn piece_came(&mut self, idle: Duration) {
        self.last = Instant::now();
        self.upload = None;
        if self.phase != Phase::Idle {
            self.phase = Phase::Idle;
            self.limit = idle;
            // The rest of most bodies is there already: then nobody waits, and no timer is needed.
            self.is_outdated = true;
        }
    }

    /// Ready when too long has passed.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<TransportError> {
        if std::mem::take(&mut self.is_outdated) {
            self.sleep.as_mut().reset(self.last + self.limit);
        }
        loop {
            ready!(self.sleep.as_mut().poll(cx));
            let uploaded = self.upload.as_ref().map_or(self.last, Progress::last);
            let due = self.last.max(uploaded) + self.limit;
            if Instant::now() >= due {
                return Poll::Ready(TransportError::Timeout(self.phase));
            }
            self.sleep.as_mut().reset(due);
        }
    }
}
