//! Long tasks: how far they came, and asking for their end.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::tasks::{self, Task, TaskState};
use store::users;

use super::frame::{
    Act, ApiError, At, CursorList, CursorQuery, Identity, Level, Moment, Reply, Route, Search,
    may_manage,
};
use super::scope::{Scope, ScopeQuery};
use crate::app::App;
use crate::tasks::{CannotBegin, TaskKind, TaskNote};

/// Largest result that a list shows: pages are read again and again while something runs.
const LARGEST_LISTED: usize = 16 << 10;

/// The routes of tasks.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/task/", Level::User, list)
            .about("List long tasks")
            .details("Results above 16 KiB are left out; read the task for one.")
            .searches::<CursorQuery>()
            .searches::<ScopeQuery>()
            .searches::<TaskSearch>()
            .gives::<CursorList<TaskView>>(),
        Route::get("/api/task/{task_id}", Level::User, one)
            .about("Read a long task")
            .gives::<TaskView>(),
        Route::post("/api/task/{task_id}/cancel", Level::User, cancel)
            .about("Ask for the end of a long task")
            .details(
                "It ends with its next step. Administrators end those of users whom they manage.",
            )
            .gives::<TaskView>(),
    ]
}

/// A long task.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Task")]
pub struct TaskView {
    /// The task's id.
    id: String,
    /// What kind of work.
    #[schemars(with = "TaskKind")]
    kind: String,
    /// For whom.
    user_id: i64,
    /// `running`, `done`, `failed` or `cancelled`.
    state: &'static str,
    /// Steps done.
    done: i64,
    /// Steps in all, where that is known.
    total: Option<i64>,
    /// What there is to say about it, in English.
    message: String,
    /// The same for clients that say it in another language; `null` for tasks of older releases.
    #[schemars(with = "Option<TaskNote>")]
    note: Option<Value>,
    /// Whether somebody asked for its end.
    cancel_asked: bool,
    /// When it began.
    created_at: Moment,
    /// When it last said something.
    updated_at: Moment,
    /// When it ended.
    finished_at: Option<Moment>,
    /// What it has found so far, where its kind finds something.
    result: Option<Value>,
}

impl From<CannotBegin> for ApiError {
    fn from(error: CannotBegin) -> Self {
        match error {
            CannotBegin::TooMany => Self::too_many("Too many of your tasks run now.", 10),
            CannotBegin::Store(error) => error.into(),
        }
    }
}

impl TaskView {
    fn of(task: Task) -> Self {
        Self {
            id: task.id,
            kind: task.kind,
            user_id: task.user_id.0,
            state: match task.state {
                TaskState::Running => "running",
                TaskState::Done => "done",
                TaskState::Failed => "failed",
                TaskState::Cancelled => "cancelled",
            },
            done: task.done,
            total: task.total,
            message: task.message,
            note: task.note.and_then(|text| serde_json::from_str(&text).ok()),
            cancel_asked: task.is_cancel_asked,
            created_at: Moment(task.created_at),
            updated_at: Moment(task.updated_at),
            finished_at: task.finished_at.map(Moment),
            result: task
                .result
                .and_then(|text| serde_json::from_str(&text).ok()),
        }
    }
}

/// Which tasks to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TaskSearch {
    /// Only `running`, `done`, `failed` or `cancelled` ones.
    state: Option<String>,
}

async fn list(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(place): Search<CursorQuery>,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<TaskSearch>,
) -> Result<Reply<CursorList<TaskView>>, ApiError> {
    let user = match scope.scope(&identity)? {
        Scope::Own => Some(identity.id()),
        Scope::All => None,
    };
    let state = match search.state.as_deref() {
        None | Some("") => None,
        Some("running") => Some(TaskState::Running),
        Some("done") => Some(TaskState::Done),
        Some("failed") => Some(TaskState::Failed),
        Some("cancelled") => Some(TaskState::Cancelled),
        Some(_) => return Err(ApiError::bad_field("state", "is not a state of tasks")),
    };
    let (cursor, limit) = place.bounds()?;
    let records = app.store().read();
    let page = tasks::page(records, user, state, cursor.as_ref(), limit).await?;
    let brief = |mut task: Task| {
        let result = task.result.take();
        task.result = result.filter(|text| text.len() <= LARGEST_LISTED);
        TaskView::of(task)
    };
    Ok(Reply::of(CursorList::of(page, brief)))
}

async fn one(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<String>,
) -> Result<Reply<TaskView>, ApiError> {
    let task = tasks::get(app.store().read(), &id).await?;
    Ok(Reply::of(TaskView::of(visible(task, &identity)?)))
}

async fn cancel(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<String>,
) -> Result<Reply<TaskView>, ApiError> {
    let transaction = app.store().write().await?;
    let task = visible(tasks::get(&transaction, &id).await?, &identity)?;
    if task.user_id != identity.id()
        && let Some(owner) = users::get(&transaction, task.user_id).await?
    {
        may_manage(&identity, &owner)?;
    }
    if !tasks::ask_to_cancel(&transaction, &id).await? {
        return Err(ApiError::conflict("The task has ended."));
    }
    let act = Act {
        action: "task.cancel",
        object_kind: "task",
        object_id: id.clone(),
        changes: json!({"kind": {"from": task.kind}, "user_id": {"from": task.user_id.0}}),
    };
    let now = app.clock().now_ms();
    act.note(&transaction, &identity, now).await?;
    let task = visible(tasks::get(&transaction, &id).await?, &identity)?;
    transaction.commit().await?;
    Ok(Reply::of(TaskView::of(task)))
}

/// One's own tasks or, for administrators, anybody's.
fn visible(task: Option<Task>, identity: &Identity) -> Result<Task, ApiError> {
    task.filter(|task| task.user_id == identity.id() || identity.is_administrator())
        .ok_or_else(|| ApiError::not_found("The task"))
}
