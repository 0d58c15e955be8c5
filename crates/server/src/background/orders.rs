//! Looks after orders whose events were lost. One node does it at a time.

use std::sync::Arc;
use std::time::Duration;

use super::turn;
use crate::app::App;
use crate::payments::reconcile;

const EVERY: Duration = Duration::from_mins(10);
const LOCK: &str = "orders";
const LOCK_MS: u64 = 540_000;

/// Runs until the stop is asked for.
pub async fn look_after_orders(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        if !turn::is_ours(&app, LOCK, LOCK_MS, app.clock().now_ms()).await {
            continue;
        }
        tokio::select! {
            () = app.stop().asked() => return,
            done = reconcile(&app) => {
                if let Err(error) = done {
                    tracing::warn!(%error, "orders could not be looked after; trying again");
                }
            }
        }
    }
}
