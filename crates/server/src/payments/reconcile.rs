//! Looks after orders whose events were lost: asks the provider what became of old checkouts and what else has
//! happened, and acts on events that waited for their order. The same function acts on what is asked and on what
//! is told, so nothing counts twice.

use store::StoreError;
use store::top_ups::{self, Order};
use store::webhook_events;

use super::provider::{PROVIDERS, PaymentProvider, ProviderFailure, Surroundings, surroundings};
use super::receive::{accept, adopt};
use crate::app::App;

/// Younger orders are left to their events.
const PATIENCE_MS: i64 = 5 * 60_000;
/// How long after its end an order still waits for its provider's word.
const EXPIRED_MS: i64 = 3_600_000;
/// The same for one that its provider could not be asked about since.
const UNASKED_MS: i64 = 24 * 3_600_000;
/// The same for one whose checkout was done and whose money is under way, as with a bank debit: longer than any of them takes.
const UNDER_WAY_MS: i64 = 30 * 24 * 3_600_000;
/// Orders asked about at once; the others come next.
const AT_ONCE: u32 = 200;

/// How far back providers are asked what has happened: as long as Stripe remembers.
const HISTORY_MS: i64 = 30 * 24 * 3_600_000;

/// Acts on everything that has happened and was never told: refunds and disputes above all, which nobody asks
/// about one by one.
pub async fn catch_up(app: &App) -> Result<(), StoreError> {
    let around = surroundings(app).await?;
    let since_s = (app.clock().now_ms() - HISTORY_MS) / 1000;
    for provider in PROVIDERS.iter().filter(|one| one.is_offered(&around)) {
        let events = match provider.history(&around, since_s).await {
            Ok(events) => events,
            Err(failure) => {
                let provider = provider.id();
                tracing::warn!(provider, %failure, "missed payment events cannot be asked for");
                continue;
            }
        };
        for event in events {
            let records = app.store().read();
            let known = webhook_events::get(records, provider.id(), &event.id).await?;
            if known.is_none_or(|known| known.processed_at.is_none()) {
                accept(&around, *provider, &event, Vec::new()).await?;
            }
        }
    }
    Ok(())
}

/// Does one bounded round.
pub async fn reconcile(app: &App) -> Result<(), StoreError> {
    let around = surroundings(app).await?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    adopt(&transaction, &around, now).await?;
    transaction.commit().await?;
    for provider in PROVIDERS.iter().filter(|one| one.is_offered(&around)) {
        let before = now - PATIENCE_MS;
        let waiting = top_ups::waiting(app.store().read(), provider.id(), before, AT_ONCE).await?;
        for order in waiting {
            if !ask(&around, *provider, &order, now).await? {
                break;
            }
        }
    }
    let transaction = app.store().write().await?;
    let ended = top_ups::Ended {
        before: now - EXPIRED_MS,
        unasked_before: now - UNASKED_MS,
        under_way_before: now - UNDER_WAY_MS,
    };
    top_ups::expire(&transaction, ended).await?;
    transaction.commit().await
}

/// Asks about one order and acts on the answer; false where the provider does not answer at all.
async fn ask(
    around: &Surroundings<'_>,
    provider: &dyn PaymentProvider,
    order: &Order,
    now: i64,
) -> Result<bool, StoreError> {
    // Before the answer: one that is refused for ever must not be asked about first each time.
    let transaction = around.app.store().write().await?;
    top_ups::note_asked(&transaction, &order.id, now).await?;
    transaction.commit().await?;
    let session = order.session_id.as_deref().unwrap_or_default();
    match provider.ask(around, session).await {
        Ok(Some(event)) => {
            accept(around, provider, &event, Vec::new()).await?;
        }
        Ok(None) => {}
        Err(failure) => {
            tracing::warn!(order = order.id, %failure, "an order cannot be asked about");
            return Ok(matches!(failure, ProviderFailure::Refused(_)));
        }
    }
    Ok(true)
}
