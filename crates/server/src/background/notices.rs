//! Listens for changes that other nodes, or this one, have made, and forgets what was remembered of
//! them.

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
            Some(Notice::Changed(Change::User(_) | Change::Token(_) | Change::Groups)) => {
                app.tokens().forget();
            }
            Some(Notice::Changed(Change::Channel(_))) => app.channels().forget(),
            Some(Notice::Changed(Change::Sessions(_) | Change::Prices | Change::Settings)) => {}
            Some(Notice::Changed(Change::Everything) | Notice::Missed) => {
                app.tokens().forget();
                app.channels().forget();
            }
        }
    }
}
