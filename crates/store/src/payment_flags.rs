//! What of payments somebody has to look at: disputes that are not decided, and orders that are still paid although the
//! payer's bank suspects fraud. Nothing here moves money.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::error::Result;
use crate::ids::UserId;
use crate::order_claims::DisputeState;
use crate::sql;

/// A dispute that is not decided.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct OpenDispute {
    /// The payment provider's name.
    pub provider: String,
    /// The provider's id of the dispute.
    pub dispute_id: String,
    /// The order.
    pub order_id: String,
    /// Who paid it.
    pub user_id: UserId,
    /// What the payer's bank wants back, in the currency's smallest unit.
    pub amount_minor: i64,
    /// The currency, in lower case.
    pub currency: String,
    /// How far it came.
    pub state: DisputeState,
}

/// An order under suspicion.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct SuspectedOrder {
    /// The payment provider's name.
    pub provider: String,
    /// The order.
    pub order_id: String,
    /// Who paid it.
    pub user_id: UserId,
    /// What was paid, in the currency's smallest unit.
    pub amount_minor: i64,
    /// The currency, in lower case.
    pub currency: String,
}

/// Disputes that are not decided, at most `limit` of them.
pub async fn open_disputes(
    connection: &impl ConnectionTrait,
    limit: u32,
) -> Result<Vec<OpenDispute>> {
    let text = "SELECT claim.provider, claim.claim_id AS dispute_id, claim.order_id, \
                orders.user_id, claim.amount_minor, orders.currency, claim.state \
                FROM order_claims claim JOIN orders ON orders.id = claim.order_id \
                WHERE claim.state IN ('noted', 'held') \
                ORDER BY claim.provider, claim.claim_id LIMIT $1";
    sql::all(connection, text, [i64::from(limit).into()]).await
}

/// Orders that somebody was warned of since then and that are neither paid back nor disputed, at most `limit` of them.
pub async fn suspected_orders(
    connection: &impl ConnectionTrait,
    since_ms: i64,
    limit: u32,
) -> Result<Vec<SuspectedOrder>> {
    let text = "SELECT provider, id AS order_id, user_id, amount_minor, currency FROM orders \
                WHERE status = 'paid' AND id IN (SELECT order_id FROM webhook_events \
                WHERE result = 'fraud_warning' AND received_at >= $1) \
                ORDER BY id LIMIT $2";
    let values = [since_ms.into(), i64::from(limit).into()];
    sql::all(connection, text, values).await
}
