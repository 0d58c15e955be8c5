//! Written streams keep the grammar that clients' helpers demand.

use serde_json::{Value, json};

use super::Responses;
use crate::canonical::{
    Annotation, At, Event, Failure, FailureKind, Finish, FinishReason, Hosted, Media, MediaClass,
    MediaSource, PartHead, ThinkingForm, Usage,
};
use crate::sse::SseReader;
use crate::testing::events::{arguments, begun, call_head, ended, finished, noted, signed, words};
use crate::testing::streams::written;
use crate::{Dialect, DialectId, ReplyContext, Signature};

/// What a client's helper would gather; breaks where the helper would.
fn checked(stream: &[u8]) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    let mut sse = SseReader::default();
    sse.push(stream, &mut |frame| {
        let event: Value = serde_json::from_slice(frame.data).expect("JSON");
        assert_eq!(event["type"].as_str(), frame.event);
        assert_eq!(event["sequence_number"], json!(events.len()));
        events.push(event);
    })
    .expect("frames");
    assert_eq!(events[0]["type"], "response.created");
    let mut items: Vec<Value> = Vec::new();
    let mut texts: std::collections::BTreeMap<String, String> = std::collections::BTreeMap::new();
    for event in &events {
        let kind = event["type"].as_str().expect("a type");
        let index = event["output_index"]
            .as_u64()
            .and_then(|index| usize::try_from(index).ok());
        match kind {
            "response.output_item.added" => {
                assert_eq!(index, Some(items.len()), "dense and in order");
                items.push(event["item"].clone());
            }
            "response.output_item.done" => {
                let index = index.expect("an index");
                assert_eq!(items[index]["id"], event["item"]["id"]);
                items[index] = event["item"].clone();
            }
            _ => {
                if let Some(index) = index {
                    assert_eq!(items[index]["id"], event["item_id"], "{kind}");
                }
            }
        }
        let stem = kind.trim_end_matches(".delta").trim_end_matches(".done");
        let place = format!(
            "{stem} {} {} {}",
            event["output_index"], event["content_index"], event["summary_index"]
        );
        if event["delta"].is_string() {
            let delta = event["delta"].as_str().expect("words");
            texts.entry(place).or_default().push_str(delta);
        } else if kind.ends_with("text.done") || kind.contains("_arguments.done") {
            let whole = event
                .get("text")
                .or(event.get("arguments"))
                .and_then(Value::as_str);
            assert_eq!(
                whole.unwrap_or_default(),
                texts.remove(&place).unwrap_or_default()
            );
        }
    }
    let last = events.last().expect("an event");
    if last["type"] != "response.failed" {
        assert_eq!(last["response"]["output"], json!(items));
    }
    events
}

fn context() -> ReplyContext {
    ReplyContext {
        id: "call-7".into(),
        model: "client-model".into(),
        created: 7,
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

fn write(context: &ReplyContext, events: Vec<Event<'_>>) -> Vec<Value> {
    checked(&written(&Responses, context, events))
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let kinds = events.iter().filter_map(|event| event["type"].as_str());
    kinds
        .map(|kind| kind.trim_start_matches("response."))
        .collect()
}

fn start() -> Event<'static> {
    Event::Start {
        id: "msg_upstream",
        model: "m",
        created: None,
    }
}

fn call(part: u32, id: &str) -> Event<'_> {
    begun(part, call_head(id, "now"))
}

#[test]
fn thinking_text_and_a_call_climb_the_whole_ladder() {
    let signature = Signature::native(DialectId::Messages, "S");
    let finish = Finish::new(FinishReason::ToolCalls, "tool_use");
    let usage = Usage {
        input: Some(100),
        cache_read: Some(90),
        output: Some(30),
        ..Usage::default()
    };
    let head = PartHead::Thinking(ThinkingForm::Summary);
    let events = write(
        &context(),
        vec![
            start(),
            begun(0, head),
            words(0, "hm"),
            signed(0, &signature),
            ended(0),
            begun(1, PartHead::Text),
            words(1, "Ok"),
            ended(1),
            call(2, "toolu_9"),
            arguments(2, "{}"),
            ended(2),
            finished(&finish),
            Event::Usage(&usage),
            Event::End,
        ],
    );
    assert_eq!(
        kinds(&events),
        [
            "created",
            "in_progress",
            "output_item.added",
            "reasoning_summary_part.added",
            "reasoning_summary_text.delta",
            "reasoning_summary_text.done",
            "reasoning_summary_part.done",
            "output_item.done",
            "output_item.added",
            "content_part.added",
            "output_text.delta",
            "output_text.done",
            "content_part.done",
            "output_item.done",
            "output_item.added",
            "function_call_arguments.delta",
            "function_call_arguments.done",
            "output_item.done",
            "completed",
        ]
    );
    let response = &events.last().expect("an event")["response"];
    assert_eq!(response["id"], "resp_msg_upstream");
    assert_eq!(response["created_at"], 7);
    assert_eq!(
        response["usage"]["input_tokens_details"]["cached_tokens"],
        90
    );
    let proof = response["output"][0]["encrypted_content"]
        .as_str()
        .expect("a proof");
    assert_eq!(
        Signature::from_client(DialectId::Responses, proof),
        signature
    );
    assert_eq!(response["output"][2]["call_id"], "toolu_9");
    let done = events
        .iter()
        .find(|event| event["type"] == "response.function_call_arguments.done");
    assert_eq!(done.map(|event| &event["name"]), Some(&json!("now")));
}

#[test]
fn strict_fields_are_there_from_the_first_event() {
    let mut context = context();
    context
        .echo
        .insert("tools".into(), json!([{"type": "function", "name": "f"}]));
    let events = write(&context, vec![start(), Event::End]);
    let first = &events[0]["response"];
    for key in [
        "id",
        "created_at",
        "model",
        "object",
        "output",
        "parallel_tool_calls",
        "tool_choice",
        "tools",
    ] {
        assert!(!first[key].is_null(), "{key}");
    }
    assert_eq!(first["status"], "in_progress");
    assert_eq!(first["usage"], Value::Null);
    assert_eq!(first["tools"][0]["name"], "f");
    assert_eq!(kinds(&events), ["created", "in_progress", "completed"]);
}

#[test]
fn two_texts_share_a_message_and_a_call_between_them_parts_it() {
    let words = |part: u32, text: &'static str| {
        [begun(part, PartHead::Text), words(part, text), ended(part)]
    };
    let mut given = vec![start()];
    given.extend(words(0, "a"));
    given.extend(words(1, "b"));
    given.extend([call(2, "c1"), ended(2)]);
    given.extend(words(3, "c"));
    given.push(Event::End);
    let events = write(&context(), given);
    let output = &events.last().expect("an event")["response"]["output"];
    assert_eq!(output[0]["content"].as_array().map(Vec::len), Some(2));
    assert_eq!(output[1]["arguments"], "{}", "a call without arguments");
    assert_eq!(output[2]["content"][0]["text"], "c");
}

#[test]
fn a_text_that_goes_on_while_a_call_is_open_stays_in_its_message() {
    let events = write(
        &context(),
        vec![
            start(),
            begun(0, PartHead::Text),
            words(0, "a"),
            call(1, "c1"),
            arguments(1, "{"),
            call(2, "c2"),
            arguments(2, "{}"),
            words(0, "b"),
            arguments(1, "}"),
            ended(0),
            ended(2),
            ended(1),
            Event::End,
        ],
    );
    let output = &events.last().expect("an event")["response"]["output"];
    assert_eq!(output[0]["content"][0]["text"], "ab");
    assert_eq!(output[1]["arguments"], "{}");
    assert_eq!(output[2]["arguments"], "{}");
}

#[test]
fn a_limit_leaves_the_last_item_incomplete() {
    let finish = Finish::new(FinishReason::Length, "length");
    let events = write(
        &context(),
        vec![
            start(),
            begun(0, PartHead::Text),
            words(0, "a"),
            ended(0),
            call(1, "c1"),
            arguments(1, "{\"a\":"),
            ended(1),
            finished(&finish),
            Event::End,
        ],
    );
    let last = events.last().expect("an event");
    assert_eq!(last["type"], "response.incomplete");
    let response = &last["response"];
    assert_eq!(
        response["incomplete_details"],
        json!({"reason": "max_output_tokens"})
    );
    assert_eq!(response["output"][0]["status"], "completed");
    assert_eq!(response["output"][1]["status"], "incomplete");
    assert_eq!(response["output"][1]["arguments"], "{\"a\":");
}

#[test]
fn a_calls_proof_travels_in_a_reasoning_item_before_it() {
    let signature = Signature::native(DialectId::GenerateContent, "G");
    let early = |late: bool| {
        let mut given = vec![start(), call(0, "c1")];
        given.push(arguments(0, "{"));
        if late {
            given.push(arguments(0, "}"));
        }
        given.push(signed(0, &signature));
        given.extend([ended(0), Event::End]);
        let events = write(&context(), given);
        let output = events.last().expect("an event")["response"]["output"].clone();
        [output[0]["type"].clone(), output[1]["type"].clone()]
    };
    assert_eq!(early(false), [json!("reasoning"), json!("function_call")]);
    // The call is out already: nothing is lost all the same.
    assert_eq!(early(true), [json!("function_call"), json!("reasoning")]);
}

#[test]
fn hidden_reasoning_keeps_its_proof_and_no_words() {
    let signature = Signature::native(DialectId::Messages, "S");
    let mut context = context();
    context.show_reasoning = false;
    let head = PartHead::Thinking(ThinkingForm::Summary);
    let events = write(
        &context,
        vec![
            start(),
            begun(0, head),
            words(0, "hm"),
            signed(0, &signature),
            ended(0),
            begun(1, head),
            words(1, "hm"),
            ended(1),
            Event::End,
        ],
    );
    let output = &events.last().expect("an event")["response"]["output"];
    assert_eq!(output.as_array().map(Vec::len), Some(1));
    assert_eq!(output[0]["summary"], json!([]));
    assert!(output[0]["encrypted_content"].is_string());
}

#[test]
fn citations_log_probabilities_images_and_hosted_items_are_written() {
    let note = Annotation::Url {
        url: "https://a.example".into(),
        title: None,
        start: None,
        end: None,
        raw: None,
    };
    let image = MediaSource::Inline {
        mime: "image/png".into(),
        data: "aGk=".into(),
    };
    let image = Media::new(MediaClass::Image, image);
    let hosted = Hosted {
        dialect: DialectId::Responses,
        raw: json!({"type": "x", "id": "x_1"}),
    };
    let foreign = Hosted {
        dialect: DialectId::Messages,
        raw: json!({"type": "y"}),
    };
    let entries = json!({"content": [{"token": "é"}]});
    let events = write(
        &context(),
        vec![
            start(),
            begun(0, PartHead::Text),
            noted(0, &note),
            words(0, "éé"),
            ended(0),
            Event::Logprobs {
                choice: 0,
                entries: &entries,
            },
            begun(1, PartHead::Media(&image)),
            ended(1),
            begun(2, PartHead::Hosted(&hosted)),
            ended(2),
            begun(3, PartHead::Hosted(&foreign)),
            ended(3),
            Event::End,
        ],
    );
    assert!(kinds(&events).contains(&"output_text.annotation.added"));
    let output = &events.last().expect("an event")["response"]["output"];
    let part = &output[0]["content"][0];
    assert_eq!(part["annotations"][0]["end_index"], 2);
    assert_eq!(part["logprobs"][0]["token"], "é");
    assert_eq!(output[1]["result"], "aGk=");
    assert_eq!(output[2]["id"], "x_1");
    assert_eq!(output.as_array().map(Vec::len), Some(3));
}

#[test]
fn a_failure_is_told_once_and_nothing_follows() {
    let failure = Failure::new(FailureKind::RateLimited, "Slow down.");
    let events = write(
        &context(),
        vec![Event::Error(&failure), start(), Event::End],
    );
    assert_eq!(kinds(&events), ["created", "in_progress", "failed"]);
    let response = &events[2]["response"];
    assert_eq!(response["status"], "failed");
    assert_eq!(
        response["error"],
        json!({"code": "rate_limit_exceeded", "message": "Slow down."})
    );
    let finish = Finish::new(FinishReason::Malformed, "MALFORMED_FUNCTION_CALL");
    let finish = finished(&finish);
    let events = write(&context(), vec![start(), finish, Event::End]);
    assert_eq!(events[2]["type"], "response.failed");
    assert_eq!(events[2]["response"]["error"]["code"], "server_error");
}

#[test]
fn a_ping_is_a_comment_and_other_choices_are_not_heard() {
    let mut out = Vec::new();
    let mut writer = Responses.stream_writer(&context());
    writer.event(Event::Ping, &mut out);
    assert_eq!(out, b": ping\n\n");
    out.clear();
    let other = At { choice: 1, part: 0 };
    writer.event(
        Event::PartStart {
            at: other,
            head: PartHead::Text,
        },
        &mut out,
    );
    writer.event(
        Event::Text {
            at: other,
            text: "x",
        },
        &mut out,
    );
    assert!(out.is_empty());
}

#[test]
fn an_endless_answer_is_cut_off_with_a_failure() {
    let piece = "x".repeat(8 << 20);
    let mut writer = Responses.stream_writer(&context());
    let mut out = Vec::new();
    let mut failed = 0;
    writer.event(start(), &mut out);
    writer.event(begun(0, PartHead::Text), &mut out);
    for _ in 0..6 {
        out.clear();
        writer.event(words(0, &piece), &mut out);
        failed += u32::from(out.starts_with(b"event: response.failed") || contains_failed(&out));
    }
    assert_eq!(failed, 1);
    assert!(out.is_empty(), "silence after the failure");
}

fn contains_failed(out: &[u8]) -> bool {
    memchr::memmem::find(out, b"event: response.failed").is_some()
}

#[test]
fn every_fixture_keeps_the_grammar_when_written_again() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/responses");
    for file in std::fs::read_dir(folder).expect("fixtures").flatten() {
        if file.path().extension().is_none_or(|ending| ending != "sse") {
            continue;
        }
        let stream = std::fs::read(file.path()).expect("a fixture");
        let mut out = Vec::new();
        let mut writer = Responses.stream_writer(&context());
        let mut reader = Responses.stream_reader();
        let mut sse = SseReader::default();
        let mut sink = |event: Event<'_>| {
            if !matches!(event, Event::Ping) {
                writer.event(event, &mut out);
            }
        };
        sse.push(&stream, &mut |frame| reader.frame(frame, &mut sink))
            .expect("frames");
        reader.close(&mut sink);
        checked(&out);
    }
}

#[test]
fn a_refusal_is_told_by_its_words_or_by_the_last_event() {
    let finish = Finish::new(FinishReason::Refusal, "refusal");
    let last = |head: PartHead<'static>| {
        let events = write(
            &context(),
            vec![
                start(),
                begun(0, head),
                words(0, "No."),
                ended(0),
                finished(&finish),
                Event::End,
            ],
        );
        events.last().expect("an event").clone()
    };
    assert_eq!(last(PartHead::Refusal)["type"], "response.completed");
    let cut = last(PartHead::Text);
    assert_eq!(cut["type"], "response.incomplete");
    assert_eq!(
        cut["response"]["incomplete_details"],
        json!({"reason": "content_filter"})
    );
}
