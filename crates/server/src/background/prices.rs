//! Keeps the prices in memory up to date: reads them again when one was changed, so that no call ever
//! waits for the database.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// How long to wait after the records could not be read.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs until the stop is asked for. Until a change could be read, the prices that are known count.
pub async fn keep_prices(app: Arc<App>) {
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            () = app.prices().stale() => {}
        }
        if let Err(error) = app.prices().reload(app.store()).await {
            tracing::warn!(%error, "changed prices could not be read; trying again");
            app.prices().mark_stale();
            tokio::select! {
                () = app.stop().asked() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }
}
