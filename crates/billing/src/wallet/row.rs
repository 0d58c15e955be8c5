//! What the records get of one call, and how a batch of calls is written: log rows, charges and
//! sums in one transaction, each once by its key.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use store::leases::{self, LeaseCharge};
use store::request_log::{self, LoggedCall};
use store::tokens::{self, TokenUsage};
use store::users::{self, UserUsage};
use store::{LeaseId, StoreError, Transaction};

use super::inner::Inner;

/// What the records get of one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// What its charge is paid from; none where nothing was set aside.
    pub lease: Option<LeaseId>,
    /// The log row, charge and lines included.
    pub call: LoggedCall,
}

impl Inner {
    /// Writes rows in one transaction, once. A single row whose lease was taken away meanwhile is
    /// paid from the wallet.
    pub async fn persist(&self, rows: &[&Row]) -> store::Result<()> {
        match self.try_persist(rows, false).await {
            Err(StoreError::Stale(_)) if rows.len() == 1 => self.try_persist(rows, true).await,
            other => other,
        }
    }

    /// The log decides which calls are new: only they are charged and counted.
    async fn try_persist(&self, rows: &[&Row], is_late: bool) -> store::Result<()> {
        let transaction = self.write().await?;
        let calls: Vec<&LoggedCall> = rows.iter().map(|row| &row.call).collect();
        let appended = request_log::append(&transaction, &calls).await?;
        let new = rows.iter().filter(|row| appended.is_new(&row.call));
        let charges: Vec<LeaseCharge> = new.clone().filter_map(|row| charge_of(row)).collect();
        if is_late {
            leases::settle_late(&transaction, &charges).await?;
        } else if let Some(batch_id) = appended.batch_id {
            leases::settle(&transaction, batch_id, &charges).await?;
        }
        add_usage(&transaction, new.map(|row| &row.call)).await?;
        transaction.commit().await?;
        self.store.pending_sums().add(&appended, calls.into_iter());
        Ok(())
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

/// What users and tokens spent.
async fn add_usage(
    transaction: &Transaction,
    calls: impl Iterator<Item = &LoggedCall>,
) -> store::Result<()> {
    let (mut by_user, mut by_token) = (HashMap::new(), HashMap::new());
    for call in calls {
        let id = call.user_id;
        let user = by_user.entry(id).or_insert(UserUsage {
            id,
            nanos: 0,
            requests: 0,
        });
        user.nanos += call.charge_nanos;
        user.requests += 1;
        if let Some(id) = call.token_id {
            let token = by_token.entry(id).or_insert(TokenUsage {
                id,
                nanos: 0,
                last_used_at: 0,
            });
            token.nanos += call.charge_nanos;
            token.last_used_at = token.last_used_at.max(call.created_at);
        }
    }
    users::add_usage(transaction, by_user.into_values()).await?;
    tokens::add_usage(transaction, by_token.into_values()).await
}
