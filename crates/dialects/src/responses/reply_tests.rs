//! Whole answers: what they mean, and what a client is told of foreign ones.

use serde_json::{Value, json};

use super::Responses;
use crate::canonical::{
    Annotation, Arguments, Choice, Failure, FailureKind, Finish, FinishReason, Hosted, Media,
    MediaClass, MediaSource, Part, PartKind, Reply, Thinking, ThinkingForm, ToolCall, Usage,
};
use crate::{Dialect, DialectId, ReplyContext, Signature};

fn fixture(name: &str) -> Result<Reply, Failure> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/responses");
    let body = std::fs::read(format!("{folder}/{name}.json")).expect("a fixture");
    Responses.read_reply(&body)
}

fn reason(name: &str) -> FinishReason {
    let reply = fixture(name).expect("an answer");
    reply.choices[0].finish.reason.clone()
}

fn write(reply: &Reply, context: &ReplyContext) -> (Value, Vec<String>) {
    let written = Responses.write_reply(reply, context);
    let body = serde_json::from_slice(&written.body).expect("JSON");
    (body, written.dropped)
}

#[test]
fn every_end_is_understood() {
    assert_eq!(reason("reply-text"), FinishReason::Stop);
    assert_eq!(reason("reply-reasoning-tools"), FinishReason::ToolCalls);
    assert_eq!(reason("reply-refusal"), FinishReason::Refusal);
    assert_eq!(reason("reply-incomplete-length"), FinishReason::Length);
    assert_eq!(reason("reply-incomplete-filter"), FinishReason::Filter);
    assert_eq!(
        reason("reply-incomplete-call"),
        FinishReason::Length,
        "a limit stays a limit"
    );
    let failure = fixture("reply-failed").expect_err("a failure");
    assert_eq!(failure.kind, FailureKind::UpstreamBad);
    assert_eq!(failure.message, "The upstream failed.");
    assert_eq!(failure.upstream_text.as_deref(), Some("The model broke."));
}

#[test]
fn output_items_are_parts_in_order() {
    let reply = fixture("reply-reasoning-tools").expect("an answer");
    let parts = &reply.choices[0].parts;
    assert!(matches!(&parts[0].kind, PartKind::Thinking(thinking)
        if thinking.text == "**One**\n\nTwo."));
    assert_eq!(
        parts[0].signature,
        Some(Signature::native(DialectId::Responses, "gAAAAA-proof"))
    );
    assert_eq!(parts[1].as_text(), Some("Looking."));
    assert!(matches!(&parts[3].kind, PartKind::ToolCall(call)
        if call.id == "call_2" && call.namespace.as_deref() == Some("ship")));
    assert!(matches!(&parts[4].kind, PartKind::ToolCall(call)
        if call.arguments == Arguments::Free("Aa\n9 m".into())));
    let usage = reply.usage.expect("usage");
    assert_eq!(
        (usage.input, usage.cache_read, usage.reasoning),
        (Some(30), Some(10), Some(8))
    );
}

#[test]
fn hosted_items_stay_and_images_are_media() {
    let reply = fixture("reply-hosted").expect("an answer");
    let parts = &reply.choices[0].parts;
    assert!(matches!(&parts[0].kind, PartKind::Hosted(_)));
    assert!(matches!(&parts[1].kind, PartKind::Media(Media {
        class: MediaClass::Image, source: MediaSource::Inline { mime, .. }, .. })
        if mime == "image/webp"));
    assert!(
        matches!(&parts[2].kind, PartKind::Hosted(_)),
        "no image came of it"
    );
    assert_eq!(
        reply.usage.expect("usage").hosted_tools["web_search_requests"],
        1
    );
}

#[test]
fn log_probabilities_are_gathered() {
    let reply = fixture("reply-logprobs").expect("an answer");
    let entries = reply.choices[0]
        .logprobs
        .as_ref()
        .expect("log probabilities");
    assert_eq!(entries["content"][0]["token"], "Hi");
}

#[test]
fn a_sparse_vendor_is_made_whole_for_strict_clients() {
    let reply = fixture("reply-sparse-vendor").expect("an answer");
    assert_eq!(reply.created, Some(1_790_000_000));
    let (body, _) = write(&reply, &ReplyContext::default());
    for key in ["parallel_tool_calls", "tool_choice", "tools"] {
        assert!(!body[key].is_null(), "{key}");
    }
    assert_eq!(body["usage"]["input_tokens_details"]["cached_tokens"], 0);
    assert_eq!(
        body["usage"]["output_tokens_details"]["reasoning_tokens"],
        0
    );
    assert_eq!(body["created_at"].to_string(), "1790000000.25");
}

#[test]
fn nonsense_from_upstream_is_a_failure_of_the_upstream() {
    for body in [
        "",
        "[]",
        "{}",
        r#"{"output":7}"#,
        r#"{"output":[7]}"#,
        r#"{"output":[{"type":"function_call"}]}"#,
        r#"{"error":{"message":"x"}}"#,
    ] {
        let failure = Responses
            .read_reply(body.as_bytes())
            .expect_err("a failure");
        assert_eq!(failure.kind, FailureKind::UpstreamBad, "{body}");
    }
}

fn foreign(parts: Vec<Part>, reason: FinishReason) -> Reply {
    Reply {
        source: DialectId::Messages,
        id: "msg_1".into(),
        model: "m".into(),
        created: None,
        choices: vec![Choice {
            index: 0,
            parts,
            finish: Finish::new(reason, "raw"),
            logprobs: None,
            extra: serde_json::Map::new(),
        }],
        usage: None,
        tier: Some("standard".into()),
        extra: serde_json::Map::new(),
    }
}

fn call(signature: Option<Signature>) -> Part {
    let mut part = Part::new(PartKind::ToolCall(ToolCall {
        id: "toolu_1".into(),
        name: "now".into(),
        namespace: None,
        arguments: Arguments::Json("{}".into()),
    }));
    part.signature = signature;
    part
}

fn thought(form: ThinkingForm) -> Part {
    let mut part = Part::new(PartKind::Thinking(Thinking {
        text: "hm".into(),
        form,
    }));
    part.signature = Some(Signature::native(DialectId::Messages, "S"));
    part
}

fn context() -> ReplyContext {
    ReplyContext {
        created: 9,
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

#[test]
fn a_foreign_answer_gets_every_strict_field() {
    let mut reply = foreign(
        vec![Part::text("Hi"), Part::text(""), Part::text("!")],
        FinishReason::Stop,
    );
    reply.usage = Some(Usage {
        input: Some(3),
        output: Some(1),
        ..Usage::default()
    });
    let (body, dropped) = write(&reply, &context());
    assert_eq!(body["id"], "resp_msg_1");
    assert_eq!(body["object"], "response");
    assert_eq!(body["created_at"], 9);
    assert_eq!(body["status"], "completed");
    assert_eq!(body["service_tier"], "default");
    assert_eq!(body["usage"]["total_tokens"], 4);
    assert_eq!(
        body["output"].as_array().map(Vec::len),
        Some(1),
        "one message"
    );
    assert_eq!(
        body["output"][0]["content"],
        json!([
        {"type": "output_text", "text": "Hi", "annotations": [], "logprobs": []},
        {"type": "output_text", "text": "!", "annotations": [], "logprobs": []}])
    );
    assert!(dropped.is_empty());
}

#[test]
fn thoughts_are_shown_by_their_form_and_proven_in_an_envelope() {
    let parts = vec![
        thought(ThinkingForm::Summary),
        thought(ThinkingForm::Raw),
        call(None),
    ];
    let reply = foreign(parts, FinishReason::ToolCalls);
    let (body, _) = write(&reply, &context());
    let output = &body["output"];
    assert_eq!(
        output[0]["summary"],
        json!([{"type": "summary_text", "text": "hm"}])
    );
    assert_eq!(output[1]["summary"], json!([]));
    assert_eq!(
        output[1]["content"],
        json!([{"type": "reasoning_text", "text": "hm"}])
    );
    let proof = output[0]["encrypted_content"].as_str().expect("a proof");
    let proof = Signature::from_client(DialectId::Responses, proof);
    assert_eq!(proof, Signature::native(DialectId::Messages, "S"));
    assert_eq!(output[2]["call_id"], "toolu_1");
    assert_eq!(output[2]["status"], "completed");
    let hidden = ReplyContext {
        show_reasoning: false,
        ..context()
    };
    let (body, _) = write(&reply, &hidden);
    assert_eq!(body["output"][0]["summary"], json!([]));
    assert!(body["output"][0]["encrypted_content"].is_string());
}

#[test]
fn a_calls_proof_stands_before_it() {
    let signature = Signature::native(DialectId::GenerateContent, "G");
    let reply = foreign(vec![call(Some(signature))], FinishReason::ToolCalls);
    let (body, _) = write(&reply, &context());
    assert_eq!(body["output"][0]["type"], "reasoning");
    assert_eq!(body["output"][0]["summary"], json!([]));
    assert_eq!(body["output"][1]["type"], "function_call");
    assert_ne!(body["output"][0]["id"], body["output"][1]["id"]);
}

#[test]
fn limits_filters_and_malformed_answers_have_their_shapes() {
    let status = |reason: FinishReason| {
        let (body, _) = write(&foreign(vec![Part::text("x")], reason), &context());
        (
            body["status"].clone(),
            body["incomplete_details"].clone(),
            body["output"][0]["status"].clone(),
            body["error"]["code"].clone(),
        )
    };
    let length = json!({"reason": "max_output_tokens"});
    let filter = json!({"reason": "content_filter"});
    let cut = |reason: Value| {
        (
            json!("incomplete"),
            reason,
            json!("incomplete"),
            Value::Null,
        )
    };
    assert_eq!(status(FinishReason::Length), cut(length.clone()));
    assert_eq!(status(FinishReason::ContextFull), cut(length));
    assert_eq!(status(FinishReason::Filter), cut(filter.clone()));
    // Without words of its own kind, a refusal would look like a plain answer.
    assert_eq!(status(FinishReason::Refusal), cut(filter));
    let words = vec![Part::new(PartKind::Refusal("No.".into()))];
    let (refused, _) = write(&foreign(words, FinishReason::Refusal), &context());
    assert_eq!(refused["status"], "completed");
    assert_eq!(status(FinishReason::Malformed).0, "failed");
    assert_eq!(status(FinishReason::Malformed).3, "server_error");
    for reason in [FinishReason::Pause, FinishReason::Other] {
        assert_eq!(status(reason).0, "completed");
    }
}

#[test]
fn what_cannot_be_said_is_named() {
    let audio = MediaSource::Inline {
        mime: "audio/wav".into(),
        data: "aGk=".into(),
    };
    let mut cited = Part::text("x");
    if let PartKind::Text { annotations, .. } = &mut cited.kind {
        annotations.push(Annotation::Other {
            dialect: DialectId::Messages,
            raw: json!({}),
        });
    }
    let hosted = Hosted {
        dialect: DialectId::Messages,
        raw: json!({"type": "server_tool_use"}),
    };
    let parts = vec![
        Part::new(PartKind::Media(Media::new(MediaClass::Audio, audio))),
        cited,
        Part::new(PartKind::Hosted(hosted.clone())),
        Part::new(PartKind::Hosted(hosted)),
    ];
    let mut reply = foreign(parts, FinishReason::Stop);
    reply.choices.push(reply.choices[0].clone());
    let (_, dropped) = write(&reply, &context());
    assert_eq!(
        dropped,
        ["audio", "citations", "hosted_tool_calls", "choices"]
    );
}

#[test]
fn an_answer_without_parts_or_choices_is_an_empty_answer() {
    let (body, _) = write(&foreign(vec![], FinishReason::Stop), &context());
    assert_eq!(body["output"], json!([]));
    let mut reply = foreign(vec![], FinishReason::Stop);
    reply.choices.clear();
    let (body, _) = write(&reply, &context());
    assert_eq!(body["status"], "completed");
    assert_eq!(body["usage"], Value::Null);
}
