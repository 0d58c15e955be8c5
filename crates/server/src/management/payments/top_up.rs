//! Ordering credit.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::format_dollars;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dollar_amount::DollarAmount;
use crate::app::App;
use crate::management::frame::{ApiError, Identity, Input, Reply};
use crate::management::public_base::public_base;
use crate::payments::{
    CURRENCY, CannotOrder, MAXIMUM, MINIMUM, PROVIDERS, find_provider, minor_units, order,
    surroundings,
};

const NANOS_PER_CENT: i64 = 10_000_000;
const QUOTA_PER_DOLLAR: i64 = 500_000;
/// When it makes sense to order again after too many.
const PATIENCE_S: u64 = 600;
/// Amounts that the console offers first.
const SUGGESTED: [&str; 5] = ["5", "10", "20", "50", "100"];

/// How the wallet can be topped up.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TopUpInfo {
    /// Whether any provider is offered.
    enabled: bool,
    /// The providers that are offered.
    providers: Vec<ProviderView>,
    /// The currency of the amounts here.
    currency: &'static str,
    /// The least that can be ordered.
    minimum_usd: String,
    /// The most that can be ordered at once.
    maximum_usd: String,
    /// Amounts to offer first.
    amounts_usd: [&'static str; 5],
    /// What a dollar is in quota units.
    quota_per_usd: i64,
}

/// A payment provider.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PaymentProvider")]
pub struct ProviderView {
    /// Its name in orders.
    id: &'static str,
    /// Its name for people.
    label: &'static str,
    /// The currency that it takes.
    currency: String,
    /// How much of that a dollar of credit costs, as decimal text.
    per_usd: String,
}

/// An order of credit.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewTopUp {
    /// How many dollars, in whole cents.
    amount: DollarAmount,
    /// The provider: `stripe`, `epay` or `sandbox`.
    provider: String,
}

/// What to do next.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ordered {
    /// The order.
    order_id: String,
    /// Where it is paid.
    checkout_url: String,
}

/// Says how the wallet can be topped up.
pub(super) async fn info(State(app): State<Arc<App>>) -> Result<Reply<TopUpInfo>, ApiError> {
    let around = surroundings(&app).await?;
    let offered = PROVIDERS.iter().filter(|one| one.is_offered(&around));
    let providers: Vec<ProviderView> = offered
        .map(|provider| {
            let tender = provider.tender(&around);
            ProviderView {
                id: provider.id(),
                label: provider.label(),
                currency: tender.currency,
                per_usd: tender.per_usd.to_string(),
            }
        })
        .collect();
    Ok(Reply::of(TopUpInfo {
        enabled: !providers.is_empty(),
        providers,
        currency: CURRENCY,
        minimum_usd: format_dollars(MINIMUM * NANOS_PER_CENT),
        maximum_usd: format_dollars(MAXIMUM * NANOS_PER_CENT),
        amounts_usd: SUGGESTED,
        quota_per_usd: QUOTA_PER_DOLLAR,
    }))
}

/// Orders credit.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(new): Input<NewTopUp>,
) -> Result<Reply<Ordered>, ApiError> {
    let around = surroundings(&app).await?;
    let Some(amount) = minor_units(new.amount.0) else {
        let text = "must be whole cents between 0.50 and 10000 dollars";
        return Err(ApiError::bad_field("amount", text));
    };
    let provider = find_provider(&new.provider).filter(|one| one.is_offered(&around));
    let Some(provider) = provider else {
        let offered: Vec<&str> = PROVIDERS
            .iter()
            .filter(|one| one.is_offered(&around))
            .map(|one| one.id())
            .collect();
        let text = match offered.as_slice() {
            [] => "no payment provider is configured here".to_owned(),
            some => format!("must be one of: {}", some.join(", ")),
        };
        return Err(ApiError::bad_field("provider", &text));
    };
    let base_url = public_base(&app, &identity.caller)?;
    let ordered = order(&around, provider, identity.id(), amount, &base_url)
        .await
        .map_err(|error| match error {
            CannotOrder::Store(error) => error.into(),
            CannotOrder::TooMany => ApiError::too_many(
                "Too many of your orders wait for their payment; pay one of them, or wait.",
                PATIENCE_S,
            ),
            CannotOrder::Provider(_) => ApiError::bad_gateway(
                "The payment provider did not open a checkout; try again, or another provider.",
            ),
        })?;
    Ok(Reply::of(Ordered {
        order_id: ordered.order.id,
        checkout_url: ordered.checkout_url,
    }))
}
