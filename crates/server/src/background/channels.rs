//! Keeps the channels in memory up to date: loads them anew when something was changed, so that no
//! call ever waits for the database.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;

/// An import changes many channels at once; they are loaded together.
const GATHERED: Duration = Duration::from_millis(20);
/// How long to wait after the records could not be read.
const PAUSE: Duration = Duration::from_secs(1);

/// Runs until the stop is asked for.
pub async fn keep_channels(app: Arc<App>) {
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            () = app.channels().stale() => {}
        }
        tokio::time::sleep(GATHERED).await;
        if let Err(error) = app.channels().reload(app.store(), app.keys()).await {
            tracing::warn!(%error, "the channels could not be loaded; trying again");
            app.channels().mark_stale();
            tokio::select! {
                () = app.stop().asked() => return,
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    }
}
