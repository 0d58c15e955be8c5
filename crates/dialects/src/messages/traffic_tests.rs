//! Reading and writing back, over our own fixtures and over recorded vendor traffic where that is
//! at hand: what was read is written again, and a stream folds to what it was.

use std::fs;

use serde_json::Value;

use super::stream_tests::{check_grammar, fold, frames_of, written};
use super::{Messages, count};
use crate::canonical::PartKind;
use crate::fold::unfold;
use crate::{Dialect, PathHints, ReplyContext, traffic};

pub(super) fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/messages");
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    found.sort();
    found
}

fn of_kind(kind: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = fixtures();
    found.retain(|(name, _)| name.starts_with(kind));
    assert!(!found.is_empty(), "{kind}");
    found
}

/// Recorded bodies of this kind, or nothing where there is no recording.
fn recorded(kind: &str) -> Vec<(String, Vec<u8>)> {
    let bodies = traffic::bodies("anthropic", kind).into_iter();
    bodies
        .map(|(name, body)| (name, body.to_string().into_bytes()))
        .collect()
}

/// Without members that are `null`.
fn bare(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key, bare(value)))
            .collect(),
        Value::Array(items) => items.into_iter().map(bare).collect(),
        other => other,
    }
}

fn same_json(name: &str, before: &[u8], after: &[u8]) {
    let before = bare(serde_json::from_slice(before).unwrap());
    let after = bare(serde_json::from_slice(after).unwrap());
    assert_eq!(
        serde_json::to_string_pretty(&sorted(after)).unwrap(),
        serde_json::to_string_pretty(&sorted(before)).unwrap(),
        "{name}"
    );
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut members: Vec<_> = map.into_iter().collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            members.into_iter().map(|(k, v)| (k, sorted(v))).collect()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        estimated_input: 7,
        ..ReplyContext::default()
    }
}

#[test]
fn a_request_that_was_read_is_written_again() {
    let mut bodies = of_kind("request-");
    bodies.extend(recorded("request"));
    for (name, body) in bodies {
        let request = Messages.read_request(&body, &PathHints::default());
        let request = request.unwrap_or_else(|failure| panic!("{name}: {failure:?}"));
        same_json(&name, &body, &Messages.write_request(&request).unwrap());
    }
}

#[test]
fn a_question_for_a_count_is_written_again() {
    for (name, body) in of_kind("count-") {
        let request = count::read_request(&body).unwrap();
        same_json(&name, &body, &count::write_request(&request));
    }
}

#[test]
fn a_reply_that_was_read_is_written_again() {
    let mut bodies = of_kind("reply-");
    bodies.extend(recorded("response"));
    for (name, body) in bodies {
        let reply = Messages.read_reply(&body).unwrap();
        let written = Messages.write_reply(&reply, &ReplyContext::default());
        same_json(&name, &body, &written.body);
        assert!(written.dropped.is_empty(), "{name}");
    }
}

#[test]
fn an_error_that_came_with_a_good_status_is_a_failure() {
    for (name, body) in of_kind("error-") {
        let failure = Messages.read_reply(&body).expect_err(&name);
        let written = Messages.write_error(&failure, 500, "req_9");
        let before: Value = serde_json::from_slice(&body).unwrap();
        let after: Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(after["error"], before["error"], "{name}");
        assert_eq!(after["request_id"], "req_9");
    }
}

/// Each stream as a list of the data of its frames.
fn streams() -> Vec<(String, Vec<Vec<u8>>)> {
    let own = of_kind("stream-").into_iter();
    let mut streams: Vec<_> = own.map(|(name, body)| (name, frames_of(&body))).collect();
    for (name, body) in recorded("response-streaming") {
        let frames: Vec<Value> = serde_json::from_slice(&body).unwrap();
        let frames = frames.iter().map(|frame| frame.to_string().into_bytes());
        streams.push((name, frames.collect()));
    }
    streams
}

#[test]
fn a_stream_that_was_read_is_written_to_fold_alike() {
    for (name, frames) in streams() {
        let out = written(&frames, &context());
        check_grammar(&name, &out);
        assert_eq!(fold(&frames_of(&out)), fold(&frames), "{name}");
    }
}

#[test]
fn a_reply_played_as_a_stream_folds_to_what_the_client_gets_whole() {
    let mut bodies = of_kind("reply-");
    bodies.extend(recorded("response"));
    for (name, body) in bodies {
        let mut reply = Messages.read_reply(&body).unwrap();
        let mut writer = Messages.stream_writer(&context());
        let mut out = Vec::new();
        unfold(&reply, &mut |event: crate::canonical::Event<'_>| {
            writer.event(event, &mut out);
        });
        check_grammar(&name, &out);
        // A stream has no place for fields that only the whole answer carries.
        reply.extra.clear();
        for part in &mut reply.choices[0].parts {
            if !matches!(part.kind, PartKind::Hosted(_)) {
                part.extra.clear();
            }
        }
        let folded = fold(&frames_of(&out)).unwrap();
        let whole = Messages.write_reply(&reply, &context()).body;
        let streamed = Messages.write_reply(&folded, &context()).body;
        if name != "reply-stop-brand-new-reason.json" {
            same_json(&name, &whole, &streamed);
        }
    }
}
