//! Bodies and streams with something odd in them, at random but the same each time: readers never
//! panic, what was read is read alike after it was written, and a stream ends exactly once.

use std::panic::AssertUnwindSafe;

use serde_json::{Value, json};

use super::Responses;
use crate::canonical::Event;
use crate::sse::SseReader;
use crate::{Dialect, Frame, PathHints, ReplyContext};

/// A small generator of numbers, seeded.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (sides.max(1) as u64)).unwrap_or_default()
    }

    fn oddity(&mut self) -> Value {
        let odd = [
            Value::Null,
            json!(0),
            json!(-1.5),
            json!(""),
            json!("x"),
            json!("\u{0}\"\\ 🚢"),
            json!("data:,"),
            json!(true),
            json!([]),
            json!({}),
            json!([null, {"type": "x"}]),
            json!({"type": "message", "role": "user"}),
        ];
        odd[self.throw(odd.len())].clone()
    }

    /// Puts something odd at a random place.
    fn spoil(&mut self, value: &mut Value) {
        match value {
            Value::Object(map) if !map.is_empty() && self.throw(5) > 0 => {
                let index = self.throw(map.len());
                if self.throw(12) == 0 {
                    let key = map.keys().nth(index).cloned().unwrap_or_default();
                    map.shift_remove(&key);
                } else if let Some(inner) = map.values_mut().nth(index) {
                    self.spoil(inner);
                }
            }
            Value::Array(list) if !list.is_empty() && self.throw(5) > 0 => {
                let index = self.throw(list.len());
                self.spoil(&mut list[index]);
            }
            other => *other = self.oddity(),
        }
    }
}

fn fixtures(start: &str) -> Vec<Vec<u8>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/responses");
    let files = std::fs::read_dir(folder).expect("fixtures").flatten();
    let mut paths: Vec<_> = files.map(|file| file.path()).collect();
    paths.sort();
    let wanted = paths.iter().filter(|path| {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with(start))
    });
    wanted
        .map(|path| std::fs::read(path).expect("a fixture"))
        .collect()
}

/// Runs a check over spoiled copies of the fixtures; names the body that breaks it.
fn spoiled(start: &str, check: impl Fn(&[u8])) {
    let mut dice = Dice(0x5eed);
    for body in fixtures(start) {
        let whole: Value = serde_json::from_slice(&body).expect("JSON");
        for _ in 0..100 {
            let mut value = whole.clone();
            for _ in 0..=dice.throw(3) {
                dice.spoil(&mut value);
            }
            let body = serde_json::to_vec(&value).expect("JSON");
            let run = std::panic::catch_unwind(AssertUnwindSafe(|| check(&body)));
            assert!(run.is_ok(), "{}", String::from_utf8_lossy(&body));
        }
    }
}

#[test]
fn a_spoiled_request_is_refused_or_read_alike_after_it_was_written() {
    let path = PathHints::default();
    spoiled("request-", |body| {
        let Ok(request) = Responses.read_request(body, &path) else {
            return;
        };
        let written = Responses.write_request(&request).expect("a body");
        let again = Responses.read_request(&written, &path).expect("a request");
        let rewritten = Responses.write_request(&again).expect("a body");
        assert_eq!(
            String::from_utf8_lossy(&rewritten),
            String::from_utf8_lossy(&written)
        );
    });
}

#[test]
fn a_spoiled_reply_is_refused_or_read_alike_after_it_was_written() {
    let context = ReplyContext::default();
    spoiled("reply-", |body| {
        let Ok(reply) = Responses.read_reply(body) else {
            return;
        };
        let written = Responses.write_reply(&reply, &context).body;
        let again = Responses.read_reply(&written).expect("an answer");
        let rewritten = Responses.write_reply(&again, &context).body;
        let json = |body: &[u8]| serde_json::from_slice::<Value>(body).expect("JSON");
        assert_eq!(json(&rewritten), json(&written));
    });
}

#[test]
fn a_spoiled_stream_ends_exactly_once_and_is_written_as_json() {
    let mut dice = Dice(0xd1ce);
    for stream in fixtures("stream-") {
        let mut frames: Vec<Value> = Vec::new();
        let mut sse = SseReader::default();
        sse.push(&stream, &mut |frame| {
            frames.extend(serde_json::from_slice::<Value>(frame.data));
        })
        .expect("frames");
        for _ in 0..60 {
            let mut frames = frames.clone();
            for _ in 0..=dice.throw(4) {
                let index = dice.throw(frames.len());
                match dice.throw(4) {
                    0 => frames.swap(index, 0),
                    1 => {
                        frames.remove(index);
                    }
                    _ => dice.spoil(&mut frames[index]),
                }
                if frames.is_empty() {
                    break;
                }
            }
            play(&frames);
        }
    }
}

fn play(frames: &[Value]) {
    let mut reader = Responses.stream_reader();
    let mut writer = Responses.stream_writer(&ReplyContext {
        show_reasoning: true,
        ..ReplyContext::default()
    });
    let mut out = Vec::new();
    let mut ends = 0;
    let mut sink = |event: Event<'_>| {
        ends += u32::from(matches!(event, Event::End | Event::Error(_)));
        writer.event(event, &mut out);
    };
    for frame in frames {
        let data = serde_json::to_vec(frame).expect("JSON");
        let frame = Frame::new(&data);
        reader.frame(frame, &mut sink);
    }
    reader.close(&mut sink);
    assert_eq!(ends, 1);
    let mut sse = SseReader::default();
    let mut last = Value::Null;
    sse.push(&out, &mut |frame| {
        last = serde_json::from_slice(frame.data).expect("JSON");
    })
    .expect("frames");
    let last = last["type"].as_str().unwrap_or_default();
    let terminal = [
        "response.completed",
        "response.incomplete",
        "response.failed",
    ];
    assert!(terminal.contains(&last), "{last}");
}

#[test]
fn bytes_that_are_no_json_never_panic() {
    let mut dice = Dice(0xb17e5);
    for start in ["request-", "reply-"] {
        for body in fixtures(start) {
            for _ in 0..100 {
                let mut body = body.clone();
                let index = dice.throw(body.len());
                body[index] = u8::try_from(dice.throw(256)).unwrap_or_default();
                body.truncate(body.len() - dice.throw(body.len() / 2));
                let _ = Responses.read_request(&body, &PathHints::default());
                let _ = Responses.read_reply(&body);
                let mut reader = Responses.stream_reader();
                let frame = Frame {
                    event: Some("response.completed"),
                    data: &body,
                };
                reader.frame(frame, &mut |_: Event<'_>| {});
            }
        }
    }
}
