//! Orders of credit. A paid order is credited once, in the transaction that marks it paid; talking
//! to payment providers, refunds and disputes are the server's business.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DeriveActiveEnum, EntityTrait, EnumIter,
    QueryFilter, QueryOrder, Set,
};

use crate::database::{Transaction, for_update};
use crate::error::Result;
use crate::ids::UserId;
use crate::ledger::{self, Account, Credit};
use crate::page::{Page, Paged, fetch};
use crate::sql;

pub use row::Model as Order;

/// How far an order came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum OrderStatus {
    /// Waits for the payment.
    #[sea_orm(string_value = "pending")]
    Pending,
    /// Paid and credited.
    #[sea_orm(string_value = "paid")]
    Paid,
    /// The payment failed.
    #[sea_orm(string_value = "failed")]
    Failed,
    /// Nobody paid in time.
    #[sea_orm(string_value = "expired")]
    Expired,
    /// Paid back in full.
    #[sea_orm(string_value = "refunded")]
    Refunded,
    /// The payer's bank wants it back.
    #[sea_orm(string_value = "disputed")]
    Disputed,
    /// Paid with another amount or currency; not credited.
    #[sea_orm(string_value = "mismatch")]
    Mismatch,
}

mod row {
    use sea_orm::entity::prelude::*;

    use super::OrderStatus;
    use crate::ids::UserId;

    /// An order as stored.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "orders")]
    pub struct Model {
        /// The order's id, ours.
        #[sea_orm(primary_key, auto_increment = false)]
        pub id: String,
        /// Who ordered.
        pub user_id: UserId,
        /// The payment provider's name.
        pub provider: String,
        /// The provider's id of the checkout.
        pub session_id: Option<String>,
        /// The provider's id of the payment.
        pub payment_id: Option<String>,
        /// What is to be paid, in the currency's smallest unit.
        pub amount_minor: i64,
        /// The currency, in lower case.
        pub currency: String,
        /// What is credited, fixed with the order.
        pub credit_nanos: i64,
        /// What was paid back so far, in the currency's smallest unit.
        pub refunded_minor: i64,
        /// The provider's time of that, in unix seconds.
        pub refunded_at: i64,
        /// What of it failed afterwards.
        pub refund_failed_minor: i64,
        /// The provider's time of the last such failure, in unix seconds.
        pub refund_failed_at: i64,
        /// What was taken back so far.
        pub clawed_back_nanos: i64,
        /// How far it came.
        pub status: OrderStatus,
        /// When it was made.
        pub created_at: i64,
        /// When the checkout ends.
        pub expires_at: i64,
        /// When it was paid.
        pub completed_at: Option<i64>,
        /// When its provider was last asked about it; zero: never.
        pub asked_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What it takes to make an order.
#[derive(Clone, Debug)]
pub struct NewOrder {
    /// The order's id, ours.
    pub id: String,
    /// Who orders.
    pub user_id: UserId,
    /// The payment provider's name.
    pub provider: String,
    /// What is to be paid, in the currency's smallest unit.
    pub amount_minor: i64,
    /// The currency, in lower case.
    pub currency: String,
    /// What is credited.
    pub credit_nanos: i64,
    /// Now, in unix milliseconds.
    pub now: i64,
    /// When the checkout ends.
    pub expires_at: i64,
}

/// Adds a pending order, before the provider hears of it.
pub async fn insert(transaction: &Transaction, new: NewOrder) -> Result<Order> {
    let row = row::ActiveModel {
        id: Set(new.id),
        user_id: Set(new.user_id),
        provider: Set(new.provider),
        amount_minor: Set(new.amount_minor),
        currency: Set(new.currency),
        credit_nanos: Set(new.credit_nanos),
        created_at: Set(new.now),
        expires_at: Set(new.expires_at),
        ..Default::default()
    };
    Ok(row.insert(transaction).await?)
}

/// The order of this id.
pub async fn get(connection: &impl ConnectionTrait, id: &str) -> Result<Option<Order>> {
    Ok(row::Entity::find_by_id(id.to_owned())
        .one(connection)
        .await?)
}

/// The order of this id, locked until the transaction ends.
pub async fn lock(transaction: &Transaction, id: &str) -> Result<Option<Order>> {
    let text = format!(
        "SELECT * FROM orders WHERE id = $1{}",
        for_update(transaction)
    );
    sql::one(transaction, &text, [id.into()]).await
}

/// The order of a provider's checkout.
pub async fn find_by_session(
    connection: &impl ConnectionTrait,
    provider: &str,
    session_id: &str,
) -> Result<Option<Order>> {
    let select = row::Entity::find()
        .filter(row::Column::Provider.eq(provider))
        .filter(row::Column::SessionId.eq(session_id));
    Ok(select.one(connection).await?)
}

/// The order of a provider's payment.
pub async fn find_by_payment(
    connection: &impl ConnectionTrait,
    provider: &str,
    payment_id: &str,
) -> Result<Option<Order>> {
    let select = row::Entity::find()
        .filter(row::Column::Provider.eq(provider))
        .filter(row::Column::PaymentId.eq(payment_id));
    Ok(select.one(connection).await?)
}

/// Which orders to list; the default lists all.
#[derive(Clone, Debug, Default)]
pub struct OrderFilter {
    /// Only this one.
    pub id: Option<String>,
    /// Only of this user.
    pub user_id: Option<UserId>,
    /// Only in this status.
    pub status: Option<OrderStatus>,
    /// Only through this provider.
    pub provider: Option<String>,
}

/// One page of orders, newest first.
pub async fn list(
    connection: &impl ConnectionTrait,
    filter: &OrderFilter,
    page: Page,
) -> Result<Paged<Order>> {
    let mut select = row::Entity::find();
    if let Some(user) = filter.user_id {
        select = select.filter(row::Column::UserId.eq(user));
    }
    if let Some(id) = &filter.id {
        select = select.filter(row::Column::Id.eq(id.as_str()));
    }
    if let Some(status) = filter.status {
        select = select.filter(row::Column::Status.eq(status));
    }
    if let Some(provider) = &filter.provider {
        select = select.filter(row::Column::Provider.eq(provider.as_str()));
    }
    let select = select
        .order_by_desc(row::Column::CreatedAt)
        .order_by_desc(row::Column::Id);
    fetch(connection, select, page).await
}

/// Notes what the provider calls the checkout and, once known, the payment.
pub async fn note_provider_ids(
    transaction: &Transaction,
    id: &str,
    session_id: Option<&str>,
    payment_id: Option<&str>,
) -> Result<bool> {
    let text = "UPDATE orders SET session_id = COALESCE($2, session_id), \
                payment_id = COALESCE($3, payment_id) WHERE id = $1";
    let values = [
        id.into(),
        session_id.map(str::to_owned).into(),
        payment_id.map(str::to_owned).into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// Moves an order on if it is still in the status that the caller saw; false otherwise.
pub async fn change_status(
    transaction: &Transaction,
    id: &str,
    from: OrderStatus,
    to: OrderStatus,
) -> Result<bool> {
    let text = "UPDATE orders SET status = $3 WHERE id = $1 AND status = $2";
    Ok(sql::execute(transaction, text, [id.into(), from.into(), to.into()]).await? > 0)
}

/// The orders of a provider that wait since before a time and whose checkout is known: those that were not asked
/// about for the longest time first.
pub async fn waiting(
    connection: &impl ConnectionTrait,
    provider: &str,
    before: i64,
    limit: u32,
) -> Result<Vec<Order>> {
    let text = "SELECT * FROM orders WHERE status = 'pending' AND provider = $1 \
                AND session_id IS NOT NULL AND created_at < $2 \
                ORDER BY asked_at, created_at, id LIMIT $3";
    let values = [provider.into(), before.into(), i64::from(limit).into()];
    sql::all(connection, text, values).await
}

/// How many orders of a user wait for their payment.
pub async fn count_pending(connection: &impl ConnectionTrait, user_id: UserId) -> Result<i64> {
    let text = "SELECT count(*) FROM orders WHERE user_id = $1 AND status = 'pending'";
    let count = sql::value(connection, text, [user_id.into()]).await?;
    Ok(count.unwrap_or(0))
}

/// Notes that the provider is asked about an order.
pub async fn note_asked(transaction: &Transaction, id: &str, now: i64) -> Result<()> {
    let text = "UPDATE orders SET asked_at = $2 WHERE id = $1";
    sql::execute(transaction, text, [id.into(), now.into()]).await?;
    Ok(())
}

/// Which orders are given up, by the end of their checkouts.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Those that ended before this time, once their provider was asked after their end.
    pub before: i64,
    /// Those that ended before this time, though their provider did not answer.
    pub unasked_before: i64,
    /// Those that ended before this time, though their provider has said that the money is under way.
    pub under_way_before: i64,
}

/// Gives up orders whose checkout ended without a payment. One that comes late still counts.
pub async fn expire(transaction: &Transaction, ended: Ended) -> Result<u64> {
    let text = "UPDATE orders SET status = 'expired' WHERE status = 'pending' AND expires_at < $1 \
                AND (session_id IS NULL OR asked_at >= expires_at OR expires_at < $2) \
                AND (expires_at < $3 OR NOT EXISTS (SELECT 1 FROM webhook_events \
                WHERE webhook_events.order_id = orders.id AND result = 'awaits_payment'))";
    let values = [
        ended.before.into(),
        ended.unasked_before.into(),
        ended.under_way_before.into(),
    ];
    sql::execute(transaction, text, values).await
}

/// Marks an order paid and credits it, once: a payment counts also where the order was given up
/// before it arrived. Returns the order, or none where it is unknown, paid already or past that.
pub async fn complete(transaction: &Transaction, id: &str, now: i64) -> Result<Option<Order>> {
    let text = "UPDATE orders SET status = 'paid', completed_at = $2 WHERE id = $1 \
                AND status IN ('pending', 'failed', 'expired') RETURNING *";
    let Some(order) = sql::one::<Order>(transaction, text, [id.into(), now.into()]).await? else {
        return Ok(None);
    };
    let credit = Credit {
        key: format!("topup:{id}"),
        user: order.user_id,
        counterpart: Account::Payments,
        amount_nanos: order.credit_nanos,
        reference_kind: "order",
        reference_id: order.id.clone(),
        reason: None,
        at: now,
    };
    ledger::credit(transaction, &credit).await?;
    Ok(Some(order))
}
