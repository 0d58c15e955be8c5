//! What this node wrote to the log and has not added to the sums yet. It is kept in memory, so that
//! nothing has to be read back; what is lost with the process is counted from the log ([`super::update`]).

use parking_lot::Mutex;

use super::gathered::Gathered;
use super::write::{lock_sums, write};
use crate::database::{Database, Transaction};
use crate::error::Result;
use crate::request_log::{Appended, LoggedCall};
use crate::sql;

/// Most sums that are kept; beyond, the log is counted instead.
const MOST_SUMS: usize = 20_000;
/// Most writes named in one statement.
const BATCHES_AT_ONCE: usize = 1_000;

/// Sums that wait for the tables.
#[derive(Debug, Default)]
pub struct Pending(Mutex<Gathered>);

impl Pending {
    /// Adds calls whose write was committed.
    pub fn add<'a>(&self, appended: &Appended, calls: impl Iterator<Item = &'a LoggedCall>) {
        let Some(batch_id) = appended.batch_id else {
            return;
        };
        let mut gathered = self.0.lock();
        if gathered.calls.len() > MOST_SUMS {
            *gathered = Gathered::default();
        }
        gathered.batches.push(batch_id);
        for call in calls.filter(|call| appended.is_new(call)) {
            gathered.add(call);
        }
    }

    /// Adds what waits to the tables. Where somebody else has counted one of its writes meanwhile, nothing is added:
    /// what is left of them is counted from the log, as it is where this fails.
    pub(crate) async fn write(&self, database: &Database, now_ms: i64) -> Result<()> {
        let gathered = std::mem::take(&mut *self.0.lock());
        if gathered.batches.is_empty() {
            return Ok(());
        }
        let transaction = database.write().await?;
        lock_sums(&transaction, now_ms).await?;
        if !end_batches(&transaction, &gathered.batches).await? {
            return Ok(());
        }
        write(&transaction, &gathered).await?;
        transaction.commit().await
    }
}

/// Notes that the writes are counted; false where one of them was before.
async fn end_batches(transaction: &Transaction, batches: &[i64]) -> Result<bool> {
    let mut ended = 0;
    for batches in batches.chunks(BATCHES_AT_ONCE) {
        let ids: Vec<String> = batches.iter().map(i64::to_string).collect();
        let text = format!(
            "DELETE FROM request_batches WHERE id IN ({})",
            ids.join(", ")
        );
        ended += sql::execute(transaction, &text, []).await?;
    }
    Ok(ended == batches.len() as u64)
}
