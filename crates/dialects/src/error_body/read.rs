//! Reads a vendor's error body, permissively: every known shape of JSON, plain text, HTML, nothing.

use serde_json::{Map, Value};

use super::{kind, mask, retry};
use crate::canonical::{Failure, FailureKind};

/// Text that is no JSON is cut to this many bytes.
const MAX_TEXT: usize = 500;
/// A JSON message is cut to this many bytes.
const MAX_MESSAGE: usize = 4000;

/// What a vendor said about a failure, before it is judged.
#[derive(Debug, Default)]
pub struct Said {
    /// What happened.
    pub message: String,
    /// The vendor's type, code and status words, lower case.
    pub words: Vec<String>,
    /// Its code, where that is a word.
    pub code: Option<String>,
    /// A status in the body.
    pub status: Option<u16>,
    /// The field that is wrong.
    pub param: Option<String>,
}

/// Reads an error body. `status` is the HTTP status that came with it, or 200 for an error inside an
/// answer or a stream. A failure about the request itself has the upstream's text, masked. Every other
/// failure has a text of the gateway, and the upstream's text only for the log ([`Failure::log_text`]).
pub fn read_error(status: u16, body: &[u8]) -> Failure {
    let said = match serde_json::from_slice::<Value>(body) {
        Ok(value) => read_value(&value),
        Err(_) => Said {
            message: plain_text(body),
            ..Said::default()
        },
    };
    let kind = kind::of(status, &said);
    let mut text = mask(cut(said.message.trim(), MAX_MESSAGE));
    if text.is_empty() {
        text = format!("The upstream answered with status {status} and no explanation.");
    }
    let mut failure = if kind::is_about_request(kind, status, &said) {
        Failure::new(kind, text)
    } else {
        Failure {
            upstream_text: Some(text.into()),
            ..Failure::new(kind, own_text(kind))
        }
    };
    if says_more(kind) && failure.upstream_text.is_none() {
        failure.code = said.code.filter(|code| is_plain_word(code));
        failure.param = said.param.map(|param| mask(&param));
    }
    failure.retry_after_ms = retry::from_body(body);
    failure
}

/// Returns the failure of an answer that cannot be used, with the upstream's text for the log. If the answer is an
/// error that says more, that is the failure.
pub fn unusable(message: &str, body: &[u8]) -> Failure {
    let read = for_client(read_error(200, body));
    if read.kind != FailureKind::UpstreamBad {
        return read;
    }
    Failure {
        upstream_text: Some(read.log_text().into()),
        ..Failure::upstream(message)
    }
}

/// Returns the failure as the client gets it: a refused credential of the gateway must not look like a
/// fault of the client's own token.
pub fn for_client(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::Unauthenticated | FailureKind::Forbidden | FailureKind::NoBalance => Failure {
            upstream_text: Some(failure.log_text().into()),
            ..Failure::upstream(own_text(failure.kind))
        },
        _ => failure,
    }
}

/// Returns the text of the gateway for a failure of an upstream.
fn own_text(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unauthenticated | FailureKind::Forbidden | FailureKind::NoBalance => {
            "The upstream refused the call."
        }
        FailureKind::RateLimited => "The upstream limits its calls. Try again later.",
        FailureKind::Overloaded => "The upstream is overloaded. Try again later.",
        FailureKind::Timeout => "The upstream took too long.",
        FailureKind::ModelNotFound => "The upstream does not serve this model.",
        FailureKind::NotFound | FailureKind::MethodNotAllowed => {
            "The upstream does not serve this call."
        }
        FailureKind::ContextTooLong => "The input is too long for the model.",
        FailureKind::ContentBlocked => "A content policy of the upstream blocked the request.",
        FailureKind::TooLarge => "The request is too large for the upstream.",
        FailureKind::Unsupported => "The upstream does not support this request.",
        FailureKind::BadRequest | FailureKind::UnsupportedMedia => {
            "The upstream rejected the request."
        }
        FailureKind::Conflict | FailureKind::Internal | FailureKind::UpstreamBad => {
            "The upstream failed."
        }
    }
}

/// Whether a vendor's code can add to the kind.
fn says_more(kind: FailureKind) -> bool {
    matches!(
        kind,
        FailureKind::BadRequest | FailureKind::Unsupported | FailureKind::TooLarge
    )
}

fn is_plain_word(word: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
    !word.is_empty()
        && word.len() <= 64
        && word.bytes().all(is_plain)
        && !word.bytes().all(|b| b.is_ascii_digit())
}

fn read_value(value: &Value) -> Said {
    match value {
        Value::Object(map) => read_object(map),
        Value::Array(items) => items.first().map(read_value).unwrap_or_default(),
        Value::String(text) => Said {
            message: cut(text, MAX_TEXT).to_owned(),
            ..Said::default()
        },
        _ => Said::default(),
    }
}

fn read_object(map: &Map<String, Value>) -> Said {
    for key in ["error", "response", "errors", "detail"] {
        match map.get(key) {
            Some(inner @ (Value::Object(_) | Value::Array(_))) => {
                let said = read_value(inner);
                if !said.message.is_empty() || !said.words.is_empty() {
                    return said;
                }
            }
            Some(Value::String(text)) if !text.is_empty() => {
                let mut said = read_members(map);
                cut(text, MAX_TEXT).clone_into(&mut said.message);
                return said;
            }
            _ => {}
        }
    }
    read_members(map)
}

fn read_members(map: &Map<String, Value>) -> Said {
    let mut said = Said {
        message: message(map),
        param: param(map),
        ..Said::default()
    };
    for key in ["type", "__type", "code", "status", "error_code", "reason"] {
        match map.get(key) {
            Some(Value::String(word)) => said.words.push(word.to_ascii_lowercase()),
            Some(Value::Number(number)) => {
                let status = number
                    .as_u64()
                    .and_then(|number| u16::try_from(number).ok());
                said.status = said.status.or(status);
            }
            _ => {}
        }
    }
    let inner = map.get("innererror").and_then(|inner| inner.get("code"));
    let reasons = details(map).filter_map(|detail| detail.get("reason"));
    let words = inner.into_iter().chain(reasons).filter_map(Value::as_str);
    said.words.extend(words.map(str::to_ascii_lowercase));
    said.code = map.get("code").and_then(Value::as_str).map(str::to_owned);
    said
}

fn message(map: &Map<String, Value>) -> String {
    for key in [
        "message",
        "msg",
        "error_msg",
        "error_message",
        "detail",
        "description",
        "Message",
    ] {
        match map.get(key) {
            Some(Value::String(text)) if !text.is_empty() => return text.clone(),
            Some(Value::Object(inner)) => {
                let text = message(inner);
                if !text.is_empty() {
                    return text;
                }
            }
            _ => {}
        }
    }
    String::new()
}

/// The field at fault: named outright, among a vendor's violations, or as the place of a
/// validation error.
fn param(map: &Map<String, Value>) -> Option<String> {
    if let Some(Value::String(param)) = map.get("param") {
        return Some(param.clone()).filter(|param| !param.is_empty());
    }
    if let Some(Value::Array(place)) = map.get("loc") {
        let words = place.iter().map(|step| match step {
            Value::String(step) => step.clone(),
            step => step.to_string(),
        });
        let words: Vec<String> = words.skip_while(|step| step == "body").collect();
        return Some(words.join(".")).filter(|param| !param.is_empty());
    }
    details(map)
        .filter_map(|detail| {
            detail
                .get("fieldViolations")?
                .get(0)?
                .get("field")?
                .as_str()
        })
        .map(str::to_owned)
        .next()
}

fn details(map: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    map.get("details")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// Text that is no JSON; of a page, the words between its tags.
fn plain_text(body: &[u8]) -> String {
    let head = &body[..body.len().min(64 << 10)];
    let text = String::from_utf8_lossy(head);
    let trimmed = text.trim();
    if !trimmed.starts_with('<') {
        return cut(trimmed, MAX_TEXT).to_owned();
    }
    let mut words = String::new();
    let mut hidden = "";
    for piece in trimmed.split('<') {
        let (tag, after) = piece.split_once('>').unwrap_or((piece, ""));
        let name = tag.trim_start().to_ascii_lowercase();
        hidden = match name.as_str() {
            name if name.starts_with("style") => "/style",
            name if name.starts_with("script") => "/script",
            name if !hidden.is_empty() && name.starts_with(hidden) => "",
            _ => hidden,
        };
        if hidden.is_empty() && !after.trim().is_empty() {
            for word in after.split_whitespace() {
                if !words.is_empty() {
                    words.push(' ');
                }
                words.push_str(word);
            }
        }
    }
    cut(&words, MAX_TEXT).to_owned()
}

/// The first bytes of a text, no character cut in two.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
