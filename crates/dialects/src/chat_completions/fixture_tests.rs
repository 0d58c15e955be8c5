//! Our own fixtures, every one of them: read and written again, cut short, and changed at random.

use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;

use super::{ChatCompletions, spelling};
use crate::canonical::{Event, Failure, Reply};
use crate::fold::Fold;
use crate::text_completions::TextCompletions;
use crate::{Dialect, Frame, PathHints, ReplyContext};

const FOLDERS: [(&str, &dyn Dialect); 2] = [
    ("chat_completions", &ChatCompletions),
    ("text_completions", &TextCompletions),
];

/// Fixtures that say the same in other words: sloppy spellings are set right on purpose.
const SET_RIGHT: [&str; 9] = [
    "request-one-in-list",
    "request-signed-call",
    "request-image-sloppy",
    "request-leaked-parts",
    "request-tools-empty",
    "reply-tools-sloppy",
    "reply-tool-empty-list",
    "reply-content-list",
    "reply-bare",
];

fn fixtures() -> Vec<(&'static dyn Dialect, String, Vec<u8>)> {
    let mut found = Vec::new();
    for (folder, dialect) in FOLDERS {
        let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "fixtures", folder]
            .iter()
            .collect();
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            found.push((dialect, name, std::fs::read(path).unwrap()));
        }
    }
    found.sort_by(|left, right| left.1.cmp(&right.1));
    found
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        include_usage: true,
        ..ReplyContext::default()
    }
}

fn frames(sse: &[u8]) -> Vec<&[u8]> {
    let text = std::str::from_utf8(sse).unwrap();
    text.split("\n\n")
        .filter_map(|frame| frame.strip_prefix("data: "))
        .map(str::as_bytes)
        .collect()
}

fn fold(dialect: &dyn Dialect, frames: &[&[u8]]) -> Result<Reply, Failure> {
    let mut fold = Fold::new(dialect.id());
    let mut reader = dialect.stream_reader();
    for data in frames {
        reader.frame(Frame::new(data), &mut fold);
    }
    reader.close(&mut fold);
    fold.finish()
}

/// What comes out when a stream is read and written again.
fn rewritten(dialect: &dyn Dialect, frames: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = dialect.stream_writer(&context());
    let mut reader = dialect.stream_reader();
    let mut sink = |event: Event<'_>| writer.event(event, &mut out);
    for data in frames {
        reader.frame(Frame::new(data), &mut sink);
    }
    reader.close(&mut sink);
    out
}

#[test]
fn bodies_are_written_as_they_were_read() {
    for (dialect, name, bytes) in fixtures() {
        let written = if name.starts_with("request-") {
            match dialect.read_request(&bytes, &PathHints::default()) {
                Ok(request) => dialect.write_request(&request).unwrap(),
                Err(failure) => {
                    assert!(failure.param.is_some(), "{name}");
                    continue;
                }
            }
        } else if name.starts_with("reply-") {
            let Ok(reply) = dialect.read_reply(&bytes) else {
                assert_eq!(name, "reply-error-inside");
                continue;
            };
            dialect.write_reply(&reply, &context()).body
        } else {
            continue;
        };
        let before: Value = serde_json::from_slice(&bytes).unwrap();
        let after: Value = serde_json::from_slice(&written).unwrap();
        let is_set_right = SET_RIGHT.contains(&name.as_str());
        assert_eq!(
            spelling::same(&before, &after),
            !is_set_right,
            "{name}\n{after}"
        );
    }
}

#[test]
fn a_stream_that_was_written_folds_to_the_same_answer() {
    for (dialect, name, bytes) in fixtures() {
        if !name.starts_with("stream-") {
            continue;
        }
        let before = frames(&bytes);
        let out = rewritten(dialect, &before);
        match (fold(dialect, &before), fold(dialect, &frames(&out))) {
            (Ok(before), Ok(after)) => {
                assert_eq!(shown(dialect, before), shown(dialect, after), "{name}");
            }
            (Err(before), Err(after)) => assert_eq!(before.kind, after.kind, "{name}"),
            (before, after) => panic!("{name}: {before:?} {after:?}"),
        }
    }
}

/// What a client sees of an answer that came from elsewhere.
fn shown(dialect: &dyn Dialect, mut reply: Reply) -> Value {
    reply.source = crate::DialectId::Messages;
    serde_json::from_slice(&dialect.write_reply(&reply, &context()).body).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_make_a_reader_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        for (_, dialect) in FOLDERS {
            try_all(dialect, &body);
        }
    }

    #[test]
    fn a_changed_fixture_is_read_or_refused(
        which in any::<prop::sample::Index>(),
        place in any::<prop::sample::Index>(),
        with in prop::sample::select(vec!["null", "[]", "{}", "\"x\"", "1e999", "-1", "}", "\\ud800", "[DONE]"]),
    ) {
        let fixtures = fixtures();
        let (dialect, _, bytes) = &fixtures[which.index(fixtures.len())];
        let mut changed = bytes.clone();
        let at = place.index(changed.len());
        changed.splice(at..at, with.bytes());
        try_all(*dialect, &changed);
        // A value in place of another, which keeps the JSON whole.
        let tokens: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] == b':').collect();
        if !tokens.is_empty() {
            let at = tokens[place.index(tokens.len())] + 1;
            let end = bytes[at..].iter().position(|b| matches!(b, b',' | b'}' | b'\n'));
            let mut changed = bytes.clone();
            changed.splice(at..at + end.unwrap_or(0), with.bytes());
            try_all(*dialect, &changed);
        }
    }
}

/// Reads bytes as everything that they may be, and writes whatever was understood.
fn try_all(dialect: &dyn Dialect, body: &[u8]) {
    if let Ok(request) = dialect.read_request(body, &PathHints::default()) {
        let _ = dialect.write_request(&request);
    }
    if let Ok(reply) = dialect.read_reply(body) {
        let _ = shown(dialect, reply);
    }
    let _ = crate::error_body::read_error(400, body);
    let frames: Vec<&[u8]> = body
        .split(|byte| *byte == b'\n')
        .filter_map(|line| line.strip_prefix(b"data: "))
        .collect();
    rewritten(dialect, &frames);
    rewritten(dialect, &[body]);
}
