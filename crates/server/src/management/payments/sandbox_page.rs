//! The sandbox's checkout page: plain HTML forms, no script. Whoever knows the address may pay,
//! as with any hosted checkout.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use http::{HeaderValue, header};
use store::top_ups::{Order, OrderStatus};

use crate::app::App;
use crate::console::ICON;
use crate::management::frame::ApiError;
use crate::management::public_base::public_base;
use crate::middleware::{Caller, read_short_body};
use crate::payments::{SandboxOutcome, act_in_sandbox, find_checkout, hundredths};

/// A form of this page has a few dozen bytes.
const LONGEST_FORM: usize = 4_096;

/// Shows the page.
pub(super) async fn show(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
) -> Result<Response, ApiError> {
    let order = checkout(&app, &session).await?;
    Ok(page(&order))
}

/// Does what was chosen on the page.
pub(super) async fn choose(
    State(app): State<Arc<App>>,
    Path(session): Path<String>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, ApiError> {
    let body = read_short_body(request.into_body(), LONGEST_FORM).await?;
    let order = checkout(&app, &session).await?;
    let form = std::str::from_utf8(&body).unwrap_or_default();
    let chosen = form
        .split('&')
        .find_map(|field| field.strip_prefix("outcome="));
    let outcome = SandboxOutcome::parse(chosen)
        .ok_or_else(|| ApiError::bad_field("outcome", "is not on the page"))?;
    act_in_sandbox(&app, &order, outcome)
        .await
        .map_err(|refused| ApiError::internal(&refused))?;
    let base_url = public_base(&app, &caller)?;
    let wallet = format!("{base_url}/console/wallet?order={}", order.id);
    Ok(Redirect::to(&wallet).into_response())
}

async fn checkout(app: &App, session: &str) -> Result<Order, ApiError> {
    let order = find_checkout(app, session).await?;
    order.ok_or_else(|| ApiError::not_found("The checkout"))
}

fn page(order: &Order) -> Response {
    let amount = hundredths(order.amount_minor);
    let currency = order.currency.to_uppercase();
    let (state, forms) = match order.status {
        OrderStatus::Pending | OrderStatus::Failed | OrderStatus::Expired => (
            "waits for payment",
            form("pay", "Pay with play money") + &form("decline", "Let the payment fail"),
        ),
        OrderStatus::Paid => (
            "is paid",
            form("refund", "Refund all of it") + &form("dispute", "Dispute it at the bank"),
        ),
        OrderStatus::Refunded => ("was refunded", String::new()),
        OrderStatus::Disputed => ("is disputed", String::new()),
        OrderStatus::Mismatch => ("was paid with another amount", String::new()),
    };
    // Ids are letters, digits and underscores; nothing here comes from a visitor.
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sandbox checkout</title>\
         <link rel=\"icon\" type=\"image/svg+xml\" href=\"{ICON}\"><style>{STYLE}</style></head><body><main>\
         <h1>Sandbox checkout</h1><p>No real money moves here.</p>\
         <dl><dt>Order</dt><dd>{id}</dd><dt>Amount</dt><dd>{amount} {currency}</dd>\
         <dt>State</dt><dd>{state}</dd></dl>{forms}\
         <p><a href=\"/console/wallet?order={id}\">Back to the wallet</a></p>\
         </main></body></html>\n",
        id = order.id,
    );
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, html).into_response()
}

/// A form that is submitted to the page itself.
fn form(outcome: &str, label: &str) -> String {
    format!(
        "<form method=\"post\"><input type=\"hidden\" name=\"outcome\" value=\"{outcome}\">\
         <button type=\"submit\">{label}</button></form>"
    )
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;\
    background:#f6f6f4}main{max-width:26rem;margin:3rem auto;padding:2rem;background:#fff;\
    border:1px solid #ddd;border-radius:8px}dt{color:#555}dd{margin:0 0 .75rem;\
    overflow-wrap:anywhere}button{font:inherit;width:100%;padding:.6rem;margin:.25rem 0;\
    border:1px solid #333;border-radius:6px;background:#fff;cursor:pointer}\
    form:first-of-type button{background:#1f4fd8;border-color:#1f4fd8;color:#fff}";
