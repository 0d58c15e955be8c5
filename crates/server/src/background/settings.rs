//! Keeps the settings up to date: reads them again when one was changed on any node.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use crate::telemetry::LogControl;

/// How long to wait after the records could not be read.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs until the stop is asked for. Until a change could be read, what is known counts.
pub async fn keep_settings(app: Arc<App>, logs: LogControl) {
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            () = app.live_config().stale() => {}
        }
        if let Err(error) = app.reload_settings().await {
            tracing::warn!(%error, "changed settings could not be read; trying again");
            app.live_config().mark_stale();
            tokio::select! {
                () = app.stop().asked() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
        logs.set_level(&app.config().log.level);
    }
}
