//! The word that somebody has switched a channel off, for the calls that run on it. A call registers
//! for it once, when it begins to wait; from then on a look costs one read and no lock.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// Whether a channel is off, and who wants to hear of it.
#[derive(Debug, Default)]
pub(in crate::channels) struct Stop {
    is_off: AtomicBool,
    waiting: Arc<Notify>,
}

impl Stop {
    /// The channel is off now, or is not any more.
    pub(in crate::channels) fn set(&self, is_off: bool) {
        if self.is_off.swap(is_off, Ordering::AcqRel) != is_off && is_off {
            self.waiting.notify_waiters();
        }
    }
}

/// One call's ear for it.
pub struct StopSignal {
    stop: Arc<Stop>,
    /// Whom the word wakes.
    registered: Option<(Waker, Pin<Box<OwnedNotified>>)>,
}

impl StopSignal {
    pub(in crate::channels) fn new(stop: Arc<Stop>) -> Self {
        Self {
            stop,
            registered: None,
        }
    }

    /// Ready where the channel is off; else the task is woken when it is switched off.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match &self.registered {
            Some((waker, _)) if waker.will_wake(cx.waker()) => {}
            _ => self.register(cx),
        }
        // After the registration: a word that came before it is seen here, a later one wakes.
        if self.stop.is_off.load(Ordering::Acquire) {
            return Poll::Ready(());
        }
        Poll::Pending
    }

    /// Drives something on the channel until it is done; none: the channel was switched off first.
    pub fn poll_unless_off<F: Future>(
        &mut self,
        work: Pin<&mut F>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<F::Output>> {
        if self.stop.is_off.load(Ordering::Acquire) {
            return Poll::Ready(None);
        }
        // Most of what is waited for once is there the next time: only then is anything registered.
        match work.poll(cx) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => self.poll(cx).map(|()| None),
        }
    }

    fn register(&mut self, cx: &mut Context<'_>) {
        let known = self.registered.take().map(|(_, notified)| notified);
        let mut notified =
            known.unwrap_or_else(|| Box::pin(self.stop.waiting.clone().notified_owned()));
        // Whether the word has come is read off the state, which may have changed again since.
        let _ = notified.as_mut().poll(cx);
        self.registered = Some((cx.waker().clone(), notified));
    }
}

impl fmt::Debug for StopSignal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("StopSignal").finish_non_exhaustive()
    }
}
