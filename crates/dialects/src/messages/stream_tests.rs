//! What the stream's reader and writer do, rule by rule.

use serde_json::{Value, json};

use super::{ID, Messages};
use crate::canonical::{
    At, Event, EventSink, Failure, FailureKind, Finish, FinishReason, Media, MediaClass,
    MediaSource, PartHead, Reply, ThinkingForm, Usage,
};
use crate::fold::Fold;
use crate::sse::SseReader;
use crate::{Dialect, DialectId, Frame, ReplyContext, Signature};

/// The data of each frame of a stream.
pub(super) fn frames_of(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let mut reader = SseReader::default();
    let mut on_frame = |frame: Frame<'_>| frames.push(frame.data.to_vec());
    reader.push(stream, &mut on_frame).unwrap();
    reader.close(&mut on_frame);
    frames
}

fn play(frames: &[Vec<u8>], sink: &mut dyn EventSink) {
    let mut reader = Messages.stream_reader();
    for data in frames {
        reader.frame(Frame { event: None, data }, sink);
    }
    reader.close(sink);
}

/// The answer that a stream folds to.
pub(super) fn fold(frames: &[Vec<u8>]) -> Result<Reply, Failure> {
    let mut fold = Fold::new(ID);
    play(frames, &mut fold);
    fold.finish()
}

/// The stream that a client gets where the upstream sends this one.
pub(super) fn written(frames: &[Vec<u8>], context: &ReplyContext) -> Vec<u8> {
    let mut writer = Messages.stream_writer(context);
    let mut out = Vec::new();
    play(frames, &mut |event: Event<'_>| {
        writer.event(event, &mut out);
    });
    out
}

/// Checks what this dialect's clients rely on.
pub(super) fn check_grammar(name: &str, stream: &[u8]) {
    let mut open: Option<u64> = None;
    let mut next = 0;
    let mut stage = "start";
    for frame in frames_of(stream) {
        let frame: Value = serde_json::from_slice(&frame).unwrap();
        let kind = frame["type"].as_str().unwrap();
        assert!(stage != "end", "{name}: {kind} after the end");
        match kind {
            "message_start" => {
                assert_eq!(stage, "start", "{name}");
                assert_eq!(frame["message"]["content"], json!([]), "{name}");
                stage = "content";
            }
            "content_block_start" => {
                assert_eq!((stage, open), ("content", None), "{name}");
                assert_eq!(frame["index"], json!(next), "{name}");
                open = Some(next);
                next += 1;
            }
            "content_block_delta" => assert_eq!(frame["index"].as_u64(), open, "{name}"),
            "content_block_stop" => {
                assert_eq!(frame["index"].as_u64(), open.take(), "{name}");
            }
            "message_delta" => {
                assert_eq!((stage, open), ("content", None), "{name}");
                assert!(frame["delta"]["stop_reason"].is_string(), "{name}");
                for counter in [
                    "input_tokens",
                    "output_tokens",
                    "cache_creation_input_tokens",
                    "cache_read_input_tokens",
                ] {
                    assert!(frame["usage"][counter].is_u64(), "{name}: {counter}");
                }
                stage = "finished";
            }
            "message_stop" => {
                assert_eq!(stage, "finished", "{name}");
                stage = "end";
            }
            "error" => stage = "end",
            "ping" => assert_ne!(stage, "start", "{name}"),
            other => panic!("{name}: {other}"),
        }
    }
    assert_eq!(stage, "end", "{name}");
}

fn at(part: u32) -> At {
    At { choice: 0, part }
}

fn call_head<'a>(id: &'a str, name: &'a str) -> PartHead<'a> {
    PartHead::ToolCall {
        id,
        name,
        namespace: None,
        is_free: false,
    }
}

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
    let mut writer = Messages.stream_writer(context);
    let mut out = Vec::new();
    let stop = Finish::new(FinishReason::Stop, "stop");
    let finish = Event::Finish {
        choice: 0,
        finish: &stop,
    };
    for event in events.iter().cloned().chain([finish, Event::End]) {
        writer.event(event, &mut out);
    }
    check_grammar("written", &out);
    let frames = frames_of(&out).into_iter();
    frames
        .map(|frame| serde_json::from_slice(&frame).unwrap())
        .collect()
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
        Event::PartStart {
            at: at(0),
            head: call_head("a", "x"),
        },
        Event::Arguments {
            at: at(0),
            text: "{\"n\":",
        },
        Event::PartStart {
            at: at(1),
            head: call_head("b", "y"),
        },
        Event::Arguments {
            at: at(1),
            text: "{\"m\"",
        },
        Event::Arguments {
            at: at(0),
            text: "1",
        },
        Event::Arguments {
            at: at(1),
            text: ":2}",
        },
        Event::Arguments {
            at: at(0),
            text: "}",
        },
        Event::Arguments {
            at: at(0),
            text: " ",
        },
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
        Event::PartStart {
            at: at(0),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(0),
            text: "a",
        },
        Event::PartStart {
            at: at(1),
            head: call_head("c", "x"),
        },
        Event::Text {
            at: at(0),
            text: "b",
        },
        Event::Arguments {
            at: at(1),
            text: "{",
        },
        Event::Text {
            at: at(0),
            text: "c",
        },
        Event::Arguments {
            at: at(1),
            text: "}",
        },
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
    let frames = write(&[
        Event::PartStart {
            at: at(0),
            head: call_head("a", "x"),
        },
        Event::PartEnd { at: at(0) },
    ]);
    assert_eq!(outline(&frames), ["+tool_use", "{}", "-", "end_turn"]);
}

#[test]
fn arguments_that_begin_no_object_wait_until_they_are_whole() {
    let frames = write(&[
        Event::PartStart {
            at: at(0),
            head: call_head("a", "x"),
        },
        Event::Arguments {
            at: at(0),
            text: "\"{\\\"n\\\"",
        },
        Event::Arguments {
            at: at(0),
            text: ":1}\"",
        },
        Event::PartEnd { at: at(0) },
        Event::PartStart {
            at: at(1),
            head: call_head("b", "x"),
        },
        Event::Arguments {
            at: at(1),
            text: "[1]",
        },
        Event::PartEnd { at: at(1) },
        Event::PartStart {
            at: at(2),
            head: call_head("c", "x"),
        },
        Event::Arguments {
            at: at(2),
            text: "nonsense",
        },
        Event::PartEnd { at: at(2) },
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
        Event::PartStart { at: at(0), head },
        Event::Arguments {
            at: at(0),
            text: "say ",
        },
        Event::Arguments {
            at: at(0),
            text: "\"hi\"",
        },
        Event::PartEnd { at: at(0) },
    ]);
    assert_eq!(outline(&frames)[1], "{\"input\":\"say \\\"hi\\\"\"}");
}

#[test]
fn a_call_cut_by_the_limit_keeps_what_came() {
    let frames = write(&[
        Event::PartStart {
            at: at(0),
            head: call_head("a", "x"),
        },
        Event::Arguments {
            at: at(0),
            text: "{\"n\":",
        },
    ]);
    assert_eq!(outline(&frames), ["+tool_use", "{\"n\":", "-", "end_turn"]);
}

#[test]
fn an_id_that_clients_refuse_gets_a_legal_one() {
    let frames = write(&[
        Event::PartStart {
            at: at(0),
            head: call_head("functions.x:0", "x"),
        },
        Event::PartEnd { at: at(0) },
    ]);
    let id = frames[1]["content_block"]["id"].as_str().unwrap();
    assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
}

#[test]
fn thinking_without_a_signature_is_marked_as_ours() {
    let frames = write(&[
        Event::PartStart {
            at: at(0),
            head: PartHead::Thinking(ThinkingForm::Raw),
        },
        Event::Text {
            at: at(0),
            text: "hm",
        },
        Event::PartEnd { at: at(0) },
        Event::PartStart {
            at: at(1),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(1),
            text: "Ok",
        },
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
        Event::PartStart {
            at: at(0),
            head: PartHead::Thinking(ThinkingForm::Summary),
        },
        Event::PartEnd { at: at(0) },
        Event::PartStart {
            at: at(1),
            head: PartHead::Thinking(ThinkingForm::Summary),
        },
        Event::Signature {
            at: at(1),
            signature: &own,
        },
        Event::PartEnd { at: at(1) },
        Event::PartStart {
            at: at(2),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(2),
            text: "",
        },
        Event::PartEnd { at: at(2) },
    ]);
    assert_eq!(outline(&frames), ["+thinking", "S", "-", "end_turn"]);
}

#[test]
fn encrypted_reasoning_of_another_vendor_travels_as_redacted_thinking() {
    let foreign = Signature::native(DialectId::Responses, "enc");
    let frames = write(&[
        Event::PartStart {
            at: at(0),
            head: PartHead::Thinking(ThinkingForm::Redacted),
        },
        Event::Signature {
            at: at(0),
            signature: &foreign,
        },
        Event::PartEnd { at: at(0) },
    ]);
    let data = frames[1]["content_block"]["data"].as_str().unwrap();
    assert_eq!(Signature::from_client(ID, data), foreign);
}

#[test]
fn reasoning_that_the_client_does_not_want_keeps_only_its_signature() {
    let own = Signature::native(DialectId::Responses, "enc");
    let events = [
        Event::PartStart {
            at: at(0),
            head: PartHead::Thinking(ThinkingForm::Summary),
        },
        Event::Text {
            at: at(0),
            text: "secret",
        },
        Event::Signature {
            at: at(0),
            signature: &own,
        },
        Event::PartEnd { at: at(0) },
        Event::PartStart {
            at: at(1),
            head: PartHead::Thinking(ThinkingForm::Raw),
        },
        Event::Text {
            at: at(1),
            text: "more",
        },
        Event::PartEnd { at: at(1) },
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
        Event::PartStart {
            at: at(0),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(0),
            text: "Hi",
        },
        Event::Signature {
            at: at(0),
            signature: &foreign,
        },
        Event::PartEnd { at: at(0) },
        Event::PartStart {
            at: at(1),
            head: call_head("a", "x"),
        },
        Event::Arguments {
            at: at(1),
            text: "{}",
        },
        Event::Signature {
            at: at(1),
            signature: &foreign,
        },
        Event::PartEnd { at: at(1) },
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
        Event::PartStart {
            at: at(0),
            head: PartHead::Refusal,
        },
        Event::Text {
            at: at(0),
            text: "No.",
        },
        Event::PartEnd { at: at(0) },
        Event::PartStart {
            at: at(1),
            head: PartHead::Media(&media),
        },
        Event::PartEnd { at: at(1) },
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
        Event::PartStart {
            at: at(0),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(0),
            text: "",
        },
    ] {
        writer.event(event, &mut out);
    }
    assert!(out.is_empty());
    writer.event(
        Event::Text {
            at: at(0),
            text: "x",
        },
        &mut out,
    );
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
    let mut writer = Messages.stream_writer(&ReplyContext {
        estimated_input: 42,
        ..ReplyContext::default()
    });
    let mut out = Vec::new();
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
    for event in [
        Event::Start {
            id: "chatcmpl-1",
            model: "up",
            created: Some(1),
        },
        Event::PartStart {
            at: at(0),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(0),
            text: "x",
        },
        Event::PartEnd { at: at(0) },
        Event::Finish {
            choice: 0,
            finish: &length,
        },
        Event::Usage(&first),
        Event::Usage(&last),
        Event::End,
    ] {
        writer.event(event, &mut out);
    }
    let frames: Vec<Value> = frames_of(&out)
        .iter()
        .map(|frame| serde_json::from_slice(frame).unwrap())
        .collect();
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
    let mut writer = Messages.stream_writer(&ReplyContext {
        request_id: "req_1".to_owned(),
        ..ReplyContext::default()
    });
    let mut out = Vec::new();
    let failure = Failure::new(FailureKind::Overloaded, "Busy.");
    for event in [
        Event::PartStart {
            at: at(0),
            head: PartHead::Text,
        },
        Event::Text {
            at: at(0),
            text: "x",
        },
        Event::Error(&failure),
        Event::Error(&failure),
        Event::Ping,
        Event::End,
    ] {
        writer.event(event, &mut out);
    }
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
    writer.event(Event::PartStart { at: at(0), head }, &mut out);
    let piece = "x".repeat(1 << 20);
    for _ in 0..40 {
        writer.event(
            Event::Arguments {
                at: at(0),
                text: &piece,
            },
            &mut out,
        );
    }
    writer.event(Event::End, &mut out);
    let frames = frames_of(&out);
    assert_eq!(frames.len(), 1);
    assert!(frames[0].starts_with(br#"{"type":"error""#));
}

#[derive(Default)]
struct Log(Vec<String>);

impl EventSink for Log {
    fn event(&mut self, event: Event<'_>) {
        self.0.push(match event {
            Event::Error(failure) => format!("error {:?}", failure.kind),
            Event::End => "end".to_owned(),
            Event::Text { text, .. } => format!("text {text}"),
            Event::Arguments { text, .. } => format!("json {text}"),
            Event::PartStart { at, .. } => format!("start {}", at.part),
            Event::PartEnd { at } => format!("stop {}", at.part),
            Event::Finish { finish, .. } => format!("finish {:?}", finish.reason),
            Event::Usage(usage) => format!("usage {:?} {:?}", usage.input, usage.output),
            Event::Ping => "ping".to_owned(),
            _ => return,
        });
    }
}

fn log(frames: &[Value]) -> Vec<String> {
    let frames: Vec<Vec<u8>> = frames
        .iter()
        .map(|frame| frame.to_string().into_bytes())
        .collect();
    let mut log = Log::default();
    play(&frames, &mut log);
    log.0
}

#[test]
fn a_stream_without_its_end_is_an_error_and_only_one() {
    assert_eq!(log(&[]), ["error UpstreamBad"]);
    let frames = [json!({"type": "message_start", "message": {"id": "m"}})];
    assert_eq!(log(&frames), ["error UpstreamBad"]);
    let frames = [
        json!({"type": "error", "error": {"type": "rate_limit_error", "message": "x"}}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(log(&frames), ["error RateLimited"]);
}

#[test]
fn a_frame_that_is_no_json_is_one_error() {
    let mut log = Log::default();
    play(&[b"{\"type\":".to_vec(), b"nonsense".to_vec()], &mut log);
    assert_eq!(log.0, ["error UpstreamBad"]);
}

#[test]
fn a_later_report_keeps_the_cache_counts_it_does_not_name() {
    let frames = [
        json!({"type": "message_start", "message": {"id": "m", "usage": {
            "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 1}}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
               "usage": {"input_tokens": 20, "cache_read_input_tokens": null, "output_tokens": 30}}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(
        log(&frames),
        [
            "usage Some(100) Some(1)",
            "finish Stop",
            "usage Some(110) Some(30)",
            "end"
        ]
    );
}

#[test]
fn a_call_reads_its_input_from_pieces_or_from_its_start() {
    let start = |index: u32, input: Value| {
        json!({"type": "content_block_start", "index": index,
               "content_block": {"type": "tool_use", "id": "t", "name": "n", "input": input}})
    };
    let stop = |index: u32| json!({"type": "content_block_stop", "index": index});
    let piece = |index: u32, text: &str| {
        json!({"type": "content_block_delta", "index": index,
               "delta": {"type": "input_json_delta", "partial_json": text}})
    };
    let frames = [
        start(0, json!({})),
        piece(0, ""),
        stop(0),
        start(1, json!({"a": 1})),
        stop(1),
        start(2, json!({"a": 1})),
        piece(2, "{\"b\":2}"),
        stop(2),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(
        log(&frames),
        [
            "start 0",
            "json {}",
            "stop 0",
            "start 1",
            "json {\"a\":1}",
            "stop 1",
            "start 2",
            "json {\"b\":2}",
            "stop 2",
            "finish ToolCalls",
            "end"
        ]
    );
}

#[test]
fn a_citation_that_comes_before_its_words_covers_them_all() {
    let frames: Vec<Vec<u8>> = frames_of(include_bytes!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/messages/stream-search.sse"
    )));
    let reply = fold(&frames).unwrap();
    let crate::canonical::PartKind::Text { annotations, .. } = &reply.choices[0].parts[3].kind
    else {
        panic!("text")
    };
    let crate::canonical::Annotation::Url {
        url, start, end, ..
    } = &annotations[0]
    else {
        panic!("a page")
    };
    assert_eq!(url, "https://weather.example/oslo");
    assert_eq!(
        (*start, *end),
        (Some(0), Some("rains in Oslo.".len() as u64))
    );
    let usage = reply.usage.unwrap();
    assert_eq!(usage.input, Some(1897));
    assert_eq!(usage.hosted_tools["web_search_requests"], 1);
}

#[test]
fn a_block_left_open_ends_with_the_message() {
    let frames = [
        json!({"type": "content_block_start", "index": 4, "content_block": {"type": "text", "text": "a"}}),
        json!({"type": "content_block_delta", "index": 9, "delta": {"type": "text_delta", "text": "lost"}}),
        json!({"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta", "text": "b"}}),
        json!({"type": "ping"}),
        json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}),
        json!({"type": "message_stop"}),
    ];
    assert_eq!(
        log(&frames),
        [
            "start 0",
            "text a",
            "text b",
            "ping",
            "stop 0",
            "finish Length",
            "end"
        ]
    );
}
