//! Events that payment providers sent, so that none is acted on twice. Bodies are not kept, only
//! their hash.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, for_update};
use crate::error::Result;
use crate::sql;

/// An event as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct WebhookEvent {
    /// The payment provider's name.
    pub provider: String,
    /// The provider's id of the event.
    pub event_id: String,
    /// What happened, in the provider's words.
    pub event_type: String,
    /// The hash of the body.
    pub payload_hash: Vec<u8>,
    /// The order it is about, once known.
    pub order_id: Option<String>,
    /// When it came first.
    pub received_at: i64,
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
    /// Now, in unix milliseconds.
    pub now: i64,
}

const COLUMNS: &str = "provider, event_id, event_type, payload_hash, order_id, received_at, \
                       processed_at, result";

/// Records an event and locks it until the transaction ends. What comes back says by
/// `processed_at` whether it was acted on before.
pub async fn receive(transaction: &Transaction, new: &NewWebhookEvent) -> Result<WebhookEvent> {
    let text = "INSERT INTO webhook_events (provider, event_id, event_type, payload_hash, \
                received_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (provider, event_id) \
                DO NOTHING";
    let values = [
        new.provider.as_str().into(),
        new.event_id.as_str().into(),
        new.event_type.as_str().into(),
        new.payload_hash.clone().into(),
        new.now.into(),
    ];
    sql::execute(transaction, text, values).await?;
    let text = format!(
        "SELECT {COLUMNS} FROM webhook_events WHERE provider = $1 AND event_id = $2{}",
        for_update(transaction),
    );
    let values = [new.provider.as_str().into(), new.event_id.as_str().into()];
    sql::returned(sql::one(transaction, &text, values).await?)
}

/// Notes what came of an event; false where that was noted before.
pub async fn finish(
    transaction: &Transaction,
    provider: &str,
    event_id: &str,
    order_id: Option<&str>,
    result: &str,
    now: i64,
) -> Result<bool> {
    let text = "UPDATE webhook_events SET order_id = $3, result = $4, processed_at = $5 \
                WHERE provider = $1 AND event_id = $2 AND processed_at IS NULL";
    let values = [
        provider.into(),
        event_id.into(),
        order_id.map(str::to_owned).into(),
        result.into(),
        now.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// An event by its provider's id.
pub async fn get(
    connection: &impl ConnectionTrait,
    provider: &str,
    event_id: &str,
) -> Result<Option<WebhookEvent>> {
    let text =
        format!("SELECT {COLUMNS} FROM webhook_events WHERE provider = $1 AND event_id = $2");
    sql::one(connection, &text, [provider.into(), event_id.into()]).await
}
