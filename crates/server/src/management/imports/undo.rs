//! Undoing an import: a task too.

use std::sync::Arc;

use axum::extract::State;
use store::imports::{self, ImportState};
use store::{ImportId, StoreError};

use super::begin::{by, end, means, put_into_effect, refuse_while_busy};
use super::view::Begun;
use crate::app::App;
use crate::imports::{By, ImportError, Watch, undo_import};
use crate::management::frame::{ApiError, At, Identity, Reply};
use crate::tasks::RunningTask;

/// Begins to take an import out.
pub(super) async fn undo(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<Begun>, ApiError> {
    let id = ImportId(id);
    let records = app.store().read();
    let import = imports::get(records, id).await?;
    let import = import.ok_or(ImportError::Unknown)?;
    if import.state == ImportState::Undone {
        return Err(ImportError::Undone.into());
    }
    refuse_while_busy(&app).await?;
    let total = imports::items_of(records, id).await?;
    let message = format!("Undoing import {id}");
    let task = RunningTask::begin(&app, "import_undo", actor.id(), &message, Some(total)).await?;
    let task_id = task.id().to_owned();
    let by = by(&actor);
    tokio::spawn(async move {
        if let Err(error) = Box::pin(work(&app, &by, id, task)).await {
            tracing::warn!(%error, "the end of a task could not be noted");
        }
    });
    Ok(Reply::of(Begun { task_id }))
}

async fn work(app: &Arc<App>, by: &By, id: ImportId, task: RunningTask) -> Result<(), StoreError> {
    let mut watch = Watch::Task(Box::new(task));
    // Who has called a moment ago has called.
    app.wallets().flush().await;
    let outcome = undo_import(means(app), by, id, &mut watch).await;
    put_into_effect(app).await;
    let outcome = outcome.map(|report| {
        let removed: i64 = report.counts.iter().map(|count| count.removed).sum();
        let kept: i64 = report.counts.iter().map(|count| count.kept).sum();
        let message = match kept {
            0 => format!("{removed} records were taken out."),
            _ => format!("{removed} records were taken out, {kept} were kept."),
        };
        (serde_json::to_value(report).unwrap_or_default(), message)
    });
    end(watch, outcome).await
}
