//! Shows that this node still makes the answers that it promised to make in the background.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// Several chances before others take it for gone.
const EVERY: Duration = Duration::from_secs(10);

/// Runs until it is dropped: answers that are finished after the stop was asked for are waited for too.
pub async fn keep_answers(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = app.shelf().renew(&app).await {
            tracing::warn!(%error, "answers in the background could not be renewed; trying again");
        }
    }
}
