//! Answers of Converse, whole and streamed, told to clients of every dialect.

use dialects::canonical::{FailureKind, FinishReason};
use dialects::convert::{Outcome, StreamConverter, convert_reply_from, stream_reply_from};
use dialects::{DialectId, Framing, ReplyContext, UpstreamDialect as _};
use serde_json::{Value, json};

use super::super::AmazonFrames;
use super::Converse;
use crate::transport::event_stream::tests::message;

const REPLY: &str = include_str!("../../../../tests/fixtures/bedrock/reply.json");
const STREAM: &str = include_str!("../../../../tests/fixtures/bedrock/stream.jsonl");

fn context() -> ReplyContext {
    ReplyContext {
        id: "made-up".to_owned(),
        model: "amazon.nova-pro-v1:0".to_owned(),
        show_reasoning: true,
        include_usage: true,
        ..ReplyContext::default()
    }
}

/// The bytes of a stream: each line is an event's name and its payload.
fn binary(lines: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in lines.lines() {
        let (name, payload) = line.split_once(' ').unwrap();
        let head = match name.strip_prefix('!') {
            Some(kind) => [(":exception-type", kind), (":message-type", "exception")],
            None => [(":event-type", name), (":message-type", "event")],
        };
        bytes.extend(message(&head, payload.as_bytes()));
    }
    bytes
}

/// A streamed answer as a client of this dialect gets it, with the upstream's bytes cut anywhere.
fn streamed(client: DialectId, lines: &str, size: usize) -> (String, Outcome) {
    let mut frames = AmazonFrames::of_converse();
    let framing = Framing::ServerSentEvents;
    let mut converter = StreamConverter::from_upstream(&Converse, framing, client, &context());
    let (mut unwrapped, mut out) = (Vec::new(), Vec::new());
    for piece in binary(lines).chunks(size) {
        unwrapped.clear();
        frames.push(piece, &mut unwrapped).unwrap();
        converter.push(&unwrapped, &mut out);
    }
    converter.close(&mut out);
    let outcome = converter.outcome().clone();
    (String::from_utf8(out).unwrap(), outcome)
}

fn whole(client: DialectId, body: &str) -> Value {
    let (written, _) = convert_reply_from(&Converse, client, body.as_bytes(), &context()).unwrap();
    serde_json::from_slice(&written.body).unwrap()
}

#[test]
fn a_chat_client_reads_the_answer() {
    let answer = whole(DialectId::ChatCompletions, REPLY);
    let message = &answer["choices"][0]["message"];
    assert_eq!(answer["id"], "chatcmpl-made-up");
    assert_eq!(answer["model"], "amazon.nova-pro-v1:0");
    assert_eq!(message["content"], "Let me look.It rains.");
    assert_eq!(message["reasoning_content"], "Two cities.");
    let calls = message["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(
        calls[0]["function"]["arguments"],
        r#"{"city": "Oslo", "at": 1.0}"#
    );
    assert_eq!(calls[1]["function"]["arguments"], "{}");
    assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    let url = &message["annotations"][0]["url_citation"]["url"];
    assert_eq!(url, "https://w.example/");
    assert_eq!(answer["usage"]["prompt_tokens"], 1130);
    assert_eq!(answer["usage"]["completion_tokens"], 12);
    assert_eq!(
        answer["usage"]["prompt_tokens_details"]["cached_tokens"],
        1000
    );
}

#[test]
fn a_messages_client_reads_the_answer() {
    let answer = whole(DialectId::Messages, REPLY);
    let kinds: Vec<&str> = answer["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    let expected = [
        "thinking",
        "redacted_thinking",
        "text",
        "text",
        "tool_use",
        "tool_use",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(answer["content"][0]["signature"], "EuoDabc");
    assert_eq!(answer["content"][1]["data"], "b3BhcXVl");
    assert_eq!(answer["content"][4]["id"], "tooluse_1");
    assert_eq!(answer["stop_reason"], "tool_use");
    assert_eq!(answer["usage"]["input_tokens"], 30);
    assert_eq!(answer["usage"]["cache_read_input_tokens"], 1000);
    assert_eq!(
        answer["usage"]["cache_creation"]["ephemeral_1h_input_tokens"],
        100
    );
}

#[test]
fn a_stream_says_what_the_whole_answer_says() {
    let mut whole = Converse.read_reply(REPLY.as_bytes()).unwrap();
    let mut frames = AmazonFrames::of_converse();
    let mut unwrapped = Vec::new();
    frames.push(&binary(STREAM), &mut unwrapped).unwrap();
    let mut fold = dialects::fold::Fold::new(DialectId::Messages);
    let mut reader = Converse.stream_reader();
    dialects::frames::FrameReader::new(Framing::ServerSentEvents)
        .push(&unwrapped, &mut |frame| reader.frame(frame, &mut fold))
        .unwrap();
    reader.close(&mut fold);
    let mut folded = fold.finish().unwrap();
    // A stream spells a call's input as the model did.
    for reply in [&mut whole, &mut folded] {
        for part in &mut reply.choices[0].parts {
            if let dialects::canonical::PartKind::ToolCall(call) = &mut part.kind {
                let plain = call.arguments.object().to_string();
                call.arguments = dialects::canonical::Arguments::Json(plain);
            }
        }
    }
    assert_eq!(folded, whole);
}

#[test]
fn a_stream_reaches_every_dialect_however_it_is_cut() {
    for client in DialectId::ALL {
        let (all, outcome) = streamed(client, STREAM, usize::MAX);
        assert!(
            outcome.failure.is_none() && outcome.has_content,
            "{client:?}"
        );
        assert_eq!(outcome.finish, Some(FinishReason::ToolCalls));
        let usage = outcome.usage.unwrap();
        assert_eq!((usage.input, usage.output), (Some(1130), Some(12)));
        for size in [1, 7, 64] {
            assert_eq!(
                streamed(client, STREAM, size).0,
                all,
                "{client:?} cut by {size}"
            );
        }
        let played = stream_reply_from(&Converse, client, REPLY.as_bytes(), &context()).unwrap();
        assert_eq!(played.1.finish, Some(FinishReason::ToolCalls));
    }
}

#[test]
fn reasons_to_end_are_told() {
    for (word, reason) in [
        ("end_turn", "stop"),
        ("max_tokens", "length"),
        ("stop_sequence", "stop"),
        ("model_context_window_exceeded", "length"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
        ("something_new", "stop"),
    ] {
        let body = json!({"output": {"message": {"role": "assistant", "content": [{"text": "x"}]}},
            "stopReason": word, "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}});
        let answer = whole(DialectId::ChatCompletions, &body.to_string());
        assert_eq!(answer["choices"][0]["finish_reason"], reason, "{word}");
    }
}

#[test]
fn an_exception_in_the_middle_ends_the_stream_with_an_error() {
    for (kind, failure) in [
        ("throttlingException", FailureKind::RateLimited),
        ("serviceUnavailableException", FailureKind::Overloaded),
        ("validationException", FailureKind::BadRequest),
        ("internalServerException", FailureKind::UpstreamBad),
        ("modelStreamErrorException", FailureKind::UpstreamBad),
    ] {
        let lines = format!(
            "messageStart {{\"role\":\"assistant\"}}\n\
             contentBlockDelta {{\"contentBlockIndex\":0,\"delta\":{{\"text\":\"Half\"}}}}\n\
             !{kind} {{\"message\":\"no more\"}}\n\
             contentBlockDelta {{\"contentBlockIndex\":0,\"delta\":{{\"text\":\"tail\"}}}}"
        );
        let (text, outcome) = streamed(DialectId::ChatCompletions, &lines, 5);
        assert!(text.contains("Half") && !text.contains("tail"), "{text}");
        assert!(!text.contains("[DONE]"), "{text}");
        let told = outcome.failure.unwrap().kind;
        let is_known = told == failure
            || (failure == FailureKind::UpstreamBad && told == FailureKind::Internal);
        assert!(is_known, "{kind}: {told:?}");
    }
}

#[test]
fn a_stream_that_breaks_off_is_no_answer_and_one_without_counts_is() {
    let start = "messageStart {\"role\":\"assistant\"}\n\
                 contentBlockDelta {\"contentBlockIndex\":0,\"delta\":{\"text\":\"Half\"}}";
    let (_, outcome) = streamed(DialectId::Messages, start, 9);
    assert_eq!(outcome.failure.unwrap().kind, FailureKind::UpstreamBad);
    let stop = format!("{start}\nmessageStop {{\"stopReason\":\"end_turn\"}}");
    let (text, outcome) = streamed(DialectId::Messages, &stop, 9);
    assert!(outcome.failure.is_none() && outcome.usage.is_none());
    assert!(text.contains("message_stop"), "{text}");
    let (_, outcome) = streamed(DialectId::Messages, "messageStart [1]", 9);
    assert!(outcome.failure.is_some());
}

#[test]
fn what_is_no_answer_is_a_failure() {
    for body in [
        "",
        "[]",
        "{}",
        r#"{"output":{}}"#,
        r#"{"message":"Too many requests"}"#,
    ] {
        assert!(Converse.read_reply(body.as_bytes()).is_err(), "{body}");
    }
}
