//! What the stream's writer does, rule by rule.

use serde_json::{Value, json};

use super::stream_tests::check_grammar;
use super::{ID, Messages};
use crate::canonical::{
    At, Event, Failure, FailureKind, Finish, FinishReason, Media, MediaClass, MediaSource,
    PartHead, ThinkingForm, Usage,
};
use crate::testing::events::{arguments, begun, call_head, ended, finished, signed, words};
use crate::testing::streams::{frames_of, values_of, written};
use crate::{Dialect, DialectId, ReplyContext, Signature};

/// Writes events for a client that asked to see reasoning; ends the stream.
fn write(events: &[Event<'_>]) -> Vec<Value> {
    let context = ReplyContext {
        id: "msg_ours".to_owned(),
        model: "model-ours".to_owned(),
        request_id: "req_1".to_owned(),
        estimated_input: 42,
        show_reasoning: true,
        ..ReplyContext::default()
    };
    write_for(&context, events)
}

fn write_for(context: &ReplyContext, events: &[Event<'_>]) -> Vec<Value> {
    let stop = Finish::new(FinishReason::Stop, "stop");
    let events = events.iter().copied();
    let events = events.chain([finished(&stop), Event::End]);
    let out = written(&Messages, context, events);
    check_grammar("written", &out);
    values_of(&out)
}

/// The frames in few words: what starts, what is added, what stops.
fn outline(frames: &[Value]) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |frame: &Value| match frame["type"].as_str()? {
        "content_block_start" => Some(format!("+{}", text(&frame["content_block"]["type"]))),
        "content_block_stop" => Some("-".to_owned()),
        "content_block_delta" => {
            let delta = &frame["delta"];
            let keys = ["text", "thinking", "partial_json", "signature"];
            keys.iter().find_map(|key| delta.get(key)).map(text)
        }
        "message_delta" => Some(text(&frame["delta"]["stop_reason"])),
        _ => None,
    };
    frames.iter().filter_map(line).collect()
}

const NONE: &str = "Z3cxfG5vbmV8";

#[test]
fn interleaved_calls_are_written_one_after_the_other() {
    let frames = write(&[
        begun(0, call_head("a", "x")),
        arguments(0, "{\"n\":"),
        begun(1, call_head("b", "y")),
        arguments(1, "{\"m\""),
        arguments(0, "1"),
        arguments(1, ":2}"),
        arguments(0, "}"),
        arguments(0, " "),
    ]);
    assert_eq!(
        outline(&frames),
        [
            "+tool_use",
            "{\"n\":",
            "1",
            "}",
            "-",
            "+tool_use",
            "{\"m\":2}",
            "-",
            "end_turn"
        ]
    );
}

#[test]
fn text_goes_on_in_a_new_block_after_a_call() {
    let frames = write(&[
        begun(0, PartHead::Text),
        words(0, "a"),
        begun(1, call_head("c", "x")),
        words(0, "b"),
        arguments(1, "{"),
        words(0, "c"),
        arguments(1, "}"),
    ]);
    assert_eq!(
        outline(&frames),
        [
            "+text",
            "a",
            "b",
            "-",
            "+tool_use",
            "{",
            "}",
            "-",
            "+text",
            "c",
            "-",
            "end_turn"
        ]
    );
}

#[test]
fn a_call_without_arguments_gets_an_empty_object() {
    let frames = write(&[begun(0, call_head("a", "x")), ended(0)]);
    assert_eq!(outline(&frames), ["+tool_use", "{}", "-", "end_turn"]);
}

#[test]
fn arguments_that_begin_no_object_wait_until_they_are_whole() {
    let frames = write(&[
        begun(0, call_head("a", "x")),
        arguments(0, "\"{\\\"n\\\""),
        arguments(0, ":1}\""),
        ended(0),
        begun(1, call_head("b", "x")),
        arguments(1, "[1]"),
        ended(1),
        begun(2, call_head("c", "x")),
        arguments(2, "nonsense"),
        ended(2),
    ]);
    let outline = outline(&frames);
    let pieces: Vec<_> = outline.iter().filter(|line| line.contains('{')).collect();
    assert_eq!(pieces, ["{\"n\":1}", "{\"value\":[1]}", "{}"]);
}

#[test]
fn free_text_for_a_tool_is_wrapped() {
    let head = PartHead::ToolCall {
        id: "a",
        name: "x",
        namespace: None,
        is_free: true,
    };
    let frames = write(&[
        begun(0, head),
        arguments(0, "say "),
        arguments(0, "\"hi\""),
        ended(0),
    ]);
    assert_eq!(outline(&frames)[1], "{\"input\":\"say \\\"hi\\\"\"}");
}

#[test]
fn a_call_cut_by_the_limit_keeps_what_came() {
    let frames = write(&[begun(0, call_head("a", "x")), arguments(0, "{\"n\":")]);
    assert_eq!(outline(&frames), ["+tool_use", "{\"n\":", "-", "end_turn"]);
}

#[test]
fn an_id_that_clients_refuse_gets_a_legal_one() {
    let frames = write(&[begun(0, call_head("functions.x:0", "x")), ended(0)]);
    let id = frames[1]["content_block"]["id"].as_str().unwrap();
    assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
}

#[test]
fn thinking_without_a_signature_is_marked_as_ours() {
    let frames = write(&[
        begun(0, PartHead::Thinking(ThinkingForm::Raw)),
        words(0, "hm"),
        ended(0),
        begun(1, PartHead::Text),
        words(1, "Ok"),
    ]);
    assert_eq!(
        outline(&frames),
        ["+thinking", "hm", NONE, "-", "+text", "Ok", "-", "end_turn"]
    );
}

#[test]
fn a_signature_alone_makes_a_block_and_nothing_makes_none() {
    let own = Signature::native(ID, "S");
    let frames = write(&[
        begun(0, PartHead::Thinking(ThinkingForm::Summary)),
        ended(0),
        begun(1, PartHead::Thinking(ThinkingForm::Summary)),
        signed(1, &own),
        ended(1),
        begun(2, PartHead::Text),
        words(2, ""),
        ended(2),
    ]);
    assert_eq!(outline(&frames), ["+thinking", "S", "-", "end_turn"]);
}

#[test]
fn encrypted_reasoning_of_another_vendor_travels_as_redacted_thinking() {
    let foreign = Signature::native(DialectId::Responses, "enc");
    let frames = write(&[
        begun(0, PartHead::Thinking(ThinkingForm::Redacted)),
        signed(0, &foreign),
        ended(0),
    ]);
    let data = frames[1]["content_block"]["data"].as_str().unwrap();
    assert_eq!(Signature::from_client(ID, data), foreign);
}

#[test]
fn reasoning_that_the_client_does_not_want_keeps_only_its_signature() {
    let own = Signature::native(DialectId::Responses, "enc");
    let events = [
        begun(0, PartHead::Thinking(ThinkingForm::Summary)),
        words(0, "secret"),
        signed(0, &own),
        ended(0),
        begun(1, PartHead::Thinking(ThinkingForm::Raw)),
        words(1, "more"),
        ended(1),
    ];
    let frames = write_for(&ReplyContext::default(), &events);
    let outline = outline(&frames);
    assert_eq!(outline.len(), 4, "{outline:?}");
    assert!(outline[1].starts_with("Z3cx"));
}

#[test]
fn a_signature_on_a_call_goes_before_it_and_one_on_text_after_it() {
    let foreign = Signature::native(DialectId::GenerateContent, "sig");
    let frames = write(&[
        begun(0, PartHead::Text),
        words(0, "Hi"),
        signed(0, &foreign),
        ended(0),
        begun(1, call_head("a", "x")),
        arguments(1, "{}"),
        signed(1, &foreign),
        ended(1),
    ]);
    let wrapped = foreign.for_client(ID);
    assert_eq!(
        outline(&frames),
        [
            "+text",
            "Hi",
            "-",
            "+redacted_thinking",
            "-",
            "+thinking",
            &wrapped,
            "-",
            "+tool_use",
            "{}",
            "-",
            "end_turn"
        ]
    );
}

#[test]
fn a_refusal_is_text_and_media_and_other_choices_are_left_out() {
    let media = Media::new(
        MediaClass::Image,
        MediaSource::Url {
            url: "https://x.example/a".to_owned(),
            mime: None,
        },
    );
    let other = At { choice: 1, part: 0 };
    let frames = write(&[
        begun(0, PartHead::Refusal),
        words(0, "No."),
        ended(0),
        begun(1, PartHead::Media(&media)),
        ended(1),
        Event::PartStart {
            at: other,
            head: PartHead::Text,
        },
        Event::Text {
            at: other,
            text: "hidden",
        },
    ]);
    assert_eq!(outline(&frames), ["+text", "No.", "-", "end_turn"]);
}

#[test]
fn nothing_is_written_before_a_real_part() {
    let mut writer = Messages.stream_writer(&ReplyContext::default());
    let mut out = Vec::new();
    let usage = Usage {
        input: Some(3),
        ..Usage::default()
    };
    for event in [
        Event::Start {
            id: "a",
            model: "b",
            created: None,
        },
        Event::Usage(&usage),
        begun(0, PartHead::Text),
        words(0, ""),
    ] {
        writer.event(event, &mut out);
    }
    assert!(out.is_empty());
    writer.event(words(0, "x"), &mut out);
    assert!(out.starts_with(b"event: message_start\n"));
}

#[test]
fn a_ping_first_sends_the_head_before_it() {
    let frames = write(&[Event::Ping, Event::Ping]);
    let kinds: Vec<_> = frames
        .iter()
        .map(|frame| frame["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds,
        [
            "message_start",
            "ping",
            "ping",
            "message_delta",
            "message_stop"
        ]
    );
    assert_eq!(frames[0]["message"]["id"], "msg_ours");
    assert_eq!(frames[0]["message"]["usage"]["input_tokens"], 42);
    assert_eq!(frames[3]["usage"]["input_tokens"], 42);
}

#[test]
fn usage_that_comes_after_the_finish_is_told_once() {
    let length = Finish::new(FinishReason::Length, "length");
    let first = Usage {
        input: Some(9),
        output: Some(1),
        ..Usage::default()
    };
    let last = Usage {
        input: Some(100),
        cache_read: Some(90),
        output: Some(5),
        ..Usage::default()
    };
    let out = written(
        &Messages,
        &ReplyContext {
            estimated_input: 42,
            ..ReplyContext::default()
        },
        [
            Event::Start {
                id: "chatcmpl-1",
                model: "up",
                created: Some(1),
            },
            begun(0, PartHead::Text),
            words(0, "x"),
            ended(0),
            finished(&length),
            Event::Usage(&first),
            Event::Usage(&last),
            Event::End,
        ],
    );
    let frames = values_of(&out);
    assert_eq!(frames[0]["message"]["usage"]["input_tokens"], 42);
    assert_eq!(frames[0]["message"]["model"], "up");
    let delta = &frames[frames.len() - 2];
    assert_eq!(delta["delta"]["stop_reason"], "max_tokens");
    assert_eq!(delta["usage"]["input_tokens"], 10);
    assert_eq!(delta["usage"]["cache_read_input_tokens"], 90);
    assert_eq!(delta["usage"]["output_tokens"], 5);
}

#[test]
fn after_an_error_nothing_is_written() {
    let failure = Failure::new(FailureKind::Overloaded, "Busy.");
    let out = written(
        &Messages,
        &ReplyContext {
            request_id: "req_1".to_owned(),
            ..ReplyContext::default()
        },
        [
            begun(0, PartHead::Text),
            words(0, "x"),
            Event::Error(&failure),
            Event::Error(&failure),
            Event::Ping,
            Event::End,
        ],
    );
    let frames = frames_of(&out);
    let last: Value = serde_json::from_slice(frames.last().unwrap()).unwrap();
    assert_eq!(
        last,
        json!({"type": "error", "request_id": "req_1",
               "error": {"type": "overloaded_error", "message": "Busy."}})
    );
    assert_eq!(frames.len(), 4);
}

#[test]
fn what_waits_is_bounded() {
    let mut writer = Messages.stream_writer(&ReplyContext::default());
    let mut out = Vec::new();
    let head = call_head("a", "x");
    writer.event(begun(0, head), &mut out);
    let piece = "x".repeat(1 << 20);
    for _ in 0..40 {
        writer.event(arguments(0, &piece), &mut out);
    }
    writer.event(Event::End, &mut out);
    let frames = frames_of(&out);
    assert_eq!(frames.len(), 1);
    assert!(frames[0].starts_with(br#"{"type":"error""#));
}

#[test]
fn a_tier_that_is_known_late_is_told_at_the_end_and_an_early_one_once() {
    let hello = [begun(0, PartHead::Text), words(0, "x")];
    let frames = write(&[hello[0], hello[1], Event::Tier("default")]);
    assert_eq!(
        frames[frames.len() - 2]["usage"]["service_tier"],
        "standard"
    );
    let frames = write(&[Event::Tier("priority"), hello[0], hello[1]]);
    assert_eq!(frames[0]["message"]["usage"]["service_tier"], "priority");
    assert_eq!(frames[frames.len() - 2]["usage"].get("service_tier"), None);
}
