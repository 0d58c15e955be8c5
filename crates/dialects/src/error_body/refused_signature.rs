//! Whether a vendor refuses a request because of a proof of earlier reasoning in it: one that it did not make, cannot open
//! any more, or made for other words.

use crate::canonical::{Failure, FailureKind};

/// The code by which responses says so.
const CODE: &str = "invalid_encrypted_content";

/// What the others say, in small letters and without quotes: messages, then generate content.
const PHRASES: [&str; 6] = [
    "invalid signature in thinking block",
    "blocks in the latest assistant message cannot be modified",
    "invalid data in redacted_thinking block",
    "thought signature is not valid",
    "invalid thought signature",
    "corrupted thought signature",
];

/// Whether this failure, as the vendor told it, is such a refusal. One for want of a proof is none: there is nothing to
/// leave out.
pub fn refuses_signature(failure: &Failure) -> bool {
    if failure.kind != FailureKind::BadRequest {
        return false;
    }
    if failure.code.as_deref() == Some(CODE) {
        return true;
    }
    let message = failure.message.replace('`', "").to_lowercase();
    PHRASES.iter().any(|phrase| message.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_body::read_error;

    #[test]
    fn only_a_proof_that_is_refused_counts() {
        let of = |body: &str| refuses_signature(&read_error(400, body.as_bytes()));
        for body in [
            r#"{"type":"error","error":{"type":"invalid_request_error",
                "message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#,
            r#"{"message":"The model returned the following errors: messages.3.content.0: Invalid signature in thinking block"}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error",
                "message":"messages.1.content.0: Invalid `data` in `redacted_thinking` block"}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error",
                "message":"messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."}}"#,
            r#"[{"error":{"code":400,"status":"INVALID_ARGUMENT",
                "message":"Unable to submit request because Thought signature is not valid.."}}]"#,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Corrupted thought signature."}}"#,
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid thought signature."}}"#,
            r#"{"error":{"message":"The encrypted content gAAA...DQ== could not be verified.",
                "type":"invalid_request_error","param":null,"code":"invalid_encrypted_content"}}"#,
        ] {
            assert!(of(body), "{body}");
        }
        for body in [
            r#"{"error":{"code":400,"status":"INVALID_ARGUMENT",
                "message":"Function call is missing a thought_signature in functionCall parts."}}"#,
            r#"{"type":"error","error":{"type":"invalid_request_error",
                "message":"messages.1.content.0.type: Expected `thinking`, but found `tool_use`."}}"#,
            r#"{"error":{"message":"The request signature we calculated does not match"}}"#,
        ] {
            assert!(!of(body), "{body}");
        }
        let broken = br#"{"error":{"message":"Corrupted thought signature."}}"#;
        assert!(!refuses_signature(&read_error(500, broken)));
    }
}
