//! What the records get of one call, and how a batch of calls is written: log rows, charges and
//! sums in one transaction, each once by its key.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use store::leases::{self, LeaseCharge};
use store::ledger::Outcome;
use store::request_log::{self, Attempt, LoggedCall};
use store::{LeaseId, StoreError, TokenId, Transaction, UserId, tokens, users};

use super::inner::Inner;

/// What the records get of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What its charge is paid from; none where nothing was set aside.
    pub lease: Option<LeaseId>,
    /// The log row, charge and lines included.
    pub call: LoggedCall,
    /// Its tries.
    pub attempts: Vec<Attempt>,
}

impl Inner {
    /// Writes rows in one transaction, once. A single row whose lease was taken away meanwhile is
    /// paid from the wallet.
    pub async fn persist(&self, rows: &[Row]) -> store::Result<()> {
        match self.try_persist(rows, false).await {
            Err(StoreError::Stale(_)) if rows.len() == 1 => self.try_persist(rows, true).await,
            other => other,
        }
    }

    async fn try_persist(&self, rows: &[Row], is_late: bool) -> store::Result<()> {
        let transaction = self.write().await?;
        let calls: Vec<LoggedCall> = rows.iter().map(|row| row.call.clone()).collect();
        let attempts: Vec<Attempt> = rows
            .iter()
            .flat_map(|row| row.attempts.iter().cloned())
            .collect();
        let fresh = request_log::append_new(&transaction, &calls, &attempts).await?;
        let charges: Vec<LeaseCharge> = rows.iter().filter_map(charge_of).collect();
        let outcomes = if is_late {
            leases::settle_late(&transaction, &charges).await?
        } else {
            leases::settle(&transaction, &charges).await?
        };
        let outcomes = charges.iter().zip(outcomes);
        let repeated: HashSet<&str> = outcomes
            .filter(|(_, outcome)| *outcome == Outcome::Duplicate)
            .map(|(charge, _)| charge.request_id.as_str())
            .collect();
        let new = calls
            .iter()
            .filter(|call| fresh.contains(&call.request_id))
            .filter(|call| !repeated.contains(call.request_id.as_str()));
        add_usage(&transaction, new).await?;
        Ok(transaction.commit().await?)
    }
}

fn charge_of(row: &Row) -> Option<LeaseCharge> {
    if row.call.charge_nanos == 0 {
        return None;
    }
    Some(LeaseCharge {
        lease_id: row.lease?,
        request_id: row.call.request_id.clone(),
        user_id: row.call.user_id,
        amount_nanos: row.call.charge_nanos,
        at: row.call.created_at,
    })
}

/// What users and tokens spent, in the order of their ids, so that nodes do not deadlock.
async fn add_usage(
    transaction: &Transaction,
    calls: impl Iterator<Item = &LoggedCall>,
) -> store::Result<()> {
    let mut by_user: BTreeMap<UserId, (i64, i64)> = BTreeMap::new();
    let mut by_token: BTreeMap<TokenId, (i64, i64)> = BTreeMap::new();
    for call in calls {
        let user = by_user.entry(call.user_id).or_default();
        user.0 += call.charge_nanos;
        user.1 += 1;
        if let Some(token) = call.token_id {
            let token = by_token.entry(token).or_default();
            token.0 += call.charge_nanos;
            token.1 = token.1.max(call.created_at);
        }
    }
    for (user, (nanos, calls)) in by_user {
        users::add_usage(transaction, user, nanos, calls).await?;
    }
    for (token, (nanos, last)) in by_token {
        tokens::add_usage(transaction, token, nanos, last).await?;
    }
    Ok(())
}
