//! What payment providers sent, with the verdict on it; and acting on it again.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::webhook_events::{self, EventFilter, WebhookEvent};

use crate::app::App;
use crate::management::frame::{
    Act, ApiError, CursorList, CursorQuery, Identity, Input, Moment, Reply, Search,
};
use crate::payments::replay;

/// A delivery of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delivery")]
pub struct DeliveryView {
    /// The payment provider.
    provider: String,
    /// The provider's id of the event; an id of ours where the delivery was refused.
    event_id: String,
    /// What it is, in the provider's words.
    event_type: String,
    /// The order it is about.
    order_id: Option<String>,
    /// Whether it was refused, so that nobody knows who sent it.
    refused: bool,
    /// What came of it.
    verdict: Option<String>,
    /// What in it counts.
    facts: Option<Value>,
    /// The SHA-256 of its body.
    payload_sha256: String,
    /// How often it came.
    deliveries: i64,
    /// When it came first.
    received_at: Moment,
    /// When it came last.
    last_received_at: Moment,
    /// When it was acted on.
    processed_at: Option<Moment>,
}

/// Which deliveries to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DeliverySearch {
    /// Only of this provider.
    provider: Option<String>,
    /// Only about this order.
    order_id: Option<String>,
    /// Only with this verdict.
    verdict: Option<String>,
}

/// Which event to act on again.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Replay {
    /// The payment provider.
    provider: String,
    /// The provider's id of the event.
    event_id: String,
}

impl DeliveryView {
    fn of(event: WebhookEvent) -> Self {
        Self {
            provider: event.provider,
            event_id: event.event_id,
            event_type: event.event_type,
            order_id: event.order_id,
            refused: event.is_refused,
            verdict: event.result,
            facts: event.facts.map(|facts| facts.0),
            payload_sha256: hex::encode(&event.payload_hash),
            deliveries: event.deliveries,
            received_at: Moment(event.received_at),
            last_received_at: Moment(event.last_received_at),
            processed_at: event.processed_at.map(Moment),
        }
    }
}

/// Lists deliveries, newest first.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(place): Search<CursorQuery>,
    Search(search): Search<DeliverySearch>,
) -> Result<Reply<CursorList<DeliveryView>>, ApiError> {
    let (cursor, limit) = place.bounds()?;
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let filter = EventFilter {
        provider: given(search.provider),
        order_id: given(search.order_id),
        result: given(search.verdict),
    };
    let records = app.store().read();
    let page = webhook_events::page(records, &filter, cursor.as_ref(), limit).await?;
    Ok(Reply::of(CursorList::of(page, DeliveryView::of)))
}

/// Acts on an event again.
pub(super) async fn replay_one(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(which): Input<Replay>,
) -> Result<Reply<DeliveryView>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let known = webhook_events::lock(&transaction, &which.provider, &which.event_id).await?;
    let known = known.ok_or_else(|| ApiError::not_found("The delivery"))?;
    let verdict = replay(&app, &transaction, &known).await?;
    let Some(verdict) = verdict else {
        return Err(ApiError::conflict(
            "The delivery was refused: there is no event to act on.",
        ));
    };
    let act = Act {
        action: "payment.replay",
        object_kind: "payment_event",
        object_id: format!("{}:{}", which.provider, which.event_id),
        changes: json!({"verdict": {"from": known.result, "to": verdict.name()}}),
    };
    act.note(&transaction, &identity, now).await?;
    let after = webhook_events::get(&transaction, &which.provider, &which.event_id).await?;
    transaction.commit().await?;
    Ok(Reply::of(DeliveryView::of(after.unwrap_or(known))))
}
