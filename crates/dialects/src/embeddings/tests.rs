//! Our own format against every vendor's shape.

use serde_json::{Value, json};

use super::*;
use crate::canonical::{Failure, FailureKind};
use crate::spoil::fixture;

fn read(body: &Value) -> Result<Request, Failure> {
    Request::read(&serde_json::to_vec(body).unwrap())
}

fn input(input: &Value) -> Result<Input, Failure> {
    read(&json!({"model": "m", "input": input})).map(|request| request.input)
}

fn calls(body: &Value, shape: Shape) -> Result<Calls, Failure> {
    let bytes = serde_json::to_vec(body).unwrap();
    write_calls(&Request::read(&bytes).unwrap(), &bytes, shape, "up")
}

fn first(body: &Value, shape: Shape) -> Value {
    serde_json::from_slice(&calls(body, shape).unwrap().calls[0].body).unwrap()
}

/// Two texts through an upstream that answers with this fixture.
fn play(shape: Shape, reply: &str, encoding: &str) -> (Value, Answer) {
    let body = json!({"model": "m", "input": ["a tin boat", "two oars"],
        "encoding_format": encoding});
    let bytes = serde_json::to_vec(&body).unwrap();
    let request = Request::read(&bytes).unwrap();
    let calls = write_calls(&request, &bytes, shape, "up").unwrap().calls;
    let reply = fixture("embeddings", reply);
    let context = AnswerContext {
        model: "named".to_owned(),
        estimated_tokens: 77,
    };
    let answer = answer(&request, shape, &calls, &[&reply], &context).unwrap();
    let body = serde_json::from_slice(answer.body.as_ref().unwrap_or(&reply)).unwrap();
    (body, answer)
}

#[test]
fn the_first_element_says_what_the_input_is() {
    assert_eq!(input(&json!("a")).unwrap(), Input::Texts(vec!["a".into()]));
    assert_eq!(input(&json!(["a", "b"])).unwrap().len(), 2);
    assert_eq!(input(&json!([1, 2, 3])).unwrap(), Input::Tokens(vec![3]));
    assert_eq!(
        input(&json!([[1], [2, 3]])).unwrap(),
        Input::Tokens(vec![1, 2])
    );
    assert_eq!(
        input(&json!([[1], [2, 3]])).unwrap().exact_tokens(),
        Some(3)
    );
    assert_eq!(
        input(&json!([{"text": "a"}])).unwrap().texts().next(),
        Some("a")
    );
}

#[test]
fn an_input_that_is_empty_or_mixed_is_refused() {
    for bad in [
        json!(""),
        json!([]),
        json!([[]]),
        json!([[1], []]),
        json!(["a", ""]),
        json!(["a", 1]),
        json!([1, "a"]),
        json!([[1], "a"]),
        json!([1.5]),
        json!([-1]),
        json!([{"text": "a"}, "b"]),
        json!([null]),
        json!({"text": "a"}),
        json!(7),
        json!(true),
        Value::Null,
    ] {
        let failure = input(&bad).unwrap_err();
        assert_eq!(failure.kind, FailureKind::BadRequest, "{bad}");
        assert_eq!(failure.param.as_deref(), Some("input"), "{bad}");
    }
}

#[test]
fn a_batch_has_a_limit_and_a_long_text_of_tokens_has_none() {
    assert!(input(&json!(vec!["a"; 2048])).is_ok());
    assert!(input(&json!(vec!["a"; 2049])).is_err());
    assert_eq!(input(&json!(vec![7; 3000])).unwrap().len(), 1);
}

#[test]
fn other_fields_are_checked_and_named() {
    for (field, value) in [
        ("model", json!(3)),
        ("model", Value::Null),
        ("model", json!("")),
        ("dimensions", json!(0)),
        ("dimensions", json!("3")),
        ("dimensions", json!(1e12)),
        ("encoding_format", json!("hex")),
    ] {
        let mut body = json!({"model": "m", "input": "a"});
        body[field] = value;
        assert_eq!(read(&body).unwrap_err().param.as_deref(), Some(field));
    }
    let twice = br#"{"model":"m","input":"a","input":"b"}"#;
    assert_eq!(
        Request::read(twice).unwrap_err().message,
        "The field `input` is given twice."
    );
}

#[test]
fn our_own_format_goes_through_as_the_clients_bytes() {
    let body = br#"{ "input":[[1],[2, 3]], "model":"m" , "odd":1.50}"#;
    let request = Request::read(body).unwrap();
    let calls = write_calls(&request, body, Shape::OpenAi, "up").unwrap();
    assert_eq!(
        String::from_utf8(calls.calls[0].body.clone()).unwrap(),
        r#"{ "input":[[1],[2, 3]], "model":"up" , "odd":1.50}"#
    );
    assert_eq!(calls.calls[0].inputs, 2);
    assert!(calls.dropped.is_empty());
}

#[test]
fn tokens_are_refused_where_the_vendor_has_another_tokenizer() {
    for shape in Shape::ALL.into_iter().filter(|it| *it != Shape::OpenAi) {
        let failure = calls(&json!({"model": "m", "input": [1, 2]}), shape).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported);
        assert_eq!(failure.param.as_deref(), Some("input"));
    }
}

#[test]
fn each_vendor_gets_its_own_words() {
    let body = json!({"model": "m", "input": "a", "dimensions": 3, "encoding_format": "base64",
        "input_type": "query"});
    assert_eq!(
        first(&body, Shape::Google),
        json!({"requests": [{"model": "models/up", "content": {"parts": [{"text": "a"}]},
            "taskType": "RETRIEVAL_QUERY", "outputDimensionality": 3}]})
    );
    assert_eq!(
        first(&body, Shape::GoogleSingle),
        json!({"content": {"parts": [{"text": "a"}]}, "taskType": "RETRIEVAL_QUERY",
            "outputDimensionality": 3})
    );
    assert_eq!(
        first(&body, Shape::VertexPredict),
        json!({"instances": [{"content": "a", "task_type": "RETRIEVAL_QUERY"}],
            "parameters": {"outputDimensionality": 3}})
    );
    assert_eq!(
        first(&body, Shape::Cohere),
        json!({"model": "up", "texts": ["a"], "input_type": "search_query",
            "embedding_types": ["float"], "output_dimension": 3})
    );
    assert_eq!(
        first(&body, Shape::Jina),
        json!({"model": "up", "input": ["a"], "task": "retrieval.query", "dimensions": 3,
            "embedding_type": "base64"})
    );
    assert_eq!(
        first(&body, Shape::Voyage),
        json!({"model": "up", "input": ["a"], "input_type": "query", "output_dimension": 3,
            "encoding_format": "base64"})
    );
    assert_eq!(
        first(&body, Shape::Ollama),
        json!({"model": "up", "input": ["a"], "dimensions": 3})
    );
    assert_eq!(
        first(&body, Shape::Tei),
        json!({"inputs": ["a"], "dimensions": 3})
    );
}

#[test]
fn cohere_always_gets_an_input_type_and_voyage_never_the_word_float() {
    let body = json!({"model": "m", "input": "a", "encoding_format": "float"});
    assert_eq!(first(&body, Shape::Cohere)["input_type"], "search_document");
    assert_eq!(
        first(&body, Shape::Voyage),
        json!({"model": "up", "input": ["a"]})
    );
    let odd = json!({"model": "m", "input": "a", "input_type": "image"});
    assert_eq!(first(&odd, Shape::Cohere)["input_type"], "image");
}

#[test]
fn fields_that_a_vendor_does_not_know_are_named() {
    let body = json!({"model": "m", "input": "a", "truncate": true, "user": "u", "odd": 1,
        "task_type": "SEMANTIC_SIMILARITY"});
    let tei = calls(&body, Shape::Tei).unwrap();
    assert_eq!(tei.dropped, ["odd", "task_type", "user"]);
    assert_eq!(
        serde_json::from_slice::<Value>(&tei.calls[0].body).unwrap(),
        json!({"inputs": ["a"], "truncate": true})
    );
    assert_eq!(calls(&body, Shape::Jina).unwrap().dropped, ["odd", "user"]);
    assert_eq!(
        calls(&body, Shape::Voyage).unwrap().dropped,
        ["odd", "task_type", "truncate", "user"]
    );
}

#[test]
fn a_title_goes_with_documents_alone() {
    let mut body = json!({"model": "m", "input": "a", "title": "T", "input_type": "document"});
    assert_eq!(first(&body, Shape::Google)["requests"][0]["title"], "T");
    assert_eq!(
        first(&body, Shape::VertexPredict)["instances"][0]["title"],
        "T"
    );
    body["input_type"] = json!("query");
    assert!(
        first(&body, Shape::Google)["requests"][0]
            .get("title")
            .is_none()
    );
    assert_eq!(calls(&body, Shape::Google).unwrap().dropped, ["title"]);
    assert_eq!(
        calls(&body, Shape::VertexPredict).unwrap().dropped,
        ["title"]
    );
}

#[test]
fn objects_go_to_the_vendor_that_has_them_and_texts_to_every_other() {
    let body = json!({"model": "m", "input": [{"text": "a"}, {"image": "b"}]});
    assert_eq!(first(&body, Shape::Jina)["input"], body["input"]);
    assert!(calls(&body, Shape::Cohere).is_err());
    let texts = json!({"model": "m", "input": [{"text": "a"}]});
    assert_eq!(first(&texts, Shape::Cohere)["texts"], json!(["a"]));
}

#[test]
fn a_large_batch_is_sent_in_pieces_and_put_together_in_order() {
    let texts: Vec<String> = (0..250).map(|index| format!("t{index}")).collect();
    let body = json!({"model": "m", "input": texts});
    let bytes = serde_json::to_vec(&body).unwrap();
    let request = Request::read(&bytes).unwrap();
    let calls = write_calls(&request, &bytes, Shape::Google, "up")
        .unwrap()
        .calls;
    let sizes: Vec<usize> = calls.iter().map(|call| call.inputs).collect();
    assert_eq!(sizes, [100, 100, 50]);
    assert!(calls.iter().all(|call| call.method == "batchEmbedContents"));
    let mut next = 0;
    let bodies: Vec<Vec<u8>> = sizes
        .iter()
        .map(|size| {
            let values: Vec<Value> = (next..next + size)
                .map(|it| json!({"values": [it]}))
                .collect();
            next += size;
            let usage = json!({"promptTokenCount": size});
            serde_json::to_vec(&json!({"embeddings": values, "usageMetadata": usage})).unwrap()
        })
        .collect();
    let context = AnswerContext::default();
    let answer = answer(&request, Shape::Google, &calls, &bodies, &context).unwrap();
    let body: Value = serde_json::from_slice(&answer.body.unwrap()).unwrap();
    for (index, item) in body["data"].as_array().unwrap().iter().enumerate() {
        assert_eq!(item["index"], index);
        assert_eq!(item["embedding"], json!([index]));
    }
    assert_eq!(answer.units.tokens.input, Some(250));
    assert!(!answer.estimated);
}

#[test]
fn every_vendors_answer_becomes_ours() {
    for (shape, reply, tokens, model, second) in [
        (
            Shape::Google,
            "reply-google.json",
            6,
            "named",
            json!([3.0, 0.0, 4.0]),
        ),
        (
            Shape::VertexPredict,
            "reply-vertex-predict.json",
            5,
            "named",
            json!([1.0, 0.0, 0.0]),
        ),
        (
            Shape::Cohere,
            "reply-cohere.json",
            5,
            "named",
            json!([0.3, 0.4, 0.5]),
        ),
        (
            Shape::Jina,
            "reply-jina.json",
            8,
            "vector-j",
            json!([0.0, 1.0, 0.0]),
        ),
        (
            Shape::Voyage,
            "reply-voyage.json",
            10,
            "vector-v",
            json!([0.4, 0.5, 0.6]),
        ),
        (
            Shape::Ollama,
            "reply-ollama.json",
            8,
            "vector-o",
            json!([0.4, 0.5, 0.6]),
        ),
    ] {
        let (body, answer) = play(shape, reply, "float");
        assert_eq!(body["object"], "list", "{reply}");
        assert_eq!(body["model"], model, "{reply}");
        assert_eq!(body["data"][1]["object"], "embedding");
        assert_eq!(body["data"][1]["index"], 1);
        assert_eq!(body["data"][1]["embedding"], second, "{reply}");
        assert_eq!(
            body["usage"],
            json!({"prompt_tokens": tokens, "total_tokens": tokens})
        );
        assert_eq!(answer.units.tokens.input, Some(tokens));
        assert!(!answer.estimated, "{reply}");
    }
}

#[test]
fn an_answer_without_usage_is_estimated_and_never_free() {
    for (shape, reply) in [
        (Shape::Tei, "reply-tei.json"),
        (Shape::Cohere, "reply-cohere-v1.json"),
    ] {
        let (body, answer) = play(shape, reply, "float");
        assert_eq!(body["usage"]["prompt_tokens"], 77);
        assert_eq!(answer.units.tokens.input, Some(77));
        assert!(answer.estimated);
    }
}

#[test]
fn an_answer_in_the_wanted_form_goes_through_and_any_other_is_converted() {
    assert!(
        play(Shape::OpenAi, "reply-openai.json", "float")
            .1
            .body
            .is_none()
    );
    assert!(
        play(Shape::OpenAi, "reply-openai-base64.json", "base64")
            .1
            .body
            .is_none()
    );
    let (body, _) = play(Shape::OpenAi, "reply-openai.json", "base64");
    assert_eq!(body["data"][0]["embedding"], "AAAAPwAAgL4AAIA/");
    assert_eq!(body["model"], "vector-small-001");
    let (body, _) = play(Shape::OpenAi, "reply-openai-base64.json", "float");
    assert_eq!(body["data"][1]["embedding"], json!([0.5, -0.25, 1.0]));
    let (body, _) = play(Shape::Cohere, "reply-cohere.json", "base64");
    assert_eq!(body["data"][0]["embedding"].as_str().unwrap().len(), 16);
}

fn answer_with(body: &Value, shape: Shape, reply: &str) -> Result<Answer, Failure> {
    let bytes = serde_json::to_vec(body).unwrap();
    let request = Request::read(&bytes).unwrap();
    let calls = write_calls(&request, &bytes, shape, "up").unwrap().calls;
    answer(&request, shape, &calls, &[reply], &AnswerContext::default())
}

#[test]
fn shortened_vectors_of_google_get_length_one() {
    let body = json!({"model": "m", "input": "a", "dimensions": 2});
    let reply = r#"{"embeddings":[{"values":[3,4]}]}"#;
    let answer = answer_with(&body, Shape::Google, reply).unwrap();
    let body: Value = serde_json::from_slice(&answer.body.unwrap()).unwrap();
    assert_eq!(body["data"][0]["embedding"], json!([0.6, 0.8]));
}

#[test]
fn vectors_of_another_length_than_asked_for_are_refused() {
    let body = json!({"model": "m", "input": "a", "dimensions": 3});
    let failure = answer_with(&body, Shape::Ollama, r#"{"embeddings":[[1,2]]}"#).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unsupported);
    assert_eq!(failure.param.as_deref(), Some("dimensions"));
}

#[test]
fn a_missing_vector_or_an_unreadable_answer_is_the_upstreams_fault() {
    let body = json!({"model": "m", "input": ["a", "b"]});
    for reply in [
        r#"{"embeddings":[[1,2]]}"#,
        r#"{"embeddings":7}"#,
        "{}",
        "<html>",
        r#"{"embeddings":[1,2]}"#,
    ] {
        let failure = answer_with(&body, Shape::Ollama, reply).unwrap_err();
        assert_eq!(failure.kind, FailureKind::UpstreamBad, "{reply}");
    }
}
