//! What a tap hears and lets through.

use super::*;
use crate::canonical::FinishReason;

const CHAT: &[u8] = b"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\
    \"content\":\"\"},\"finish_reason\":null}],\"usage\":null}\n\n\
    data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"},\"finish_reason\":null}]}\n\n\
    data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"id\":\"c\",\"choices\": [ ],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1,\"total_tokens\":4}}\n\n\
    data: [DONE]\n\n";

fn listened(id: DialectId, stream: &[u8], hides_usage: bool) -> (Outcome, Vec<u8>) {
    let mut tap = Tap::new(id, Framing::ServerSentEvents, hides_usage);
    let mut out = Vec::new();
    for chunk in stream.chunks(7) {
        match tap.push(chunk) {
            Passes::AsItIs => out.extend(chunk),
            Passes::Instead(shown) => out.extend(shown),
            Passes::Frames(_) => {}
        }
    }
    out.extend(tap.close());
    (tap.outcome().clone(), out)
}

#[test]
fn a_chat_stream_goes_through_and_its_usage_is_heard() {
    let (outcome, out) = listened(DialectId::ChatCompletions, CHAT, false);
    assert_eq!(out, CHAT);
    assert_eq!(outcome.usage.unwrap().output, Some(1));
    assert_eq!(outcome.finish, Some(FinishReason::Stop));
    assert!(outcome.has_content && outcome.failure.is_none());
}

#[test]
fn frames_like_the_one_before_are_heard_as_any_other() {
    let frame = |words: &str, rest: &str| {
        format!(
            "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{words}\"}},\
             \"finish_reason\":null}}]{rest}}}\n\n"
        )
    };
    let usage = ",\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4,\"total_tokens\":7}";
    let stream = [
        frame("a", ""),
        frame("b", ""),
        frame("usage: {}", ""),
        frame("\\\"usage\\\":1", ""),
        frame("c", ""),
        frame("d", usage),
        frame("größer", ""),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat();
    let (outcome, out) = listened(DialectId::ChatCompletions, stream.as_bytes(), false);
    assert_eq!(out, stream.as_bytes());
    assert_eq!(outcome.said.sample, "abusage: {}\"usage\":1cdgrößer");
    assert_eq!(outcome.usage.unwrap().output, Some(4));
}

#[test]
fn a_usage_chunk_that_the_client_did_not_ask_for_is_taken_out() {
    let (outcome, out) = listened(DialectId::ChatCompletions, CHAT, true);
    let out = String::from_utf8(out).unwrap();
    assert!(!out.contains("prompt_tokens") && out.ends_with("data: [DONE]\n\n"));
    assert_eq!(out.matches("data: ").count(), 4);
    assert_eq!(outcome.usage.unwrap().input, Some(3));
}

#[test]
fn a_chunk_of_whole_frames_with_nothing_to_hide_goes_through_as_it_is() {
    let mut tap = Tap::new(DialectId::ChatCompletions, Framing::ServerSentEvents, true);
    let ends: Vec<usize> = memchr::memmem::find_iter(CHAT, b"\n\n").collect();
    assert_eq!(tap.push(b": waiting\n\n"), Passes::AsItIs);
    assert_eq!(tap.push(&CHAT[..ends[1] + 2]), Passes::AsItIs);
    assert_eq!(
        tap.push(&CHAT[ends[1] + 2..ends[2]]),
        Passes::Instead(Vec::new())
    );
    let whole = &CHAT[ends[1] + 2..ends[2] + 2];
    assert_eq!(
        tap.push(&CHAT[ends[2]..ends[3] + 2]),
        Passes::Instead(whole.to_vec())
    );
    assert_eq!(tap.push(&CHAT[ends[3] + 2..]), Passes::AsItIs);
    assert!(tap.is_finished());
}

#[test]
fn a_messages_stream_is_heard() {
    let stream = b"event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\
        \"model\":\"x\",\"content\":[],\"usage\":{\"input_tokens\":5,\"output_tokens\":1}}}\n\n\
        event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
        \"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n\
        event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\
        \"usage\":{\"output_tokens\":9}}\n\n\
        event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let (outcome, out) = listened(DialectId::Messages, stream, false);
    assert_eq!(out, stream);
    let usage = outcome.usage.unwrap();
    assert_eq!((usage.input, usage.output), (Some(5), Some(9)));
    assert!(outcome.has_content && outcome.failure.is_none());
}

#[test]
fn the_last_usage_of_generate_content_counts() {
    let stream = b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}],\
        \"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":1}}\r\n\r\n\
        data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],\
        \"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":2}}\r\n\r\n";
    let (outcome, out) = listened(DialectId::GenerateContent, stream, false);
    assert_eq!(out, stream);
    assert_eq!(outcome.usage.unwrap().output, Some(2));
    assert_eq!(outcome.finish, Some(FinishReason::Stop));
    assert!(outcome.failure.is_none());
}

#[test]
fn whoever_leaves_hears_the_usage_that_was_told_last() {
    let frame = |count: u8| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"a\"}}]}}}}],\"usageMetadata\":\
             {{\"promptTokenCount\":4,\"candidatesTokenCount\":{count},\"thoughtsTokenCount\":70}}}}\n\n"
        )
    };
    let mut tap = Tap::new(DialectId::GenerateContent, Framing::ServerSentEvents, false);
    for count in [1, 2, 30] {
        tap.push(frame(count).as_bytes());
    }
    let outcome = tap.outcome();
    assert_eq!(outcome.usage.as_ref().and_then(|it| it.output), Some(100));
    assert_eq!(outcome.said.sample, "aaa");
}

#[test]
fn the_end_of_generate_content_is_heard_wherever_its_usage_stands() {
    let text = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\n";
    let end = "data: {\"candidates\":[{\"finishReason\":\"MAX_TOKENS\"}]}\n\n";
    let usage = "data: {\"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":2}}\n\n";
    for (stream, output) in [
        ([text, text, end, ""], None),
        ([text, text, usage, end], Some(2)),
        ([text, text, end, usage], Some(2)),
    ] {
        let stream = stream.concat();
        let (outcome, out) = listened(DialectId::GenerateContent, stream.as_bytes(), false);
        assert_eq!(out, stream.as_bytes());
        assert!(outcome.failure.is_none(), "{stream}");
        assert_eq!(outcome.finish, Some(FinishReason::Length), "{stream}");
        let told = outcome.usage.and_then(|usage| usage.output);
        assert_eq!(told, output, "{stream}");
    }
}

#[test]
fn searches_are_heard_wherever_a_stream_tells_of_them() {
    let usage = ",\"usageMetadata\":{\"promptTokenCount\":4,\"candidatesTokenCount\":";
    let frame = |more: &str, count: u8| {
        format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"a\"}}]}}{more}}}]{usage}{count}}}}}\n\n"
        )
    };
    let searched = ",\"groundingMetadata\":{\"webSearchQueries\":[\"x\",\"y\"]}";
    let generate = [
        frame("", 1),
        frame("", 2),
        frame(searched, 3),
        frame("", 4),
        frame(",\"finishReason\":\"STOP\"", 5),
    ];
    let search = r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#;
    let end = format!(
        r#"{{"type":"response.completed","response":{{"id":"r","output":[{search},{search},{{"type":"message","content":[]}}],"usage":{{"input_tokens":4,"output_tokens":5}}}}}}"#
    );
    let event = |name: &str, data: &str| format!("event: {name}\ndata: {data}\n\n");
    let thought =
        r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"hm"}"#;
    let done =
        format!(r#"{{"type":"response.output_item.done","output_index":1,"item":{search}}}"#);
    let responses = [
        event("response.reasoning_summary_text.delta", thought),
        event("response.output_item.done", &done),
        event("response.output_item.done", &done),
        event("response.completed", &end),
    ];
    for (id, stream) in [
        (DialectId::GenerateContent, generate.concat()),
        (DialectId::Responses, responses.concat()),
    ] {
        let (outcome, out) = listened(id, stream.as_bytes(), false);
        assert_eq!(out, stream.as_bytes());
        assert!(outcome.failure.is_none(), "{id:?}");
        let usage = outcome.usage.expect("a usage");
        assert_eq!(usage.output, Some(5), "{id:?}");
        assert_eq!(usage.hosted_tools["web_search_requests"], 2, "{id:?}");
    }
}

#[test]
fn searches_are_heard_before_an_answer_ends() {
    let event = |name: &str, data: &str| format!("event: {name}\ndata: {data}\n\n");
    let words =
        r#"{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"a"}"#;
    let search = |index: u8| {
        let item = r#"{"type":"web_search_call","id":"ws_1","status":"completed"}"#;
        let data = format!(
            r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#
        );
        event("response.output_item.done", &data)
    };
    let words = event("response.output_text.delta", words);
    let stream = [words.clone(), search(1), words, search(2)].concat();
    let mut tap = Tap::new(DialectId::Responses, Framing::ServerSentEvents, false);
    assert_eq!(tap.push(stream.as_bytes()), Passes::AsItIs);
    let outcome = tap.outcome();
    assert!(outcome.has_content && !tap.is_finished());
    let usage = outcome.usage.as_ref().expect("a usage");
    assert_eq!(usage.hosted_tools["web_search_requests"], 2);
    assert_eq!((usage.input, usage.output), (None, None));
}

#[test]
fn a_stream_that_breaks_off_is_a_failure() {
    let cut = &CHAT[..CHAT.len() / 2];
    let (outcome, _) = listened(DialectId::ChatCompletions, cut, false);
    assert!(outcome.failure.is_some());
}

#[test]
fn a_frame_that_cannot_be_read_breaks_the_answer_and_does_not_pass() {
    let streams = [
        (
            DialectId::ChatCompletions,
            "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hi\"}}]}\n\n",
        ),
        (
            DialectId::Messages,
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\
             \"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n",
        ),
        (
            DialectId::GenerateContent,
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]}}]}\n\n",
        ),
        (
            DialectId::Responses,
            "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\
             \"output_index\":0,\"content_index\":0,\"delta\":\"hi\"}\n\n",
        ),
    ];
    for (id, good) in streams {
        for bad in ["data: {]\n\n", "data: <html>\n\n", "data: {\"a\":\n\n"] {
            let mut tap = Tap::new(id, Framing::ServerSentEvents, false);
            assert_eq!(tap.push(good.as_bytes()), Passes::AsItIs, "{id:?}");
            let chunk = format!(": alive\n\n{good}{bad}{good}");
            assert_eq!(
                tap.push(chunk.as_bytes()),
                Passes::Frames(1),
                "{id:?} {bad}"
            );
            assert!(tap.is_broken() && tap.is_finished());
            assert_eq!(first_frames(chunk.as_bytes(), 1), good.as_bytes());
        }
    }
    let mut hiding = Tap::new(DialectId::ChatCompletions, Framing::ServerSentEvents, true);
    let (_, good) = streams[0];
    let chunk = format!("{good}data: {{]\n\n");
    let shown = Passes::Instead(good.as_bytes().to_vec());
    assert_eq!(hiding.push(chunk.as_bytes()), shown);
    assert!(hiding.is_broken());
}

/// Frames of a failure in each dialect, with this text of the vendor.
fn failing(text: &str) -> Vec<(DialectId, String)> {
    let error = format!(r#"{{"type":"server_error","code":"server_error","message":"{text}"}}"#);
    let chat = DialectId::ChatCompletions;
    [
        (chat, format!("data: {{\"error\":{error}}}\n\n")),
        (chat, format!("data: {{\"err\\u006fr\" : {error}, \"choices\": []}}\n\n")),
        (chat, format!("data: {{\"object\":\"error\",\"message\":\"{text}\",\"code\":500}}\n\n")),
        (chat, format!("event: error\ndata: {{\"detail\":\"{text}\"}}\n\n")),
        (chat, format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"error\",\"error\":{error}}}]}}\n\n")),
        (chat, format!("data: {text}\n\n")),
        (DialectId::TextCompletions, format!("data: {{\"error\":{error}}}\n\n")),
        (DialectId::Messages, format!("event: error\ndata: {{\"type\":\"error\",\"error\":{error}}}\n\n")),
        (DialectId::Messages, format!("event: ping\ndata: {{\"type\":\"ping\",\"error\":{error}}}\n\n")),
        (DialectId::GenerateContent, format!("data: {{\"error\":{{\"code\":503,\"message\":\"{text}\",\"status\":\"UNAVAILABLE\"}}}}\n\n")),
        (DialectId::GenerateContent, format!("event: error\ndata: {{\"message\":\"{text}\"}}\n\n")),
        (DialectId::Responses, format!("event: error\ndata: {{\"type\":\"error\",\"code\":\"server_error\",\"message\":\"{text}\"}}\n\n")),
        (DialectId::Responses, format!("event: response.failed\ndata: {{\"type\":\"response.failed\",\"response\":{{\"id\":\"r\",\"status\":\"failed\",\"error\":{error}}}}}\n\n")),
        (DialectId::Responses, format!("event: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{{\"id\":\"r\",\"output\":[],\"error\":{error}}}}}\n\n")),
        (DialectId::Responses, format!("event: response.output_text.delta\ndata: {{\"type\":\"response.output_text.delta\",\"delta\":\"a\",\"error\":{error}}}\n\n")),
    ]
    .into()
}

#[test]
fn a_failure_in_the_vendors_words_does_not_pass() {
    for (id, frame) in failing("vendor account org-77 is rate limited") {
        let mut tap = Tap::new(id, Framing::ServerSentEvents, false);
        assert_eq!(tap.push(frame.as_bytes()), Passes::Frames(0), "{frame}");
        assert!(tap.is_finished() && tap.is_broken(), "{frame}");
        let failure = tap.outcome().failure.clone().unwrap();
        let told = tap.error_frame(&failure, &ReplyContext::default());
        let told = String::from_utf8(told).unwrap();
        assert!(!told.contains("vendor account"), "{told}");
        assert!(
            failure.log_text().contains("vendor account ***"),
            "{failure:?}"
        );
    }
}

#[test]
fn a_failure_about_the_request_is_told_without_what_is_ours() {
    let frame = "data: {\"error\":{\"type\":\"invalid_request_error\",\
        \"message\":\"n is bad for org-77, see vendor.com\"}}\n\n";
    let mut tap = Tap::new(DialectId::ChatCompletions, Framing::ServerSentEvents, false);
    tap.push(frame.as_bytes());
    let failure = tap.outcome().failure.clone().unwrap();
    assert_eq!(failure.message, "n is bad for ***, see ***");
}

#[test]
fn words_are_counted_however_they_are_written() {
    let words = "one two three four five six seven eight nine ten";
    let chat = |frame: String| (DialectId::ChatCompletions, frame);
    let choice = |delta: &str| {
        chat(format!(
            "{{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}}}}]}}"
        ))
    };
    let escape = |out: String, c: char| format!("{out}\\u{:04x}", u32::from(c));
    let escaped = words.chars().fold(String::new(), escape);
    let messages = |delta: &str| {
        let frame =
            format!("{{\"index\":0,\"delta\":{{{delta}}},\"type\":\"content_block_delta\"}}");
        (DialectId::Messages, frame)
    };
    let responses = |kind: &str| {
        let frame = format!(
            "{{\"delta\" : \"{words}\", \"output_index\":0, \"type\":\"response.{kind}.delta\"}}"
        );
        (DialectId::Responses, frame)
    };
    for (id, data) in [
        choice(&format!("\"content\" : \"{words}\"")),
        choice(&format!("\"content\":\"{escaped}\"")),
        choice(&format!("\"c\\u006fntent\":\"{words}\"")),
        choice(&format!("\"refusal\" :\n \"{words}\"").replace('\n', " ")),
        choice(&format!("\"reasoning_content\": \"{words}\"")),
        choice(&format!("\"reasoning\": \"{words}\"")),
        choice(&format!(
            "\"tool_calls\": [{{\"index\": 0, \"id\": \"a\", \"function\": {{\"arguments\": \"{words}\", \"name\": \"f\"}}}}]"
        )),
        (
            DialectId::TextCompletions,
            format!("{{\"choices\": [{{\"text\": \"{words}\", \"index\": 0}}]}}"),
        ),
        messages(&format!("\"text\": \"{words}\", \"type\": \"text_delta\"")),
        messages(&format!(
            "\"thinking\": \"{words}\", \"type\": \"thinking_delta\""
        )),
        (
            DialectId::GenerateContent,
            format!(
                "{{\"candidates\": [{{\"content\": {{\"parts\": [{{\"text\": \"{words}\"}}]}}}}]}}"
            ),
        ),
        (
            DialectId::GenerateContent,
            format!(
                "{{\"candidates\": [{{\"content\": {{\"parts\": [{{\"thought\": true, \"text\": \"{words}\"}}]}}}}]}}"
            ),
        ),
        responses("output_text"),
        responses("refusal"),
        responses("reasoning_text"),
        responses("reasoning_summary_text"),
    ] {
        for count in [1, 3] {
            let mut tap = Tap::new(id, Framing::ServerSentEvents, false);
            for _ in 0..count {
                assert_eq!(
                    tap.push(format!("data: {data}\n\n").as_bytes()),
                    Passes::AsItIs,
                    "{data}"
                );
            }
            let said = tap.outcome().said.sample.as_str();
            assert_eq!(said, words.repeat(count), "{data}");
        }
    }
}

#[test]
fn a_stream_that_says_nothing_is_a_failure_unless_it_was_blocked() {
    let end = |reason: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n"
        )
    };
    let outcome = |stream: &str| listened(DialectId::ChatCompletions, stream.as_bytes(), false).0;
    assert!(outcome(&end("stop")).failure.is_some());
    assert!(outcome(&end("content_filter")).failure.is_none());
    let usage =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":0}}\n\n";
    assert!(
        outcome(&format!("{usage}{}", end("stop")))
            .failure
            .is_none()
    );
}

/// An answer of generate content as a client gets it that wants an array.
fn as_array(chunks: &[&str]) -> String {
    let id = DialectId::GenerateContent;
    let mut tap = Tap::new(id, Framing::ServerSentEvents, false).as_array();
    let mut out = Vec::new();
    let context = ReplyContext {
        framing: Framing::JsonArray,
        ..ReplyContext::default()
    };
    for chunk in chunks {
        let Passes::Instead(shown) = tap.push(chunk.as_bytes()) else {
            panic!("frames are no array");
        };
        out.extend(shown);
        if tap.is_broken() {
            let failure = tap.outcome().failure.clone().unwrap();
            out.extend(tap.error_frame(&failure, &context));
            return String::from_utf8(out).unwrap();
        }
    }
    let shown = tap.close();
    match tap.outcome().failure.clone() {
        Some(failure) => out.extend(tap.error_frame(&failure, &context)),
        None => out.extend(shown),
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn frames_become_elements_of_an_array_as_they_are() {
    let first = r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"new":1.50}]}"#;
    let last = r#"{"candidates":[{"finishReason":"STOP","groundingMetadata":{"x":[]}}]}"#;
    let stream = format!("data: {first}\r\n\r\ndata: {last}\r\n\r\n");
    let whole = format!("[{first},\r\n{last}]");
    assert_eq!(as_array(&[&stream]), whole);
    for at in 1..stream.len() {
        let (a, b) = stream.split_at(at);
        assert_eq!(as_array(&[a, b]), whole, "cut at {at}");
    }
    let told =
        "data: {\"error\":{\"code\":503,\"message\":\"later\",\"status\":\"UNAVAILABLE\"}}\n\n";
    for broken in [
        vec![&stream[..stream.find("\r\n\r\n").unwrap() + 4]],
        vec![&stream[..stream.find("\r\n\r\n").unwrap() + 4], told],
    ] {
        let out = as_array(&broken);
        let elements: Vec<serde_json::Value> = serde_json::from_str(&out).expect("an array");
        assert_eq!(elements.len(), 2, "{out}");
        assert!(elements[1]["error"]["message"].is_string(), "{out}");
    }
}

#[test]
fn an_error_frame_goes_on_with_the_answer_that_has_begun() {
    let mut tap = Tap::new(DialectId::Responses, Framing::ServerSentEvents, false);
    tap.push(
        b"event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\
          \"response\":{\"id\":\"resp_up\",\"model\":\"m\",\"created_at\":7}}\n\n",
    );
    let failure = Failure::upstream("It broke.");
    let context = ReplyContext {
        id: "resp_ours".to_owned(),
        ..ReplyContext::default()
    };
    let frame = String::from_utf8(tap.error_frame(&failure, &context)).unwrap();
    assert_eq!(frame.matches("event: ").count(), 1);
    assert!(frame.starts_with("event: response.failed\n"), "{frame}");
    assert!(frame.contains("\"sequence_number\":1,"), "{frame}");
    assert!(frame.contains("\"id\":\"resp_up\"") && !frame.contains("ours"));
}
