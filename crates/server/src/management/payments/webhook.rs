//! `POST /api/payment/webhook`: the door for payment providers. Nobody is logged in here; the
//! signature is the credential, and it covers the bytes as they came.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::management::frame::{ApiError, Reply};
use crate::middleware::{Caller, read_short_body};
use crate::payments::{Delivery, Refused, receive};
use crate::refusal::Refusal;

/// The answer to a provider.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Received {
    /// Always true: there is nothing to send again.
    received: bool,
    /// What came of it.
    verdict: &'static str,
}

/// Takes an event.
pub(super) async fn webhook(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let limit = app.config().limits.webhook_bytes;
    let (head, body) = request.into_parts();
    let body = match read_short_body(body, limit).await {
        Ok(body) => body,
        Err(refusal) => {
            let mut response = ApiError::from(refusal).into_response();
            if refusal == Refusal::BodyTooLarge {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
            return response;
        }
    };
    let address = caller.address.to_string();
    let delivery = Delivery {
        headers: &head.headers,
        body: &body,
        address: &address,
    };
    match receive(&app, &delivery).await {
        Ok(verdict) => Reply::of(Received {
            received: true,
            verdict: verdict.name(),
        })
        .into_response(),
        Err(refused) => refusal(&refused).into_response(),
    }
}

fn refusal(refused: &Refused) -> ApiError {
    match refused {
        // Not 503: providers try again after any 5xx, and this one is nobody's configuration.
        Refused::Store(cause) => ApiError::internal(cause),
        Refused::NotConfigured => ApiError::unavailable("This payment provider is not configured."),
        Refused::Signature(_) => {
            ApiError::bad_request(sentence(refused)).with_code("invalid_signature")
        }
        _ => ApiError::bad_request(sentence(refused)),
    }
}

/// The reason as a sentence.
fn sentence(refused: &Refused) -> String {
    let text = refused.to_string();
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => text,
    }
}
