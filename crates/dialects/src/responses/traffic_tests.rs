//! Our own fixtures, and recorded traffic where it is at hand: reading and writing again changes nothing, and a stream
//! that went through reader and writer still means the same.

use serde_json::{Value, json};

use super::Responses;
use crate::canonical::{Event, PartKind, Reply};
use crate::fold::{Fold, unfold};
use crate::sse::SseReader;
use crate::traffic::bodies;
use crate::{Dialect, DialectId, Frame, PathHints, ReplyContext};

/// Which bodies a test looks at.
#[derive(Clone, Copy)]
enum Kind {
    Request,
    Reply,
    Stream,
}

/// Our own bodies of that kind.
fn fixtures(kind: Kind) -> Vec<(String, Value)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/responses");
    let start = match kind {
        Kind::Request => "request-",
        Kind::Reply => "reply-",
        Kind::Stream => "stream-",
    };
    let files = std::fs::read_dir(folder).expect("fixtures").flatten();
    let files = files.filter(|file| file.file_name().to_string_lossy().starts_with(start));
    files
        .map(|file| {
            let body = std::fs::read(file.path()).expect("a readable file");
            let body = match kind {
                Kind::Stream => frames(&body),
                _ => serde_json::from_slice(&body).expect("JSON"),
            };
            (file.file_name().to_string_lossy().into_owned(), body)
        })
        .collect()
}

/// The data of a stream's frames, without the mark that some upstreams end with.
fn frames(stream: &[u8]) -> Value {
    let mut frames = Vec::new();
    let mut sse = SseReader::default();
    sse.push(stream, &mut |frame| {
        if frame.data != b"[DONE]" {
            frames.push(serde_json::from_slice(frame.data).expect("JSON"));
        }
    })
    .expect("frames of a fair size");
    Value::Array(frames)
}

fn each(kind: Kind, check: impl Fn(&str, Value)) {
    let recorded = match kind {
        Kind::Request => "request",
        Kind::Reply => "response",
        Kind::Stream => "response-streaming",
    };
    let own = fixtures(kind);
    assert!(!own.is_empty(), "no fixtures");
    for (name, body) in own.into_iter().chain(bodies("responses", recorded)) {
        check(&name, body);
    }
}

/// Members that are null count as absent.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(key, value)| (key.clone(), without_nulls(value)))
            .collect(),
        Value::Array(list) => list.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    serde_json::to_vec(value).expect("JSON")
}

#[test]
fn a_recorded_request_is_written_as_it_was_read() {
    each(Kind::Request, |name, body| {
        let request = Responses
            .read_request(&bytes(&body), &PathHints::default())
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let written = Responses.write_request(&request).expect("a body");
        let written: Value = serde_json::from_slice(&written).expect("JSON");
        assert_eq!(without_nulls(&written), without_nulls(&body), "{name}");
    });
}

#[test]
fn a_recorded_reply_is_written_as_it_was_read() {
    each(Kind::Reply, |name, body| {
        // One failed and one left out what strict clients need: they have tests of their own.
        if body["status"] == "failed" || body.get("tools").is_none() {
            return;
        }
        let reply = Responses
            .read_reply(&bytes(&body))
            .unwrap_or_else(|failure| panic!("{name}: {failure}"));
        let written = Responses.write_reply(&reply, &ReplyContext::default());
        let value: Value = serde_json::from_slice(&written.body).expect("JSON");
        assert_eq!(without_nulls(&value), without_nulls(&body), "{name}");
        assert_eq!(written.dropped, Vec::<String>::new());
    });
}

/// Folds a stream. Some are of another form, or do not come to a good end: `None`.
fn folded(events: &Value) -> Option<Reply> {
    let events = events.as_array()?;
    let ends_well = ["response.completed", "response.incomplete"];
    let ends_well = ends_well.contains(&events.last()?["type"].as_str()?);
    if events.first()?["type"] != "response.created" || !ends_well {
        return None;
    }
    let mut fold = Fold::new(DialectId::Responses);
    let mut reader = Responses.stream_reader();
    for event in events {
        let data = bytes(event);
        let frame = Frame::new(&data);
        reader.frame(frame, &mut fold);
    }
    reader.close(&mut fold);
    Some(fold.finish().expect("a whole answer"))
}

fn context() -> ReplyContext {
    ReplyContext {
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

/// Writes a stream for a client and reads it again.
fn through_a_client(events: &Value) -> (Vec<u8>, Reply) {
    let mut out = Vec::new();
    let mut writer = Responses.stream_writer(&context());
    let mut reader = Responses.stream_reader();
    let mut sink = |event: Event<'_>| writer.event(event, &mut out);
    for event in events.as_array().into_iter().flatten() {
        let data = bytes(event);
        let frame = Frame::new(&data);
        reader.frame(frame, &mut sink);
    }
    let reply = fold_bytes(&out);
    (out, reply)
}

fn fold_bytes(stream: &[u8]) -> Reply {
    let mut fold = Fold::new(DialectId::Responses);
    let mut reader = Responses.stream_reader();
    let mut sse = SseReader::default();
    sse.push(stream, &mut |frame| reader.frame(frame, &mut fold))
        .expect("frames of a fair size");
    reader.close(&mut fold);
    fold.finish().expect("a whole answer")
}

#[test]
fn a_recorded_stream_still_means_the_same_after_reader_and_writer() {
    each(Kind::Stream, |name, events| {
        let Some(direct) = folded(&events) else {
            return;
        };
        let (_, again) = through_a_client(&events);
        assert_eq!(again, direct, "{name}");
    });
}

/// The response in the last event of a stream.
fn last_response(stream: &[u8]) -> Value {
    let mut last = Value::Null;
    let mut sse = SseReader::default();
    sse.push(stream, &mut |frame| {
        last = serde_json::from_slice(frame.data).expect("JSON");
    })
    .expect("frames of a fair size");
    last["response"].clone()
}

#[test]
fn a_written_stream_ends_with_the_answer_that_would_be_written_whole() {
    each(Kind::Stream, |name, events| {
        let Some(direct) = folded(&events) else {
            return;
        };
        let whole = Responses.write_reply(&direct, &context());
        let whole: Value = serde_json::from_slice(&whole.body).expect("JSON");
        let (streamed, _) = through_a_client(&events);
        assert_eq!(last_response(&streamed), whole, "{name}");
        let mut unfolded = Vec::new();
        let mut writer = Responses.stream_writer(&context());
        unfold(&direct, &mut |event: Event<'_>| {
            writer.event(event, &mut unfolded);
        });
        assert_eq!(last_response(&unfolded), whole, "{name}");
    });
}

#[test]
fn a_recorded_stream_means_what_its_last_event_says() {
    each(Kind::Stream, |name, events| {
        let Some(streamed) = folded(&events) else {
            return;
        };
        let last = events.as_array().and_then(|events| events.last());
        let response = last.map_or_else(|| json!({}), |last| last["response"].clone());
        let whole = Responses.read_reply(&bytes(&response)).expect("an answer");
        assert_eq!(meaning(&streamed), meaning(&whole), "{name}");
        assert_eq!(streamed.usage, whole.usage);
        assert_eq!(streamed.choices[0].finish, whole.choices[0].finish);
    });
}

/// What was said, without what only whole answers carry and without empty parts.
fn meaning(reply: &Reply) -> Vec<PartKind> {
    let parts = reply.choices[0].parts.iter();
    let kinds = parts.map(|part| match &part.kind {
        // Each event has its own encryption of the same content.
        PartKind::Hosted(hosted) => PartKind::Refusal(hosted.raw["type"].to_string()),
        kind => kind.clone(),
    });
    kinds
        .filter(|kind| match kind {
            PartKind::Text { text, .. } => !text.is_empty(),
            PartKind::Thinking(thinking) => !thinking.text.is_empty(),
            _ => true,
        })
        .collect()
}
