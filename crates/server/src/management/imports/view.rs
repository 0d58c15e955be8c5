//! Imports as callers see them.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::imports::{self, Import, ImportState};
use store::{ConnectionTrait, Document, ImportId, Paged};

use crate::app::App;
use crate::imports::{Report, UndoReport};
use crate::management::frame::{ApiError, At, Moment, PageQuery, PagedList, Reply, Search};

/// A task that was begun.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ImportBegun")]
pub struct Begun {
    /// The task to watch, at `/api/task/{task_id}`.
    pub task_id: String,
}

/// An import.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Import")]
pub struct ImportView {
    /// The import's id.
    id: i64,
    /// `one-api`, `new-api` or `litellm`.
    kind: String,
    /// Which one of that kind.
    source: String,
    /// `sqlite`, `mysql_dump`, `postgres`, `postgres_dump` or `yaml`.
    format: String,
    /// `running`, `done`, `failed`, `cancelled`, `undoing`, `undone` or `partly_undone`.
    state: &'static str,
    /// Who began it; none from the command line.
    created_by: Option<i64>,
    /// When it began.
    created_at: Moment,
    /// When it ended.
    finished_at: Option<Moment>,
    /// When it was undone.
    undone_at: Option<Moment>,
    /// How many records of it are left.
    records: i64,
}

/// An import with its reports.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ImportDetails {
    /// The import.
    import: ImportView,
    /// What was carried over and what was not.
    report: Option<Report>,
    /// What was taken out again and what was not.
    undo_report: Option<UndoReport>,
}

async fn view(records: &impl ConnectionTrait, import: &Import) -> Result<ImportView, ApiError> {
    Ok(ImportView {
        id: import.id.0,
        kind: import.kind.clone(),
        source: import.source.clone(),
        format: import.format.clone(),
        state: match import.state {
            ImportState::Running => "running",
            ImportState::Done => "done",
            ImportState::Failed => "failed",
            ImportState::Cancelled => "cancelled",
            ImportState::Undoing => "undoing",
            ImportState::Undone => "undone",
            ImportState::PartlyUndone => "partly_undone",
        },
        created_by: import.created_by.map(|id| id.0),
        created_at: Moment(import.created_at),
        finished_at: import.finished_at.map(Moment),
        undone_at: import.undone_at.map(Moment),
        records: imports::items_of(records, import.id).await?,
    })
}

fn report<T: DeserializeOwned>(stored: Option<Document<Value>>) -> Option<T> {
    stored.and_then(|document| serde_json::from_value(document.0).ok())
}

/// Lists imports, newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(page): Search<PageQuery>,
) -> Result<Reply<PagedList<ImportView>>, ApiError> {
    let page = page.page()?;
    let records = app.store().read();
    let found = imports::list(records, page).await?;
    let mut views = Vec::with_capacity(found.items.len());
    for import in &found.items {
        views.push(view(records, import).await?);
    }
    let shown = Paged {
        items: views,
        total: found.total,
    };
    Ok(Reply::of(PagedList::of(page, shown, |view| view)))
}

/// Reads an import.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    At(id): At<i64>,
) -> Result<Reply<ImportDetails>, ApiError> {
    let records = app.store().read();
    let import = imports::get(records, ImportId(id)).await?;
    let import = import.ok_or_else(|| ApiError::not_found("The import"))?;
    Ok(Reply::of(ImportDetails {
        report: report(import.report.clone()),
        undo_report: report(import.undo_report.clone()),
        import: view(records, &import).await?,
    }))
}
