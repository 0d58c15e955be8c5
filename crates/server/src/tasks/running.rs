//! A task that runs: it is in the records from its beginning to its end, says now and then how far it
//! came, and learns whether it may go on.

use std::sync::Arc;

use serde_json::Value;
use store::tasks::{self, NewTask, Progress, TaskState};
use store::{StoreError, Told, Transaction, UserId};

use super::kind::TaskKind;
use super::note::TaskNote;
use crate::app::App;
use crate::secrets::random_text;

/// Tasks that one user may have at once.
const AT_ONCE: i64 = 5;
/// Progress is written at most so often.
const TELL_EVERY_MS: i64 = 1_000;
/// A task that says nothing for so long is given up: its node is gone.
pub const SILENCE_MS: i64 = 5 * 60_000;

/// Why a task does not begin.
#[derive(Debug, thiserror::Error)]
pub enum CannotBegin {
    /// The user has too many already.
    #[error("too many tasks run at once")]
    TooMany,
    /// The records could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A task that runs here. Dropped before its end, it counts as cancelled.
pub struct RunningTask {
    app: Arc<App>,
    id: String,
    done: i64,
    /// What it has found so far.
    result: Option<String>,
    told_at: i64,
    is_ended: bool,
}

impl RunningTask {
    /// Begins a task.
    pub async fn begin(
        app: &Arc<App>,
        kind: TaskKind,
        user_id: UserId,
        note: &TaskNote,
        total: Option<i64>,
    ) -> Result<Self, CannotBegin> {
        let now = app.clock().now_ms();
        let transaction = app.store().write().await?;
        give_up_silent(&transaction, now).await?;
        if tasks::running(&transaction, user_id).await? >= AT_ONCE {
            return Err(CannotBegin::TooMany);
        }
        let new = NewTask {
            id: format!("task_{}", random_text(app.randomness(), 20)),
            kind: kind.name().to_owned(),
            user_id,
            node_id: app.node().to_owned(),
            total,
            message: note.to_string(),
            note: Some(note.json()),
            now,
        };
        let task = tasks::insert(&transaction, new).await?;
        transaction.commit().await?;
        Ok(Self {
            app: app.clone(),
            id: task.id,
            done: 0,
            result: None,
            told_at: now,
            is_ended: false,
        })
    }

    /// The task's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Notes steps that were done, now and then. False where the task must end.
    pub async fn advance(&mut self, steps: i64) -> Result<bool, StoreError> {
        self.done += steps;
        if self.app.clock().now_ms() - self.told_at < TELL_EVERY_MS {
            return Ok(true);
        }
        self.tell().await
    }

    /// Notes one step, which is far apart from the others, and what was found so far.
    pub async fn step(&mut self, result: Option<Value>) -> Result<bool, StoreError> {
        self.done += 1;
        self.result = result.map(|value| value.to_string()).or(self.result.take());
        self.tell().await
    }

    /// Says what was found, without a step.
    pub async fn found(&mut self, result: Value) -> Result<bool, StoreError> {
        self.result = Some(result.to_string());
        self.tell().await
    }

    async fn tell(&mut self) -> Result<bool, StoreError> {
        let now = self.app.clock().now_ms();
        self.told_at = now;
        let transaction = self.app.store().write().await?;
        let progress = Progress {
            done: self.done,
            result: self.result.as_deref(),
        };
        let may_go_on = tasks::progress(&transaction, &self.id, progress, now).await?;
        transaction.commit().await?;
        Ok(may_go_on)
    }

    /// Ends the task.
    pub async fn finish(mut self, state: TaskState, note: &TaskNote) -> Result<(), StoreError> {
        self.is_ended = true;
        end(&self.app, &self.id, state, self.done, note).await
    }
}

impl Drop for RunningTask {
    fn drop(&mut self) {
        if self.is_ended {
            return;
        }
        let (app, id, done) = (self.app.clone(), std::mem::take(&mut self.id), self.done);
        // Whoever waited for it has left; outside a runtime there is nobody to write it down.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let note = TaskNote::NobodyWaited;
                if let Err(error) = end(&app, &id, TaskState::Cancelled, done, &note).await {
                    tracing::warn!(%error, task = id, "the end of a task could not be noted");
                }
            });
        }
    }
}

async fn end(
    app: &App,
    id: &str,
    state: TaskState,
    done: i64,
    note: &TaskNote,
) -> Result<(), StoreError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let progress = Progress { done, result: None };
    let (text, json) = (note.to_string(), note.json());
    let told = told(&text, &json);
    tasks::finish(&transaction, id, state, progress, told, now).await?;
    transaction.commit().await?;
    Ok(())
}

/// Gives up tasks that have said nothing for too long.
async fn give_up_silent(transaction: &Transaction, now: i64) -> Result<(), StoreError> {
    let (text, json) = (TaskNote::NodeGone.to_string(), TaskNote::NodeGone.json());
    tasks::give_up(transaction, now - SILENCE_MS, told(&text, &json), now).await?;
    Ok(())
}

fn told<'a>(text: &'a str, note: &'a str) -> Told<'a> {
    let note = Some(note);
    Told { text, note }
}
