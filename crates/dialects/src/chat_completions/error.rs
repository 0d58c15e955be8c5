//! Errors in the words of this dialect and its neighbours: four strings, never null.

use serde_json::json;

use crate::canonical::{Failure, FailureKind};
use crate::json;

/// Writes a failed call's body.
pub fn write(failure: &Failure) -> Vec<u8> {
    let mut out = Vec::new();
    write_object(failure, &mut out);
    out
}

/// Writes a failure into a running stream. Nothing may come after it.
pub fn write_frame(failure: &Failure, out: &mut Vec<u8>) {
    out.extend_from_slice(b"data: ");
    write_object(failure, out);
    out.extend_from_slice(b"\n\n");
}

fn write_object(failure: &Failure, out: &mut Vec<u8>) {
    let (kind, code) = words(failure.kind);
    let body = json!({"error": {
        "message": failure.message,
        "type": kind,
        "param": failure.param.as_deref().unwrap_or_default(),
        "code": failure.code.as_deref().unwrap_or(code),
    }});
    json::write(out, &body);
}

/// The `type` and `code` of a kind.
fn words(kind: FailureKind) -> (&'static str, &'static str) {
    const REQUEST: &str = "invalid_request_error";
    const SERVER: &str = "server_error";
    match kind {
        FailureKind::BadRequest => (REQUEST, "invalid_request"),
        FailureKind::Unsupported => (REQUEST, "unsupported"),
        FailureKind::ContextTooLong => (REQUEST, "context_length_exceeded"),
        FailureKind::ContentBlocked => (REQUEST, "content_policy_violation"),
        FailureKind::Unauthenticated => (REQUEST, "invalid_api_key"),
        FailureKind::NoBalance => ("insufficient_quota", "insufficient_quota"),
        FailureKind::Forbidden => ("permission_error", "permission_denied"),
        FailureKind::ModelNotFound => (REQUEST, "model_not_found"),
        FailureKind::NotFound => (REQUEST, "not_found"),
        FailureKind::MethodNotAllowed => (REQUEST, "method_not_allowed"),
        FailureKind::Conflict => ("conflict", "conflict"),
        FailureKind::TooLarge => (REQUEST, "request_too_large"),
        FailureKind::UnsupportedMedia => (REQUEST, "unsupported_media_type"),
        FailureKind::RateLimited => ("rate_limit_error", "rate_limit_exceeded"),
        FailureKind::Internal => (SERVER, "internal_error"),
        FailureKind::UpstreamBad => (SERVER, "bad_upstream_response"),
        FailureKind::Overloaded => (SERVER, "overloaded"),
        FailureKind::Timeout => (SERVER, "upstream_timeout"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_four_strings() {
        let body = write(&Failure::new(FailureKind::NoBalance, "No money."));
        assert_eq!(
            String::from_utf8(body).unwrap(),
            r#"{"error":{"message":"No money.","type":"insufficient_quota","param":"","code":"insufficient_quota"}}"#
        );
    }

    #[test]
    fn a_vendors_own_code_and_the_field_are_passed_on() {
        let mut failure = Failure::bad_request("messages[0].role", "Wrong role.");
        failure.code = Some("invalid_value".into());
        let body: serde_json::Value = serde_json::from_slice(&write(&failure)).unwrap();
        assert_eq!(body["error"]["param"], "messages[0].role");
        assert_eq!(body["error"]["code"], "invalid_value");
    }
}
