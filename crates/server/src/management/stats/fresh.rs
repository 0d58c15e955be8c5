//! Brings the roll-ups up to date before they are asked, at most every few seconds, so that whoever
//! just made a call finds it in the sums.

use store::StoreError;

use crate::app::App;

const LOCK: &str = "fresh sums";
const EVERY_MS: u64 = 2_000;

/// Adds what this node has not added yet. What other nodes wrote follows by itself, seconds later.
pub async fn freshen(app: &App) -> Result<(), StoreError> {
    let now = app.clock().now_ms();
    // The lock is not given back: it is what keeps the next few seconds free of this.
    let lock = format!("{LOCK} {}", app.node());
    let lock = app.shared().acquire_lock(&lock, app.node(), EVERY_MS, now);
    if lock.await.unwrap_or(true) {
        app.store().write_sums(now).await?;
    }
    Ok(())
}
