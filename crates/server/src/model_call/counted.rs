//! Settles calls whose usage has to be counted at length. A few are counted at a time; the others wait.

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

use super::settle::{Ending, Settlement};
use super::task::{Answer, Counting, Used};

/// So many calls are counted at the same time.
static PLACES: Semaphore = Semaphore::const_new(2);

/// Settles a call that was answered. Returns whether its charge is written.
pub fn answered(answer: &mut dyn Answer, settlement: Settlement) -> BoxFuture<'static, bool> {
    let Some(counting) = answer.counting() else {
        let written = settlement.end(&Ending::Answered(answer.used()));
        return Box::pin(async move { written.wait().await.is_ok() });
    };
    Box::pin(async move {
        let used = count(counting).await;
        let written = settlement.end(&Ending::Answered(used));
        written.wait().await.is_ok()
    })
}

/// Settles a call whose client has left.
pub fn left(answer: &mut dyn Answer, settlement: Settlement) {
    match answer.counting() {
        // Nobody is there to wait for it.
        None => drop(settlement.end(&Ending::Left(answer.used()))),
        Some(counting) => {
            let running = settlement.known().app.stop().running().clone();
            let settling = async move {
                let used = count(counting).await;
                drop(settlement.end(&Ending::Left(used)));
            };
            match Handle::try_current() {
                Ok(threads) => drop(running.spawn_on(settling, &threads)),
                Err(_) => drop(settling),
            }
        }
    }
}

/// Counts outside of the network threads.
pub async fn count(counting: Counting) -> Used {
    let place = PLACES.acquire().await;
    let counted = tokio::task::spawn_blocking(counting).await;
    drop(place);
    counted.unwrap_or_else(|error| {
        tracing::error!(%error, "the usage of a call could not be counted; the call is not charged");
        Used::default()
    })
}
