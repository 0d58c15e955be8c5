//! What a payment provider must be able to do, and which providers there are.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use store::top_ups::Order;
use store::{StoreError, settings};

use super::epay::Epay;
use super::event::PaymentEvent;
use super::orders::CURRENCY;
use super::sandbox::Sandbox;
use super::stripe::Stripe;
use super::stripe_event::NotAnEvent;
use crate::app::App;
use crate::config::{Config, Dollars, Secret};
use crate::settings::Settings;

/// Every provider there is.
pub const PROVIDERS: &[&dyn PaymentProvider] = &[&Stripe, &Epay, &Sandbox];

/// Those whose events come to the common door, signed in a header.
pub const SIGNERS: &[&dyn SignedEvents] = &[&Stripe, &Sandbox];

/// What providers look at.
pub struct Surroundings<'a> {
    /// The service.
    pub app: &'a App,
    /// The configuration in effect.
    pub config: Arc<Config>,
    /// Whether set-up chose the demo channel.
    pub is_demo: bool,
}

/// What a provider takes for credit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tender {
    /// The currency, in small letters.
    pub currency: String,
    /// How much of it a dollar of credit costs.
    pub per_usd: Dollars,
}

impl Tender {
    /// What credit of so many cents costs, in the currency's smallest unit. A part of one is rounded up: what is
    /// credited was paid for.
    pub fn price(&self, credit_cents: i64) -> i64 {
        let one = i128::from(Dollars::whole(1).nanos());
        let exact = i128::from(credit_cents) * i128::from(self.per_usd.nanos());
        i64::try_from((exact + one - 1) / one).unwrap_or(i64::MAX)
    }
}

/// A checkout that waits for the payer.
#[derive(Debug)]
pub struct Checkout {
    /// The provider's id of it.
    pub session_id: String,
    /// Where the payer goes.
    pub url: String,
}

/// Why a provider does not open a checkout, or does not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderFailure {
    /// It could not be reached, or what it said cannot be read.
    #[error("the payment provider does not answer ({0})")]
    Unreachable(String),
    /// It answered that it will not.
    #[error("the payment provider refused ({0})")]
    Refused(String),
}

/// A way to pay.
pub trait PaymentProvider: Send + Sync {
    /// Its name in orders and on the interface.
    fn id(&self) -> &'static str;

    /// Its name for people.
    fn label(&self) -> &'static str;

    /// Whether it depends on what set-up chose, which is in the records.
    fn reads_settings(&self) -> bool;

    /// Whether orders can be made.
    fn is_offered(&self, around: &Surroundings<'_>) -> bool;

    /// What it takes for credit.
    fn tender(&self, _around: &Surroundings<'_>) -> Tender {
        Tender {
            currency: CURRENCY.to_owned(),
            per_usd: Dollars::whole(1),
        }
    }

    /// Whether its money is real, where the configuration tells.
    fn livemode(&self, around: &Surroundings<'_>) -> Option<bool>;

    /// Opens a checkout for an order. `base_url` is how the payer reaches us.
    fn open_checkout<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        order: &'a Order,
        base_url: &'a str,
    ) -> BoxFuture<'a, Result<Checkout, ProviderFailure>>;

    /// Asks what became of a checkout, for events that were lost; none where nothing did.
    fn ask<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        session_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PaymentEvent>, ProviderFailure>>;

    /// What has happened since a time in unix seconds, oldest first and of very much only the newest: for events
    /// that never came.
    fn history<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        since_s: i64,
    ) -> BoxFuture<'a, Result<Vec<PaymentEvent>, ProviderFailure>>;
}

/// A provider that signs its events in a header of its own.
pub trait SignedEvents: PaymentProvider {
    /// The header; each provider has its own.
    fn signature_header(&self) -> &'static str;

    /// What its events are signed with, any of several; none where it is not configured.
    fn signing_secrets(&self, around: &Surroundings<'_>) -> Vec<Secret>;

    /// Reads one of its events; the signature was checked before.
    fn read_event(&self, body: &[u8]) -> Result<PaymentEvent, NotAnEvent>;
}

/// The provider of this name.
pub fn find_provider(id: &str) -> Option<&'static dyn PaymentProvider> {
    PROVIDERS
        .iter()
        .copied()
        .find(|provider| provider.id() == id)
}

/// What providers look at, as it is now.
pub async fn surroundings(app: &App) -> Result<Surroundings<'_>, StoreError> {
    let stored = settings::load::<Settings>(app.store().read()).await?;
    let is_demo = stored.is_some_and(|stored| stored.document.is_demo);
    Ok(Surroundings::new(app, is_demo))
}

impl<'a> Surroundings<'a> {
    fn new(app: &'a App, is_demo: bool) -> Self {
        Self {
            app,
            config: app.config().clone(),
            is_demo,
        }
    }

    /// What one provider looks at: the records are read only where it needs them, so that a forged
    /// event is refused also while they are away.
    pub async fn of(app: &'a App, provider: &dyn PaymentProvider) -> Result<Self, StoreError> {
        if provider.reads_settings() {
            surroundings(app).await
        } else {
            Ok(Self::new(app, false))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_in_another_currency_is_rounded_up_to_its_smallest_unit() {
        for (per_usd, cents, price) in [
            ("1", 1_000, 1_000),
            ("7.20", 1_000, 7_200),
            ("7.2345", 50, 362),
            ("0.000000001", 50, 1),
            ("1000000", 1_000_000, 1_000_000_000_000),
        ] {
            let tender = Tender {
                currency: "cny".to_owned(),
                per_usd: per_usd.parse().unwrap(),
            };
            assert_eq!(tender.price(cents), price, "{per_usd} {cents}");
        }
    }
}
