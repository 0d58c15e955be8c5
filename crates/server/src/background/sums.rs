//! Adds what this node wrote to the log to the sums behind the charts, every few seconds.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

const EVERY: Duration = Duration::from_secs(5);

/// Runs until the stop is asked for. What is left then is counted from the log later.
pub async fn keep_sums(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        if let Err(error) = app.store().write_sums(app.clock().now_ms()).await {
            tracing::warn!(%error, "sums could not be written; they are counted from the log later");
        }
    }
}
