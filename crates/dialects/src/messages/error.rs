//! Failures, written as a body and as the last frame of a stream.

use crate::canonical::{Failure, FailureKind};
use crate::json;

/// Agents of this dialect shrink their history when they read these words.
const TOO_LONG: &str = "prompt is too long";

/// The body of a failed call.
pub(super) fn write(failure: &Failure, request_id: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(160);
    out.extend_from_slice(br#"{"type":"error","error":{"type":"#);
    json::write_str(&mut out, kind(failure.kind));
    out.extend_from_slice(br#","message":"#);
    json::write_str(&mut out, &message(failure));
    out.extend_from_slice(br#"},"request_id":"#);
    json::write_str(&mut out, request_id);
    out.push(b'}');
    out
}

/// The last frame of a stream that failed.
pub(super) fn write_frame(failure: &Failure, request_id: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"event: error\ndata: ");
    out.extend_from_slice(&write(failure, request_id));
    out.extend_from_slice(b"\n\n");
}

fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContextTooLong
        | FailureKind::ContentBlocked
        | FailureKind::MethodNotAllowed
        | FailureKind::Conflict
        | FailureKind::UnsupportedMedia => "invalid_request_error",
        FailureKind::Unauthenticated => "authentication_error",
        FailureKind::NoBalance => "billing_error",
        FailureKind::Forbidden => "permission_error",
        FailureKind::ModelNotFound | FailureKind::NotFound => "not_found_error",
        FailureKind::TooLarge => "request_too_large",
        FailureKind::RateLimited => "rate_limit_error",
        FailureKind::Internal | FailureKind::UpstreamBad => "api_error",
        FailureKind::Overloaded => "overloaded_error",
        FailureKind::Timeout => "timeout_error",
    }
}

/// The message; this dialect has no member for the field, so the text must name it.
fn message(failure: &Failure) -> String {
    let message = failure.message.as_str();
    if failure.kind == FailureKind::ContextTooLong {
        if message.to_ascii_lowercase().contains(TOO_LONG) {
            return message.to_owned();
        }
        return format!("{TOO_LONG}: {message}");
    }
    match failure.param.as_deref() {
        Some(param) if !param.is_empty() && !message.contains(param) => {
            format!("{param}: {message}")
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn written(failure: &Failure) -> Value {
        serde_json::from_slice(&write(failure, "req_1")).unwrap()
    }

    #[test]
    fn a_body_has_its_type_its_message_and_the_requests_id() {
        assert_eq!(
            written(&Failure::new(FailureKind::RateLimited, "Slow down.")),
            json!({"type": "error", "request_id": "req_1",
                   "error": {"type": "rate_limit_error", "message": "Slow down."}})
        );
    }

    #[test]
    fn the_message_names_the_field_once() {
        let named = Failure::bad_request("max_tokens", "`max_tokens` is required.");
        let message = &written(&named)["error"]["message"];
        assert_eq!(message, "`max_tokens` is required.");
        let unnamed = Failure::bad_request("messages.0.role", "`role` is required.");
        let message = &written(&unnamed)["error"]["message"];
        assert_eq!(message, "messages.0.role: `role` is required.");
    }

    #[test]
    fn a_prompt_that_does_not_fit_says_so_in_the_words_that_agents_know() {
        let failure = Failure::new(FailureKind::ContextTooLong, "4096 tokens at most.");
        let message = &written(&failure)["error"]["message"];
        assert_eq!(message, "prompt is too long: 4096 tokens at most.");
    }
}
