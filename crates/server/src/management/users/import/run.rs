//! The call: a dry run answers at once, an import is a task, since hashing thousands of passwords takes
//! minutes. Each user is made in a transaction of its own. The report is kept with the task, so there is
//! no password in it.

use std::sync::Arc;

use axum::extract::{Request, State};
use schemars::JsonSchema;
use serde::Deserialize;
use store::StoreError;
use store::tasks::TaskState;

use super::plan::{NewAccount, Planned, plan};
use super::table::read;
use super::view::{UserImport, UserImportOutcome, UserImportReport};
use crate::accounts::hash_password;
use crate::app::App;
use crate::management::frame::{ApiError, Identity, Reply, Search};
use crate::management::users::account::make;
use crate::management::users::balance;
use crate::middleware::read_short_body;
use crate::tasks::{RunningTask, TaskKind, TaskNote};

/// Largest file that is taken.
const LARGEST_FILE: usize = 4 << 20;

/// How to import.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UserImportSearch {
    /// Whether to write nothing, and only report.
    dry_run: Option<bool>,
    /// Why wallets begin with something, for the ledger; absent: who imported it.
    reason: Option<String>,
}

/// Imports users.
pub(in crate::management::users) async fn import(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(search): Search<UserImportSearch>,
    request: Request,
) -> Result<Reply<UserImport>, ApiError> {
    let reason = match search.reason.as_deref().map(str::trim) {
        None | Some("") => format!("imported by {}", actor.user.username),
        given => balance::reason(given, &actor)?,
    };
    let body = read_short_body(request.into_body(), LARGEST_FILE).await?;
    let planned = plan(&app, &actor, read(&body)?, &reason).await?;
    for account in planned.iter().flat_map(|one| &one.outcome) {
        account.draft.require_rights(&app, &actor)?;
    }
    if search.dry_run == Some(true) {
        return Ok(Reply::of(UserImport {
            report: Some(expected(&planned)),
            task_id: None,
        }));
    }
    let note = TaskNote::ReadsRows {
        count: planned.len(),
    };
    let total = i64::try_from(planned.len()).ok();
    let task = RunningTask::begin(&app, TaskKind::UserImport, actor.id(), &note, total).await?;
    let task_id = task.id().to_owned();
    tokio::spawn(async move {
        if let Err(error) = work_off(&app, &actor, planned, task).await {
            tracing::warn!(%error, "the end of a task could not be noted");
        }
    });
    Ok(Reply::of(UserImport {
        report: None,
        task_id: Some(task_id),
    }))
}

/// What the rows would make.
fn expected(planned: &[Planned]) -> UserImportReport {
    let mut nanos: i64 = 0;
    let rows = planned.iter().map(|one| match &one.outcome {
        Ok(account) => {
            nanos = nanos.saturating_add(account.draft.nanos);
            one.row(UserImportOutcome::WouldMake, None)
        }
        Err(reason) => one.row(UserImportOutcome::Refused, Some(reason.clone())),
    });
    let rows = rows.collect();
    UserImportReport::of(true, nanos, rows)
}

async fn work_off(
    app: &App,
    actor: &Identity,
    planned: Vec<Planned>,
    mut task: RunningTask,
) -> Result<(), StoreError> {
    let mut nanos: i64 = 0;
    let mut rows = Vec::with_capacity(planned.len());
    let mut may_go_on = true;
    for mut one in planned {
        let outcome = std::mem::replace(&mut one.outcome, Err(String::new()));
        let made = match outcome {
            Ok(account) => alone(app, actor, account).await,
            Err(reason) => Err(reason),
        };
        rows.push(match made {
            Ok(began_with) => {
                nanos = nanos.saturating_add(began_with);
                one.row(UserImportOutcome::Made, None)
            }
            Err(reason) => one.row(UserImportOutcome::Refused, Some(reason)),
        });
        may_go_on = task.advance(1).await?;
        if !may_go_on {
            break;
        }
    }
    let report = UserImportReport::of(false, nanos, rows);
    let note = report.note();
    task.found(serde_json::to_value(&report)?).await?;
    let state = if may_go_on {
        TaskState::Done
    } else {
        TaskState::Cancelled
    };
    task.finish(state, &note).await
}

/// Makes one user; what the wallet begins with, or why there is none.
async fn alone(app: &App, actor: &Identity, account: NewAccount) -> Result<i64, String> {
    let nanos = account.draft.nanos;
    let made = async {
        let password_hash = match account.password {
            Some(password) => Some(hash_password(password, app.randomness()).await?),
            None => None,
        };
        let transaction = app.store().write().await?;
        make(app, &transaction, actor, (account.draft, password_hash)).await?;
        transaction.commit().await?;
        Ok::<_, ApiError>(())
    };
    made.await.map_err(|error| error.to_string())?;
    Ok(nanos)
}
