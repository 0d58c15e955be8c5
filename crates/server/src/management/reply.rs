//! Replies of the management interface: `{"success", "message", "data"}` with real statuses, and
//! a stable `code` on failures. One of the two places that choose HTTP statuses.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

/// Why a management call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// There is no such path.
    NoSuchPath,
    /// The path exists, but not for this method.
    MethodNotAllowed,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The body could not be read to its end.
    BodyCut,
    /// The address of the client is not allowed here.
    AddressNotAllowed,
    /// The service itself failed.
    Internal,
}

impl ApiError {
    fn wording(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::NoSuchPath => (StatusCode::NOT_FOUND, "not_found", "There is no such path."),
            Self::MethodNotAllowed => (
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "This path does not take that method.",
            ),
            Self::BodyTooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "request_too_large",
                "The request body is too large.",
            ),
            Self::BodyCut => (
                StatusCode::BAD_REQUEST,
                "invalid_request",
                "The request body ended early.",
            ),
            Self::AddressNotAllowed => (
                StatusCode::FORBIDDEN,
                "permission_denied",
                "This address may not read that.",
            ),
            Self::Internal => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_error",
                "The service failed; the request id finds the cause in its log.",
            ),
        }
    }
}

/// The refusal in the management interface's envelope.
pub fn refuse(error: ApiError) -> Response {
    let (status, code, message) = error.wording();
    let body = json!({"success": false, "message": message, "code": code, "data": null});
    let json = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, json)], body.to_string()).into_response()
}
