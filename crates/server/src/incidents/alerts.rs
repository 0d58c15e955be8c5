//! Telling people: signed posts to a webhook, and mail. Each incident is told twice to each, when it
//! opens and when it is over; what cannot be sent is tried again for a while, by any node.

use std::time::Duration;

use http::{HeaderValue, Method, header};
use providers::transport::{Timeouts, TlsTrust, TransportError};
use providers::{Egress, RequestBody, UpstreamReply, UpstreamRequest};
use serde_json::json;
use store::incidents::{
    self as records, Delivery, DeliveryState, EventKind, Incident, Severity, Sighting,
};
use store::{StoreError, Transaction};

use super::chat;
use super::message::Message;
use super::note::EventNote;
use crate::accounts::{MailError, send_mail};
use crate::app::App;
use crate::config::{AlertsConfig, Config, LeastSeverity};
use crate::outbound::target_of;
use crate::payments::sign;

const WEBHOOK: &str = "webhook";
const MAIL: &str = "mail:";
/// Pauses between tries; after the last one it is given up.
const PAUSES_S: [i64; 5] = [10, 30, 120, 600, 1_800];
/// Whoever has claimed a delivery has it for so long.
const HELD_MS: i64 = 60_000;
/// How much of a chat service's answer is read.
const LONGEST_ANSWER: usize = 64 * 1024;
const CLAIMED_AT_ONCE: u32 = 20;
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(10),
};

/// Why an alert was not sent.
#[derive(Debug, thiserror::Error)]
pub enum AlertError {
    /// Nobody is configured under that name any more.
    #[error("it is not configured any more")]
    NotConfigured,
    /// The address cannot be used.
    #[error("the address cannot be used")]
    Address,
    /// The receiver cannot be reached.
    #[error("the receiver: {0}")]
    Unreachable(#[from] TransportError),
    /// The receiver did not take it.
    #[error("the receiver answered with status {0}")]
    Refused(u16),
    /// The receiver took the call and not what it said.
    #[error("the receiver answered with the code {0}")]
    RefusedWith(i64),
    /// The mail was not sent.
    #[error(transparent)]
    Mail(#[from] MailError),
}

/// How a test went with one receiver.
#[derive(Debug)]
pub struct Told {
    /// `webhook`, or `mail:` and an address.
    pub target: String,
    /// What went wrong; none where it was taken.
    pub error: Option<AlertError>,
}

/// Who is told of incidents this bad.
pub(super) fn targets(config: &AlertsConfig, severity: Severity) -> Vec<String> {
    let least = match config.least {
        LeastSeverity::Warning => Severity::Warning,
        LeastSeverity::Critical => Severity::Critical,
    };
    if severity < least {
        return Vec::new();
    }
    let webhook = config.webhook_url.iter().map(|_| WEBHOOK.to_owned());
    let mail = config
        .mail_to
        .iter()
        .map(|address| format!("{MAIL}{address}"));
    webhook.chain(mail).collect()
}

/// Asks for everybody to be told of an incident. Those who were not told of its beginning are told of
/// its end too: they may have been configured meanwhile.
pub(super) async fn enqueue(
    transaction: &Transaction,
    config: &AlertsConfig,
    incident: &Incident,
    event: &'static str,
    now: i64,
) -> Result<(), StoreError> {
    for target in targets(config, incident.severity) {
        records::enqueue(transaction, incident.id, event, &target, now).await?;
    }
    Ok(())
}

/// Sends what is due.
pub async fn deliver_due(app: &App) -> Result<(), StoreError> {
    let now = app.clock().now_ms();
    if !records::has_due(app.store().read(), now).await? {
        return Ok(());
    }
    let transaction = app.store().write().await?;
    let due = records::claim_due(&transaction, now, HELD_MS, CLAIMED_AT_ONCE).await?;
    transaction.commit().await?;
    for delivery in due {
        deliver(app, delivery).await?;
    }
    Ok(())
}

fn told(event: &str, target: &str) -> EventNote {
    let target = target.to_owned();
    match event {
        "closed" => EventNote::ToldClosed { target },
        _ => EventNote::ToldOpen { target },
    }
}

async fn deliver(app: &App, delivery: Delivery) -> Result<(), StoreError> {
    let Some(incident) = records::get(app.store().read(), delivery.incident_id).await? else {
        return Ok(());
    };
    let event = if delivery.event == "closed" {
        "closed"
    } else {
        "opened"
    };
    let config = app.config_in_full();
    let message = Message::of(event, &incident);
    let sent = send(app, &config, &delivery.target, &message).await;
    let now = app.clock().now_ms();
    let tried = usize::try_from(delivery.attempts).unwrap_or(usize::MAX);
    let transaction = app.store().write().await?;
    let (id, target) = (delivery.id, &delivery.target);
    match sent {
        Ok(()) => {
            records::finish(&transaction, id, DeliveryState::Sent, now).await?;
            let (kind, note) = (EventKind::Notified, told(event, target).written());
            records::note(&transaction, incident.id, kind, None, &note, now).await?;
        }
        Err(error) => {
            let pause = PAUSES_S.get(tried.saturating_sub(1));
            tracing::warn!(%error, target, tried, "an alert could not be sent");
            if let Some(pause) = pause {
                let next = now + pause * 1000;
                records::finish(&transaction, id, DeliveryState::Waiting, next).await?;
            } else {
                records::finish(&transaction, id, DeliveryState::Failed, now).await?;
                let (target, reason) = (target.clone(), error.to_string());
                let note = EventNote::NotTold { target, reason }.written();
                let kind = EventKind::NotifyFailed;
                records::note(&transaction, incident.id, kind, None, &note, now).await?;
            }
        }
    }
    transaction.commit().await
}

/// Sends a test to everybody who is configured, whatever the least severity is.
pub async fn send_test(app: &App) -> Vec<Told> {
    let config = app.config_in_full();
    let seen = Sighting {
        rule: "test",
        cause: "test".to_owned(),
        severity: Severity::Warning,
        title: "A test of alerts".to_owned(),
        summary: "Nothing is wrong: somebody wanted to see whether this arrives.".to_owned(),
        channel_id: None,
        model: None,
        facts: json!({}),
        since: app.clock().now_ms(),
    };
    let message = Message::of_sighting("test", &seen, app.node());
    let mut told = Vec::new();
    for target in targets(&config.alerts, Severity::Critical) {
        let sent = send(app, &config, &target, &message).await;
        told.push(Told {
            target,
            error: sent.err(),
        });
    }
    told
}

/// Tells one receiver, now.
pub(super) async fn send(
    app: &App,
    config: &Config,
    target: &str,
    message: &Message,
) -> Result<(), AlertError> {
    if let Some(address) = target.strip_prefix(MAIL) {
        if !config.alerts.mail_to.iter().any(|known| known == address) {
            return Err(AlertError::NotConfigured);
        }
        let subject = message.subject(&config.console.name);
        let text = message.text(config.server.public_url.as_deref());
        send_mail(config, address, &subject, text).await?;
        return Ok(());
    }
    let subject = message.subject(&config.console.name);
    let text = message.text(config.server.public_url.as_deref());
    match chat::body(
        config.alerts.webhook_format,
        &format!("{subject}\n\n{text}"),
    ) {
        Some(body) => post_to_chat(app, &config.alerts, body).await,
        None => post_signed(app, &config.alerts, message).await,
    }
}

async fn post_signed(
    app: &App,
    config: &AlertsConfig,
    message: &Message,
) -> Result<(), AlertError> {
    let secret = config.webhook_secret.as_ref();
    let secret = secret.ok_or(AlertError::NotConfigured)?;
    let body = message.json();
    let signature = sign(body.as_bytes(), secret, app.clock().now_ms() / 1000);
    let signature = HeaderValue::try_from(signature).map_err(|_| AlertError::Address)?;
    post(app, config, body, Some(signature)).await.map(drop)
}

async fn post_to_chat(app: &App, config: &AlertsConfig, body: String) -> Result<(), AlertError> {
    let reply = post(app, config, body, None).await?;
    let answer = reply.body.collect(LONGEST_ANSWER).await?;
    match chat::refusal(&answer) {
        Some(code) => Err(AlertError::RefusedWith(code)),
        None => Ok(()),
    }
}

async fn post(
    app: &App,
    config: &AlertsConfig,
    body: String,
    signature: Option<HeaderValue>,
) -> Result<UpstreamReply, AlertError> {
    let url = config.webhook_url.as_ref();
    let target = target_of(url.ok_or(AlertError::NotConfigured)?).ok_or(AlertError::Address)?;
    let mut request = UpstreamRequest::new(Method::POST, target, RequestBody::Whole(body.into()));
    let json = HeaderValue::from_static("application/json");
    request.headers.insert(header::CONTENT_TYPE, json);
    if let Some(signature) = signature {
        request.headers.insert("modelgate-signature", signature);
    }
    let egress = Egress::new(TlsTrust::public(), None, TIMEOUTS);
    let reply = app.outbound().send(request, &egress).await?;
    if !reply.status.is_success() {
        return Err(AlertError::Refused(reply.status.as_u16()));
    }
    Ok(reply)
}
