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
use crate::tasks::{RunningTask, TaskKind, TaskNote};

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
    let (kind, note) = (
        TaskKind::ImportUndo,
        TaskNote::UndoesImport { import: id.0 },
    );
    let task = RunningTask::begin(&app, kind, actor.id(), &note, Some(total)).await?;
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
        let count: i64 = report.counts.iter().map(|count| count.removed).sum();
        let kept: i64 = report.counts.iter().map(|count| count.kept).sum();
        let note = match kept {
            0 => TaskNote::TakenOut { count },
            _ => TaskNote::TakenOutInPart { count, kept },
        };
        (serde_json::to_value(report).unwrap_or_default(), note)
    });
    end(watch, outcome).await
}
