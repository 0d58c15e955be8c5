//! Tokens that were declared for somebody who is not there yet: applied as soon as they are, by
//! whichever way set-up was done.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::apply::declare;
use crate::app::App;

/// How often to look where nobody has told of a change: set-up by the command line is another
/// process.
const LOOKED_EVERY: Duration = Duration::from_secs(2);

/// Whether something waits.
#[derive(Debug, Default)]
pub struct Waiting {
    is_some: AtomicBool,
    woken: Notify,
}

impl Waiting {
    /// Notes what waits now.
    pub(super) fn set(&self, waiting: &[String]) {
        let was_some = self.is_some.swap(!waiting.is_empty(), Ordering::AcqRel);
        if !was_some && !waiting.is_empty() {
            for reason in waiting {
                tracing::info!(reason, "a declared token answers 401 for now");
            }
            self.woken.notify_one();
        }
    }

    /// Something was changed: what waits may wait no longer.
    pub fn wake(&self) {
        if self.is_some.load(Ordering::Acquire) {
            self.woken.notify_one();
        }
    }
}

/// Applies what waits, until the stop is asked for.
pub async fn keep_declared(app: Arc<App>) {
    loop {
        let waiting = app.waiting();
        let is_some = waiting.is_some.load(Ordering::Acquire);
        tokio::select! {
            () = app.stop().asked() => return,
            () = waiting.woken.notified() => {}
            () = tokio::time::sleep(LOOKED_EVERY), if is_some => {}
        }
        if !waiting.is_some.load(Ordering::Acquire) {
            continue;
        }
        let config = app.config_in_full();
        if let Err(error) = declare(&app, &config).await {
            tracing::warn!(%error, "what is declared could not be applied; trying again");
        }
    }
}
