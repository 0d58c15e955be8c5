//! What the stream's reader does, rule by rule; and what the tests of streams share.

use serde_json::{Value, json};

use super::Messages;
use crate::canonical::{Event, EventSink, FailureKind};
use crate::testing::streams::{data_of, fold, frames_of, play, values_of};

/// Checks what this dialect's clients rely on.
pub(super) fn check_grammar(name: &str, stream: &[u8]) {
    let mut open: Option<u64> = None;
    let mut next = 0;
    let mut stage = "start";
    for frame in values_of(stream) {
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
    let mut log = Log::default();
    play(&Messages, &data_of(frames), &mut log);
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
    play(
        &Messages,
        &[b"{\"type\":".to_vec(), b"nonsense".to_vec()],
        &mut log,
    );
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
    let reply = fold(&Messages, &frames).unwrap();
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

#[test]
fn words_of_a_block_that_was_not_announced_are_kept_in_order() {
    let text = |index, text| json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}});
    let frames = [
        json!({"type": "content_block_start", "index": 4, "content_block": {"type": "text", "text": "a"}}),
        text(9, "b"),
        text(4, "c"),
        json!({"type": "content_block_delta", "index": 5, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
        json!({"type": "message_stop"}),
    ];
    let words = [
        "start 0", "text a", "stop 0", "start 1", "text b", "stop 1", "start 2", "text c", "stop 2",
    ];
    assert_eq!(log(&frames)[..words.len()], words);
}

#[test]
fn half_of_a_surrogate_pair_does_not_end_a_stream() {
    let frames = [
        br#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"\ud83d"}}"#.to_vec(),
        br#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\ude00 \ud83d\ude00"}}"#.to_vec(),
        br#"{"type":"message_stop"}"#.to_vec(),
    ];
    let mut log = Log::default();
    play(&Messages, &frames, &mut log);
    let texts: Vec<_> = log
        .0
        .iter()
        .filter(|line| line.starts_with("text"))
        .collect();
    assert_eq!(texts, ["text \u{fffd}", "text \u{fffd} \u{1f600}"]);
}

#[test]
fn every_error_of_the_vendor_is_known() {
    for (code, kind) in [
        ("invalid_request_error", FailureKind::BadRequest),
        ("not_found_error", FailureKind::ModelNotFound),
        ("request_too_large", FailureKind::TooLarge),
        ("rate_limit_error", FailureKind::RateLimited),
        ("overloaded_error", FailureKind::Overloaded),
        ("timeout_error", FailureKind::Timeout),
        ("api_error", FailureKind::UpstreamBad),
        ("authentication_error", FailureKind::UpstreamBad),
        ("billing_error", FailureKind::UpstreamBad),
        ("something_new", FailureKind::UpstreamBad),
    ] {
        let error = json!({"type": "error", "error": {"type": code, "message": "model x"}});
        assert_eq!(log(&[error]), [format!("error {kind:?}")], "{code}");
    }
}
