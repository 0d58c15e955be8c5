//! The deadline of one call, phase after phase. It is armed once and looks again when it fires, so
//! that a piece of a body costs a look at the clock and no timer. Calls that follow each other on a
//! connection share one timer for the same reason.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::error::{Phase, TransportError};

/// When a request's body last made progress; shared with the body.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    start: Instant,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    millis: AtomicU64,
    /// Whether whoever sends the body has nothing more of it right now.
    is_waiting: AtomicBool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            state: Arc::default(),
        }
    }

    /// A piece was asked for: it came, or there is none yet.
    pub(crate) fn note(&self, has_come: bool) {
        self.state.is_waiting.store(!has_come, Ordering::Relaxed);
        if has_come {
            let millis = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
            self.state.millis.store(millis, Ordering::Relaxed);
        }
    }

    fn last(&self) -> Instant {
        self.start + Duration::from_millis(self.state.millis.load(Ordering::Relaxed))
    }

    fn is_waiting(&self) -> bool {
        self.state.is_waiting.load(Ordering::Relaxed)
    }
}

/// A timer that was armed for an earlier deadline or for none.
pub(crate) type Alarm = Option<Pin<Box<Sleep>>>;

/// Barks when nothing has happened for too long.
pub(crate) struct Watchdog {
    alarm: Alarm,
    phase: Phase,
    limit: Duration,
    last: Instant,
    /// The upload that puts the deadline off while it goes on.
    upload: Option<Progress>,
}

impl Watchdog {
    pub(crate) fn new(phase: Phase, limit: Duration, upload: Option<Progress>) -> Self {
        Self {
            alarm: None,
            phase,
            limit,
            last: Instant::now(),
            upload,
        }
    }

    /// When the call last made progress, or began.
    pub(crate) fn last(&self) -> Instant {
        self.last
    }

    /// Uses the timer of a call that is over. It may fire too early, as after every piece.
    pub(crate) fn take_over(&mut self, alarm: Alarm) {
        self.alarm = alarm;
    }

    /// Gives the timer to the next call.
    pub(crate) fn hand_over(&mut self) -> Alarm {
        self.alarm.take()
    }

    /// The answer's head has come; its first byte has the same deadline.
    pub(crate) fn head_came(&mut self) {
        self.phase = Phase::FirstByte;
    }

    /// A piece of the body has come.
    pub(crate) fn piece_came(&mut self, idle: Duration) {
        self.last = Instant::now();
        self.upload = None;
        self.phase = Phase::Idle;
        self.limit = idle;
    }

    /// Ready when too long has passed.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<TransportError> {
        let due = self.due();
        let new = || Box::pin(tokio::time::sleep_until(due));
        let alarm = self.alarm.get_or_insert_with(new);
        if alarm.deadline() > due {
            alarm.as_mut().reset(due);
        }
        loop {
            ready!(alarm.as_mut().poll(cx));
            if Instant::now() >= due {
                return Poll::Ready(self.reason());
            }
            alarm.as_mut().reset(due);
        }
    }

    /// Who took too long: the upstream, or whoever sends what it waits for.
    fn reason(&self) -> TransportError {
        if self.upload.as_ref().is_some_and(Progress::is_waiting) {
            return TransportError::RequestBody;
        }
        TransportError::Timeout(self.phase)
    }

    fn due(&self) -> Instant {
        let uploaded = self.upload.as_ref().map_or(self.last, Progress::last);
        self.last.max(uploaded) + self.limit
    }
}
