//! Errors inside an answer, both ways: their codes, and what an upstream's failed answer means.

use serde_json::{Map, Value};

use crate::canonical::{Failure, FailureKind};

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

/// What an upstream's error inside an answer means.
pub(super) fn from_upstream(code: &str, message: &str, param: &str) -> Failure {
    let kind = match code {
        "rate_limit_exceeded" | "insufficient_quota" => FailureKind::RateLimited,
        "vector_store_timeout" => FailureKind::Timeout,
        "context_length_exceeded" => FailureKind::ContextTooLong,
        "content_policy_violation" | "bio_policy" | "image_content_policy_violation" => {
            FailureKind::ContentBlocked
        }
        "overloaded" | "overloaded_error" | "server_is_overloaded" => FailureKind::Overloaded,
        "failed_to_download_image" | "empty_image_file" | "unsupported_image_media_type" => {
            FailureKind::BadRequest
        }
        code if code.starts_with("image_") || code.starts_with("invalid_") => {
            FailureKind::BadRequest
        }
        _ => FailureKind::UpstreamBad,
    };
    let message = if message.is_empty() {
        "The upstream failed while it answered."
    } else {
        message
    };
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Failure {
        param: some(param),
        code: some(code),
        ..Failure::new(kind, message)
    }
}

/// The failure of an answer that says it failed, or that is nothing but an error.
pub(super) fn failed_reply(map: &Map<String, Value>) -> Option<Failure> {
    let error = map.get("error").filter(|error| !error.is_null());
    let has_failed = map.get("status").and_then(Value::as_str) == Some("failed");
    if !has_failed && (error.is_none() || map.get("output").is_some_and(Value::is_array)) {
        return None;
    }
    let word = |key: &str| {
        let word = error.and_then(|error| error.get(key));
        word.and_then(Value::as_str).unwrap_or_default()
    };
    let message = match error {
        Some(Value::String(message)) => message,
        _ => word("message"),
    };
    Some(from_upstream(word("code"), message, word("param")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_of_an_upstream_get_their_kinds() {
        let kind = |code: &str| from_upstream(code, "m", "").kind;
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
        assert_eq!(
            failure.map(|failure| (failure.kind, failure.message)),
            Some((FailureKind::RateLimited, "slow down".into()))
        );
        assert!(failed(json!({"error": "broken"})).is_some());
        assert!(failed(json!({"status": "failed", "output": []})).is_some());
    }
}
