//! Looks after orders whose events were lost. One node does it at a time.

use std::sync::Arc;
use std::time::Duration;

use store::StoreError;

use super::turn;
use crate::app::App;
use crate::payments::{catch_up, reconcile};

const EVERY: Duration = Duration::from_mins(10);
const CAUGHT_UP_EVERY_MS: i64 = 24 * 3_600_000;
const LOCK: &str = "orders";
const LOCK_MS: u64 = 540_000;

/// Runs until the stop is asked for.
pub async fn look_after_orders(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut next_catch_up = 0;
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        let now = app.clock().now_ms();
        if !turn::is_ours(&app, LOCK, LOCK_MS, now).await {
            continue;
        }
        let round = async {
            reconcile(&app).await?;
            if now >= next_catch_up {
                catch_up(&app).await?;
                next_catch_up = now + CAUGHT_UP_EVERY_MS;
            }
            Ok::<_, StoreError>(())
        };
        tokio::select! {
            () = app.stop().asked() => return,
            done = round => {
                if let Err(error) = done {
                    tracing::warn!(%error, "orders could not be looked after; trying again");
                }
            }
        }
    }
}
