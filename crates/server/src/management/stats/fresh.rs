//! Brings the roll-ups up to date before they are asked, at most every few seconds, so that whoever
//! just made a call finds it in the sums.

use store::StoreError;
use store::rollups::{self, BatchBounds};

use crate::app::App;

const LOCK: &str = "fresh sums";
const EVERY_MS: u64 = 2_000;

/// Counts what is not counted yet; bounded, so that a question never waits for a long backlog.
pub async fn freshen(app: &App) -> Result<(), StoreError> {
    let now = app.clock().now_ms();
    // The lock is not given back: it is what keeps the next few seconds free of this.
    let lock = app
        .shared()
        .acquire_lock(LOCK, app.node(), EVERY_MS, now)
        .await;
    if lock.unwrap_or(false) {
        rollups::update(app.store().database(), BatchBounds::default(), now).await?;
    }
    Ok(())
}
