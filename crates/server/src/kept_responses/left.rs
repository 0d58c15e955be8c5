//! Answers in the background whose node has ended under them: they have failed, since nobody would
//! ever finish them. What their calls held comes back with the node's leases and reservations.

use store::StoreError;
use store::responses::{self, StoredResponse};

use super::shelf::{opened, sealed};
use crate::app::App;

/// Nobody makes an answer of which nothing was said for so long; nodes say so every ten seconds.
pub const SILENCE_MS: i64 = 60_000;
/// Versions that did not say so yet are waited for longer than any call takes.
const UNSAID_MS: i64 = 86_400_000;
/// Answers can be long: few are looked at at once.
const AT_ONCE: u32 = 20;

/// Fails what this node had promised when it last ran. To be done before it promises anything new.
pub async fn fail_own(app: &App) -> Result<(), StoreError> {
    loop {
        let left = responses::unfinished_of(app.store().read(), app.node(), AT_ONCE).await?;
        if fail(app, &left).await? == 0 {
            return Ok(());
        }
    }
}

/// Fails what nodes had promised that have said nothing for long. This node knows better what it
/// makes itself than any clock.
pub async fn fail_silent(app: &App, now: i64) -> Result<(), StoreError> {
    let (silent_since, unsaid_since) = (now - SILENCE_MS, now - UNSAID_MS);
    loop {
        let records = app.store().read();
        let mut left = responses::silent(records, silent_since, unsaid_since, AT_ONCE).await?;
        left.retain(|row| !app.shelf().is_making(&row.id));
        if fail(app, &left).await? == 0 {
            return Ok(());
        }
    }
}

/// Each in a transaction of its own: nodes that come back renew theirs in any order. Says how many
/// were failed.
async fn fail(app: &App, left: &[StoredResponse]) -> Result<usize, StoreError> {
    let mut failed = 0;
    for row in left {
        // One that cannot be opened can be read by nobody; it must not be looked at for ever.
        let kept = opened(app, row).map(|kept| sealed(app, &kept.left()));
        let content = kept.unwrap_or_else(|| row.content_encrypted.clone());
        let transaction = app.store().write().await?;
        let is_failed = responses::fail(&transaction, row, content).await?;
        transaction.commit().await?;
        if is_failed {
            failed += 1;
            let node = row.node_id.as_deref();
            tracing::warn!(
                id = row.id,
                node,
                "an answer was left unfinished by its node"
            );
        }
    }
    Ok(failed)
}
