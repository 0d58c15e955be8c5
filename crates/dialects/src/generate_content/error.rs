//! Failures in this dialect's words.

use serde_json::json;

use crate::canonical::{Failure, FailureKind};
use crate::json;

/// An error body. Clients compare `code` as a number and look at `error` as the first key.
pub(super) fn body(failure: &Failure, status: u16) -> Vec<u8> {
    let mut error = json!({
        "code": status,
        "message": failure.message,
        "status": status_word(failure.kind),
    });
    if let Some(ms) = failure.retry_after_ms {
        let delay = format!("{}s", ms.div_ceil(1000));
        error["details"] =
            json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay}]);
    }
    json::bytes(&json!({ "error": error }))
}

/// The status of a failure that comes in the middle of a stream, where the HTTP status is out.
pub(super) fn late_status(kind: FailureKind) -> u16 {
    match kind {
        FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContextTooLong
        | FailureKind::ContentBlocked
        | FailureKind::TooLarge
        | FailureKind::MethodNotAllowed
        | FailureKind::UnsupportedMedia => 400,
        FailureKind::Unauthenticated => 401,
        FailureKind::Forbidden => 403,
        FailureKind::ModelNotFound | FailureKind::NotFound => 404,
        FailureKind::Conflict => 409,
        FailureKind::NoBalance | FailureKind::RateLimited => 429,
        FailureKind::Internal | FailureKind::UpstreamBad => 500,
        FailureKind::Overloaded => 503,
        FailureKind::Timeout => 504,
    }
}

fn status_word(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContextTooLong
        | FailureKind::ContentBlocked
        | FailureKind::MethodNotAllowed
        | FailureKind::TooLarge
        | FailureKind::UnsupportedMedia => "INVALID_ARGUMENT",
        FailureKind::Unauthenticated => "UNAUTHENTICATED",
        FailureKind::NoBalance | FailureKind::RateLimited => "RESOURCE_EXHAUSTED",
        FailureKind::Forbidden => "PERMISSION_DENIED",
        FailureKind::ModelNotFound | FailureKind::NotFound => "NOT_FOUND",
        FailureKind::Conflict => "ABORTED",
        FailureKind::Internal | FailureKind::UpstreamBad => "INTERNAL",
        FailureKind::Overloaded => "UNAVAILABLE",
        FailureKind::Timeout => "DEADLINE_EXCEEDED",
    }
}
