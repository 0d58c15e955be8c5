//! What the records get of one call, and how a batch of calls is written: log rows and charges in one
//! transaction, each once by its key. Sums follow (`store::rollups`).

use serde::Deserialize;
use store::leases::{self, LeaseCharge};
use store::request_log::{self, LoggedCall};
use store::{LeaseId, StoreError, written_as_list};

use super::inner::Inner;

/// What the records get of one call.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Row {
    /// What its charge is paid from; none where nothing was set aside.
    pub lease: Option<LeaseId>,
    /// The log row, charge and lines included.
    pub call: LoggedCall,
}

written_as_list!(Row: lease, call);

impl Row {
    /// The records do not take it: the service's own log has it, for people to look at.
    pub fn refused(&self, error: &StoreError) {
        tracing::error!(%error, record = ?self, "a charge was refused");
    }
}

impl Inner {
    /// Writes rows in one transaction, once; those whose cost exceeds their reservation in one of their own.
    pub async fn persist(&self, rows: &[&Row]) -> store::Result<()> {
        let is_covered = |row: &&Row| row.call.loss_nanos.is_none();
        if rows.iter().all(is_covered) {
            return self.persist_covered(rows).await;
        }
        let (covered, exceeding): (Vec<&Row>, Vec<_>) =
            rows.iter().partition(|row| is_covered(row));
        self.persist_covered(&covered).await?;
        self.persist_exceeding(&exceeding).await
    }

    /// A single row whose lease was taken away meanwhile is paid from the wallet.
    async fn persist_covered(&self, rows: &[&Row]) -> store::Result<()> {
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
        let charges: Vec<LeaseCharge> = new.filter_map(|row| charge_of(row)).collect();
        if is_late {
            leases::settle_late(&transaction, &charges).await?;
        } else if let Some(batch_id) = appended.batch_id {
            leases::settle(&transaction, batch_id, &charges).await?;
        }
        transaction.commit().await?;
        self.store.pending_sums().add(&appended, calls.into_iter());
        Ok(())
    }
}

pub(super) fn charge_of(row: &Row) -> Option<LeaseCharge> {
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
