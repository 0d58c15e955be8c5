//! Events that payment providers sent, so that none is acted on twice, and what became of them.
//! Bodies are not kept, only their hash and what in them counts.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde_json::Value as Json;

use crate::conditions::Conditions;
use crate::cursor::{Cursor, CursorPage};
use crate::database::{Transaction, for_update};
use crate::document::Document;
use crate::error::Result;
use crate::sql;

/// Refused deliveries that are kept: anybody can cause them.
const REFUSED_KEPT: u32 = 500;
/// Most events a page.
const MAX_PAGE: u32 = 200;

/// An event as stored.
#[derive(Clone, Debug, PartialEq, FromQueryResult)]
pub struct WebhookEvent {
    /// The payment provider's name.
    pub provider: String,
    /// The provider's id of the event.
    pub event_id: String,
    /// What happened, in the provider's words.
    pub event_type: String,
    /// The hash of the body.
    pub payload_hash: Vec<u8>,
    /// What in it counts.
    pub facts: Option<Document<Json>>,
    /// The provider's payment that it is about.
    pub payment_id: Option<String>,
    /// The order it is about, once known.
    pub order_id: Option<String>,
    /// When it came first.
    pub received_at: i64,
    /// When it came last.
    pub last_received_at: i64,
    /// How often it came.
    pub deliveries: i64,
    /// Whether it was refused, so that it is no event of a provider at all.
    pub is_refused: bool,
    /// When it was acted on.
    pub processed_at: Option<i64>,
    /// What came of it.
    pub result: Option<String>,
}

/// What it takes to record an event.
#[derive(Clone, Debug)]
pub struct NewWebhookEvent {
    /// The payment provider's name.
    pub provider: String,
    /// The provider's id of the event.
    pub event_id: String,
    /// What happened, in the provider's words.
    pub event_type: String,
    /// The hash of the body.
    pub payload_hash: Vec<u8>,
    /// What in it counts.
    pub facts: Json,
    /// The provider's payment that it is about.
    pub payment_id: Option<String>,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// A delivery that was refused.
#[derive(Clone, Debug)]
pub struct RefusedDelivery {
    /// The payment provider whose signature it should have had; empty where it named none.
    pub provider: String,
    /// An id of ours.
    pub id: String,
    /// Why, in a word.
    pub verdict: String,
    /// The hash of the body.
    pub payload_hash: Vec<u8>,
    /// From where it came, and how long it was.
    pub facts: Json,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// Which events; the default is all.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Of this provider.
    pub provider: Option<String>,
    /// About this order.
    pub order_id: Option<String>,
    /// With this verdict.
    pub result: Option<String>,
}

/// Records an event, counts its deliveries, and locks it until the transaction ends. What comes
/// back says by `processed_at` whether it was acted on before.
pub async fn receive(transaction: &Transaction, new: &NewWebhookEvent) -> Result<WebhookEvent> {
    let text = "INSERT INTO webhook_events (provider, event_id, event_type, payload_hash, facts, \
                payment_id, received_at, last_received_at) \
                VALUES ($1, $2, $3, $4, $5, $6, $7, $7) \
                ON CONFLICT (provider, event_id) DO UPDATE \
                SET deliveries = webhook_events.deliveries + 1, \
                last_received_at = excluded.last_received_at RETURNING *";
    let values = [
        new.provider.as_str().into(),
        new.event_id.as_str().into(),
        new.event_type.as_str().into(),
        new.payload_hash.clone().into(),
        Document(new.facts.clone()).into(),
        new.payment_id.clone().into(),
        new.now.into(),
    ];
    sql::returned(sql::one(transaction, text, values).await?)
}

/// An event that is known, locked until the transaction ends.
pub async fn lock(
    transaction: &Transaction,
    provider: &str,
    event_id: &str,
) -> Result<Option<WebhookEvent>> {
    let text = format!(
        "SELECT * FROM webhook_events WHERE provider = $1 AND event_id = $2{}",
        for_update(transaction),
    );
    sql::one(transaction, &text, [provider.into(), event_id.into()]).await
}

/// Notes what came of an event, the first time or again.
pub async fn finish(
    transaction: &Transaction,
    provider: &str,
    event_id: &str,
    order_id: Option<&str>,
    result: &str,
    now: i64,
) -> Result<bool> {
    let text = "UPDATE webhook_events SET order_id = $3, result = $4, processed_at = $5 \
                WHERE provider = $1 AND event_id = $2";
    let values = [
        provider.into(),
        event_id.into(),
        order_id.map(str::to_owned).into(),
        result.into(),
        now.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// When a delivery was last refused and kept.
pub async fn last_refused_at(connection: &impl ConnectionTrait) -> Result<Option<i64>> {
    let text = "SELECT MAX(received_at) FROM webhook_events WHERE is_refused";
    let last: Option<Option<i64>> = sql::value(connection, text, []).await?;
    Ok(last.flatten())
}

/// Keeps a refused delivery for people to look at; of many only the newest stay.
pub async fn note_refused(transaction: &Transaction, refused: &RefusedDelivery) -> Result<()> {
    let text = "INSERT INTO webhook_events (provider, event_id, event_type, payload_hash, facts, \
                received_at, last_received_at, is_refused, processed_at, result) \
                VALUES ($1, $2, '', $3, $4, $5, $5, TRUE, $5, $6)";
    let values = [
        refused.provider.as_str().into(),
        refused.id.as_str().into(),
        refused.payload_hash.clone().into(),
        Document(refused.facts.clone()).into(),
        refused.now.into(),
        refused.verdict.as_str().into(),
    ];
    sql::execute(transaction, text, values).await?;
    let text = format!(
        "DELETE FROM webhook_events WHERE is_refused AND received_at < (SELECT received_at \
         FROM webhook_events WHERE is_refused ORDER BY received_at DESC LIMIT 1 \
         OFFSET {REFUSED_KEPT})"
    );
    sql::execute(transaction, &text, []).await?;
    Ok(())
}

/// An event by its provider's id.
pub async fn get(
    connection: &impl ConnectionTrait,
    provider: &str,
    event_id: &str,
) -> Result<Option<WebhookEvent>> {
    let text = "SELECT * FROM webhook_events WHERE provider = $1 AND event_id = $2";
    sql::one(connection, text, [provider.into(), event_id.into()]).await
}

/// Events that came before the order they are about was known by its payment, oldest first; and
/// only those that can be acted on now.
pub async fn orphans(connection: &impl ConnectionTrait, limit: u32) -> Result<Vec<WebhookEvent>> {
    let text = "SELECT event.* FROM webhook_events event \
                JOIN orders ON orders.provider = event.provider \
                AND orders.payment_id = event.payment_id \
                WHERE event.result = 'unknown_order' AND event.payment_id IS NOT NULL \
                ORDER BY event.received_at, event.event_id LIMIT $1";
    sql::all(connection, text, [i64::from(limit).into()]).await
}

/// The events after `cursor` that match, newest first.
pub async fn page(
    connection: &impl ConnectionTrait,
    filter: &EventFilter,
    cursor: Option<&Cursor>,
    limit: u32,
) -> Result<CursorPage<WebhookEvent>> {
    let mut conditions = Conditions::default();
    conditions.add_some("provider = {}", filter.provider.clone());
    conditions.add_some("order_id = {}", filter.order_id.clone());
    conditions.add_some("result = {}", filter.result.clone());
    if let Some(Cursor { created_at, tie }) = cursor {
        conditions.before("received_at, event_id", *created_at, tie.clone());
    }
    let limit = limit.clamp(1, MAX_PAGE) as usize;
    let text = format!(
        "SELECT * FROM webhook_events WHERE {} ORDER BY received_at DESC, event_id DESC LIMIT {}",
        conditions.sql(),
        limit + 1
    );
    let items: Vec<WebhookEvent> = sql::all(connection, &text, conditions.values()).await?;
    Ok(CursorPage::cut(items, limit, |event| {
        Cursor::new(event.received_at, event.event_id.as_str())
    }))
}
