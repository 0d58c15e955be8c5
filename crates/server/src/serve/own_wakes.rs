//! Wake-ups that a connection gives itself. The HTTP library wakes a connection whenever a piece of its
//! request's body is taken, so that it goes on reading; also where that was the last piece and nothing
//! is left to be read. Every call would be stepped through once more, for nothing.

use std::cell::Cell;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

thread_local! {
    static WAKES: Cell<Wakes> = const { Cell::new(Wakes::Pass) };
}

/// What becomes of the wake-ups of connections on this thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakes {
    /// They are passed on.
    Pass,
    /// They are held back; there was none so far.
    HeldBack,
    /// They are held back, and there was one.
    Missed,
}

/// While it lives, wake-ups are held back; no longer, whatever happens meanwhile. Whoever begins it must
/// wake the connection afterwards where there was one that mattered.
#[must_use]
pub struct HeldWakes(());

impl HeldWakes {
    /// Holds back what comes from now on.
    pub fn begin() -> Self {
        WAKES.set(Wakes::HeldBack);
        Self(())
    }

    /// Whether there was one.
    pub fn end(self) -> bool {
        WAKES.get() == Wakes::Missed
    }
}

impl Drop for HeldWakes {
    fn drop(&mut self) {
        WAKES.set(Wakes::Pass);
    }
}

/// A connection whose wake-ups can be held back.
pub(super) struct Wakeable<F> {
    connection: F,
    /// The waker that it was polled with last, and the one that it was given in its place.
    wakers: Option<(Waker, Waker)>,
}

impl<F> Wakeable<F> {
    pub(super) fn new(connection: F) -> Self {
        Self {
            connection,
            wakers: None,
        }
    }
}

impl<F: Future + Unpin> Future for Wakeable<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.get_mut();
        let known = this.wakers.take();
        let known = known.filter(|(outer, _)| outer.will_wake(cx.waker()));
        let wrapped = || {
            let outer = cx.waker().clone();
            let inner = Waker::from(Arc::new(Bell(outer.clone())));
            (outer, inner)
        };
        let (_, inner) = this.wakers.insert(known.unwrap_or_else(wrapped));
        Pin::new(&mut this.connection).poll(&mut Context::from_waker(inner))
    }
}

/// Wakes a connection, unless that is held back.
struct Bell(Waker);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        match WAKES.get() {
            Wakes::Pass => self.0.wake_by_ref(),
            Wakes::HeldBack | Wakes::Missed => WAKES.set(Wakes::Missed),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn only_what_is_held_back_does_not_wake() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut is_held = false;
        let connection = std::future::poll_fn(|cx| {
            let held = is_held.then(HeldWakes::begin);
            cx.waker().wake_by_ref();
            assert!(held.is_none_or(HeldWakes::end));
            is_held = !is_held;
            Poll::<()>::Pending
        });
        let mut connection = Wakeable::new(connection);
        for woken in [1, 1, 2, 2] {
            let step = Pin::new(&mut connection).poll(&mut Context::from_waker(&waker));
            assert!(step.is_pending());
            assert_eq!(count.0.load(Ordering::Relaxed), woken);
        }
        assert!(!HeldWakes::begin().end());
    }
}
