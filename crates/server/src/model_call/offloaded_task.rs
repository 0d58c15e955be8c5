//! A task with a large body: everything that takes time runs in the work pool. What the pipeline asks for at once was
//! computed there before.

use std::sync::Arc;

use billing::pricing::Bounds;
use bytes::Bytes;
use dialects::canonical::Failure;
use futures_util::future::BoxFuture;
use providers::{Operation, RequestBody};
use store::UserId;
use tokio::sync::Mutex;

use super::call::Call;
use super::extra::ExtraRules;
use super::large_body::conversion_memory;
use super::offload::offload;
use super::refusals;
use super::task::{Addressee, Outgoing, Task};
use crate::app::App;
use crate::body_memory::MemoryGuard;
use crate::work_pool::JobError;

/// A task behind the work pool.
pub struct OffloadedTask {
    app: Arc<App>,
    call: Arc<Call>,
    user: UserId,
    /// Shared with a job, which may outlive the attempt that started it.
    task: Arc<Mutex<Box<dyn Task>>>,
    size: usize,
    facts: Facts,
    /// Reserved for as long as the task exists, if reading the body has already made a copy of it.
    memory: Option<MemoryGuard>,
}

/// What the task says of itself.
struct Facts {
    operation: Operation,
    model: String,
    is_stream: bool,
    bounds: Option<Bounds>,
    estimated_tokens: u64,
    affinity: Option<u64>,
}

impl Facts {
    fn new(task: &dyn Task) -> Self {
        Self {
            operation: task.operation(),
            model: task.model().to_owned(),
            is_stream: task.is_stream(),
            bounds: task.bounds(),
            estimated_tokens: task.estimated_tokens(),
            affinity: task.affinity(),
        }
    }
}

impl OffloadedTask {
    /// Wraps the task of a user's call with a body of this size. This computes, and belongs into the pool.
    pub fn new(
        (app, call, user): (Arc<App>, Arc<Call>, UserId),
        task: Box<dyn Task>,
        size: usize,
        memory: Option<MemoryGuard>,
    ) -> Self {
        Self {
            app,
            call,
            user,
            facts: Facts::new(task.as_ref()),
            task: Arc::new(Mutex::new(task)),
            size,
            memory,
        }
    }

    /// Runs something with the task in the pool.
    async fn work<T: Send + 'static>(
        &self,
        work: impl for<'t> FnOnce(&'t mut dyn Task) -> BoxFuture<'t, T> + Send + 'static,
    ) -> Result<T, Failure> {
        let task = Arc::clone(&self.task);
        let job = async move {
            let mut task = task.lock_owned().await;
            work(task.as_mut()).await
        };
        offload(&self.app, self.user, job).await
    }

    /// Reserves the memory of one conversion, unless all of it is reserved already.
    fn reserve(&self) -> Result<Option<MemoryGuard>, Failure> {
        if self.memory.is_some() {
            return Ok(None);
        }
        conversion_memory(&self.app, self.user, self.size).map(Some)
    }

    async fn write_in_pool(&self, to: Addressee<'_>) -> Result<Outgoing, Failure> {
        let converts = self.task.lock().await.converts_for(to.formats);
        let memory = if converts { self.reserve()? } else { None };
        let (app, call) = (Arc::clone(&self.app), Arc::clone(&self.call));
        let (place, formats) = (to.place.clone(), to.formats.to_vec());
        self.work(move |task| {
            Box::pin(async move {
                let to = Addressee {
                    app: &app,
                    call: &call,
                    place: &place,
                    formats: &formats,
                };
                let mut outgoing = task.write(to).await?;
                if let (RequestBody::Whole(body), Some(memory)) = (&mut outgoing.body, memory) {
                    *body = keep_reserved(std::mem::take(body), memory);
                }
                Ok(outgoing)
            })
        })
        .await?
    }
}

/// Keeps what the written body takes of the memory that its conversion took.
fn keep_reserved(body: Bytes, mut memory: MemoryGuard) -> Bytes {
    memory.shrink_to(body.len());
    memory.into_bytes(body)
}

impl Task for OffloadedTask {
    fn operation(&self) -> Operation {
        self.facts.operation
    }

    fn model(&self) -> &str {
        &self.facts.model
    }

    fn is_stream(&self) -> bool {
        self.facts.is_stream
    }

    fn bounds(&self) -> Option<Bounds> {
        self.facts.bounds.clone()
    }

    fn allow_extra(&mut self, rules: &ExtraRules<'_>) -> Result<bool, Failure> {
        // Nothing else uses the task while a call is admitted; if something did, the call would be rejected.
        let task = self.task.try_lock();
        let mut task = task.map_err(|_| refusals::no_work_done(JobError::Aborted))?;
        let has_extra = task.allow_extra(rules)?;
        self.facts.bounds = task.bounds();
        Ok(has_extra)
    }

    fn estimated_tokens(&self) -> u64 {
        self.facts.estimated_tokens
    }

    fn affinity(&self) -> Option<u64> {
        self.facts.affinity
    }

    fn is_large(&self) -> bool {
        true
    }

    fn is_repeatable(&self) -> bool {
        // If an attempt that was given up still computes, there is nothing to repeat with.
        self.task.try_lock().is_ok_and(|task| task.is_repeatable())
    }

    fn count_input(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            let Ok(memory) = self.reserve() else {
                return false;
            };
            let counted = self.work(|task| {
                Box::pin(async move {
                    let is_counted = task.count_input().await;
                    (is_counted, task.bounds())
                })
            });
            let Ok((is_counted, bounds)) = counted.await else {
                return false;
            };
            drop(memory);
            self.facts.bounds = bounds;
            is_counted
        })
    }

    fn lower_cap(&mut self, output_tokens: u64) -> bool {
        let Ok(mut task) = self.task.try_lock() else {
            return false;
        };
        let is_lowered = task.lower_cap(output_tokens);
        self.facts.bounds = task.bounds();
        is_lowered
    }

    fn leave_signatures_out<'a>(&'a mut self, _: &'a Call) -> BoxFuture<'a, bool> {
        let call = Arc::clone(&self.call);
        Box::pin(async move {
            let left_out = self
                .work(move |task| Box::pin(async move { task.leave_signatures_out(&call).await }));
            left_out.await.unwrap_or_default()
        })
    }

    fn answer_instead<'a>(&'a mut self, failure: &Failure) -> BoxFuture<'a, Option<Bytes>> {
        let failure = failure.clone();
        Box::pin(async move {
            let answer =
                self.work(move |task| Box::pin(async move { task.answer_instead(&failure).await }));
            answer.await.ok().flatten()
        })
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(self.write_in_pool(to))
    }
}
