//! What each event of a stream means.

use serde_json::{Value, json};

use super::Responses;
use crate::canonical::{
    Event, Failure, FailureKind, FinishReason, MediaClass, PartKind, Reply, ThinkingForm,
};
use crate::fold::Fold;
use crate::testing::fixtures;
use crate::testing::streams::{data_of, fold, frames_of};
use crate::{Dialect, DialectId, Frame, Signature};

fn read(events: &[Value]) -> Result<Reply, Failure> {
    fold(&Responses, &data_of(events))
}

fn parts(events: &[Value]) -> Vec<PartKind> {
    let reply = read(events).expect("an answer");
    let parts = reply.choices.into_iter().flat_map(|choice| choice.parts);
    parts.map(|part| part.kind).collect()
}

fn read_fixture(name: &str) -> Result<Reply, Failure> {
    let stream = fixtures::one("responses", &format!("{name}.sse"));
    fold(&Responses, &frames_of(&stream))
}

fn created() -> Value {
    json!({"type": "response.created", "response": {"id": "resp_1", "model": "m",
        "created_at": 5, "status": "in_progress", "output": []}})
}

fn completed() -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": []}})
}

fn text(text: &str) -> PartKind {
    PartKind::Text {
        text: text.into(),
        annotations: vec![],
    }
}

#[test]
fn done_events_do_not_repeat_what_deltas_brought() {
    let reply = read_fixture("stream-text").expect("an answer");
    let words = reply.choices[0].parts[0].as_text();
    assert_eq!(words, Some("Nine metres \"å\" 🚢\n."));
    assert_eq!(reply.choices[0].parts.len(), 1);
    assert_eq!(reply.choices[0].finish.reason, FinishReason::Stop);
}

#[test]
fn done_events_bring_what_no_delta_brought() {
    let reply = read_fixture("stream-done-only").expect("an answer");
    let parts = &reply.choices[0].parts;
    assert!(matches!(&parts[0].kind, PartKind::Thinking(thinking) if thinking.text == "A\n\nB"));
    assert_eq!(
        parts[0].signature,
        Some(Signature::native(DialectId::Responses, "gAAAAA-w"))
    );
    assert!(
        matches!(&parts[1].kind, PartKind::Text { text, annotations }
        if text == "Nine." && annotations.len() == 1)
    );
    assert!(matches!(&parts[2].kind, PartKind::ToolCall(call) if call.arguments.text() == "{}"));
    assert!(matches!(&parts[3].kind, PartKind::ToolCall(call) if call.arguments.text() == "x"));
    assert_eq!(
        read_fixture("stream-final-only")
            .expect("an answer")
            .choices[0]
            .parts
            .len(),
        2
    );
}

#[test]
fn a_done_event_after_its_part_was_closed_opens_nothing() {
    let place = json!({"item_id": "m", "output_index": 0, "content_index": 0});
    let event = |kind: &str, key: &str, value: Value| {
        let mut event = place.clone();
        event["type"] = json!(kind);
        event[key] = value;
        event
    };
    let words = parts(&[
        created(),
        event("response.output_text.delta", "delta", json!("Hi")),
        event(
            "response.content_part.done",
            "part",
            json!({"type": "output_text", "text": "Hi"}),
        ),
        event("response.output_text.done", "text", json!("Hi")),
        event("response.output_text.delta", "delta", json!(" there")),
        completed(),
    ]);
    assert_eq!(words, [text("Hi")]);
}

#[test]
fn summaries_are_divided_by_a_blank_line_and_the_proof_is_the_last_one() {
    let reply = read_fixture("stream-reasoning-tools").expect("an answer");
    let parts = &reply.choices[0].parts;
    assert!(matches!(&parts[0].kind, PartKind::Thinking(thinking)
        if thinking.text == "**Depth**\n\nLook it up." && thinking.form == ThinkingForm::Summary));
    let proof = parts[0].signature.as_ref().map(|proof| proof.data.as_str());
    assert_eq!(proof, Some("gAAAAA-whole"));
    assert!(matches!(&parts[3].kind, PartKind::ToolCall(call)
        if call.id == "call_2" && call.namespace.as_deref() == Some("ship")));
    assert!(matches!(&parts[4].kind, PartKind::ToolCall(call)
        if call.arguments == crate::canonical::Arguments::Free("Aa\n9 m".into())));
    assert_eq!(reply.choices[0].finish.reason, FinishReason::ToolCalls);
    assert_eq!(
        reply.usage.and_then(|usage| usage.cache_write_other),
        Some(5)
    );
    assert_eq!(reply.tier.as_deref(), Some("default"));
}

#[test]
fn reasoning_that_shows_nothing_is_kept_by_its_proof() {
    let reply = read_fixture("stream-encrypted-only").expect("an answer");
    let first = &reply.choices[0].parts[0];
    assert!(matches!(&first.kind, PartKind::Thinking(thinking)
        if thinking.form == ThinkingForm::Redacted));
    assert!(first.signature.is_some());
}

#[test]
fn several_messages_join_and_an_empty_one_opens_nothing() {
    let reply = read_fixture("stream-several-messages").expect("an answer");
    let words: Vec<_> = reply.choices[0]
        .parts
        .iter()
        .map(|part| part.as_text())
        .collect();
    assert_eq!(words, [Some("One. "), Some("Two.")]);
}

#[test]
fn pieces_of_overlapping_calls_find_their_own_call() {
    let reply = read_fixture("stream-overlapping-calls").expect("an answer");
    let arguments: Vec<_> = reply.choices[0]
        .parts
        .iter()
        .filter_map(|part| match &part.kind {
            PartKind::ToolCall(call) => Some(call.arguments.text()),
            _ => None,
        })
        .collect();
    assert_eq!(arguments, [r#"{"harbour":"Aa"}"#, r#"{"harbour":"Bb"}"#]);
}

#[test]
fn a_refusal_and_the_limits_end_as_what_they_are() {
    let reason = |name: &str| {
        let reply = read_fixture(name).expect("an answer");
        reply.choices[0].finish.reason.clone()
    };
    assert_eq!(reason("stream-refusal"), FinishReason::Refusal);
    assert_eq!(reason("stream-incomplete-length"), FinishReason::Length);
    assert_eq!(reason("stream-incomplete-filter"), FinishReason::Filter);
}

#[test]
fn errors_in_every_shape_end_the_stream_once() {
    let kind = |name: &str| read_fixture(name).map_err(|failure| failure.kind);
    assert_eq!(kind("stream-failed"), Err(FailureKind::RateLimited));
    assert_eq!(kind("stream-error"), Err(FailureKind::UpstreamBad));
    assert_eq!(kind("stream-error-nested"), Err(FailureKind::Overloaded));
    assert_eq!(kind("stream-cut-off"), Err(FailureKind::UpstreamBad));
    assert_eq!(
        read(&[]).map_err(|failure| failure.kind),
        Err(FailureKind::UpstreamBad)
    );
    assert!(read(&[json!({"error": {"message": "no"}})]).is_err());
}

#[test]
fn nothing_is_said_after_the_end() {
    let mut ends = 0;
    let mut sink = |event: Event<'_>| {
        ends += u32::from(matches!(event, Event::End | Event::Error(_)));
    };
    let mut reader = Responses.stream_reader();
    for data in ["{", "{}", r#"{"type":"response.completed"}"#] {
        let frame = Frame::new(data.as_bytes());
        reader.frame(frame, &mut sink);
    }
    reader.close(&mut sink);
    assert_eq!(ends, 1);
}

#[test]
fn odd_upstreams_are_understood() {
    // No created event, no item before its words, a kind given only by the frame, a call without ids.
    let mut fold = Fold::new(DialectId::Responses);
    let mut reader = Responses.stream_reader();
    for (event, data) in [
        (Some("response.output_text.delta"), r#"{"delta":"Hi"}"#),
        (None, r#"{"type":"keepalive"}"#),
        (None, "[DONE]"),
        (
            None,
            r#"{"type":"response.output_item.done","output_index":1,
            "item":{"type":"function_call","name":"f"}}"#,
        ),
        (
            None,
            r#"{"type":"response.function_call_arguments.delta","output_index":9,"delta":"x"}"#,
        ),
        (
            None,
            r#"{"type":"response.completed","response":{"id":"r","model":"m"}}"#,
        ),
    ] {
        let data = data.as_bytes();
        reader.frame(Frame { event, data }, &mut fold);
    }
    let reply = fold.finish().expect("an answer");
    assert_eq!(reply.choices[0].parts[0].as_text(), Some("Hi"));
    assert!(
        matches!(&reply.choices[0].parts[1].kind, PartKind::ToolCall(call)
        if call.id.starts_with("call_") && call.arguments.text() == "{}")
    );
}

#[test]
fn hosted_items_images_searches_and_citations_are_carried() {
    let reply = read_fixture("stream-hosted").expect("an answer");
    let parts = &reply.choices[0].parts;
    assert!(matches!(&parts[0].kind, PartKind::Hosted(item) if item.raw["id"] == "ws_1"));
    assert!(matches!(&parts[1].kind, PartKind::Media(media) if media.class == MediaClass::Image));
    assert!(matches!(&parts[2].kind, PartKind::Text { annotations, .. } if annotations.len() == 1));
    let usage = reply.usage.expect("usage");
    assert_eq!(usage.hosted_tools["web_search_requests"], 1);
}

#[test]
fn log_probabilities_come_once() {
    let reply = read_fixture("stream-logprobs").expect("an answer");
    let entries = reply.choices[0]
        .logprobs
        .as_ref()
        .expect("log probabilities");
    assert_eq!(entries["content"].as_array().map(Vec::len), Some(1));
}
