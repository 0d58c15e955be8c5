//! What is to be told to whom about incidents: each once, tried again for a while. Whoever claims a
//! delivery has it alone for that time; a node that dies with one loses nothing but the time.

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EnumIter, FromQueryResult};

use crate::database::{Transaction, for_update_skipping};
use crate::error::Result;
use crate::ids::IncidentId;
use crate::sql;

/// How far a delivery came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum DeliveryState {
    /// It is to be tried.
    #[sea_orm(string_value = "waiting")]
    Waiting,
    /// It was taken.
    #[sea_orm(string_value = "sent")]
    Sent,
    /// It was given up.
    #[sea_orm(string_value = "failed")]
    Failed,
}

/// A delivery.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Delivery {
    /// The delivery's id.
    pub id: i64,
    /// About which incident.
    pub incident_id: IncidentId,
    /// `opened` or `closed`.
    pub event: String,
    /// To whom: `webhook`, or `mail:` and an address.
    pub target: String,
    /// How far it came.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next.
    pub next_at: i64,
}

/// Asks for a delivery; asking twice is asking once.
pub async fn enqueue(
    transaction: &Transaction,
    incident: IncidentId,
    event: &'static str,
    target: &str,
    now: i64,
) -> Result<()> {
    let text = "INSERT INTO incident_deliveries (incident_id, event, target, next_at) \
                VALUES ($1, $2, $3, $4) ON CONFLICT (incident_id, event, target) DO NOTHING";
    let values = [incident.into(), event.into(), target.into(), now.into()];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Whether anything is due.
pub async fn has_due(connection: &impl ConnectionTrait, now: i64) -> Result<bool> {
    let text = "SELECT count(*) FROM incident_deliveries WHERE state = 'waiting' AND next_at <= $1";
    let count: Option<i64> = sql::value(connection, text, [now.into()]).await?;
    Ok(count.is_some_and(|count| count > 0))
}

/// Claims what is due, for `hold_ms`, and counts it as tried.
pub async fn claim_due(
    transaction: &Transaction,
    now: i64,
    hold_ms: i64,
    most: u32,
) -> Result<Vec<Delivery>> {
    let text = format!(
        "UPDATE incident_deliveries SET attempts = attempts + 1, next_at = $2 WHERE id IN \
         (SELECT id FROM incident_deliveries WHERE state = 'waiting' AND next_at <= $1 \
         ORDER BY id LIMIT {most}{}) RETURNING *",
        for_update_skipping(transaction)
    );
    sql::all(
        transaction,
        &text,
        [now.into(), now.saturating_add(hold_ms).into()],
    )
    .await
}

/// Says how a claimed delivery went, and when it is tried again where it is still waiting.
pub async fn finish(
    transaction: &Transaction,
    id: i64,
    state: DeliveryState,
    next_at: i64,
) -> Result<()> {
    let text = "UPDATE incident_deliveries SET state = $2, next_at = $3 \
                WHERE id = $1 AND state = 'waiting'";
    sql::execute(transaction, text, [id.into(), state.into(), next_at.into()]).await?;
    Ok(())
}
