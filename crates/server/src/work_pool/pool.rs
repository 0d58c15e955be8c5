//! The pool: threads with a low priority that poll futures, one queue that is fair between users, and bounds on what
//! may be in it. A job keeps its place among the bounds until it has finished or its caller has dropped it.

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::thread::Builder;

use async_task::Runnable;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use parking_lot::{Condvar, Mutex};
use store::UserId;
use tokio::runtime::Handle;

use super::fair_queue::FairQueue;

/// Niceness of the threads. Network threads have 0 and the rest of the process 3: with 10, a thread gets a tenth of a full
/// processor's time.
const NICENESS: i32 = 10;

thread_local! {
    static IS_POOL_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Maximum numbers of jobs that are waiting or running.
#[derive(Debug, Clone, Copy)]
pub struct JobLimits {
    /// Of all users.
    pub jobs: usize,
    /// Of one user.
    pub user_jobs: usize,
}

impl JobLimits {
    /// No bounds, for jobs whose number is bounded elsewhere.
    pub const NONE: Self = Self {
        jobs: usize::MAX,
        user_jobs: usize::MAX,
    };
}

/// Why a job has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// A bound is reached.
    #[error("the queue of the work pool is full")]
    QueueFull,
    /// The job panicked, or the pool was closed.
    #[error("the job was aborted")]
    Aborted,
}

/// A pool of threads. They start with the first job and end when the pool is dropped.
#[derive(Debug)]
pub struct WorkPool {
    threads: usize,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    available: Condvar,
    rejected: AtomicU64,
}

#[derive(Debug, Default)]
struct State {
    queue: FairQueue<UserId, Runnable>,
    /// Jobs that have not finished, by user.
    jobs: HashMap<UserId, usize>,
    job_count: usize,
    has_started: bool,
    is_closed: bool,
}

impl WorkPool {
    /// Creates a pool of this many threads; 0 is half of the processor's cores.
    pub fn new(threads: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            threads: if threads == 0 { cores / 2 } else { threads }.max(1),
            shared: Arc::default(),
        }
    }

    /// Runs a future in the pool and returns its output. It may use the caller's Tokio runtime. If the caller drops
    /// this, a job that has not begun never runs.
    pub async fn run<T: Send + 'static>(
        &self,
        user: UserId,
        limits: JobLimits,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, JobError> {
        let permit = self.shared.admit(user, limits).ok_or(JobError::QueueFull)?;
        self.start_threads();
        let work = InRuntime {
            runtime: Handle::current(),
            work: Box::pin(work),
        };
        let work = async move {
            let output = AssertUnwindSafe(work).catch_unwind().await;
            drop(permit);
            output
        };
        let shared = Arc::clone(&self.shared);
        let schedule = move |runnable| shared.push(user, runnable);
        let (runnable, task) = async_task::spawn(work, schedule);
        runnable.schedule();
        match task.fallible().await {
            Some(Ok(output)) => Ok(output),
            Some(Err(_)) | None => Err(JobError::Aborted),
        }
    }

    /// Whether the current thread belongs to a pool: what it computes need not leave it.
    pub fn is_pool_thread() -> bool {
        IS_POOL_THREAD.get()
    }

    /// Returns how many jobs wait for a thread, and how many have not finished, those that wait among them.
    pub fn job_counts(&self) -> (usize, usize) {
        let state = self.shared.state.lock();
        (state.queue.len(), state.job_count)
    }

    /// Returns how many jobs were rejected because of a bound.
    pub fn rejected(&self) -> u64 {
        self.shared.rejected.load(Ordering::Relaxed)
    }

    fn start_threads(&self) {
        if std::mem::replace(&mut self.shared.state.lock().has_started, true) {
            return;
        }
        for index in 0..self.threads {
            let shared = Arc::clone(&self.shared);
            let thread = Builder::new().name(format!("pool-{index}"));
            if let Err(error) = thread.spawn(move || shared.serve()) {
                tracing::error!(%error, "a thread of the work pool failed to start");
            }
        }
    }
}

impl Drop for WorkPool {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.is_closed = true;
        let queue = std::mem::take(&mut state.queue);
        drop(state);
        // Dropping a job may release its permit, which needs the lock.
        drop(queue);
        self.shared.available.notify_all();
    }
}

impl Shared {
    fn admit(self: &Arc<Self>, user: UserId, limits: JobLimits) -> Option<JobPermit> {
        let mut state = self.state.lock();
        let of_user = state.jobs.get(&user).copied().unwrap_or(0);
        if state.job_count >= limits.jobs || of_user >= limits.user_jobs {
            self.rejected.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        state.job_count += 1;
        state.jobs.insert(user, of_user + 1);
        drop(state);
        Some(JobPermit {
            shared: Arc::clone(self),
            user,
        })
    }

    fn push(&self, user: UserId, runnable: Runnable) {
        let mut state = self.state.lock();
        if state.is_closed {
            drop(state);
            drop(runnable);
            return;
        }
        state.queue.push(user, runnable);
        drop(state);
        self.available.notify_one();
    }

    fn next(&self) -> Option<Runnable> {
        let mut state = self.state.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(runnable) = state.queue.pop() {
                return Some(runnable);
            }
            self.available.wait(&mut state);
        }
    }

    /// Runs jobs until the pool is closed.
    fn serve(&self) {
        IS_POOL_THREAD.set(true);
        if let Err(error) = rustix::process::nice(NICENESS) {
            tracing::warn!(%error, "the priority of the work pool is unchanged");
        }
        while let Some(runnable) = self.next() {
            // A panic of the job itself is caught before; this is for one in a destructor.
            let _ = std::panic::catch_unwind(AssertUnwindSafe(|| runnable.run()));
        }
    }
}

/// A place among the bounds.
struct JobPermit {
    shared: Arc<Shared>,
    user: UserId,
}

impl Drop for JobPermit {
    fn drop(&mut self) {
        let mut state = self.shared.state.lock();
        state.job_count -= 1;
        if let Some(count) = state.jobs.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                state.jobs.remove(&self.user);
            }
        }
    }
}

/// A future that is polled inside of a Tokio runtime whose threads do not run it.
struct InRuntime<T> {
    runtime: Handle,
    work: BoxFuture<'static, T>,
}

impl<T> Future for InRuntime<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let _entered = this.runtime.enter();
        this.work.as_mut().poll(cx)
    }
}

#[cfg(test)]
#[path = "pool_tests.rs"]
mod tests;
