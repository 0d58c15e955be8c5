//! Looks after this node's leases of wallets: renews, gives back, takes over what dead nodes left.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

const EVERY: Duration = Duration::from_secs(1);

/// Runs until it is dropped: calls that finish after the stop was asked for need their leases too.
pub async fn keep_wallets(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = app.wallets().upkeep().await {
            tracing::warn!(%error, "leases of wallets could not be looked after; trying again");
        }
    }
}
