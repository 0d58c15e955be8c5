//! One import from its beginning to its end.

use serde_json::json;
use store::audit_log::{self, NewAuditEntry};
use store::imports::{self, ImportState, NewImport};
use store::{Alone, ImportId, StoreError, alone, groups as groups_here};

use super::work::{By, Means, Watch, Work};
use super::{channels, codes, groups, prices, tokens, users};
use crate::accounts::DEFAULT_GROUP;
use crate::imports::error::ImportError;
use crate::imports::plan::Plan;
use crate::imports::report::{Effect, Findings, Origin, Report};
use crate::tasks::SILENCE_MS;

/// More than this, all balances together, cannot be booked.
pub(in crate::imports) const MOST_NANOS: i64 = 3_000_000_000_000_000_000;

/// What is imported, and how.
#[derive(Debug)]
pub struct Asked {
    /// Where it comes from.
    pub origin: Origin,
    /// What it asks for.
    pub plan: Plan,
    /// What is known of it so far.
    pub findings: Findings,
    /// Whether to write nothing.
    pub dry_run: bool,
}

impl Asked {
    /// Gives every account that is made so much to begin with, beside what the source says.
    pub fn give_each(&mut self, nanos: i64) -> Result<(), ImportError> {
        let mut total: i64 = 0;
        for user in &mut self.plan.users {
            let has = user.wallet_nanos.checked_add(nanos);
            let sum = has.and_then(|has| total.checked_add(has));
            let (Some(has), Some(sum)) = (has, sum.filter(|sum| *sum <= MOST_NANOS)) else {
                let text = "all balances together are beyond all bounds";
                return Err(ImportError::source(text));
            };
            (user.wallet_nanos, total) = (has, sum);
        }
        Ok(())
    }
}

/// Imports. What was made until an error stays, listed, and can be undone; importing again goes on
/// from there.
pub async fn run_import(
    means: Means<'_>,
    by: &By,
    asked: Asked,
    watch: &mut Watch,
) -> Result<Report, ImportError> {
    let Asked {
        origin,
        plan,
        mut findings,
        dry_run,
    } = asked;
    if groups_here::get(means.store.read(), DEFAULT_GROUP)
        .await?
        .is_none()
    {
        return Err(ImportError::source(
            "set this installation up first: modelgate setup",
        ));
    }
    refuse_other_source(means, &origin.source, &plan).await?;
    let import = if dry_run {
        None
    } else {
        Some(begin(means, by, &origin).await?)
    };
    let mut work = Work {
        means,
        source: &origin.source,
        import,
        by,
        findings: &mut findings,
        watch,
        now: means.clock.now_ms(),
    };
    let outcome = apply(&mut work, plan).await;
    if outcome.is_ok() && findings_have_known(&mut findings) {
        let reason = "imported before: left as they are here, whatever has changed in the source \
                      since";
        findings
            .notes
            .add("source", Effect::Attention, &origin.source, reason);
    }
    let report = findings.report(&origin, dry_run, import.map(|id| id.0));
    if let Some(id) = import {
        finish(means, id, &outcome, &report).await?;
    }
    outcome.map(|()| report)
}

async fn apply(work: &mut Work<'_>, plan: Plan) -> Result<(), ImportError> {
    groups::apply(work, &plan.groups).await?;
    let owners = users::apply(work, &plan.users).await?;
    tokens::apply(work, &plan.tokens, &owners).await?;
    channels::apply(work, &plan.channels).await?;
    codes::apply(work, &plan.codes).await?;
    prices::apply(work, plan.prices).await
}

fn findings_have_known(findings: &mut Findings) -> bool {
    let kinds = ["users", "tokens", "channels", "codes"];
    kinds.iter().any(|kind| findings.count(kind).known > 0)
}

/// Refuses a source that goes by the name of another one: the numbers of its records would be taken
/// for those of the other.
async fn refuse_other_source(
    means: Means<'_>,
    source: &str,
    plan: &Plan,
) -> Result<(), ImportError> {
    let records = means.store.read();
    let known = imports::known(records, source, imports::Entity::User).await?;
    for user in &plan.users {
        let Some(item) = known.get(&user.foreign_id) else {
            continue;
        };
        let is_other = !item.mark.is_empty() && !user.mark.is_empty() && item.mark != user.mark;
        if is_other {
            let text = format!(
                "user {} of this source is not the one that was imported from `{source}` before; \
                 name this source otherwise (--source-name on the command line, `source` in the query)",
                user.foreign_id
            );
            return Err(ImportError::source(text));
        }
    }
    Ok(())
}

async fn begin(means: Means<'_>, by: &By, origin: &Origin) -> Result<ImportId, ImportError> {
    let now = means.clock.now_ms();
    let transaction = means.store.write().await?;
    alone(&transaction, Alone::Imports).await?;
    if imports::is_anybody_at_it(&transaction, now - SILENCE_MS).await? {
        return Err(ImportError::Busy);
    }
    let new = NewImport {
        kind: origin.kind.clone(),
        source: origin.source.clone(),
        format: origin.format.clone(),
        created_by: by.user,
        now,
    };
    let id = imports::begin(&transaction, new).await?;
    let entry = NewAuditEntry {
        created_at: now,
        actor_id: by.user,
        action: "import.run".to_owned(),
        object_kind: "import".to_owned(),
        object_id: id.to_string(),
        changes: json!({
            "kind": {"to": origin.kind},
            "source": {"to": origin.source},
            "format": {"to": origin.format},
        }),
        outcome: "done".to_owned(),
        ip: by.ip.clone(),
        request_id: by.request_id.clone(),
    };
    audit_log::append(&transaction, &entry).await?;
    transaction.commit().await?;
    Ok(id)
}

async fn finish(
    means: Means<'_>,
    id: ImportId,
    outcome: &Result<(), ImportError>,
    report: &Report,
) -> Result<(), ImportError> {
    let state = match outcome {
        Ok(()) => ImportState::Done,
        Err(ImportError::Cancelled) => ImportState::Cancelled,
        Err(_) => ImportState::Failed,
    };
    let report = serde_json::to_value(report).map_err(StoreError::from)?;
    let transaction = means.store.write().await?;
    imports::finish(&transaction, id, state, report, means.clock.now_ms()).await?;
    transaction.commit().await?;
    Ok(())
}
