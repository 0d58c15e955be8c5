//! A delivery of an event, from its raw bytes to its verdict: who signed it, whether that is true,
//! whether it came before, and what follows. All of it is one transaction, or none of it happened.

use http::HeaderMap;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use store::audit_log::{self, NewAuditEntry};
use store::referrals::Rewards;
use store::shared::Change;
use store::webhook_events::{self, NewWebhookEvent, RefusedDelivery, WebhookEvent};
use store::{StoreError, Transaction};

use super::event::PaymentEvent;
use super::fulfil::{Outcome, Rules, Verdict, fulfil};
use super::provider::{
    PaymentProvider, SIGNERS, SignedEvents, Surroundings, find_provider, surroundings,
};
use super::signature::{BadSignature, verify};
use crate::app::App;
use crate::background::announce;
use crate::config::ReferralEvent;
use crate::secrets::random_text;

/// Events that were waiting for their order, acted on at once with it.
const ORPHANS_AT_ONCE: u32 = 20;
/// At most one refused delivery is kept in so many milliseconds: anybody can send them.
const REFUSED_EVERY_MS: i64 = 1_000;

/// A delivery as it came.
pub struct Delivery<'a> {
    /// Its headers.
    pub headers: &'a HeaderMap,
    /// Its body, byte for byte.
    pub body: &'a [u8],
    /// From where.
    pub address: &'a str,
}

/// Why a delivery is not believed, or could not be acted on.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// There is nothing in it.
    #[error("the body is empty")]
    Empty,
    /// No provider's signature came with it.
    #[error("there is no signature of a known payment provider")]
    Unsigned,
    /// Several signatures came with it.
    #[error("there must be one signature of one payment provider")]
    SignedTwice,
    /// The provider that it names has no secret here.
    #[error("this payment provider is not configured")]
    NotConfigured,
    /// The signature is not right.
    #[error(transparent)]
    Signature(#[from] BadSignature),
    /// It is signed, but no event.
    #[error("the body is not an event")]
    NotAnEvent,
    /// The records could not be written; the provider must try again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Checks a delivery and acts on its event, once.
pub async fn receive(app: &App, delivery: &Delivery<'_>) -> Result<Verdict, Refused> {
    if delivery.body.is_empty() {
        return Err(Refused::Empty);
    }
    let (provider, signature) = signer(delivery.headers)?;
    let around = Surroundings::of(app, provider).await?;
    let checked = check(&around, provider, signature, delivery.body);
    act_on(&around, provider, checked, delivery.body, delivery.address).await
}

/// Acts on an event whose delivery was checked, or keeps why it is not believed.
pub(super) async fn act_on(
    around: &Surroundings<'_>,
    provider: &dyn PaymentProvider,
    checked: Result<PaymentEvent, Refused>,
    body: &[u8],
    address: &str,
) -> Result<Verdict, Refused> {
    match checked {
        Ok(event) => {
            let hash = Sha256::digest(body).to_vec();
            Ok(accept(around, provider, &event, hash).await?)
        }
        Err(refused) => {
            note_refused(around.app, provider, (body, address), &refused).await;
            Err(refused)
        }
    }
}

/// Which provider signed, by the header that it uses. There is no falling through from one to
/// another.
fn signer(headers: &HeaderMap) -> Result<(&'static dyn SignedEvents, &str), Refused> {
    let mut found = None;
    for provider in SIGNERS {
        for value in headers.get_all(provider.signature_header()) {
            if found.is_some() {
                return Err(Refused::SignedTwice);
            }
            found = Some((*provider, value));
        }
    }
    let (provider, value) = found.ok_or(Refused::Unsigned)?;
    let signature = value.to_str().map_err(|_| BadSignature::Malformed)?;
    Ok((provider, signature))
}

fn check(
    around: &Surroundings<'_>,
    provider: &dyn SignedEvents,
    signature: &str,
    body: &[u8],
) -> Result<PaymentEvent, Refused> {
    let secrets = provider.signing_secrets(around);
    if secrets.is_empty() {
        return Err(Refused::NotConfigured);
    }
    verify(
        signature,
        body,
        &secrets,
        around.app.clock().now().as_second(),
    )?;
    provider.read_event(body).map_err(|_| Refused::NotAnEvent)
}

/// Acts on an event that is believed, unless it came before.
pub async fn accept(
    around: &Surroundings<'_>,
    provider: &dyn PaymentProvider,
    event: &PaymentEvent,
    payload_hash: Vec<u8>,
) -> Result<Verdict, StoreError> {
    let app = around.app;
    let now = app.clock().now_ms();
    let new = NewWebhookEvent {
        provider: provider.id().to_owned(),
        event_id: event.id.clone(),
        event_type: event.event_type.clone(),
        payload_hash,
        facts: json!(event),
        payment_id: event.payment_id.clone(),
        now,
    };
    let transaction = app.store().write().await?;
    let known = webhook_events::receive(&transaction, &new).await?;
    if known.processed_at.is_some() {
        transaction.commit().await?;
        tracing::info!(event = event.id, "a payment event came again");
        return Ok(Verdict::Duplicate);
    }
    let outcome = act(&transaction, around, provider, event, now).await?;
    if outcome.order.is_some() {
        adopt(&transaction, around, now).await?;
    }
    transaction.commit().await?;
    tell(app, event, &outcome).await;
    Ok(outcome.verdict)
}

/// Acts on an event that is kept, again: for what could not be done when it came.
pub async fn replay(
    app: &App,
    transaction: &Transaction,
    known: &WebhookEvent,
) -> Result<Option<Verdict>, StoreError> {
    let around = surroundings(app).await?;
    let Some((provider, event)) = kept(known) else {
        return Ok(None);
    };
    let outcome = act(transaction, &around, provider, &event, app.clock().now_ms()).await?;
    Ok(Some(outcome.verdict))
}

/// Acts on events that had come before their order was known by its payment.
pub(super) async fn adopt(
    transaction: &Transaction,
    around: &Surroundings<'_>,
    now: i64,
) -> Result<(), StoreError> {
    for orphan in webhook_events::orphans(transaction, ORPHANS_AT_ONCE).await? {
        if let Some((provider, event)) = kept(&orphan) {
            act(transaction, around, provider, &event, now).await?;
        }
    }
    Ok(())
}

/// The event of a kept delivery; none where it was refused.
fn kept(known: &WebhookEvent) -> Option<(&'static dyn PaymentProvider, PaymentEvent)> {
    let provider = find_provider(&known.provider)?;
    let facts = known.facts.as_ref().filter(|_| !known.is_refused)?;
    let event = serde_json::from_value(facts.0.clone()).ok()?;
    Some((provider, event))
}

async fn act(
    transaction: &Transaction,
    around: &Surroundings<'_>,
    provider: &dyn PaymentProvider,
    event: &PaymentEvent,
    now: i64,
) -> Result<Outcome, StoreError> {
    let referral = &around.config.referral;
    let rewards = Rewards {
        inviter_nanos: referral.inviter_usd.nanos(),
        invitee_nanos: referral.invitee_usd.nanos(),
    };
    let rules = Rules {
        livemode: provider.livemode(around),
        rewards: (referral.event == ReferralEvent::FirstTopUp).then_some(rewards),
    };
    let outcome = fulfil(transaction, provider.id(), event, rules, now).await?;
    let order_id = outcome.order.as_ref().map(|order| order.id.as_str());
    let verdict = outcome.verdict.name();
    webhook_events::finish(
        transaction,
        provider.id(),
        &event.id,
        order_id,
        verdict,
        now,
    )
    .await?;
    if outcome.is_flagged {
        let entry = NewAuditEntry {
            created_at: now,
            actor_id: None,
            action: "payment.flag".to_owned(),
            object_kind: "payment_event".to_owned(),
            object_id: format!("{}:{}", provider.id(), event.id),
            changes: json!({"event": {"to": event.event_type}, "verdict": {"to": verdict},
                "order_id": {"to": order_id}}),
            outcome: "done".to_owned(),
            ip: None,
            request_id: None,
        };
        audit_log::append(transaction, &entry).await?;
    }
    Ok(outcome)
}

/// Tells the log and the other nodes. Bodies, signatures and addresses are in no line.
async fn tell(app: &App, event: &PaymentEvent, outcome: &Outcome) {
    let order = outcome.order.as_ref().map(|order| order.id.as_str());
    let verdict = outcome.verdict.name();
    if outcome.is_flagged {
        tracing::warn!(
            event = event.id,
            kind = event.event_type,
            order,
            verdict,
            "a payment event needs a look"
        );
    } else {
        tracing::info!(
            event = event.id,
            kind = event.event_type,
            order,
            verdict,
            "payment event"
        );
    }
    if let Some(order) = &outcome.order {
        announce(app, Change::User(order.user_id)).await;
        if let Err(error) = app.wallets().answer_recalls().await {
            tracing::warn!(%error, "leases not given back; they will expire");
        }
    }
}

/// Keeps a refused delivery for people to look at. The refusal stands, whether that works or not.
async fn note_refused(
    app: &App,
    provider: &dyn PaymentProvider,
    (body, address): (&[u8], &str),
    refused: &Refused,
) {
    let verdict = match refused {
        Refused::NotConfigured => "not_configured",
        Refused::Signature(BadSignature::Malformed) => "unreadable_signature",
        Refused::Signature(BadSignature::Stale) => "stale_signature",
        Refused::Signature(BadSignature::Mismatch) => "bad_signature",
        _ => "not_an_event",
    };
    let now = app.clock().now_ms();
    let refused = RefusedDelivery {
        provider: provider.id().to_owned(),
        id: format!("refused_{}", random_text(app.randomness(), 20)),
        verdict: verdict.to_owned(),
        payload_hash: Sha256::digest(body).to_vec(),
        facts: json!({"address": address, "bytes": body.len()}),
        now,
    };
    let noted = async {
        let last = webhook_events::last_refused_at(app.store().read()).await?;
        if last.is_some_and(|last| now - last < REFUSED_EVERY_MS) {
            return Ok(());
        }
        let transaction = app.store().write().await?;
        webhook_events::note_refused(&transaction, &refused).await?;
        transaction.commit().await?;
        Ok::<_, StoreError>(())
    };
    if let Err(error) = noted.await {
        tracing::warn!(%error, "a refused payment event could not be noted");
    }
}
