//! Changes told and heard: what an edit touches is forgotten on every node, this one included.

use std::sync::Arc;

use store::shared::{Change, Notice};
use tokio::task::JoinHandle;

use crate::app::App;

/// Listens from now on; what it gives runs until the stop is asked for. What was changed between the loading of the
/// records and now was told to nobody here, so everything is read once more.
pub fn heed_notices(app: Arc<App>) -> impl Future<Output = ()> + Send + 'static {
    let mut notices = app.shared().subscribe();
    heed(&app, Notice::Missed);
    async move {
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
}

/// Tells every node of a change, this one at once: whoever made it sees it with the next call. A
/// notice that cannot be sent is not a failure of the change, which is on disk; other nodes learn of
/// it when what they remember gets old.
pub async fn announce(app: &App, change: Change) {
    heed(app, Notice::Changed(change));
    let told = tell_others(app, change);
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
    // Whether they were told or not, it is over: the task has said so itself.
    let _ = told.await;
}

/// Tells the other nodes, in a task of its own: the change is on disk and counts, even if whoever made
/// it hangs up now and is waited for no longer.
fn tell_others(app: &App, change: Change) -> JoinHandle<()> {
    let shared = app.shared().clone();
    app.stop().running().spawn(async move {
        if let Err(error) = shared.publish(change).await {
            tracing::warn!(%error, ?change, "other nodes could not be told of a change");
        }
    })
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
