//! What kind of failure a vendor's error is: by its words where they say more than its status.

use super::read::Said;
use crate::canonical::FailureKind;

/// Codes and phrases by which vendors say that a prompt does not fit.
const TOO_LONG_WORDS: [&str; 2] = ["context_length_exceeded", "prompt_too_long"];
const TOO_LONG_PHRASES: [&str; 9] = [
    "context length",
    "context window",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "input token count",
    "maximum number of tokens allowed",
    "reduce the length of the messages",
];
/// Codes and phrases by which vendors say that a policy forbids it.
const BLOCKED_WORDS: [&str; 10] = [
    "content_policy_violation",
    "content_filter",
    "responsibleaipolicyviolation",
    "invalid_prompt",
    "data_inspection_failed",
    "moderation_blocked",
    "prohibited_content",
    "safety",
    "bio_policy",
    "image_content_policy_violation",
];
const BLOCKED_PHRASES: [&str; 5] = [
    "content management policy",
    "content policy",
    "safety system",
    "flagged by",
    "violate our usage polic",
];

/// Phrases by which vendors say that a key may not use one model, or not so. With a blank behind it: a key
/// without access to "models" at all is another matter.
const NO_MODEL_PHRASES: [&str; 6] = [
    "access to the model ",
    "access to model ",
    "access to this model",
    "model access is denied",
    "from this model",
    "missing scopes",
];

/// The kind of a failure with this status and these words.
pub fn of(status: u16, said: &Said) -> FailureKind {
    let by_words = by_words(said);
    let status = status_of(status, said);
    if matches!(status, 0 | 400 | 403 | 413 | 422)
        && let Some(kind) = by_content(said)
    {
        return kind;
    }
    match (status, by_words) {
        (0, kind) => kind.unwrap_or(FailureKind::UpstreamBad),
        // Some vendors answer a bad key with 400, and an empty account with 400, 403 or 429.
        (400 | 403 | 429, Some(kind @ (FailureKind::Unauthenticated | FailureKind::NoBalance))) => {
            kind
        }
        (404, kind) => match kind {
            Some(FailureKind::ModelNotFound) => FailureKind::ModelNotFound,
            _ if said.message.to_ascii_lowercase().contains("model") => FailureKind::ModelNotFound,
            _ => FailureKind::NotFound,
        },
        (400 | 403, Some(FailureKind::ModelNotFound)) => FailureKind::ModelNotFound,
        // A refusal of one model says nothing against the key.
        (401 | 403, _) if is_about_model(said) => FailureKind::ModelNotFound,
        (status, _) => by_status(status),
    }
}

/// Whether a failure of this kind is about the request itself, so that the client may read the upstream's text.
/// The kind alone does not tell: a 403 or a 500 can have the words of a content policy.
pub fn is_about_request(kind: FailureKind, status: u16, said: &Said) -> bool {
    let is_of_account = matches!(
        by_words(said),
        Some(
            FailureKind::Unauthenticated
                | FailureKind::NoBalance
                | FailureKind::Forbidden
                | FailureKind::RateLimited
                | FailureKind::Overloaded
                | FailureKind::Timeout
        )
    );
    let is_kind = matches!(
        kind,
        FailureKind::BadRequest
            | FailureKind::Unsupported
            | FailureKind::ContextTooLong
            | FailureKind::ContentBlocked
            | FailureKind::TooLarge
            | FailureKind::UnsupportedMedia
    );
    let status = status_of(status, said);
    is_kind && !is_of_account && matches!(status, 0 | 400 | 406 | 411..=417 | 422 | 431)
}

/// The status of the answer, or the status inside the body of an answer that began well. 0: none.
fn status_of(status: u16, said: &Said) -> u16 {
    match status {
        400.. => status,
        // An error inside an answer: the body alone tells.
        _ => said
            .status
            .filter(|status| (400..600).contains(status))
            .unwrap_or(0),
    }
}

fn by_status(status: u16) -> FailureKind {
    match status {
        401 => FailureKind::Unauthenticated,
        402 => FailureKind::NoBalance,
        403 => FailureKind::Forbidden,
        405 => FailureKind::MethodNotAllowed,
        408 | 504 | 522 | 524 => FailureKind::Timeout,
        409 => FailureKind::Conflict,
        413 => FailureKind::TooLarge,
        415 => FailureKind::UnsupportedMedia,
        429 => FailureKind::RateLimited,
        501 => FailureKind::Unsupported,
        // A model server whose model cannot do this: a fault of the channel, not of the client.
        424 => FailureKind::UpstreamBad,
        503 | 529 => FailureKind::Overloaded,
        400..=499 => FailureKind::BadRequest,
        _ => FailureKind::UpstreamBad,
    }
}

/// Prompts that are too long or forbidden, which vendors tell in many ways.
fn by_content(said: &Said) -> Option<FailureKind> {
    let has_word = |words: &[&str]| said.words.iter().any(|word| words.contains(&word.as_str()));
    let message = said.message.to_lowercase();
    let has_phrase = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
    if has_word(&TOO_LONG_WORDS) {
        return Some(FailureKind::ContextTooLong);
    }
    if has_word(&BLOCKED_WORDS) || has_phrase(&BLOCKED_PHRASES) {
        return Some(FailureKind::ContentBlocked);
    }
    has_phrase(&TOO_LONG_PHRASES).then_some(FailureKind::ContextTooLong)
}

fn is_about_model(said: &Said) -> bool {
    let message = said.message.to_lowercase();
    NO_MODEL_PHRASES
        .iter()
        .any(|phrase| message.contains(phrase))
}

fn by_words(said: &Said) -> Option<FailureKind> {
    let kinds: Vec<FailureKind> = said.words.iter().filter_map(|word| by_word(word)).collect();
    // A type is broad (`invalid_request_error`, `server_error`), a code is narrow and comes after it:
    // the narrow one counts.
    let is_broad = |kind| matches!(kind, FailureKind::BadRequest | FailureKind::UpstreamBad);
    let narrow = kinds.iter().copied().find(|kind| !is_broad(*kind));
    narrow.or_else(|| kinds.last().copied())
}

fn by_word(word: &str) -> Option<FailureKind> {
    Some(match word {
        "authentication_error"
        | "invalid_api_key"
        | "missing_api_key"
        | "unauthenticated"
        | "api_key_invalid"
        | "unauthorized"
        | "invalid_authentication_error" => FailureKind::Unauthenticated,
        "insufficient_quota"
        | "billing_error"
        | "billing_not_active"
        | "insufficient_balance"
        | "exceeded_current_quota_error" => FailureKind::NoBalance,
        "permission_error" | "permission_denied" | "access_denied" => FailureKind::Forbidden,
        "model_not_found" | "not_found_error" | "not_found" | "modelnotfound" => {
            FailureKind::ModelNotFound
        }
        "request_too_large" => FailureKind::TooLarge,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "resource_exhausted"
        | "requests"
        | "tokens"
        | "throttlingexception"
        | "too_many_requests" => FailureKind::RateLimited,
        "overloaded_error"
        | "overloaded"
        | "server_is_overloaded"
        | "unavailable"
        | "service_unavailable"
        | "engine_overloaded_error" => FailureKind::Overloaded,
        "timeout_error" | "timeout" | "deadline_exceeded" | "vector_store_timeout" => {
            FailureKind::Timeout
        }
        "api_error"
        | "server_error"
        | "internal"
        | "unknown"
        | "internal_error"
        | "internal_server_error" => FailureKind::UpstreamBad,
        // `image_generation_server_error`, whose beginning looks like a fault of the request.
        word if word.ends_with("_server_error") => FailureKind::UpstreamBad,
        "failed_precondition"
        | "out_of_range"
        | "unsupported_parameter"
        | "unsupported_value"
        | "missing_required_parameter"
        | "failed_to_download_image"
        | "empty_image_file"
        | "unsupported_image_media_type" => FailureKind::BadRequest,
        word if word.starts_with("invalid_") || word.starts_with("image_") => {
            FailureKind::BadRequest
        }
        _ => return None,
    })
}
