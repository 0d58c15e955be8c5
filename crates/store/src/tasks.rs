//! Long work that people can watch and cancel: what it is, how far it came, how it ended. Doing
//! the work is the server's business.

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EnumIter, FromQueryResult};

use crate::conditions::Conditions;
use crate::cursor::{Cursor, CursorPage};
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;
use crate::told::Told;

/// Ended tasks that are kept.
const KEPT: u32 = 1_000;
/// Most tasks a page.
const MAX_PAGE: u32 = 200;

/// How far a task came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum TaskState {
    /// Somebody works on it.
    #[sea_orm(string_value = "running")]
    Running,
    /// It came to its end.
    #[sea_orm(string_value = "done")]
    Done,
    /// It broke off.
    #[sea_orm(string_value = "failed")]
    Failed,
    /// Somebody asked for its end.
    #[sea_orm(string_value = "cancelled")]
    Cancelled,
}

/// A task as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Task {
    /// The task's id.
    pub id: String,
    /// What kind of work, for example `log_export`.
    pub kind: String,
    /// For whom.
    pub user_id: UserId,
    /// Which process works on it.
    pub node_id: String,
    /// How far it came.
    pub state: TaskState,
    /// Steps done.
    pub done: i64,
    /// Steps in all, where that is known.
    pub total: Option<i64>,
    /// What to tell people about it.
    pub message: String,
    /// The same as JSON.
    pub note: Option<String>,
    /// Whether somebody asked for its end.
    pub is_cancel_asked: bool,
    /// When it began.
    pub created_at: i64,
    /// When it last said something.
    pub updated_at: i64,
    /// When it ended.
    pub finished_at: Option<i64>,
    /// What it has found so far: JSON of its own kind.
    pub result: Option<String>,
}

/// How far a task came.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress<'a> {
    /// Steps done.
    pub done: i64,
    /// What it has found so far; none leaves what was told before.
    pub result: Option<&'a str>,
}

/// What it takes to begin a task.
#[derive(Clone, Debug)]
pub struct NewTask {
    /// The task's id.
    pub id: String,
    /// What kind of work.
    pub kind: String,
    /// For whom.
    pub user_id: UserId,
    /// Which process works on it.
    pub node_id: String,
    /// Steps in all, where that is known.
    pub total: Option<i64>,
    /// What to tell people about it.
    pub message: String,
    /// The same as JSON.
    pub note: Option<String>,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// Begins a task, and forgets the oldest ended ones beyond a thousand.
pub async fn insert(transaction: &Transaction, new: NewTask) -> Result<Task> {
    let text = format!(
        "DELETE FROM tasks WHERE state <> 'running' AND created_at < (SELECT created_at \
         FROM tasks WHERE state <> 'running' ORDER BY created_at DESC LIMIT 1 OFFSET {KEPT})"
    );
    sql::execute(transaction, &text, []).await?;
    let text = "INSERT INTO tasks (id, kind, user_id, node_id, total, message, note, \
                created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING *";
    let values = [
        new.id.into(),
        new.kind.into(),
        new.user_id.into(),
        new.node_id.into(),
        new.total.into(),
        new.message.into(),
        new.note.into(),
        new.now.into(),
    ];
    sql::returned(sql::one(transaction, text, values).await?)
}

/// Notes how far a running task came. The answer says whether it may go on: not when somebody
/// asked for its end, or when it was given up.
pub async fn progress(
    transaction: &Transaction,
    id: &str,
    progress: Progress<'_>,
    now: i64,
) -> Result<bool> {
    let text = "UPDATE tasks SET done = $2, result = COALESCE($3, result), updated_at = $4 \
                WHERE id = $1 AND state = 'running' RETURNING is_cancel_asked";
    let result = progress.result.map(str::to_owned);
    let values = [id.into(), progress.done.into(), result.into(), now.into()];
    let is_asked: Option<bool> = sql::value(transaction, text, values).await?;
    Ok(is_asked == Some(false))
}

/// Ends a running task; false where it had ended before.
pub async fn finish(
    transaction: &Transaction,
    id: &str,
    state: TaskState,
    progress: Progress<'_>,
    message: impl Into<Told<'_>>,
    now: i64,
) -> Result<bool> {
    let told = message.into();
    let text = "UPDATE tasks SET state = $2, done = $3, message = $4, note = $7, updated_at = $5, \
                finished_at = $5, result = COALESCE($6, result) \
                WHERE id = $1 AND state = 'running'";
    let values = [
        id.into(),
        state.into(),
        progress.done.into(),
        told.text.into(),
        now.into(),
        progress.result.map(str::to_owned).into(),
        told.note.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// Asks for the end of a running task; false where there is nothing to end.
pub async fn ask_to_cancel(transaction: &Transaction, id: &str) -> Result<bool> {
    let text = "UPDATE tasks SET is_cancel_asked = TRUE WHERE id = $1 AND state = 'running'";
    Ok(sql::execute(transaction, text, [id.into()]).await? > 0)
}

/// Gives up running tasks that have said nothing since a time: their node is gone.
pub async fn give_up(
    transaction: &Transaction,
    silent_since: i64,
    message: impl Into<Told<'_>>,
    now: i64,
) -> Result<u64> {
    let told = message.into();
    let text = "UPDATE tasks SET state = 'failed', finished_at = $2, updated_at = $2, \
                message = $3, note = $4 WHERE state = 'running' AND updated_at < $1";
    let values = [
        silent_since.into(),
        now.into(),
        told.text.into(),
        told.note.into(),
    ];
    sql::execute(transaction, text, values).await
}

/// The task of this id.
pub async fn get(connection: &impl ConnectionTrait, id: &str) -> Result<Option<Task>> {
    sql::one(connection, "SELECT * FROM tasks WHERE id = $1", [id.into()]).await
}

/// How many tasks of a user run now.
pub async fn running(connection: &impl ConnectionTrait, user_id: UserId) -> Result<i64> {
    let text = "SELECT count(*) FROM tasks WHERE user_id = $1 AND state = 'running'";
    Ok(sql::value(connection, text, [user_id.into()])
        .await?
        .unwrap_or(0))
}

/// The tasks after `cursor`, of one user or of all, newest first.
pub async fn page(
    connection: &impl ConnectionTrait,
    user_id: Option<UserId>,
    state: Option<TaskState>,
    cursor: Option<&Cursor>,
    limit: u32,
) -> Result<CursorPage<Task>> {
    let mut conditions = Conditions::default();
    conditions.add_some("user_id = {}", user_id);
    conditions.add_some("state = {}", state);
    if let Some(Cursor { created_at, tie }) = cursor {
        conditions.before("created_at, id", *created_at, tie.clone());
    }
    let limit = limit.clamp(1, MAX_PAGE) as usize;
    let text = format!(
        "SELECT * FROM tasks WHERE {} ORDER BY created_at DESC, id DESC LIMIT {}",
        conditions.sql(),
        limit + 1
    );
    let items: Vec<Task> = sql::all(connection, &text, conditions.values()).await?;
    Ok(CursorPage::cut(items, limit, |task| {
        Cursor::new(task.created_at, task.id.as_str())
    }))
}
