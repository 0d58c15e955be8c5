//! Recorded traffic, where it is at hand: what was read is written again unchanged, and a stream
//! means the same after it was read and written.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ChatCompletions, spelling};
use crate::{Dialect, Frame, PathHints, ReplyContext};

fn folder() -> Option<PathBuf> {
    let fallback = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/vendor-traffic"
    );
    let folder =
        std::env::var_os("MODELGATE_TRAFFIC").map_or_else(|| fallback.into(), PathBuf::from);
    if !folder.is_dir() {
        eprintln!("left out: no recorded traffic at {}", folder.display());
        return None;
    }
    Some(folder)
}

fn bodies(names: [&str; 2]) -> Vec<(PathBuf, Value)> {
    let Some(folder) = folder() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for case in std::fs::read_dir(folder).unwrap() {
        for name in names {
            let path = case
                .as_ref()
                .unwrap()
                .path()
                .join("chat-completions")
                .join(name);
            if let Ok(text) = std::fs::read_to_string(&path) {
                found.push((path, serde_json::from_str(&text).unwrap()));
            }
        }
    }
    assert!(found.len() > 20, "the folder has traffic of this dialect");
    found
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        include_usage: true,
        ..ReplyContext::default()
    }
}

fn assert_same(path: &Path, before: &Value, after: &[u8]) {
    let after: Value = serde_json::from_slice(after).unwrap();
    assert!(
        spelling::same(before, &after),
        "{}\n{before}\n{after}",
        path.display()
    );
}

#[test]
fn recorded_requests_are_written_as_they_were_read() {
    for (path, body) in bodies(["request.json", "followup-request.json"]) {
        let text = crate::json::text(&body);
        let request = ChatCompletions
            .read_request(text.as_bytes(), &PathHints::default())
            .unwrap_or_else(|failure| panic!("{}: {failure:?}", path.display()));
        assert_same(
            &path,
            &body,
            &ChatCompletions.write_request(&request).unwrap(),
        );
    }
}

#[test]
fn recorded_replies_are_written_as_they_were_read() {
    for (path, body) in bodies(["response.json", "followup-response.json"]) {
        let reply = ChatCompletions
            .read_reply(crate::json::text(&body).as_bytes())
            .unwrap();
        let written = ChatCompletions.write_reply(&reply, &context());
        assert_same(&path, &body, &written.body);
        assert_eq!(written.dropped, Vec::<String>::new());
    }
}

#[test]
fn recorded_streams_mean_the_same_after_reading_and_writing() {
    for (path, body) in bodies([
        "response-streaming.json",
        "followup-response-streaming.json",
    ]) {
        let frames: Vec<Value> = body.as_array().unwrap().clone();
        let mut reader = ChatCompletions.stream_reader();
        let mut writer = ChatCompletions.stream_writer(&context());
        let mut out = Vec::new();
        for frame in &frames {
            let data = crate::json::text(frame);
            let frame = Frame::new(data.as_bytes());
            reader.frame(frame, &mut |event: crate::canonical::Event<'_>| {
                writer.event(event, &mut out);
            });
        }
        reader.close(&mut |event: crate::canonical::Event<'_>| writer.event(event, &mut out));
        let after = super::stream_tests::chunks(&out);
        let (before, after) = (fold(&frames), fold(&after));
        assert_eq!(before, after, "{}", path.display());
    }
}

/// What a client makes of a stream: per choice its text, calls and finish.
fn fold(chunks: &[Value]) -> Vec<(String, Vec<[String; 3]>, String)> {
    let mut choices: Vec<(String, Vec<[String; 3]>, String)> = Vec::new();
    for choice in chunks
        .iter()
        .filter_map(|chunk| chunk["choices"].as_array())
        .flatten()
    {
        let at = usize::try_from(choice["index"].as_u64().unwrap()).unwrap();
        choices.resize_with(choices.len().max(at + 1), Default::default);
        let (text, calls, finish) = &mut choices[at];
        text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        for call in choice["delta"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let at = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            calls.resize_with(calls.len().max(at + 1), Default::default);
            calls[at][0].push_str(call["id"].as_str().unwrap_or_default());
            calls[at][1].push_str(call["function"]["name"].as_str().unwrap_or_default());
            calls[at][2].push_str(call["function"]["arguments"].as_str().unwrap_or_default());
        }
        finish.push_str(choice["finish_reason"].as_str().unwrap_or_default());
    }
    choices
}
