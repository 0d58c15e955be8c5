//! Errors inside an answer, both ways: their codes, and what an upstream's failed answer means.

use serde_json::{Map, Value};

use crate::canonical::{Failure, FailureKind};
use crate::{error_body, json};

/// The code inside a response object that failed: the vendor's list has fewer words there.
pub(super) fn stream_code(failure: &Failure) -> &str {
    if let Some(code) = &failure.code {
        return code;
    }
    match failure.kind {
        FailureKind::RateLimited | FailureKind::NoBalance => "rate_limit_exceeded",
        FailureKind::ContextTooLong => "context_length_exceeded",
        FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContentBlocked
        | FailureKind::TooLarge
        | FailureKind::UnsupportedMedia => "invalid_prompt",
        _ => "server_error",
    }
}

/// What an upstream's error inside an answer means: what it means anywhere, but for two codes.
pub(super) fn from_upstream(error: &Value) -> Failure {
    let read = error_body::read_error(200, json::text(error).as_bytes());
    let failure = error_body::for_client(read);
    let kind = match error.get("code").and_then(Value::as_str) {
        // Our account is empty, which the client is not told: to it, the upstream takes no more.
        Some("insufficient_quota") => FailureKind::RateLimited,
        // Inside an answer this vendor says so of every prompt that it does not take.
        Some("invalid_prompt") => FailureKind::BadRequest,
        _ => failure.kind,
    };
    Failure { kind, ..failure }
}

/// The failure of an answer that says it failed, or that is nothing but an error.
pub(super) fn failed_reply(map: &Map<String, Value>) -> Option<Failure> {
    let error = map.get("error").filter(|error| !error.is_null());
    let has_failed = map.get("status").and_then(Value::as_str) == Some("failed");
    if !has_failed && error.is_none() && map.contains_key("output") {
        return None;
    }
    if error.is_none() && !has_failed {
        // An answer without output may be an error of another shape.
        let message = "The upstream's answer has no `output`.";
        let body = json::text(&Value::Object(map.clone()));
        return Some(error_body::unusable(message, body.as_bytes()));
    }
    Some(from_upstream(error.unwrap_or(&Value::Null)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_of_an_upstream_get_their_kinds() {
        let kind = |code: &str| from_upstream(&json!({"code": code, "message": "m"})).kind;
        assert_eq!(kind("rate_limit_exceeded"), FailureKind::RateLimited);
        assert_eq!(kind("insufficient_quota"), FailureKind::RateLimited);
        assert_eq!(kind("vector_store_timeout"), FailureKind::Timeout);
        assert_eq!(kind("image_too_large"), FailureKind::BadRequest);
        assert_eq!(kind("invalid_prompt"), FailureKind::BadRequest);
        assert_eq!(kind("context_length_exceeded"), FailureKind::ContextTooLong);
        assert_eq!(kind("server_error"), FailureKind::UpstreamBad);
        assert_eq!(kind(""), FailureKind::UpstreamBad);
    }

    #[test]
    fn the_codes_that_only_this_vendor_has_get_their_kinds() {
        let kind = |code: &str| from_upstream(&json!({"code": code, "message": "m"})).kind;
        for code in ["bio_policy", "image_content_policy_violation"] {
            assert_eq!(kind(code), FailureKind::ContentBlocked, "{code}");
        }
        for code in [
            "failed_to_download_image",
            "empty_image_file",
            "unsupported_image_media_type",
        ] {
            assert_eq!(kind(code), FailureKind::BadRequest, "{code}");
        }
        assert_eq!(kind("server_is_overloaded"), FailureKind::Overloaded);
        let by_number = from_upstream(&json!({"code": 429, "message": "m"}));
        assert_eq!(by_number.kind, FailureKind::RateLimited);
    }

    #[test]
    fn trouble_with_our_account_is_not_the_clients_and_secrets_are_masked() {
        let read = |code: &str, message: &str| {
            from_upstream(&json!({"code": code, "message": message, "param": null}))
        };
        let refused = read(
            "invalid_api_key",
            "Incorrect API key provided: sk-abcdef123456.",
        );
        assert_eq!(refused.kind, FailureKind::UpstreamBad);
        assert_eq!((refused.code, refused.param), (None, None));
        assert_eq!(
            refused.upstream_text.as_deref(),
            Some("Incorrect API key provided: ***.")
        );
        let empty = read("insufficient_quota", "Check your plan and billing details.");
        assert_eq!(empty.kind, FailureKind::RateLimited);
        for message in [refused.message, empty.message] {
            assert_eq!(message, "The upstream refused the call.");
        }
        let broken = read("server_error", "No answer from inner.example.com:8443");
        assert_eq!(broken.message, "The upstream failed.");
        assert_eq!(broken.upstream_text.as_deref(), Some("No answer from ***"));
    }

    #[test]
    fn a_failed_answer_is_a_failure_and_a_good_one_is_not() {
        let failed = |value: Value| match value {
            Value::Object(map) => failed_reply(&map),
            _ => None,
        };
        assert_eq!(
            failed(json!({"status": "completed", "error": null, "output": []})),
            None
        );
        let failure = failed(json!({"status": "failed", "output": [],
            "error": {"code": "rate_limit_exceeded", "message": "slow down"}}));
        let failure = failure.expect("a failure");
        assert_eq!(failure.kind, FailureKind::RateLimited);
        let own = "The upstream limits its calls. Try again later.";
        assert_eq!(failure.message, own);
        assert_eq!(failure.upstream_text.as_deref(), Some("slow down"));
        assert!(failed(json!({"error": "broken"})).is_some());
        assert!(failed(json!({"status": "failed", "output": []})).is_some());
    }
}
