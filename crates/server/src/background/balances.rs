//! Looks for balances that have become low. One node does it at a time; the lock only saves double work, each mail
//! is claimed in the records.

use std::sync::Arc;
use std::time::Duration;

use super::turn;
use crate::accounts::tell_low_balances;
use crate::app::App;

const EVERY: Duration = Duration::from_mins(5);
const LOCK: &str = "low_balances";
const LOCK_MS: u64 = 270_000;

/// Runs until the stop is asked for. A mail that is being sent then is still sent.
pub async fn look_at_balances(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        let now = app.clock().now_ms();
        if !turn::is_ours(&app, LOCK, LOCK_MS, now).await {
            continue;
        }
        if let Err(error) = tell_low_balances(&app).await {
            tracing::warn!(%error, "balances could not be looked at; trying again");
        }
    }
}
