//! The sandbox: play money, to try and test the whole flow offline. It has its own checkout page,
//! and what people choose there comes back as an event that is signed and checked like Stripe's.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use store::StoreError;
use store::top_ups::{self, Order};

use super::event::PaymentEvent;
use super::fulfil::Verdict;
use super::provider::{
    Checkout, PaymentProvider, ProviderFailure, SignedEvents, Surroundings, surroundings,
};
use super::receive::{Delivery, Refused, receive};
use super::signature::sign;
use super::stripe_event::{NotAnEvent, read_event};
use crate::app::App;
use crate::config::Secret;
use crate::secrets::{hash_token, random_text};

/// Its name in orders.
pub const SANDBOX: &str = "sandbox";

const SIGNATURE_HEADER: &str = "modelgate-signature";

/// The sandbox.
#[derive(Debug)]
pub struct Sandbox;

/// What a visitor of the checkout page chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// To pay.
    Pay,
    /// To let the payment fail.
    Decline,
    /// To have all of it paid back.
    Refund,
    /// To dispute it at the bank.
    Dispute,
}

impl Outcome {
    /// The choice of a form; paying is what its plain submission means.
    pub fn parse(text: Option<&str>) -> Option<Self> {
        match text {
            None | Some("" | "pay") => Some(Self::Pay),
            Some("decline") => Some(Self::Decline),
            Some("refund") => Some(Self::Refund),
            Some("dispute") => Some(Self::Dispute),
            Some(_) => None,
        }
    }
}

impl PaymentProvider for Sandbox {
    fn id(&self) -> &'static str {
        SANDBOX
    }

    fn label(&self) -> &'static str {
        "Sandbox (play money)"
    }

    fn reads_settings(&self) -> bool {
        true
    }

    fn is_offered(&self, around: &Surroundings<'_>) -> bool {
        around.config.sandbox.enabled.unwrap_or(around.is_demo)
    }

    fn livemode(&self, _: &Surroundings<'_>) -> Option<bool> {
        Some(false)
    }

    fn open_checkout<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        _: &'a Order,
        base_url: &'a str,
    ) -> BoxFuture<'a, Result<Checkout, ProviderFailure>> {
        // Whoever knows the id may pay, as with any hosted checkout: it must not be guessed.
        let session_id = format!("cs_sandbox_{}", random_text(around.app.randomness(), 32));
        let url = format!("{base_url}/pay/sandbox/{session_id}");
        async move { Ok(Checkout { session_id, url }) }.boxed()
    }

    fn ask<'a>(
        &'a self,
        _: &'a Surroundings<'a>,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Option<PaymentEvent>, ProviderFailure>> {
        async { Ok(None) }.boxed()
    }

    fn history<'a>(
        &'a self,
        _: &'a Surroundings<'a>,
        _: i64,
    ) -> BoxFuture<'a, Result<Vec<PaymentEvent>, ProviderFailure>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

impl SignedEvents for Sandbox {
    fn signature_header(&self) -> &'static str {
        SIGNATURE_HEADER
    }

    /// The configured secret, or one that follows from the master key, so that all nodes have it.
    fn signing_secrets(&self, around: &Surroundings<'_>) -> Vec<Secret> {
        if self.is_offered(around) {
            vec![secret(around)]
        } else {
            Vec::new()
        }
    }

    fn read_event(&self, body: &[u8]) -> Result<PaymentEvent, NotAnEvent> {
        read_event(body)
    }
}

fn secret(around: &Surroundings<'_>) -> Secret {
    if let Some(secret) = &around.config.sandbox.webhook_secret {
        return secret.clone();
    }
    let derived = hash_token(around.app.keys(), "sandbox webhook secret", "");
    Secret::new(format!("whsec_{}", hex::encode(derived)))
}

/// The order of a checkout page; none where there is none or the sandbox is off.
pub async fn find_checkout(app: &App, session_id: &str) -> Result<Option<Order>, StoreError> {
    let around = surroundings(app).await?;
    if !Sandbox.is_offered(&around) {
        return Ok(None);
    }
    top_ups::find_by_session(app.store().read(), SANDBOX, session_id).await
}

/// Sends the event of a choice, signed, through the same door as everybody's.
pub async fn act(app: &App, order: &Order, outcome: Outcome) -> Result<Verdict, Refused> {
    let around = surroundings(app).await?;
    let now_s = app.clock().now().as_second();
    let id = random_text(app.randomness(), 24);
    let body = event(order, outcome, &id, now_s).to_string();
    let signature = sign(body.as_bytes(), &secret(&around), now_s);
    let mut headers = HeaderMap::new();
    // Digits and letters, which a header may hold.
    if let Ok(signature) = HeaderValue::try_from(signature) {
        headers.insert(SIGNATURE_HEADER, signature);
    }
    let delivery = Delivery {
        headers: &headers,
        body: body.as_bytes(),
        address: "sandbox",
    };
    receive(app, &delivery).await
}

/// An event in Stripe's form.
fn event(order: &Order, outcome: Outcome, id: &str, now_s: i64) -> Value {
    let payment = order.payment_id.clone();
    let payment = payment.unwrap_or_else(|| format!("pi_sandbox_{}", order.id));
    let session = |status: &str, payment_status: &str| {
        json!({
            "id": order.session_id, "object": "checkout.session", "status": status,
            "payment_status": payment_status, "client_reference_id": order.id,
            "payment_intent": payment, "amount_total": order.amount_minor,
            "currency": order.currency, "livemode": false, "metadata": {"order_id": order.id},
        })
    };
    let (event_type, object) = match outcome {
        Outcome::Pay => ("checkout.session.completed", session("complete", "paid")),
        Outcome::Decline => (
            "checkout.session.async_payment_failed",
            session("complete", "unpaid"),
        ),
        Outcome::Refund => (
            "charge.refunded",
            json!({"id": format!("ch_sandbox_{}", order.id), "object": "charge",
                "amount": order.amount_minor, "amount_refunded": order.amount_minor,
                "refunded": true, "currency": order.currency, "payment_intent": payment,
                "metadata": {"order_id": order.id}}),
        ),
        Outcome::Dispute => (
            "charge.dispute.created",
            json!({"id": format!("dp_sandbox_{}", order.id), "object": "dispute",
                "amount": order.amount_minor, "currency": order.currency,
                "status": "needs_response", "payment_intent": payment, "metadata": {}}),
        ),
    };
    json!({"id": format!("evt_sandbox_{id}"), "object": "event", "created": now_s,
        "livemode": false, "type": event_type, "data": {"object": object}})
}
