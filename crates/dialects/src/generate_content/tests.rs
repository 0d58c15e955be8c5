//! The dialect as a whole, rule by rule.

use serde_json::{Value, json};

use super::{GenerateContent, HERE};
use crate::canonical::{
    Arguments, Event, FailureKind, Finish, FinishReason, PartHead, PartKind, Reply,
};
use crate::fold::Fold;
use crate::frames::FrameReader;
use crate::testing::events::{begun, ended, finished, words};
use crate::testing::streams::{data_of, fold, unfolded, written};
use crate::testing::traffic;
use crate::{Dialect, Framing, PathHints, ReplyContext};

fn rewritten_request(body: &Value) -> Value {
    let request = GenerateContent
        .read_request(body.to_string().as_bytes(), &PathHints::default())
        .unwrap();
    serde_json::from_slice(&GenerateContent.write_request(&request).unwrap()).unwrap()
}

fn read_stream(frames: &[Value]) -> Reply {
    fold(&GenerateContent, &data_of(frames)).unwrap()
}

fn written_stream(reply: &Reply, framing: Framing) -> Reply {
    let context = ReplyContext {
        framing,
        show_reasoning: true,
        ..ReplyContext::default()
    };
    let out = unfolded(&GenerateContent, &context, reply);
    let mut frames = FrameReader::new(framing);
    let mut reader = GenerateContent.stream_reader();
    let mut fold = Fold::new(HERE);
    frames
        .push(&out, &mut |frame| reader.frame(frame, &mut fold))
        .unwrap();
    reader.close(&mut fold);
    fold.finish().unwrap()
}

#[test]
fn recorded_streams_fold_alike_before_and_after_writing() {
    for (name, body) in traffic::bodies("google", "response-streaming") {
        let reply = read_stream(body.as_array().unwrap());
        for framing in [Framing::ServerSentEvents, Framing::JsonArray] {
            let again = written_stream(&reply, framing);
            assert_eq!(
                again.choices[0].finish.reason, reply.choices[0].finish.reason,
                "{name}"
            );
            assert_eq!(texts(&again), texts(&reply), "{name}");
            assert_eq!(
                again.usage.map(|u| u.output),
                reply.usage.as_ref().map(|u| u.output),
                "{name}"
            );
        }
    }
}

fn texts(reply: &Reply) -> Vec<String> {
    let parts = reply.choices.iter().flat_map(|choice| &choice.parts);
    parts
        .map(|part| match &part.kind {
            PartKind::ToolCall(call) => format!("{} {}", call.name, call.arguments.text()),
            PartKind::Thinking(thinking) => format!("({})", thinking.text),
            _ => part.as_text().unwrap_or("?").to_owned(),
        })
        .filter(|text| !text.is_empty())
        .collect()
}

#[test]
fn snake_case_and_lower_case_are_taken() {
    let body = json!({
        "system_instruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generation_config": {"max_output_tokens": "50", "response_mime_type": "application/json",
            "thinking_config": {"thinking_level": "low"}},
        "tool_config": {"function_calling_config": {"mode": "any"}},
        "tools": [{"function_declarations": [{"name": "f"}]}],
    });
    let written = rewritten_request(&body);
    assert_eq!(written["generationConfig"]["maxOutputTokens"], json!(50));
    assert_eq!(
        written["generationConfig"]["responseMimeType"],
        json!("application/json")
    );
    assert_eq!(
        written["generationConfig"]["thinkingConfig"]["thinkingLevel"],
        json!("LOW")
    );
    assert_eq!(
        written["tools"][0]["functionDeclarations"][0]["name"],
        json!("f")
    );
    assert_eq!(
        written["systemInstruction"]["parts"][0]["text"],
        json!("Be brief.")
    );
}

#[test]
fn unknown_fields_and_odd_shapes_come_back() {
    let body = json!({
        "contents": [{"parts": [{"text": "a", "partMetadata": {"x": 1}}]}],
        "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "OFF"}],
        "toolConfig": {"retrievalConfig": {"languageCode": "de"}},
        "generationConfig": {"temperature": 0, "futureKnob": 1.50, "seed": 9_007_199_254_740_993_i64},
        "tools": [{"functionDeclarations": [{"name": "a"}]}, {"googleSearch": {}},
            {"functionDeclarations": [{"name": "b", "behavior": "X"}]}],
    });
    let written = rewritten_request(&body);
    assert_eq!(written["generationConfig"], body["generationConfig"]);
    assert_eq!(written["contents"], body["contents"]);
    assert_eq!(written["toolConfig"], body["toolConfig"]);
    assert_eq!(written["safetySettings"], body["safetySettings"]);
}

#[test]
fn a_call_one_chunk_before_stop_is_a_tool_call() {
    let reply = read_stream(&[
        json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}],
            "role": "model"}, "index": 0}], "responseId": "r1"}),
        json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}],
            "role": "model"}, "index": 0}]}),
        json!({"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}]}),
    ]);
    assert_eq!(reply.choices[0].finish.reason, FinishReason::ToolCalls);
    let ids: Vec<_> = reply.choices[0]
        .parts
        .iter()
        .filter_map(|part| match &part.kind {
            PartKind::ToolCall(call) => Some(call.id.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn a_limit_after_a_call_stays_a_limit() {
    let reply = read_stream(&[json!({"candidates": [{"content": {"parts": [
        {"functionCall": {"name": "f"}}]}, "finishReason": "MAX_TOKENS"}]})]);
    assert_eq!(reply.choices[0].finish.reason, FinishReason::Length);
    let PartKind::ToolCall(call) = &reply.choices[0].parts[0].kind else {
        panic!("a call")
    };
    assert_eq!(call.arguments, Arguments::Json("{}".into()));
}

#[test]
fn a_blocked_prompt_is_an_empty_filtered_answer() {
    let body = json!({"promptFeedback": {"blockReason": "SAFETY"},
        "usageMetadata": {"promptTokenCount": 7, "totalTokenCount": 7}});
    let whole = GenerateContent
        .read_reply(body.to_string().as_bytes())
        .unwrap();
    assert_eq!(whole.choices[0].finish.reason, FinishReason::Filter);
    let streamed = read_stream(std::slice::from_ref(&body));
    assert_eq!(streamed.choices[0].finish.reason, FinishReason::Filter);
    assert_eq!(streamed.usage.unwrap().input, Some(7));
}

#[test]
fn a_stream_without_an_end_is_an_error() {
    let frame = json!({"candidates": [{"content": {"parts": [{"text": "a"}]}}]});
    assert!(fold(&GenerateContent, &data_of(&[frame])).is_err());
}

#[test]
fn an_error_inside_an_answer_is_what_its_own_code_says() {
    let both = |error: Value| {
        let body = json!({ "error": error });
        let whole = GenerateContent.read_reply(body.to_string().as_bytes());
        [whole, fold(&GenerateContent, &data_of(&[body]))].map(Result::unwrap_err)
    };
    let limit = json!({"code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"});
    for failure in both(limit) {
        assert_eq!(failure.kind, FailureKind::RateLimited);
        let own = "The upstream limits its calls. Try again later.";
        assert_eq!(failure.message, own);
        assert_eq!(failure.upstream_text.as_deref(), Some("Slow down."));
    }
    let key = json!({"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
        "details": [{"reason": "API_KEY_INVALID"}]});
    for failure in both(key) {
        assert_eq!(failure.kind, FailureKind::UpstreamBad);
        assert_eq!(failure.message, "The upstream refused the call.");
        assert_eq!(failure.upstream_text.as_deref(), Some("API key not valid."));
    }
}

#[test]
fn an_error_has_its_code_as_a_number() {
    let failure = crate::canonical::Failure::bad_request("contents", "`contents` is required.");
    let body: Value =
        serde_json::from_slice(&GenerateContent.write_error(&failure, 400, "req")).unwrap();
    assert_eq!(
        body,
        json!({"error": {"code": 400, "message": "`contents` is required.",
            "status": "INVALID_ARGUMENT"}})
    );
}

#[test]
fn no_frame_is_cut_by_a_line_break_inside_its_text() {
    let finish = Finish::new(FinishReason::Stop, "stop");
    let out = written(
        &GenerateContent,
        &ReplyContext::default(),
        [
            begun(0, PartHead::Text),
            words(0, "a\u{2028}b\u{85}"),
            ended(0),
            finished(&finish),
            Event::End,
        ],
    );
    let text = String::from_utf8(out).unwrap();
    assert!(!text.contains(['\u{2028}', '\u{85}']));
    assert!(text.contains(r"a\u2028b\u0085"));
}

#[test]
fn log_probabilities_of_all_pieces_come_with_the_end() {
    let finish = Finish::new(FinishReason::Stop, "stop");
    let piece = |token: &str| json!({"content": [{"token": token, "logprob": -0.5}]});
    let (first, second) = (piece("a"), piece("b"));
    let out = written(
        &GenerateContent,
        &ReplyContext::default(),
        [
            Event::Logprobs {
                choice: 0,
                entries: &first,
            },
            Event::Logprobs {
                choice: 0,
                entries: &second,
            },
            finished(&finish),
            Event::End,
        ],
    );
    let frame: Value = serde_json::from_slice(&out[b"data: ".len()..]).unwrap();
    let result = &frame["candidates"][0]["logprobsResult"];
    assert_eq!(result["chosenCandidates"][1]["token"], "b");
    assert_eq!(result["topCandidates"].as_array().unwrap().len(), 2);
}

#[test]
fn thoughts_are_hidden_from_a_client_that_wants_none() {
    let mut thought = crate::canonical::Part::new(PartKind::Thinking(crate::canonical::Thinking {
        text: "hm".to_owned(),
        form: crate::canonical::ThinkingForm::Raw,
    }));
    thought.signature = Some(crate::Signature::native(crate::DialectId::Messages, "S"));
    let mut reply = read_stream(&[
        json!({"candidates": [{"content": {"parts": [{"text": "Ok"}]},
        "finishReason": "STOP"}]}),
    ]);
    reply.source = crate::DialectId::Messages;
    reply.choices[0].parts.insert(0, thought);
    for (show_reasoning, is_shown) in [(true, true), (false, false)] {
        let context = ReplyContext {
            show_reasoning,
            ..ReplyContext::default()
        };
        let whole = GenerateContent.write_reply(&reply, &context).body;
        let streamed = unfolded(&GenerateContent, &context, &reply);
        for written in [whole, streamed] {
            let text = String::from_utf8(written).unwrap();
            assert_eq!(text.contains("hm"), is_shown, "{text}");
            assert!(text.contains("thoughtSignature"), "{text}");
        }
    }
}
