//! Stripe: hosted checkouts over its API, and events signed with the endpoint's secret.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{HeaderValue, Method, header};
use providers::transport::{Egress, Timeouts, TlsTrust, TransportError};
use providers::{BaseUrl, RequestBody, UpstreamRequest};
use serde_json::Value;
use store::top_ups::Order;

use super::event::PaymentEvent;
use super::form::encode;
use super::provider::{Checkout, PaymentProvider, ProviderFailure, Surroundings};
use super::stripe_event::{NotAnEvent, read_event, session_as_event};
use super::stripe_history::history;
use crate::config::Secret;

/// Longest answer that is read.
const LONGEST_ANSWER: usize = 1 << 20;
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(10),
    first_byte: Duration::from_secs(20),
    idle: Duration::from_secs(20),
};
/// A request is sent again after a broken connection: the idempotency key makes it one.
const TRIES: usize = 2;

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

    fn signature_header(&self) -> &'static str {
        "stripe-signature"
    }

    fn reads_settings(&self) -> bool {
        false
    }

    fn is_offered(&self, around: &Surroundings<'_>) -> bool {
        around.config.stripe.secret_key.is_some()
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

    fn livemode(&self, around: &Surroundings<'_>) -> Option<bool> {
        let key = around.config.stripe.secret_key.as_ref()?.expose();
        let (_, rest) = key.split_once('_')?;
        match rest.split('_').next() {
            Some("live") => Some(true),
            Some("test") => Some(false),
            _ => None,
        }
    }

    fn read_event(&self, body: &[u8]) -> Result<PaymentEvent, NotAnEvent> {
        read_event(body)
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

async fn open_checkout(
    around: &Surroundings<'_>,
    order: &Order,
    base_url: &str,
) -> Result<Checkout, ProviderFailure> {
    let wallet = format!("{base_url}/console/wallet?order={}", order.id);
    let amount = order.amount_minor.to_string();
    let name = format!(
        "API credit {}.{:02} {}",
        order.amount_minor / 100,
        order.amount_minor % 100,
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

/// Calls the API and reads its answer.
pub(super) async fn call(
    around: &Surroundings<'_>,
    method: Method,
    path: &str,
    idempotency_key: Option<&str>,
    body: String,
) -> Result<Value, ProviderFailure> {
    let unreachable = |cause: &str| ProviderFailure::Unreachable(cause.to_owned());
    let base = BaseUrl::parse(&around.config.stripe.api_base)
        .map_err(|error| unreachable(&error.to_string()))?;
    let egress = Egress::new(TlsTrust::public(), None, TIMEOUTS);
    let mut tries = 0;
    loop {
        tries += 1;
        let target = base
            .target(path)
            .map_err(|error| unreachable(&error.to_string()))?;
        let content = RequestBody::Whole(body.clone().into());
        let mut request = UpstreamRequest::new(method.clone(), target, content);
        add_headers(&mut request, around, idempotency_key)?;
        let outbound = around.app.outbound();
        let answer = async {
            let reply = outbound.send(request, &egress).await?;
            Ok::<_, TransportError>((reply.status, reply.body.collect(LONGEST_ANSWER).await?))
        };
        match answer.await {
            Ok((status, bytes)) => {
                let value: Value = serde_json::from_slice(&bytes)
                    .map_err(|_| unreachable("its answer is not JSON"))?;
                if status.is_success() {
                    return Ok(value);
                }
                // The kind and the code are fixed words; its message may quote the key.
                let word = |name: &str| value["error"][name].as_str().unwrap_or("-").to_owned();
                let cause = format!("{}: {} {}", status.as_u16(), word("type"), word("code"));
                return Err(ProviderFailure::Refused(cause));
            }
            Err(TransportError::Closed { .. } | TransportError::Timeout(_)) if tries < TRIES => {}
            Err(error) => return Err(unreachable(&error.to_string())),
        }
    }
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
