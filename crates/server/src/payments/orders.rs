//! Making an order: it is in the records before the provider hears of it, so that nothing that is
//! paid is unknown.

use store::top_ups::{self, NewOrder, Order, OrderStatus};
use store::{StoreError, UserId};

use super::provider::{PaymentProvider, ProviderFailure, Surroundings};
use crate::config::Dollars;
use crate::secrets::random_text;

/// The least that can be ordered, in cents: what providers take.
pub const MINIMUM: i64 = 50;
/// The most that can be ordered at once, in cents.
pub const MAXIMUM: i64 = 1_000_000;
/// The currency of credit, and of prices unless a provider takes another.
pub const CURRENCY: &str = "usd";

const NANOS_PER_CENT: i64 = 10_000_000;
/// Orders of one user that may wait: the provider is asked about each of them again and again.
const MOST_PENDING: i64 = 100;
/// How long a checkout stays open.
const OPEN_MS: i64 = 12 * 3_600_000;

/// An order and where to pay it.
#[derive(Debug)]
pub struct Ordered {
    /// The order.
    pub order: Order,
    /// The provider's page.
    pub checkout_url: String,
}

/// Why there is no order.
#[derive(Debug, thiserror::Error)]
pub enum CannotOrder {
    /// The provider does not open a checkout.
    #[error(transparent)]
    Provider(#[from] ProviderFailure),
    /// Too many orders of the user wait.
    #[error("too many orders wait for their payment")]
    TooMany,
    /// The records could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An amount in cents; none where it is not one of whole cents, or out of bounds.
pub fn minor_units(amount: Dollars) -> Option<i64> {
    let nanos = amount.nanos();
    let cents = nanos / NANOS_PER_CENT;
    let is_whole = nanos % NANOS_PER_CENT == 0;
    (is_whole && (MINIMUM..=MAXIMUM).contains(&cents)).then_some(cents)
}

/// An amount of a currency's smallest unit as people write it: 1234 is `12.34`.
pub fn hundredths(amount_minor: i64) -> String {
    format!("{}.{:02}", amount_minor / 100, amount_minor % 100)
}

/// Orders credit of so many cents.
pub async fn order(
    around: &Surroundings<'_>,
    provider: &dyn PaymentProvider,
    user_id: UserId,
    credit_cents: i64,
    base_url: &str,
) -> Result<Ordered, CannotOrder> {
    let app = around.app;
    let now = app.clock().now_ms();
    let tender = provider.tender(around);
    let new = NewOrder {
        id: format!("ord_{}", random_text(app.randomness(), 24)),
        user_id,
        provider: provider.id().to_owned(),
        amount_minor: tender.price(credit_cents),
        currency: tender.currency,
        credit_nanos: credit_cents * NANOS_PER_CENT,
        now,
        expires_at: now + OPEN_MS,
    };
    let transaction = app.store().write().await?;
    if top_ups::count_pending(&transaction, user_id).await? >= MOST_PENDING {
        return Err(CannotOrder::TooMany);
    }
    let mut order = top_ups::insert(&transaction, new).await?;
    transaction.commit().await?;

    let opened = provider.open_checkout(around, &order, base_url).await;
    let transaction = app.store().write().await?;
    let checkout = match opened {
        Ok(checkout) => checkout,
        Err(failure) => {
            tracing::warn!(order = order.id, %failure, "a checkout could not be opened");
            // Should it be open after all and somebody pays, that still counts.
            let (from, to) = (OrderStatus::Pending, OrderStatus::Failed);
            top_ups::change_status(&transaction, &order.id, from, to).await?;
            transaction.commit().await?;
            return Err(failure.into());
        }
    };
    let session = Some(checkout.session_id.as_str());
    top_ups::note_provider_ids(&transaction, &order.id, session, None).await?;
    transaction.commit().await?;
    order.session_id = Some(checkout.session_id);
    Ok(Ordered {
        order,
        checkout_url: checkout.url,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_cents_within_bounds_can_be_ordered() {
        for (amount, cents) in [
            ("10", Some(1_000)),
            ("0.50", Some(50)),
            ("12.34", Some(1_234)),
            ("10000", Some(1_000_000)),
            ("0.49", None),
            ("0", None),
            ("1.005", None),
            ("10000.01", None),
        ] {
            let dollars: Dollars = amount.parse().unwrap();
            assert_eq!(minor_units(dollars), cents, "{amount}");
        }
    }
}
