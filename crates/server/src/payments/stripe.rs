//! Stripe: hosted checkouts over its API, and events signed with the endpoint's secret.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Method, header};
use providers::{BaseUrl, RequestBody, UpstreamRequest};
use serde_json::Value;
use store::top_ups::Order;

use super::api_call;
use super::event::PaymentEvent;
use super::form::encode;
use super::orders::hundredths;
use super::provider::{Checkout, PaymentProvider, ProviderFailure, SignedEvents, Surroundings};
use super::stripe_event::{NotAnEvent, read_event, session_as_event};
use super::stripe_history::history;
use crate::config::Secret;

/// Stripe.
#[derive(Debug)]
pub struct Stripe;

impl PaymentProvider for Stripe {
    fn id(&self) -> &'static str {
        "stripe"
    }

    fn label(&self) -> &'static str {
        "Stripe"
    }

    fn reads_settings(&self) -> bool {
        false
    }

    fn is_offered(&self, around: &Surroundings<'_>) -> bool {
        around.config.stripe.secret_key.is_some()
    }

    fn livemode(&self, around: &Surroundings<'_>) -> Option<bool> {
        let key = around.config.stripe.secret_key.as_ref()?.expose();
        let (_, rest) = key.split_once('_')?;
        match rest.split('_').next() {
            Some("live") => Some(true),
            Some("test") => Some(false),
            _ => None,
        }
    }

    fn open_checkout<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        order: &'a Order,
        base_url: &'a str,
    ) -> BoxFuture<'a, Result<Checkout, ProviderFailure>> {
        open_checkout(around, order, base_url).boxed()
    }

    fn ask<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        session_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PaymentEvent>, ProviderFailure>> {
        async move {
            let path = format!("/v1/checkout/sessions/{session_id}");
            let session = call(around, Method::GET, &path, None, String::new()).await?;
            Ok(session_as_event(&session))
        }
        .boxed()
    }

    fn history<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        since_s: i64,
    ) -> BoxFuture<'a, Result<Vec<PaymentEvent>, ProviderFailure>> {
        history(around, since_s).boxed()
    }
}

impl SignedEvents for Stripe {
    fn signature_header(&self) -> &'static str {
        "stripe-signature"
    }

    /// Two secrets may stand in the setting while one is rotated, separated by a comma.
    fn signing_secrets(&self, around: &Surroundings<'_>) -> Vec<Secret> {
        let secrets = around.config.stripe.webhook_secret.as_ref();
        let parts = secrets.into_iter().flat_map(|all| all.expose().split(','));
        parts
            .map(str::trim)
            .filter(|secret| !secret.is_empty())
            .map(Secret::new)
            .collect()
    }

    fn read_event(&self, body: &[u8]) -> Result<PaymentEvent, NotAnEvent> {
        read_event(body)
    }
}

async fn open_checkout(
    around: &Surroundings<'_>,
    order: &Order,
    base_url: &str,
) -> Result<Checkout, ProviderFailure> {
    let wallet = format!("{base_url}/console/wallet?order={}", order.id);
    let amount = order.amount_minor.to_string();
    let name = format!(
        "API credit {} {}",
        hundredths(order.amount_minor),
        order.currency.to_uppercase()
    );
    let expires = (order.expires_at / 1000).to_string();
    let price = |part: &str| format!("line_items[0][price_data]{part}");
    let fields = [
        ("mode", "payment"),
        ("client_reference_id", &order.id),
        ("success_url", &wallet),
        ("cancel_url", &wallet),
        ("line_items[0][quantity]", "1"),
        (&price("[currency]"), &order.currency),
        (&price("[unit_amount]"), &amount),
        (&price("[product_data][name]"), &name),
        ("metadata[order_id]", &order.id),
        // Charges, refunds and disputes carry only what the payment carries.
        ("payment_intent_data[metadata][order_id]", &order.id),
        ("expires_at", &expires),
        ("allow_promotion_codes", "false"),
    ];
    let path = "/v1/checkout/sessions";
    let session = call(around, Method::POST, path, Some(&order.id), encode(&fields)).await?;
    let text = |name: &str| session[name].as_str().map(str::to_owned);
    match (text("id"), text("url")) {
        (Some(session_id), Some(url)) if is_link(&url) => Ok(Checkout { session_id, url }),
        _ => Err(ProviderFailure::Unreachable(
            "no checkout in its answer".to_owned(),
        )),
    }
}

/// The payer's browser is sent there: it must be a page and no script.
fn is_link(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// Calls the API and reads its answer. Sent twice it is one request, by its idempotency key.
pub(super) async fn call(
    around: &Surroundings<'_>,
    method: Method,
    path: &str,
    idempotency_key: Option<&str>,
    body: String,
) -> Result<Value, ProviderFailure> {
    let request = || {
        let base = BaseUrl::parse(&around.config.stripe.api_base);
        let target = base.and_then(|base| base.target(path));
        let target = target.map_err(|error| ProviderFailure::Unreachable(error.to_string()))?;
        let content = RequestBody::Whole(body.clone().into());
        let mut request = UpstreamRequest::new(method.clone(), target, content);
        add_headers(&mut request, around, idempotency_key)?;
        Ok(request)
    };
    let (status, value) = api_call::call(around.app, request).await?;
    if status.is_success() {
        return Ok(value);
    }
    // The kind and the code are fixed words; its message may quote the key.
    let word = |name: &str| value["error"][name].as_str().unwrap_or("-").to_owned();
    let cause = format!("{}: {} {}", status.as_u16(), word("type"), word("code"));
    Err(ProviderFailure::Refused(cause))
}

fn add_headers(
    request: &mut UpstreamRequest,
    around: &Surroundings<'_>,
    idempotency_key: Option<&str>,
) -> Result<(), ProviderFailure> {
    let unusable = |_| ProviderFailure::Refused("the secret key cannot be sent".to_owned());
    let key = around.config.stripe.secret_key.as_ref();
    let key = key.map(Secret::expose).unwrap_or_default();
    let mut bearer = HeaderValue::try_from(format!("Bearer {key}")).map_err(unusable)?;
    bearer.set_sensitive(true);
    request.headers.insert(header::AUTHORIZATION, bearer);
    let form = HeaderValue::from_static("application/x-www-form-urlencoded");
    request.headers.insert(header::CONTENT_TYPE, form);
    if let Some(key) = idempotency_key {
        let key = HeaderValue::try_from(key).map_err(unusable)?;
        request.headers.insert("idempotency-key", key);
    }
    Ok(())
}
