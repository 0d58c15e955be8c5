//! What a token spent and may still spend, in the words of the vendor's old billing pages: what chat clients, and those of
//! one-api and new-api, ask for a balance. They take the limit for both together and subtract what was spent.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use billing::pricing::format_dollars;
use dialects::DialectId;
use dialects::canonical::{Failure, FailureKind};
use serde_json::{Number, Value, json};
use store::{StoreError, leases, ledger, tokens};

use super::call::Call;
use super::error::respond;
use super::{admit, authenticate, respond_with};
use crate::app::App;
use crate::middleware::Caller;
use crate::tokens::Holder;

const CENTS_A_DOLLAR: i64 = 100;

/// What a token spent, what it may still spend, and until when.
struct Spending {
    spent_nanos: i64,
    left_nanos: i64,
    expires_at: Option<i64>,
}

/// `GET /v1/dashboard/billing/subscription`.
pub async fn subscription(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    answer(&app, caller, request, |spending| {
        let limit = dollars(spending.spent_nanos.saturating_add(spending.left_nanos));
        json!({
            "object": "billing_subscription",
            "has_payment_method": true,
            "soft_limit_usd": limit,
            "hard_limit_usd": limit,
            "system_hard_limit_usd": limit,
            "access_until": spending.expires_at.map_or(0, |at| at / 1_000),
        })
    })
    .await
}

/// `GET /v1/dashboard/billing/usage`: in cents, and in all, whichever days are asked for, as the limit is for all days too.
pub async fn usage(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    answer(&app, caller, request, |spending| {
        let cents = spending.spent_nanos.saturating_mul(CENTS_A_DOLLAR);
        json!({ "object": "list", "total_usage": dollars(cents) })
    })
    .await
}

async fn answer(
    app: &App,
    caller: Caller,
    request: Request,
    write: impl FnOnce(Spending) -> Value,
) -> Response {
    let dialect = DialectId::ChatCompletions;
    let request_id = caller.request_id.clone();
    let (call, _) = Call::new(dialect, "/v1/dashboard/billing", caller, request);
    match of_token(app, &call).await {
        Ok(spending) => respond_with::json(write(spending).to_string()),
        Err(failure) => respond(&failure, dialect, &request_id),
    }
}

/// Whichever endpoints a token is for, it may ask for its balance.
async fn of_token(app: &App, call: &Call) -> Result<Spending, Failure> {
    let now = call.caller.at_ms;
    let holder = authenticate::holder(app, call, now).await?;
    admit::check_address(&holder, call)?;
    read(app, &holder, now).await.map_err(|error| {
        tracing::error!(%error, "a balance could not be looked up");
        let text = "The gateway cannot look up balances right now.";
        Failure::new(FailureKind::Overloaded, text)
    })
}

async fn read(app: &App, holder: &Holder, now: i64) -> Result<Spending, StoreError> {
    let records = app.store().read();
    let token = tokens::get(records, holder.token_id).await?;
    let owned = ledger::balances(records, &[holder.user_id]).await?;
    let has = owned.get(&holder.user_id).copied().unwrap_or_default();
    let budgets = holder.budgets(now);
    let of_budgets = leases::left_of_budgets(records, holder.user_id, &budgets).await?;
    Ok(Spending {
        spent_nanos: token.as_ref().map_or(0, |token| token.used_nanos),
        left_nanos: has.left_nanos().min(of_budgets).max(0),
        expires_at: token.and_then(|token| token.expires_at),
    })
}

/// An amount as an exact number of JSON.
fn dollars(nanos: i64) -> Option<Number> {
    format_dollars(nanos).parse().ok()
}
