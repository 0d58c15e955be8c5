//! Watches over the service: looks for trouble every few seconds, on every node, and tells people of
//! incidents. Two tasks, so that a slow receiver keeps nobody from looking.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;

use crate::app::App;
use crate::incidents::{Watch, deliver_due};

const LOOKED_EVERY: Duration = Duration::from_secs(5);
const TOLD_EVERY: Duration = Duration::from_secs(2);

/// Looks for trouble until the stop is asked for.
pub async fn watch_over(app: Arc<App>) {
    let mut watch = Watch::new(&app);
    let mut ticks = tokio::time::interval(LOOKED_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        if let Err(error) = watch.look(&app).await {
            tracing::warn!(%error, "incidents could not be noted; trying again");
        }
    }
}

/// Tells people what they are to be told until the stop is asked for. What is claimed and not sent
/// then is claimed again by whoever runs.
pub async fn tell_people(app: Arc<App>) {
    let mut ticks = tokio::time::interval(TOLD_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        tokio::select! {
            () = app.stop().asked() => return,
            done = deliver_due(&app) => if let Err(error) = done {
                tracing::debug!(%error, "alerts could not be looked after; trying again");
            }
        }
    }
}
