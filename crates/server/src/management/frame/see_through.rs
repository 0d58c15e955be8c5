//! Calls that change something are seen through, whoever waits for them: a client that hangs up between
//! the commit and the telling of it would leave every node with what was there before. What is no
//! longer waited for goes on in a task of its own, which a stop waits for. Calls that read are dropped.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::response::Response;
use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::telemetry::RequestScope;

/// Calls that go on without their clients at once; more are dropped.
const MOST: usize = 256;
/// How long one of them may go on.
const LONGEST: Duration = Duration::from_mins(1);

/// Where calls go on that their clients have left.
#[derive(Clone, Debug)]
pub(super) struct Afterlife {
    running: TaskTracker,
    places: Arc<Semaphore>,
}

impl Afterlife {
    /// Its tasks are in this count of what runs.
    pub(super) fn new(running: &TaskTracker) -> Self {
        Self {
            running: running.clone(),
            places: Arc::new(Semaphore::new(MOST)),
        }
    }

    /// Waits for a call, which comes to its end also if nobody waits any more.
    pub(super) fn see_through(&self, work: BoxFuture<'static, Response>) -> SeenThrough {
        SeenThrough {
            afterlife: self.clone(),
            scope: RequestScope::current(),
            work: Some(work),
        }
    }

    fn go_on(&self, scope: RequestScope, work: BoxFuture<'static, Response>) {
        // Outside a runtime everything has ended.
        let Ok(runtime) = Handle::try_current() else {
            return;
        };
        let Ok(place) = Arc::clone(&self.places).try_acquire_owned() else {
            tracing::warn!("a call that its client has left was dropped: there are too many");
            return;
        };
        let work = async move {
            if timeout(LONGEST, work).await.is_err() {
                tracing::warn!("a call that its client has left took too long and was dropped");
            }
            drop(place);
        };
        self.running.spawn_on(scope.around(work), &runtime);
    }
}

/// A call that is seen through.
pub(super) struct SeenThrough {
    afterlife: Afterlife,
    scope: RequestScope,
    /// None once it is over.
    work: Option<BoxFuture<'static, Response>>,
}

impl Future for SeenThrough {
    type Output = Response;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Response> {
        // One that panics is not put back, and so not gone on with.
        let mut work = self.work.take().expect("nobody polls what is over");
        let step = work.as_mut().poll(cx);
        if step.is_pending() {
            self.work = Some(work);
        }
        step
    }
}

impl Drop for SeenThrough {
    fn drop(&mut self) {
        if let Some(work) = self.work.take() {
            self.afterlife.go_on(self.scope.clone(), work);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::AssertUnwindSafe;

    use futures_util::FutureExt as _;
    use tokio::sync::oneshot;

    use super::*;

    /// A call that waits to be told, and says when it has come to its end.
    fn a_call() -> (
        BoxFuture<'static, Response>,
        oneshot::Sender<()>,
        oneshot::Receiver<()>,
    ) {
        let (tell, told) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let call = async move {
            told.await.unwrap();
            end.send(()).unwrap();
            Response::default()
        };
        (call.boxed(), tell, ended)
    }

    #[tokio::test]
    async fn a_call_comes_to_its_end_without_its_client_and_a_stop_waits_for_it() {
        let running = TaskTracker::new();
        let afterlife = Afterlife::new(&running);
        let (call, tell, ended) = a_call();
        let left = afterlife.see_through(call).now_or_never().is_none();
        assert!(left && running.len() == 1, "it goes on");
        tell.send(()).unwrap();
        ended.await.unwrap();
        running.close();
        running.wait().await;
        assert_eq!(afterlife.places.available_permits(), MOST);
    }

    #[tokio::test]
    async fn what_is_over_or_has_panicked_does_not_go_on() {
        let running = TaskTracker::new();
        let afterlife = Afterlife::new(&running);
        let done = afterlife.see_through(async { Response::default() }.boxed());
        done.await;
        let broken = async { panic!("as a handler may") };
        let broken = afterlife.see_through(broken.boxed());
        let outcome = AssertUnwindSafe(broken).catch_unwind().await;
        assert!(outcome.is_err() && running.is_empty());
    }

    #[tokio::test]
    async fn of_too_many_some_are_dropped() {
        let running = TaskTracker::new();
        let afterlife = Afterlife {
            places: Arc::new(Semaphore::new(1)),
            ..Afterlife::new(&running)
        };
        let (first, keeps, ended) = a_call();
        let (second, dropped, _) = a_call();
        drop(afterlife.see_through(first));
        drop(afterlife.see_through(second));
        assert!(!keeps.is_closed() && dropped.is_closed());
        keeps.send(()).unwrap();
        ended.await.unwrap();
    }
}
