//! Looks after orders whose events were lost: asks the provider what became of old checkouts, and
//! acts on events that waited for their order. The same function acts on what is asked and on what
//! is told, so nothing counts twice.

use store::{StoreError, top_ups};

use super::provider::{PROVIDERS, surroundings};
use super::receive::{accept, adopt};
use crate::app::App;

/// Younger orders are left to their events.
const PATIENCE_MS: i64 = 5 * 60_000;
/// How long after its end an order still waits for its provider's word.
const EXPIRED_MS: i64 = 3_600_000;
/// Orders asked about at once.
const AT_ONCE: u32 = 50;

/// Does one bounded round.
pub async fn reconcile(app: &App) -> Result<(), StoreError> {
    let around = surroundings(app).await?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    adopt(&transaction, &around, now).await?;
    top_ups::expire(&transaction, now - EXPIRED_MS).await?;
    transaction.commit().await?;
    for provider in PROVIDERS.iter().filter(|one| one.is_offered(&around)) {
        let before = now - PATIENCE_MS;
        let waiting = top_ups::waiting(app.store().read(), provider.id(), before, AT_ONCE).await?;
        for order in waiting {
            let session = order.session_id.as_deref().unwrap_or_default();
            match provider.ask(&around, session).await {
                Ok(Some(event)) => {
                    accept(&around, *provider, &event, Vec::new()).await?;
                }
                Ok(None) => {}
                Err(failure) => {
                    tracing::warn!(order = order.id, %failure, "an order cannot be asked about");
                    break;
                }
            }
        }
    }
    Ok(())
}
