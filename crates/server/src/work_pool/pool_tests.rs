//! Bounds, cancellation and panics of jobs.

use std::sync::mpsc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::*;

const LIMITS: JobLimits = JobLimits {
    jobs: 4,
    user_jobs: 2,
};

fn user(number: i64) -> UserId {
    UserId(number)
}

/// Occupies the only thread of a pool until the returned sender is dropped.
async fn occupied(pool: &Arc<WorkPool>, by: UserId) -> mpsc::Sender<()> {
    let (release, released) = mpsc::channel::<()>();
    let (start, started) = oneshot::channel();
    let running = Arc::clone(pool);
    tokio::spawn(async move {
        let work = async move {
            start.send(()).unwrap();
            let _ = released.recv();
        };
        running.run(by, LIMITS, work).await
    });
    started.await.unwrap();
    release
}

#[tokio::test]
async fn a_job_runs_on_a_pool_thread_inside_of_the_runtime() {
    let pool = WorkPool::new(1);
    assert!(!WorkPool::is_pool_thread());
    let work = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        (WorkPool::is_pool_thread(), 7)
    };
    assert_eq!(pool.run(user(1), LIMITS, work).await, Ok((true, 7)));
    assert_eq!(pool.job_counts(), (0, 0));
}

#[tokio::test]
async fn a_panic_ends_one_job_only() {
    let pool = WorkPool::new(1);
    let panics = async { panic!("on purpose") };
    assert_eq!(
        pool.run::<()>(user(1), LIMITS, panics).await,
        Err(JobError::Aborted)
    );
    assert_eq!(pool.run(user(1), LIMITS, async { 1 }).await, Ok(1));
    assert_eq!(pool.job_counts(), (0, 0));
}

type Job = std::pin::Pin<Box<dyn Future<Output = Result<(), JobError>>>>;

async fn submit_pending(pool: &Arc<WorkPool>, by: UserId) -> Job {
    let pool = Arc::clone(pool);
    let mut job: Job = Box::pin(async move { pool.run(by, LIMITS, async {}).await });
    assert!(futures_util::poll!(&mut job).is_pending());
    job
}

#[tokio::test]
async fn bounds_hold_per_user_and_in_all() {
    let pool = Arc::new(WorkPool::new(1));
    let release = occupied(&pool, user(1)).await;
    let second = submit_pending(&pool, user(1)).await;
    let full = pool.run(user(1), LIMITS, async {}).await;
    assert_eq!(full, Err(JobError::QueueFull));
    let third = submit_pending(&pool, user(2)).await;
    let fourth = submit_pending(&pool, user(3)).await;
    let full = pool.run(user(4), LIMITS, async {}).await;
    assert_eq!((full, pool.rejected()), (Err(JobError::QueueFull), 2));
    assert_eq!(pool.job_counts(), (3, 4));
    drop(release);
    for job in [second, third, fourth] {
        assert_eq!(job.await, Ok(()));
    }
    assert_eq!(pool.job_counts().0, 0);
}

#[tokio::test]
async fn a_job_that_its_caller_dropped_never_runs() {
    let pool = Arc::new(WorkPool::new(1));
    let release = occupied(&pool, user(1)).await;
    let (ran, has_run) = mpsc::channel::<()>();
    let mut job = Box::pin(pool.run(user(2), LIMITS, async move { ran.send(()).unwrap() }));
    assert!(futures_util::poll!(&mut job).is_pending());
    drop(job);
    drop(release);
    pool.run(user(2), LIMITS, async {}).await.unwrap();
    assert!(has_run.try_recv().is_err());
}
