//! Beginning an import: the source is understood while the caller waits, so that a wrong one is
//! refused at once; writing is a task.

use std::sync::Arc;

use axum::extract::{Request, State};
use billing::pricing::parse_dollars;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use store::shared::Change;
use store::tasks::TaskState;
use store::{StoreError, imports};

use super::upload::Upload;
use super::view::Begun;
use crate::app::App;
use crate::background::announce;
use crate::imports::{Asked, By, ImportError, Kind, Means, Place, Watch, run_import, understand};
use crate::management::frame::{ApiError, Identity, Reply, Search};
use crate::tasks::{RunningTask, SILENCE_MS, TaskKind, TaskNote};

/// What to import, and how.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ImportSearch {
    /// `one-api`, `new-api` or `litellm`; required.
    kind: Option<String>,
    /// Whether to write nothing, and only report.
    dry_run: Option<bool>,
    /// A name that tells several sources of one kind apart; absent: the kind.
    source: Option<String>,
    /// What the wallet of each account that is made begins with beside what the source says, in
    /// dollars as decimal text; absent: nothing.
    balance_usd: Option<String>,
}

impl ImportSearch {
    /// What each account is given, in nano-dollars.
    fn balance(&self) -> Result<i64, ApiError> {
        let text = self.balance_usd.as_deref().map_or("", str::trim);
        let nanos = if text.is_empty() {
            Some(0)
        } else {
            parse_dollars(text).ok()
        };
        nanos.filter(|nanos| *nanos >= 0).ok_or_else(|| {
            let problem = "must be dollars at or above zero, as decimal text";
            ApiError::bad_field("balance_usd", problem)
        })
    }
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Source(_) => Self::bad_request(format!("The source: {error}")),
            ImportError::Unknown => Self::not_found("The import"),
            ImportError::Store(error) => error.into(),
            ImportError::Busy | ImportError::Undone | ImportError::Cancelled => {
                Self::conflict(format!("Not now: {error}."))
            }
        }
    }
}

/// Who asks, for the audit log.
pub(super) fn by(actor: &Identity) -> By {
    By {
        user: Some(actor.id()),
        ip: Some(actor.caller.address.to_string()),
        request_id: Some(actor.caller.request_id.to_string()),
    }
}

/// What an import of a running service is done with.
pub(super) fn means(app: &App) -> Means<'_> {
    Means {
        store: app.store(),
        keys: app.keys(),
        clock: app.clock(),
        randomness: app.randomness(),
    }
}

/// Refuses while somebody imports or undoes.
pub(super) async fn refuse_while_busy(app: &App) -> Result<(), ApiError> {
    let since = app.clock().now_ms() - SILENCE_MS;
    if imports::is_anybody_at_it(app.store().read(), since).await? {
        return Err(ImportError::Busy.into());
    }
    Ok(())
}

/// Begins an import.
pub(super) async fn begin(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(search): Search<ImportSearch>,
    request: Request,
) -> Result<Reply<Begun>, ApiError> {
    let Some(kind) = search.kind.as_deref().filter(|kind| !kind.is_empty()) else {
        return Err(ApiError::missing(&["kind"]));
    };
    let problem = "must be one-api, new-api or litellm";
    let kind = Kind::parse(kind).ok_or_else(|| ApiError::bad_field("kind", problem))?;
    let balance = search.balance()?;
    let dry_run = search.dry_run.unwrap_or(false);
    if !dry_run {
        refuse_while_busy(&app).await?;
    }
    let upload = Upload::take(&app, request.into_body()).await?;
    let place = Place::File(upload.path().to_owned());
    // This process's environment is the operator's: an uploaded file must not reach into it.
    let nothing = |_: &str| None;
    let asked = understand(kind, &place, search.source.as_deref(), &nothing, dry_run);
    let mut asked = Box::pin(asked).await?;
    drop(upload);
    asked.give_each(balance)?;
    let total = i64::try_from(asked.plan.records()).ok();
    let source = kind.name().to_owned();
    let note = if dry_run {
        TaskNote::TriesImport { source }
    } else {
        TaskNote::Imports { source }
    };
    let task = RunningTask::begin(&app, TaskKind::Import, actor.id(), &note, total).await?;
    let task_id = task.id().to_owned();
    let by = by(&actor);
    tokio::spawn(async move {
        if let Err(error) = Box::pin(work(&app, &by, asked, task)).await {
            tracing::warn!(%error, "the end of a task could not be noted");
        }
    });
    Ok(Reply::of(Begun { task_id }))
}

async fn work(app: &Arc<App>, by: &By, asked: Asked, task: RunningTask) -> Result<(), StoreError> {
    let is_dry = asked.dry_run;
    let mut watch = Watch::Task(Box::new(task));
    let outcome = run_import(means(app), by, asked, &mut watch).await;
    if !is_dry {
        put_into_effect(app).await;
    }
    let outcome = outcome.map(|report| {
        let count: i64 = report.counts.iter().map(|count| count.created).sum();
        let note = if is_dry {
            TaskNote::WouldCarryOver { count }
        } else {
            TaskNote::CarriedOver { count }
        };
        (serde_json::to_value(report).unwrap_or_default(), note)
    });
    end(watch, outcome).await
}

/// Tells every node, this one at once.
pub(super) async fn put_into_effect(app: &App) {
    announce(app, Change::Everything).await;
    if let Err(error) = app.prices().reload(app.store()).await {
        tracing::warn!(%error, "the prices could not be loaded; the background tries again");
    }
}

/// Ends the task with what came of it.
pub(super) async fn end(
    watch: Watch,
    outcome: Result<(Value, TaskNote), ImportError>,
) -> Result<(), StoreError> {
    let Watch::Task(mut task) = watch else {
        return Ok(());
    };
    let (state, note) = match outcome {
        Ok((report, note)) => {
            task.found(report).await?;
            (TaskState::Done, note)
        }
        Err(ImportError::Cancelled) => (TaskState::Cancelled, TaskNote::ImportCancelled),
        Err(error) => {
            tracing::error!(%error, "an import or its undoing failed");
            let reason = error.to_string();
            (TaskState::Failed, TaskNote::Failed { reason })
        }
    };
    task.finish(state, &note).await
}
