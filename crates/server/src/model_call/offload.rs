//! Runs long computations of a call outside of the network threads: what is read, converted or counted of large bodies
//! and large answers.

use bytes::Bytes;
use dialects::canonical::Failure;
use store::UserId;

use super::refusals;
use super::task::Answer;
use crate::app::App;
use crate::config::MIN_OFFLOAD_BYTES;
use crate::telemetry::RequestScope;
use crate::work_pool::{JobLimits, WorkPool};

/// Runs a future in the work pool, within the configured bounds.
pub async fn offload<T: Send + 'static>(
    app: &App,
    user: UserId,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Failure> {
    let limits = {
        let limits = &app.config().limits;
        JobLimits {
            jobs: limits.offload_jobs,
            user_jobs: limits.offload_user_jobs,
        }
    };
    run(app, user, limits, work).await
}

async fn run<T: Send + 'static>(
    app: &App,
    user: UserId,
    limits: JobLimits,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Failure> {
    let work = RequestScope::current().around(work);
    let done = app.work_pool().run(user, limits, work).await;
    done.map_err(refusals::no_work_done)
}

/// Runs a computation that is too long for a network thread: here if this is a thread of the pool, else on another one.
/// Returns `None` if it panicked.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if WorkPool::is_pool_thread() {
        return Some(work());
    }
    tokio::task::spawn_blocking(work).await.ok()
}

/// A buffered response of an upstream that is read in the pool if it is large.
pub struct BufferedReader<'a> {
    pub app: &'a App,
    pub user: UserId,
    /// The call's own body is large, so that also a small response may take long.
    pub is_large_call: bool,
}

impl BufferedReader<'_> {
    /// Lets an answer take a body. It is never rejected for want of room in the queue: the upstream has been paid.
    pub async fn read<T: Send + 'static>(
        &self,
        mut answer: Box<dyn Answer>,
        body: Bytes,
        read: impl FnOnce(&mut dyn Answer, Bytes) -> T + Send + 'static,
    ) -> Result<(Box<dyn Answer>, T), Failure> {
        let is_small = !self.is_large_call
            && (body.len() < MIN_OFFLOAD_BYTES
                || body.len() < self.app.config().limits.offload_bytes);
        if is_small {
            let output = read(answer.as_mut(), body);
            return Ok((answer, output));
        }
        let work = async move {
            let output = read(answer.as_mut(), body);
            (answer, output)
        };
        run(self.app, self.user, JobLimits::NONE, work).await
    }
}
