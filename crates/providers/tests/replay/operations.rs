//! Documented answers to calls that are no conversation, replayed: vectors, ranks, counts, lists.

use dialects::{embeddings, rerank};
use providers::{Call, Operation, Signer, Upstream, provider};
use serde_json::{Value, json};
use testkit::{FakeUpstream, Reply};

use crate::replies::{fixture, send};
use crate::support::{client, now, patient};

/// Vendors of vectors: id, what follows the base URL, model, shape, the fixture of the answer.
#[rustfmt::skip]
const VECTORS: &[(&str, &str, &str, embeddings::Shape, &str)] = {
    use embeddings::Shape;
    &[
        ("openai", "/v1", "text-embedding-3-small", Shape::OpenAi, "reply-openai.json"),
        ("azure", "", "deployment", Shape::OpenAi, "reply-openai.json"),
        ("cohere", "", "embed-v4.0", Shape::Cohere, "reply-cohere.json"),
        ("jina", "/v1", "jina-embeddings-v3", Shape::Jina, "reply-jina.json"),
        ("voyage", "/v1", "voyage-3", Shape::Voyage, "reply-voyage.json"),
        ("google", "", "gemini-embedding-001", Shape::Google, "reply-google.json"),
        ("ollama", "", "nomic-embed-text", Shape::OpenAi, "reply-openai.json"),
        ("bedrock", "", "cohere.embed-english-v3", Shape::Cohere, "reply-cohere.json"),
        ("bedrock", "", "amazon.titan-embed-text-v2:0", Shape::Titan, "reply-titan.json"),
    ]
};

/// Vendors of ranks, told alike.
#[rustfmt::skip]
const RANKS: &[(&str, &str, &str, rerank::Shape, &str)] = {
    use rerank::Shape;
    &[
        ("cohere", "", "rerank-v3.5", Shape::Cohere, "reply-cohere.json"),
        ("jina", "/v1", "jina-reranker-v2", Shape::Compatible, "reply-compatible.json"),
        ("voyage", "/v1", "rerank-2", Shape::Voyage, "reply-voyage.json"),
        ("bedrock", "", "cohere.rerank-v3-5:0", Shape::Cohere, "reply-cohere.json"),
        ("bedrock", "", "amazon.rerank-v1:0", Shape::Cohere, "reply-cohere.json"),
        ("tei", "", "bge-reranker", Shape::Tei, "reply-tei.json"),
        ("dashscope", "/compatible-mode/v1", "gte-rerank-v2", Shape::DashScope, "reply-dashscope.json"),
    ]
};

#[tokio::test]
async fn every_vendor_of_vectors_answers() {
    use dialects::embeddings::{AnswerContext, Request, answer, write_calls};
    for (id, suffix, model, shape, reply) in VECTORS {
        let (id, suffix, model, shape) = (*id, *suffix, *model, *shape);
        let fake = FakeUpstream::start().await;
        fake.on(
            "/*",
            Reply::body("application/json", fixture("embeddings", reply)),
        );
        let channel = Upstream::open(provider(id).unwrap(), &fake.url(suffix), "k").unwrap();
        let question =
            json!({"model": model, "input": ["a tin boat", "two oars"], "dimensions": 3});
        let bytes = question.to_string().into_bytes();
        let request = Request::read(&bytes).unwrap();
        let calls = write_calls(&request, &bytes, shape, model).unwrap().calls;
        let format = channel.provider.formats(Operation::Embed, model)[0];
        let call = Call::new(Operation::Embed, format, model);
        let mut replies = Vec::new();
        for one in &calls {
            replies.push(send(&channel, &call, one.body.clone()).await);
        }
        let replies: Vec<&[u8]> = replies.iter().map(Vec::as_slice).collect();
        let context = AnswerContext {
            model: model.to_owned(),
            estimated_tokens: 9,
        };
        let answered = answer(&request, shape, &calls, &replies, &context).unwrap();
        let body = answered.body.as_deref().unwrap_or(replies[0]);
        let body: Value = serde_json::from_slice(body).unwrap();
        assert_eq!(body["data"].as_array().unwrap().len(), 2, "{id} {model}");
        let sent = fake.requests();
        assert_eq!(sent.len(), calls.len());
        if id == "bedrock" {
            assert!(sent[0].path.ends_with("/invoke"), "{}", sent[0].path);
            assert!(sent[0].json().get("model").is_none());
        }
        if shape == embeddings::Shape::Titan {
            assert_eq!(
                sent[1].json(),
                json!({"inputText": "two oars", "dimensions": 3})
            );
            assert_eq!(body["usage"]["total_tokens"], 6);
        }
    }
}

#[tokio::test]
async fn every_vendor_of_ranks_answers() {
    use dialects::rerank::{AnswerContext, Request, answer, write_calls};
    for (id, suffix, model, shape, reply) in RANKS {
        let (id, suffix, model, shape) = (*id, *suffix, *model, *shape);
        let fake = FakeUpstream::start().await;
        fake.on(
            "/*",
            Reply::body("application/json", fixture("rerank", reply)),
        );
        let channel = Upstream::open(provider(id).unwrap(), &fake.url(suffix), "k").unwrap();
        let question =
            json!({"model": model, "query": "boats", "top_n": 2, "documents": ["a", "b", "c"]});
        let request = Request::read(question.to_string().as_bytes()).unwrap();
        let mut written = write_calls(&request, shape, model).unwrap();
        let format = channel.provider.formats(Operation::Rerank, model)[0];
        let call = Call::new(Operation::Rerank, format, model);
        let body = send(&channel, &call, written.bodies.remove(0)).await;
        let context = AnswerContext {
            id: "r-1".to_owned(),
            model: model.to_owned(),
            estimated_tokens: 9,
        };
        let answered = answer(&request, shape, &[body], &context).unwrap();
        let ranking: Value = serde_json::from_slice(&answered.body).unwrap();
        assert!(
            ranking["results"][0]["relevance_score"].is_number(),
            "{id} {model}"
        );
        let sent = fake.only_request().json();
        if id == "bedrock" {
            assert!(sent.get("model").is_none());
            let version = model.starts_with("cohere.").then_some(2);
            assert_eq!(sent.get("api_version").and_then(Value::as_u64), version);
        }
    }
}

#[tokio::test]
async fn bedrock_counts_and_lists() {
    let fake = FakeUpstream::start().await;
    let model = "anthropic.claude-sonnet-4-5-20250929-v1:0";
    let channel = Upstream::open(
        provider("bedrock").unwrap(),
        &fake.url(""),
        "AK|SK|us-east-1",
    )
    .unwrap();
    fake.on(
        "/*",
        Reply::body("application/json", r#"{"inputTokens":12}"#),
    );
    let format = channel.provider.formats(Operation::CountTokens, model)[0];
    let question = br#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#.to_vec();
    let call = Call::new(Operation::CountTokens, format, model);
    let body = send(&channel, &call, question).await;
    let count = dialects::messages::count::respelled(&body);
    assert_eq!(count, Some(br#"{"input_tokens":12}"#.to_vec()));
    let sent = fake.requests().pop().unwrap();
    assert!(sent.path.ends_with("/count-tokens"), "{}", sent.path);
    let inner = &sent.json()["input"]["invokeModel"]["body"];
    let inner = base64_text(inner.as_str().unwrap());
    let inner: Value = serde_json::from_str(&inner).unwrap();
    assert_eq!(inner["anthropic_version"], "bedrock-2023-05-31");
    assert_eq!(inner["max_tokens"], 1);
    let list = r#"{"modelSummaries":[{"modelId":"amazon.nova-pro-v1:0","modelName":"Nova Pro"}]}"#;
    fake.on("/foundation-models", Reply::body("application/json", list));
    let listed = providers::fetch_models(&channel, &Signer::new(), &client(), &patient(), now())
        .await
        .unwrap();
    assert_eq!(listed, Some(vec!["amazon.nova-pro-v1:0".to_owned()]));
    let own = provider("bedrock").unwrap();
    for (base, elsewhere) in [
        (
            "https://bedrock-runtime.eu-west-1.amazonaws.com",
            Some("https://bedrock.eu-west-1.amazonaws.com"),
        ),
        (
            "https://bedrock-runtime.cn-north-1.amazonaws.com.cn",
            Some("https://bedrock.cn-north-1.amazonaws.com.cn"),
        ),
        ("https://bedrock-runtime.evil.example", None),
        ("https://gateway.example", None),
    ] {
        let base = providers::BaseUrl::parse(base).unwrap();
        assert_eq!(own.list_base_url(&base).as_deref(), elsewhere);
    }
}

fn base64_text(text: &str) -> String {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text);
    String::from_utf8(bytes.unwrap()).unwrap()
}
