//! What payers and their banks took back of paid orders: refunds, refunds that failed, disputes.
//! Keeps the facts; what follows for wallets is the server's business.

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EnumIter};

use crate::database::Transaction;
use crate::error::Result;
use crate::sql;
use crate::top_ups::OrderStatus;

/// How far a dispute came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum DisputeState {
    /// An inquiry: nothing was taken.
    #[sea_orm(string_value = "noted")]
    Noted,
    /// The money is gone for as long as it is open.
    #[sea_orm(string_value = "held")]
    Held,
    /// Decided for us; final.
    #[sea_orm(string_value = "won")]
    Won,
    /// Decided against us; final.
    #[sea_orm(string_value = "lost")]
    Lost,
}

/// The refunds of an order as its provider told them, in any order of telling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refunds {
    /// Cumulative, in the currency's smallest unit.
    pub refunded_minor: i64,
    /// The provider's time of that, in unix seconds.
    pub refunded_at: i64,
    /// What of it failed afterwards.
    pub failed_minor: i64,
    /// The provider's time of the last failure.
    pub failed_at: i64,
}

/// Notes a dispute, or how far it came. What is final stays, whatever comes late.
pub async fn note_dispute(
    transaction: &Transaction,
    provider: &str,
    dispute_id: &str,
    order_id: &str,
    amount_minor: i64,
    state: DisputeState,
) -> Result<()> {
    let text = "INSERT INTO order_claims (provider, claim_id, order_id, amount_minor, state) \
                VALUES ($1, $2, $3, $4, $5) ON CONFLICT (provider, claim_id) DO UPDATE \
                SET state = excluded.state, amount_minor = excluded.amount_minor \
                WHERE order_claims.state IN ('noted', 'held') AND NOT \
                (order_claims.state = 'held' AND excluded.state = 'noted')";
    let values = [
        provider.into(),
        dispute_id.into(),
        order_id.into(),
        amount_minor.into(),
        state.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Notes that a refund failed; false where that was noted before.
pub async fn note_failed_refund(
    transaction: &Transaction,
    provider: &str,
    refund_id: &str,
    order_id: &str,
    amount_minor: i64,
) -> Result<bool> {
    let text = "INSERT INTO order_claims (provider, claim_id, order_id, amount_minor, state) \
                VALUES ($1, $2, $3, $4, 'failed_refund') ON CONFLICT (provider, claim_id) \
                DO NOTHING";
    let values = [
        provider.into(),
        refund_id.into(),
        order_id.into(),
        amount_minor.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// What disputes hold or have taken of an order, in the currency's smallest unit.
pub async fn disputed_minor(connection: &impl ConnectionTrait, order_id: &str) -> Result<i64> {
    let text = "SELECT CAST(COALESCE(SUM(amount_minor), 0) AS BIGINT) FROM order_claims \
                WHERE order_id = $1 AND state IN ('held', 'lost')";
    Ok(sql::value(connection, text, [order_id.into()])
        .await?
        .unwrap_or(0))
}

/// Stores what is known of an order's refunds; the order must be locked.
pub async fn set_refunds(
    transaction: &Transaction,
    order_id: &str,
    refunds: Refunds,
) -> Result<()> {
    let text = "UPDATE orders SET refunded_minor = $2, refunded_at = $3, \
                refund_failed_minor = $4, refund_failed_at = $5 WHERE id = $1";
    let values = [
        order_id.into(),
        refunds.refunded_minor.into(),
        refunds.refunded_at.into(),
        refunds.failed_minor.into(),
        refunds.failed_at.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Stores what was taken back of an order and where that leaves it; the order must be locked.
pub async fn set_taken_back(
    transaction: &Transaction,
    order_id: &str,
    clawed_back_nanos: i64,
    status: OrderStatus,
) -> Result<()> {
    let text = "UPDATE orders SET clawed_back_nanos = $2, status = $3 WHERE id = $1";
    let values = [order_id.into(), clawed_back_nanos.into(), status.into()];
    sql::execute(transaction, text, values).await?;
    Ok(())
}
