//! Changes told and heard: what an edit touches is forgotten on every node, this one included.

use std::sync::Arc;

use store::shared::{Change, Notice};

use crate::app::App;

/// Runs until the stop is asked for.
pub async fn heed_notices(app: Arc<App>) {
    let mut notices = app.shared().subscribe();
    loop {
        let notice = tokio::select! {
            () = app.stop().asked() => return,
            notice = notices.next() => notice,
        };
        match notice {
            None => return,
            Some(notice) => heed(&app, notice),
        }
    }
}

/// Tells every node of a change, this one at once: whoever made it sees it with the next call. A
/// notice that cannot be sent is not a failure of the change, which is on disk; other nodes learn of
/// it when what they remember gets old.
pub async fn announce(app: &App, change: Change) {
    heed(app, Notice::Changed(change));
    if concerns_channels(change)
        && let Err(error) = app.channels().reload(app.store(), app.keys()).await
    {
        tracing::warn!(%error, "the channels could not be loaded; the background tries again");
    }
    if matches!(change, Change::Settings | Change::Everything)
        && let Err(error) = app.reload_settings().await
    {
        tracing::warn!(%error, "the settings could not be read; the background tries again");
    }
    if let Err(error) = app.shared().publish(change).await {
        tracing::warn!(%error, ?change, "other nodes could not be told of a change");
    }
}

fn concerns_channels(change: Change) -> bool {
    matches!(
        change,
        Change::Channel(_) | Change::Groups | Change::Everything
    )
}

/// Forgets what a notice is about.
pub fn heed(app: &App, notice: Notice) {
    app.waiting().wake();
    match notice {
        Notice::Changed(Change::User(_) | Change::Token(_)) => app.tokens().forget(),
        Notice::Changed(Change::Channel(_)) => app.channels().mark_stale(),
        Notice::Changed(Change::Prices) => app.prices().mark_stale(),
        Notice::Changed(Change::Settings) => app.live_config().mark_stale(),
        Notice::Changed(Change::Sessions(_)) => {}
        Notice::Changed(Change::Groups | Change::Everything) | Notice::Missed => {
            app.tokens().forget();
            app.channels().mark_stale();
            app.prices().mark_stale();
            app.live_config().mark_stale();
        }
    }
}
