//! How long a connection may wait for its next request. The HTTP library makes a timer for every request and
//! throws it away when the request is there; this one is armed once for a connection and looks again
//! when it fires.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::rt::{Sleep, Timer};
use parking_lot::Mutex;
use tokio::time::Instant;

/// The timer of one connection.
#[derive(Default)]
pub(super) struct IdleTimer(Arc<Mutex<Alarm>>);

/// Wakes at the deadline of some request, not after that of the one that waits.
#[derive(Default)]
pub(super) struct Alarm(Option<Pin<Box<tokio::time::Sleep>>>);

/// One wait.
struct Wait {
    alarm: Arc<Mutex<Alarm>>,
    deadline: Instant,
}

impl Timer for IdleTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until((Instant::now() + duration).into_std())
    }

    fn sleep_until(&self, deadline: std::time::Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Wait {
            alarm: Arc::clone(&self.0),
            deadline: deadline.into(),
        })
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.alarm.lock().poll(self.deadline, cx)
    }
}

impl Alarm {
    /// Ready at the deadline.
    pub(super) fn poll(&mut self, deadline: Instant, cx: &mut Context<'_>) -> Poll<()> {
        let new = || Box::pin(tokio::time::sleep_until(deadline));
        let sleep = self.0.get_or_insert_with(new);
        if sleep.deadline() > deadline {
            sleep.as_mut().reset(deadline);
        }
        loop {
            ready!(sleep.as_mut().poll(cx));
            if sleep.deadline() >= deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn each_wait_ends_at_its_own_deadline() {
        let timer = IdleTimer::default();
        let began = Instant::now();
        let until = |ms| timer.sleep_until((began + Duration::from_millis(ms)).into_std());
        // A request that comes in time leaves the alarm behind, armed too early for the next wait.
        assert!(until(5).now_or_never().is_none());
        until(20).await;
        assert!(began.elapsed() >= Duration::from_millis(20));
        // Armed too late, it is set forward.
        assert!(until(600_000).now_or_never().is_none());
        until(30).await;
        assert!(began.elapsed() < Duration::from_mins(5));
    }
}
