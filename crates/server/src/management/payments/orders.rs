//! Reading orders, one's own and everybody's.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::UserId;
use store::names::{Named, names};
use store::top_ups::{self, Order, OrderFilter, OrderStatus};

use crate::app::App;
use crate::management::frame::{
    ApiError, At, Identity, Moment, PageQuery, PagedList, Reply, Search,
};
use crate::payments::hundredths;

/// An order of credit.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Order")]
pub struct OrderView {
    /// The order's id.
    order_id: String,
    /// Who ordered.
    user_id: i64,
    /// That user's name; in the list of everybody's.
    username: Option<String>,
    /// The payment provider.
    provider: String,
    /// What is to be paid, as decimal text.
    amount: String,
    /// In this currency.
    currency: String,
    /// What is credited, in quota units.
    quota: i64,
    /// What is credited, in dollars.
    quota_usd: String,
    /// What refunds and disputes took back of it, in dollars.
    taken_back_usd: String,
    /// `pending`, `paid`, `failed`, `expired`, `refunded`, `disputed` or `mismatch`.
    status: &'static str,
    /// The provider's id of the checkout.
    session_id: Option<String>,
    /// The provider's id of the payment.
    payment_id: Option<String>,
    /// When it was made.
    created_at: Moment,
    /// When the checkout ends.
    expires_at: Moment,
    /// When it was paid.
    completed_at: Option<Moment>,
}

/// Which orders to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OrderSearch {
    /// Only of this user.
    user_id: Option<i64>,
    /// Only the order of this id.
    order_id: Option<String>,
    /// Only in this status.
    status: Option<String>,
    /// Only through this provider.
    provider: Option<String>,
}

const STATUSES: [(OrderStatus, &str); 7] = [
    (OrderStatus::Pending, "pending"),
    (OrderStatus::Paid, "paid"),
    (OrderStatus::Failed, "failed"),
    (OrderStatus::Expired, "expired"),
    (OrderStatus::Refunded, "refunded"),
    (OrderStatus::Disputed, "disputed"),
    (OrderStatus::Mismatch, "mismatch"),
];

impl OrderView {
    fn of(order: Order) -> Self {
        let status = STATUSES.iter().find(|(status, _)| *status == order.status);
        Self {
            order_id: order.id,
            user_id: order.user_id.0,
            username: None,
            provider: order.provider,
            amount: hundredths(order.amount_minor),
            currency: order.currency,
            quota: quota_of_nanos(order.credit_nanos),
            quota_usd: format_dollars(order.credit_nanos),
            taken_back_usd: format_dollars(order.clawed_back_nanos),
            status: status.map_or("pending", |(_, name)| name),
            session_id: order.session_id,
            payment_id: order.payment_id,
            created_at: Moment(order.created_at),
            expires_at: Moment(order.expires_at),
            completed_at: order.completed_at.map(Moment),
        }
    }
}

/// Lists the caller's orders.
pub(super) async fn own(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(page): Search<PageQuery>,
) -> Result<Reply<PagedList<OrderView>>, ApiError> {
    let page = page.page()?;
    let filter = OrderFilter {
        user_id: Some(identity.id()),
        ..OrderFilter::default()
    };
    let found = top_ups::list(app.store().read(), &filter, page).await?;
    Ok(Reply::of(PagedList::of(page, found, OrderView::of)))
}

/// Lists everybody's orders.
pub(super) async fn all(
    State(app): State<Arc<App>>,
    Search(page): Search<PageQuery>,
    Search(search): Search<OrderSearch>,
) -> Result<Reply<PagedList<OrderView>>, ApiError> {
    let status = search.status.filter(|text| !text.is_empty());
    let status = status.map(|text| {
        let found = STATUSES.iter().find(|(_, name)| *name == text);
        found
            .map(|(status, _)| *status)
            .ok_or_else(|| ApiError::bad_field("status", "is not a status of orders"))
    });
    let filter = OrderFilter {
        id: search.order_id.filter(|text| !text.is_empty()),
        user_id: search.user_id.map(UserId),
        status: status.transpose()?,
        provider: search.provider.filter(|text| !text.is_empty()),
    };
    let page = page.page()?;
    let records = app.store().read();
    let found = top_ups::list(records, &filter, page).await?;
    let users = found.items.iter().map(|order| order.user_id.0);
    let known = names(records, Named::Users, users).await?;
    let show = |order: Order| {
        let username = known.get(&order.user_id.0).cloned();
        OrderView {
            username,
            ..OrderView::of(order)
        }
    };
    Ok(Reply::of(PagedList::of(page, found, show)))
}

/// Reads one order: one's own or, for administrators, anybody's.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<String>,
) -> Result<Reply<OrderView>, ApiError> {
    let order = top_ups::get(app.store().read(), &id).await?;
    let may_see = |order: &Order| order.user_id == identity.id() || identity.is_administrator();
    let order = order.filter(may_see);
    let order = order.ok_or_else(|| ApiError::not_found("The order"))?;
    Ok(Reply::of(OrderView::of(order)))
}
