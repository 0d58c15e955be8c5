//! Bodies and streams of every dialect with something odd in them, at random but the same each time:
//! what was read is read alike after it was written, and a stream ends exactly once.

use serde_json::Value;

use crate::canonical::Event;
use crate::convert::dialect;
use crate::spoil::Dice;
use crate::testing::{fixtures, streams};
use crate::{Dialect, DialectId, PathHints, ReplyContext};

const FOLDERS: [(&str, DialectId); 5] = [
    ("chat_completions", DialectId::ChatCompletions),
    ("text_completions", DialectId::TextCompletions),
    ("messages", DialectId::Messages),
    ("generate_content", DialectId::GenerateContent),
    ("responses", DialectId::Responses),
];

/// Spoils, swaps or removes some of these.
fn spoil_some(dice: &mut Dice, frames: &mut Vec<Value>) {
    for _ in 0..=dice.throw(4) {
        if frames.is_empty() {
            return;
        }
        let index = dice.throw(frames.len());
        match dice.throw(4) {
            0 => frames.swap(index, 0),
            1 => drop(frames.remove(index)),
            _ => dice.spoil(&mut frames[index]),
        }
    }
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

/// Spoiled copies of the fixtures of this kind; `again` reads and writes a body, where it can be
/// read. What was written once must stay as it is.
fn check_spoiled(start: &str, again: impl Fn(&'static dyn Dialect, &[u8]) -> Option<Vec<u8>>) {
    let mut dice = Dice(0x5eed);
    let json = |body: &[u8]| serde_json::from_slice::<Value>(body).expect("JSON");
    for (folder, id) in FOLDERS {
        for (name, body) in fixtures::of_kind(folder, start) {
            let whole = json(&body);
            for _ in 0..40 {
                let mut value = whole.clone();
                for _ in 0..=dice.throw(3) {
                    dice.spoil(&mut value);
                }
                let Some(written) = again(dialect(id), value.to_string().as_bytes()) else {
                    continue;
                };
                let rewritten = again(dialect(id), &written).unwrap_or_else(|| {
                    let written = String::from_utf8_lossy(&written);
                    panic!("{folder}/{name}: {value} is not read once written: {written}")
                });
                assert_eq!(json(&rewritten), json(&written), "{folder}/{name}: {value}");
            }
        }
    }
}

#[test]
fn a_spoiled_request_is_refused_or_read_alike_after_it_was_written() {
    let path = PathHints {
        model: Some("m".into()),
        ..PathHints::default()
    };
    check_spoiled("request-", |dialect, body| {
        let request = dialect.read_request(body, &path).ok()?;
        dialect.write_request(&request).ok()
    });
}

#[test]
fn a_spoiled_reply_is_refused_or_read_alike_after_it_was_written() {
    check_spoiled("reply-", |dialect, body| {
        let reply = dialect.read_reply(body).ok()?;
        Some(dialect.write_reply(&reply, &context()).body)
    });
}

#[test]
fn a_spoiled_stream_ends_exactly_once_and_is_written_as_json() {
    let mut dice = Dice(0xd1ce);
    for (folder, id) in FOLDERS {
        for (name, stream) in fixtures::of_kind(folder, "stream-") {
            let frames = streams::frames_of(&stream).into_iter();
            let frames: Vec<Value> = frames
                .filter_map(|data| serde_json::from_slice(&data).ok())
                .collect();
            for _ in 0..40 {
                let mut frames = frames.clone();
                spoil_some(&mut dice, &mut frames);
                let frames = streams::data_of(&frames);
                let mut ends = 0;
                streams::play(dialect(id), &frames, &mut |event: Event<'_>| {
                    ends += u32::from(matches!(event, Event::End | Event::Error(_)));
                });
                assert_eq!(ends, 1, "{folder}/{name}");
                // Each frame is JSON, or this panics.
                streams::values_of(&streams::rewritten(dialect(id), &frames, &context()));
            }
        }
    }
}
