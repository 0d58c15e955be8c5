//! Exports of calls as a stream, page by page: memory is that of a page, however long the log is.
//! What was begun and could not be finished ends without a clean end, so that nobody takes it for
//! complete.

use std::io;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderName, HeaderValue, header};
use schemars::JsonSchema;
use serde::Deserialize;
use store::request_log::{self, LogFilter, PageBounds};
use store::tasks::TaskState;
use store::{Cursor, StoreError};

use super::csv;
use super::search::CallSearch;
use super::view::{CallView, views};
use crate::app::App;
use crate::management::frame::{ApiError, Identity, Search};
use crate::management::scope::{Scope, ScopeQuery};
use crate::tasks::{RunningTask, TaskKind, TaskNote};

/// Calls a page.
const PAGE: u32 = 1_000;
const TASK_ID: HeaderName = HeaderName::from_static("x-task-id");

/// In which form.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExportQuery {
    /// `csv` (the default) or `jsonl`.
    format: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Csv,
    JsonLines,
}

/// An export on its way.
struct Export {
    app: Arc<App>,
    identity: Identity,
    filter: LogFilter,
    format: Format,
    place: Place,
    task: RunningTask,
}

/// Where an export is.
enum Place {
    Beginning,
    After(Cursor),
    End,
}

/// Exports calls.
pub(super) async fn export(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<CallSearch>,
    Search(query): Search<ExportQuery>,
) -> Result<Response, ApiError> {
    let format = match query.format.as_deref() {
        None | Some("" | "csv") => Format::Csv,
        Some("jsonl") => Format::JsonLines,
        Some(_) => return Err(ApiError::bad_field("format", "must be csv or jsonl")),
    };
    let owner = match scope.scope(&identity)? {
        Scope::Own => Some(identity.id()),
        Scope::All => None,
    };
    let mut filter = search.filter(owner)?;
    // What comes while the export runs would never let it end.
    let now = app.clock().now_ms();
    filter.until_ms = Some(filter.until_ms.map_or(now, |until| until.min(now)));
    let (kind, note) = (TaskKind::LogExport, TaskNote::ExportsCalls);
    let task = RunningTask::begin(&app, kind, identity.id(), &note, None).await?;
    let headers = headers(format, task.id());
    let export = Export {
        app,
        identity,
        filter,
        format,
        place: Place::Beginning,
        task,
    };
    let body = Body::from_stream(stream::unfold(Some(export), next_piece));
    Ok((headers, body).into_response())
}

fn headers(format: Format, task: &str) -> [(HeaderName, HeaderValue); 3] {
    let (media_type, file) = match format {
        Format::Csv => (
            "text/csv; charset=utf-8",
            "attachment; filename=\"calls.csv\"",
        ),
        Format::JsonLines => (
            "application/x-ndjson",
            "attachment; filename=\"calls.jsonl\"",
        ),
    };
    // Ids are letters, digits and an underscore.
    let task = HeaderValue::try_from(task).unwrap_or(HeaderValue::from_static(""));
    [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static(file)),
        (TASK_ID, task),
    ]
}

/// The next piece of the body, and the export that goes on after it.
async fn next_piece(export: Option<Export>) -> Option<(io::Result<Bytes>, Option<Export>)> {
    let mut export = export?;
    if matches!(export.place, Place::End) {
        if let Err(error) = export.task.finish(TaskState::Done, &TaskNote::Done).await {
            tracing::warn!(%error, "the end of an export could not be noted");
        }
        return None;
    }
    match export.page().await {
        Ok(Some(text)) => Some((Ok(Bytes::from(text)), Some(export))),
        Ok(None) => {
            let broken = io::Error::other("the export was cancelled");
            let note = TaskNote::Cancelled;
            let ended = export.task.finish(TaskState::Cancelled, &note).await;
            ended.err().map_or(Some((Err(broken), None)), |error| {
                Some((Err(io::Error::other(error)), None))
            })
        }
        Err(error) => {
            tracing::warn!(%error, "an export broke off");
            let note = TaskNote::BrokeOff;
            let ended = export.task.finish(TaskState::Failed, &note).await;
            if let Err(error) = ended {
                tracing::warn!(%error, "the end of an export could not be noted");
            }
            Some((Err(io::Error::other(error)), None))
        }
    }
}

impl Export {
    /// Reads and writes one page; none where the task was cancelled, or who began it may do less now.
    async fn page(&mut self) -> Result<Option<String>, StoreError> {
        if !self.identity.still_counts(&self.app).await? {
            return Ok(None);
        }
        let cursor = match &self.place {
            Place::After(cursor) => Some(cursor),
            Place::Beginning | Place::End => None,
        };
        let records = self.app.store().read();
        let page = request_log::page(records, &self.filter, cursor, PageBounds::rows(PAGE)).await?;
        let calls = views(records, &self.identity, page.items).await?;
        let mut text = String::new();
        if self.format == Format::Csv && matches!(self.place, Place::Beginning) {
            text.push_str(csv::HEADER);
        }
        for call in &calls {
            self.add(&mut text, call)?;
        }
        self.place = page.next.map_or(Place::End, Place::After);
        let steps = i64::try_from(calls.len()).unwrap_or(i64::MAX);
        let may_go_on = self.task.advance(steps).await?;
        Ok(may_go_on.then_some(text))
    }

    fn add(&self, text: &mut String, call: &CallView) -> Result<(), StoreError> {
        match self.format {
            Format::Csv => csv::add_row(text, call),
            Format::JsonLines => {
                text.push_str(&serde_json::to_string(call)?);
                text.push('\n');
            }
        }
        Ok(())
    }
}
