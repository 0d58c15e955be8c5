//! Failures of model calls in the caller's own dialect. One of the two places that choose HTTP
//! statuses.

use axum::response::Response;
use dialects::DialectId;
use dialects::canonical::{Failure, FailureKind};
use dialects::convert::dialect;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::respond_with;

/// The status of a failure.
pub fn status(kind: FailureKind) -> StatusCode {
    match kind {
        FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContextTooLong
        | FailureKind::ContentBlocked => StatusCode::BAD_REQUEST,
        FailureKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        FailureKind::NoBalance => StatusCode::PAYMENT_REQUIRED,
        FailureKind::Forbidden => StatusCode::FORBIDDEN,
        FailureKind::ModelNotFound | FailureKind::NotFound => StatusCode::NOT_FOUND,
        FailureKind::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        FailureKind::Conflict => StatusCode::CONFLICT,
        FailureKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        FailureKind::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        FailureKind::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        FailureKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        FailureKind::UpstreamBad => StatusCode::BAD_GATEWAY,
        FailureKind::Overloaded => StatusCode::SERVICE_UNAVAILABLE,
        FailureKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
    }
}

/// What a response that is already written means to the log.
pub fn of_response(status: StatusCode) -> Failure {
    let kind = match status.as_u16() {
        413 => FailureKind::TooLarge,
        415 => FailureKind::UnsupportedMedia,
        400..=499 => FailureKind::BadRequest,
        _ => FailureKind::Internal,
    };
    Failure::new(kind, "The request's body could not be read.")
}

/// A short stable word for a failure: the log's error cause.
pub fn cause(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BadRequest => "invalid_request",
        FailureKind::Unsupported => "unsupported",
        FailureKind::ContextTooLong => "context_length_exceeded",
        FailureKind::ContentBlocked => "content_policy_violation",
        FailureKind::Unauthenticated => "invalid_api_key",
        FailureKind::NoBalance => "insufficient_quota",
        FailureKind::Forbidden => "permission_denied",
        FailureKind::ModelNotFound => "model_not_found",
        FailureKind::NotFound => "not_found",
        FailureKind::MethodNotAllowed => "method_not_supported",
        FailureKind::Conflict => "conflict",
        FailureKind::TooLarge => "request_too_large",
        FailureKind::UnsupportedMedia => "unsupported_media_type",
        FailureKind::RateLimited => "rate_limit_exceeded",
        FailureKind::Internal => "internal_error",
        FailureKind::UpstreamBad => "bad_upstream_response",
        FailureKind::Overloaded => "overloaded",
        FailureKind::Timeout => "upstream_timeout",
    }
}

/// The failure as a response in this dialect.
pub fn respond(failure: &Failure, id: DialectId, request_id: &str) -> Response {
    let status = status(failure.kind);
    let body = dialect(id).write_error(failure, status.as_u16(), request_id);
    let mut response = respond_with::json(body);
    *response.status_mut() = status;
    if let Some(ms) = failure.retry_after_ms {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, HeaderValue::from(ms.div_ceil(1000)));
        let exact = HeaderName::from_static("retry-after-ms");
        headers.insert(exact, HeaderValue::from(ms));
    }
    response
}

/// Responds that the gateway does not implement what the request needs.
pub fn not_implemented(failure: &Failure, id: DialectId, request_id: &str) -> Response {
    let mut response = respond(failure, id, request_id);
    *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
    response
}

/// Responds to an attempt to open a WebSocket at an endpoint that supports HTTP only. Clients fall back to HTTP at this
/// status.
pub fn no_websocket(id: DialectId, request_id: &str) -> Response {
    let text = "This endpoint does not support WebSockets. Send the request with POST.";
    let failure = Failure {
        code: Some("websocket_unsupported".to_owned()),
        ..Failure::new(FailureKind::BadRequest, text)
    };
    let mut response = respond(&failure, id, request_id);
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    // RFC 9110 requires the header in responses with this status.
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("HTTP/1.1"));
    response
}

/// A conversation was asked for without an upgrade.
pub fn upgrade_required(request_id: &str) -> Response {
    let text = "This path is a WebSocket: ask for an upgrade, version 13.";
    let failure = Failure {
        code: Some("upgrade_required".to_owned()),
        ..Failure::new(FailureKind::BadRequest, text)
    };
    let mut response = respond(&failure, DialectId::ChatCompletions, request_id);
    *response.status_mut() = StatusCode::UPGRADE_REQUIRED;
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    let version = HeaderValue::from_static("13");
    headers.insert(header::SEC_WEBSOCKET_VERSION, version);
    response
}
