//! Refusals of the model-call interface in the caller's own dialect. One of the two places that
//! choose HTTP statuses.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::area::ErrorShape;

/// Why a model call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallError {
    /// There is no such path.
    NoSuchPath,
    /// The path exists, but not for this method.
    MethodNotAllowed,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The body could not be read to its end.
    BodyCut,
    /// The gateway itself failed.
    Internal,
}

/// How one error is said in each dialect.
struct Wording {
    status: StatusCode,
    message: &'static str,
    code: &'static str,
    chat_type: &'static str,
    messages_type: &'static str,
    generate_status: &'static str,
}

impl CallError {
    fn wording(self) -> Wording {
        let invalid = |status, message, code, generate_status| Wording {
            status,
            message,
            code,
            chat_type: "invalid_request_error",
            messages_type: "invalid_request_error",
            generate_status,
        };
        match self {
            Self::NoSuchPath => Wording {
                messages_type: "not_found_error",
                ..invalid(
                    StatusCode::NOT_FOUND,
                    "There is no such path.",
                    "not_found",
                    "NOT_FOUND",
                )
            },
            Self::MethodNotAllowed => invalid(
                StatusCode::METHOD_NOT_ALLOWED,
                "This path does not take that method.",
                "method_not_allowed",
                "INVALID_ARGUMENT",
            ),
            Self::BodyTooLarge => Wording {
                messages_type: "request_too_large",
                ..invalid(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "The request body is too large.",
                    "request_too_large",
                    "INVALID_ARGUMENT",
                )
            },
            Self::BodyCut => invalid(
                StatusCode::BAD_REQUEST,
                "The request body ended early.",
                "invalid_request",
                "INVALID_ARGUMENT",
            ),
            Self::Internal => Wording {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                message: "The gateway failed; the request id finds the cause in its log.",
                code: "internal_error",
                chat_type: "api_error",
                messages_type: "api_error",
                generate_status: "INTERNAL",
            },
        }
    }
}

/// The refusal in the shape of a dialect.
pub fn refuse(error: CallError, shape: ErrorShape, request_id: &str) -> Response {
    let wording = error.wording();
    let body = match shape {
        ErrorShape::Chat => json!({"error": {
            "message": wording.message,
            "type": wording.chat_type,
            "param": "",
            "code": wording.code,
        }}),
        ErrorShape::Messages => json!({
            "type": "error",
            "error": {"type": wording.messages_type, "message": wording.message},
            "request_id": request_id,
        }),
        ErrorShape::GenerateContent => json!({"error": {
            "code": wording.status.as_u16(),
            "message": wording.message,
            "status": wording.generate_status,
        }}),
    };
    let json = HeaderValue::from_static("application/json");
    (
        wording.status,
        [(header::CONTENT_TYPE, json)],
        body.to_string(),
    )
        .into_response()
}
