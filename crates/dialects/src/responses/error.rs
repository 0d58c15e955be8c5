//! Errors, both ways: bodies for clients, and what an upstream's failed answer means.

use serde_json::{Map, Value, json};

use crate::canonical::{Failure, FailureKind};
use crate::json;

/// Writes a failed call's body; all four members are strings, as strict clients demand.
pub(super) fn write_error(failure: &Failure) -> Vec<u8> {
    let (kind, code) = words(failure.kind);
    let mut body = Vec::with_capacity(160);
    json::write(
        &mut body,
        &json!({"error": {
            "message": failure.message,
            "type": kind,
            "param": failure.param.as_deref().unwrap_or_default(),
            "code": failure.code.as_deref().unwrap_or(code),
        }}),
    );
    body
}

/// The `type` and the `code` of a kind of failure.
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
        FailureKind::MethodNotAllowed => (REQUEST, "method_not_supported"),
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
    use super::*;

    fn written(failure: &Failure) -> Value {
        serde_json::from_slice(&write_error(failure)).expect("JSON")
    }

    #[test]
    fn an_error_has_four_strings_even_when_there_is_nothing_to_say() {
        let body = written(&Failure::new(FailureKind::Timeout, "Too slow."));
        assert_eq!(
            body,
            json!({"error": {"message": "Too slow.", "type": "server_error", "param": "",
                "code": "upstream_timeout"}})
        );
        let body = written(&Failure::bad_request("input[0].role", "No."));
        assert_eq!(body["error"]["param"], "input[0].role");
        assert_eq!(body["error"]["code"], "invalid_request");
    }

    #[test]
    fn a_vendors_own_code_says_more_than_the_kind() {
        let mut failure = Failure::new(FailureKind::BadRequest, "No.");
        failure.code = Some("invalid_image".into());
        assert_eq!(written(&failure)["error"]["code"], "invalid_image");
    }

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
