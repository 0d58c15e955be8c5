//! Clients of generate content's two embedding methods.

use serde_json::{Value, json};

use super::*;
use crate::canonical::FailureKind;
use crate::spoil::fixture;

fn body(call: &Call) -> Value {
    serde_json::from_slice(&call.body).unwrap()
}

#[test]
fn a_single_content_becomes_one_text() {
    let bytes = fixture("embeddings", "google-single.json");
    let request = read_embed_content(&bytes, "vector-g").unwrap();
    let calls = write_calls(&request, &bytes, Shape::OpenAi, "up").unwrap();
    assert_eq!(
        body(&calls.calls[0]),
        json!({"model": "up", "input": ["a tin boat"], "dimensions": 2, "encoding_format": "float"})
    );
    assert_eq!(calls.dropped, ["task_type", "title"]);
    let cohere = write_calls(&request, &bytes, Shape::Cohere, "up").unwrap();
    assert_eq!(body(&cohere.calls[0])["input_type"], "search_document");
    assert_eq!(cohere.dropped, ["title"]);
}

#[test]
fn settings_count_in_their_own_object_and_in_both_spellings() {
    let bytes = fixture("embeddings", "google-single-nested.json");
    let request = read_embed_content(&bytes, "vector-g").unwrap();
    assert_eq!(request.dimensions, Some(2));
    assert_eq!(request.purpose, Some(Purpose::Clustering));
}

#[test]
fn an_upstream_of_the_same_format_gets_the_clients_bytes_with_every_model_renamed() {
    let bytes = fixture("embeddings", "google-single.json");
    let request = read_embed_content(&bytes, "vector-g").unwrap();
    let call = &write_calls(&request, &bytes, Shape::Google, "up")
        .unwrap()
        .calls[0];
    let mut expected: Value = serde_json::from_slice(&bytes).unwrap();
    expected["model"] = json!("models/up");
    assert_eq!((body(call), call.method), (expected, "embedContent"));

    let bytes = fixture("embeddings", "google-batch.json");
    let request = read_batch_embed_contents(&bytes, "models/vector-g").unwrap();
    let call = &write_calls(&request, &bytes, Shape::Google, "up")
        .unwrap()
        .calls[0];
    let mut expected: Value = serde_json::from_slice(&bytes).unwrap();
    expected["requests"][0]["model"] = json!("models/up");
    expected["requests"][1]["model"] = json!("models/up");
    assert_eq!((body(call), call.method), (expected, "batchEmbedContents"));
    assert_eq!(call.inputs, 2);
}

#[test]
fn answers_come_back_in_the_methods_own_shape() {
    let reply = br#"{"object":"list","data":[{"index":0,"embedding":[0.5,1.0]}],"model":"x","usage":{"prompt_tokens":4}}"#;
    let context = AnswerContext::default();
    let bytes = fixture("embeddings", "google-single.json");
    let request = read_embed_content(&bytes, "vector-g").unwrap();
    let calls = write_calls(&request, &bytes, Shape::OpenAi, "up")
        .unwrap()
        .calls;
    let single = answer(&request, Shape::OpenAi, &calls, &[reply], &context).unwrap();
    assert_eq!(
        String::from_utf8(single.body.unwrap()).unwrap(),
        r#"{"embedding":{"values":[0.5,1.0]},"usageMetadata":{"promptTokenCount":4}}"#
    );

    let bytes = fixture("embeddings", "google-batch.json");
    let request = read_batch_embed_contents(&bytes, "vector-g").unwrap();
    let calls = write_calls(&request, &bytes, Shape::Tei, "up")
        .unwrap()
        .calls;
    let batch = answer(&request, Shape::Tei, &calls, &["[[1,2],[3,4]]"], &context).unwrap();
    assert_eq!(
        String::from_utf8(batch.body.unwrap()).unwrap(),
        r#"{"embeddings":[{"values":[1,2]},{"values":[3,4]}],"usageMetadata":{"promptTokenCount":0}}"#
    );
}

#[test]
fn an_answer_of_the_same_format_goes_through() {
    let bytes = fixture("embeddings", "google-single.json");
    let request = read_embed_content(&bytes, "vector-g").unwrap();
    let calls = write_calls(&request, &bytes, Shape::Google, "up")
        .unwrap()
        .calls;
    let reply = fixture("embeddings", "reply-google-single.json");
    let context = AnswerContext::default();
    let answer = answer(&request, Shape::Google, &calls, &[reply], &context).unwrap();
    assert!(answer.body.is_none());
    assert_eq!(answer.units.tokens.input, Some(3));
}

#[test]
fn what_only_google_can_do_is_refused_elsewhere() {
    for bytes in [
        &br#"{"requests":[{"content":{"parts":[{"text":"a"}]},"outputDimensionality":2},{"content":{"parts":[{"text":"b"}]}}]}"#[..],
        br#"{"requests":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"AA"}}]}}]}"#,
    ] {
        let request = read_batch_embed_contents(bytes, "m").unwrap();
        assert!(write_calls(&request, bytes, Shape::Google, "up").is_ok());
        let failure = write_calls(&request, bytes, Shape::Voyage, "up").unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported);
    }
}

#[test]
fn broken_bodies_are_refused_by_name() {
    for (bytes, param) in [
        ("{}", "requests"),
        (r#"{"requests":[]}"#, "requests"),
        (r#"{"requests":[7]}"#, "requests[0]"),
        (r#"{"requests":[{}]}"#, "requests[0].content"),
        (
            r#"{"requests":[{"content":{"parts":[{"text":""}]}}]}"#,
            "requests[0].content",
        ),
        (
            r#"{"requests":[{"model":"models/other","content":{"parts":[{"text":"a"}]}}]}"#,
            "requests[0].model",
        ),
        (
            r#"{"requests":[{"model":"m","model":"m"}]}"#,
            "requests[0].model",
        ),
    ] {
        let failure = read_batch_embed_contents(bytes.as_bytes(), "m").unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(param), "{bytes}");
    }
    assert!(read_embed_content(br#"{"content":"a"}"#, "m").is_err());
}
