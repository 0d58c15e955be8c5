//! A body that is read and written in its own dialect stays the body that it was: the same JSON,
//! numbers by their text, `null` the same as absent.

use dialects::DialectId;
use dialects::convert::dialect;
use serde_json::Value;

use crate::calls::{self, BOTH_SIDES};
use crate::fixtures::{self, Kind};
use crate::recorded::Traffic;

/// Fixtures of sloppy spellings, which a writer sets right on purpose.
const SET_RIGHT: [&str; 16] = [
    "chat_completions/reply-bare",
    "chat_completions/reply-content-list",
    "chat_completions/reply-tool-empty-list",
    "chat_completions/reply-tools-sloppy",
    "chat_completions/request-image-sloppy",
    "chat_completions/request-leaked-parts",
    "chat_completions/request-signed-call",
    "chat_completions/request-tools-empty",
    "generate_content/reply-finish-safety",
    "generate_content/reply-tools",
    "generate_content/request-empty-parts",
    "generate_content/request-hosted-and-functions",
    "generate_content/request-snake-case",
    "generate_content/request-tool-turns-no-ids",
    "responses/reply-sparse-vendor",
    "text_completions/request-one-in-list",
];

/// Fixtures that are refused, or failures that look like answers.
const REFUSED: [&str; 8] = [
    "chat_completions/reply-error-inside",
    "generate_content/reply-error-inside",
    "responses/reply-failed",
    "text_completions/request-best-of",
    "text_completions/request-several",
    "text_completions/request-suffix",
    "text_completions/request-token-lists",
    "text_completions/request-tokens",
];

#[test]
fn recorded_requests_survive_their_own_dialect() {
    let Some(traffic) = Traffic::open() else {
        return;
    };
    let mut wrong = Vec::new();
    for id in BOTH_SIDES {
        for (title, body) in traffic.all(id, &["request", "followup-request"]) {
            check(&mut wrong, &title, &body, request_again(id, &body));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recorded_answers_survive_their_own_dialect() {
    let Some(traffic) = Traffic::open() else {
        return;
    };
    let mut wrong = Vec::new();
    for id in BOTH_SIDES {
        for (title, body) in traffic.all(id, &["response", "followup-response"]) {
            check(&mut wrong, &title, &body, reply_again(id, &body));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn fixtures_survive_their_own_dialect() {
    let mut wrong = Vec::new();
    for fixture in fixtures::all() {
        let is_set_right = SET_RIGHT.contains(&fixture.title.as_str());
        let again = match fixture.kind {
            Kind::Request => request_again,
            Kind::Reply => reply_again,
            Kind::Stream | Kind::Error => continue,
        };
        let first = again(fixture.dialect, &fixture.json());
        if REFUSED.contains(&fixture.title.as_str()) {
            assert!(first.is_err(), "{} is refused", fixture.title);
            continue;
        }
        if let (true, Ok(first)) = (is_set_right, &first) {
            // What was set right once stays as it is.
            check(
                &mut wrong,
                &fixture.title,
                first,
                again(fixture.dialect, first),
            );
        } else {
            check(&mut wrong, &fixture.title, &fixture.json(), first);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn request_again(id: DialectId, body: &Value) -> Result<Value, String> {
    let path = calls::path(id, "test-model");
    let bytes = serde_json::to_vec(body).expect("a JSON value serialises");
    let read = dialect(id)
        .read_request(&bytes, &path)
        .map_err(|failure| failure.message)?;
    let written = dialect(id)
        .write_request(&read)
        .map_err(|failure| failure.message)?;
    Ok(serde_json::from_slice(&written).expect("a written request is JSON"))
}

fn reply_again(id: DialectId, body: &Value) -> Result<Value, String> {
    let bytes = serde_json::to_vec(body).expect("a JSON value serialises");
    let read = dialect(id)
        .read_reply(&bytes)
        .map_err(|failure| failure.message)?;
    let written = dialect(id).write_reply(&read, &calls::context());
    assert_eq!(written.dropped, Vec::<String>::new(), "{body}");
    Ok(serde_json::from_slice(&written.body).expect("a written answer is JSON"))
}

fn check(wrong: &mut Vec<String>, title: &str, before: &Value, after: Result<Value, String>) {
    let (before, after) = match after {
        Ok(after) => (without_null(before), without_null(&after)),
        Err(message) => return wrong.push(format!("{title}: {message}")),
    };
    if before != after {
        wrong.push(format!("{title}\n  before {before}\n  after  {after}"));
    }
}

/// Members that are `null` left out, everywhere.
pub fn without_null(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(without_null).collect(),
        Value::Object(map) => {
            let said = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(
                said.map(|(key, value)| (key.clone(), without_null(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}
