//! The door for notices of an EPay gateway, which knows two answers: `success`, or it comes again.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{Method, StatusCode};

use crate::app::App;
use crate::management::frame::ApiError;
use crate::middleware::{Caller, read_short_body};
use crate::payments::{Refused, receive_notice};

/// A notice has a dozen short fields.
const LONGEST_NOTICE: usize = 16_384;

/// Takes a notice: in the address, or as a form.
pub(super) async fn notice(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let (head, body) = request.into_parts();
    let form = if head.method == Method::POST {
        match read_short_body(body, LONGEST_NOTICE).await {
            Ok(body) => String::from_utf8_lossy(&body).into_owned(),
            Err(refusal) => return ApiError::from(refusal).into_response(),
        }
    } else {
        head.uri.query().unwrap_or_default().to_owned()
    };
    let address = caller.address.to_string();
    match receive_notice(&app, &form, &address).await {
        Ok(_) => (StatusCode::OK, "success").into_response(),
        Err(refused) => (status(&refused), "fail").into_response(),
    }
}

fn status(refused: &Refused) -> StatusCode {
    match refused {
        Refused::Store(cause) => {
            tracing::error!(%cause, "a payment notice could not be written down");
            StatusCode::INTERNAL_SERVER_ERROR
        }
        Refused::NotConfigured => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    }
}
