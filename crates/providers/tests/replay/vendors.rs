//! What each vendor is sent: path, credential, body.

use dialects::DialectId;
use http::{HeaderMap, HeaderValue};
use providers::{
    Call, Format, Operation, RequestBody, Signer, StreamFraming, Unroutable, Upstream,
    fetch_models, provider,
};
use testkit::{FakeUpstream, RecordedRequest, Reply};

use crate::support::{client, now, patient, read};

const CHAT: Format = Format::Text(DialectId::ChatCompletions);
const MESSAGES: Format = Format::Text(DialectId::Messages);
const GENERATE: Format = Format::Text(DialectId::GenerateContent);
const RESPONSES: Format = Format::Text(DialectId::Responses);

/// A channel of this vendor at a fake upstream, with `suffix` behind the base URL.
fn channel(id: &str, upstream: &FakeUpstream, suffix: &str, key: &str) -> Upstream {
    Upstream::open(provider(id).unwrap(), &upstream.url(suffix), key).unwrap()
}

/// Sends a call as a vendor wants it, and what came of it.
async fn sent(channel: &Upstream, fake: &FakeUpstream, call: Call<'_>) -> RecordedRequest {
    fake.on("/*", Reply::body("application/json", "{}"));
    let body = RequestBody::Whole(
        r#"{"model":"m","stream":true,"max_completion_tokens":5,"encoding_format":"float","x":1.50}"#.into(),
    );
    let client = client();
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-beta", HeaderValue::from_static("one, two"));
    let mut request = channel.request(&call, headers, body).unwrap();
    Signer::new()
        .sign(&mut request, channel, &client, &patient(), now)
        .await
        .unwrap();
    let reply = client.send(request, &patient()).await.unwrap();
    read(reply).await.unwrap();
    fake.requests().pop().unwrap()
}

/// Path and query together.
fn address(request: &RecordedRequest) -> String {
    match request.query.as_str() {
        "" => request.path.clone(),
        query => format!("{}?{query}", request.path),
    }
}

#[tokio::test]
#[rustfmt::skip]
async fn calls_go_where_the_vendors_expect_them() {
    let call = Call::new;
    for (id, suffix, call, expected) in [
        ("openai", "/v1", call(Operation::Generate, CHAT, "m"), "/v1/chat/completions"),
        ("openai", "/v1/", call(Operation::Generate, RESPONSES, "m"), "/v1/responses"),
        ("openai", "/v1", call(Operation::Generate, Format::Text(DialectId::TextCompletions), "m"), "/v1/completions"),
        ("openai", "/v1", call(Operation::CountTokens, RESPONSES, "m"), "/v1/responses/input_tokens"),
        ("openai", "/v1", call(Operation::Embed, Format::Common, "m"), "/v1/embeddings"),
        ("openai", "/v1", call(Operation::Moderate, Format::Common, "m"), "/v1/moderations"),
        ("openai", "/v1", call(Operation::GenerateImage, Format::Common, "m"), "/v1/images/generations"),
        ("openai", "/v1", call(Operation::EditImage, Format::Common, "m"), "/v1/images/edits"),
        ("openai", "/v1", call(Operation::VaryImage, Format::Common, "m"), "/v1/images/variations"),
        ("openai", "/v1", call(Operation::Transcribe, Format::Common, "m"), "/v1/audio/transcriptions"),
        ("openai", "/v1", call(Operation::Translate, Format::Common, "m"), "/v1/audio/translations"),
        ("openai", "/v1", call(Operation::Speak, Format::Common, "m"), "/v1/audio/speech"),
        ("openai", "/v1", call(Operation::Realtime, Format::Common, "a b"), "/v1/realtime?model=a%20b"),
        ("azure", "", call(Operation::Generate, CHAT, "dep"), "/openai/v1/chat/completions"),
        ("azure", "/openai/v1", call(Operation::Embed, Format::Common, "dep"), "/openai/v1/embeddings"),
        ("azure", "", call(Operation::EditImage, Format::Form, "dep"), "/openai/v1/images/edits"),
        ("azure", "?api-version=2024-10-21", call(Operation::Generate, CHAT, "dep"), "/openai/deployments/dep/chat/completions?api-version=2024-10-21"),
        ("azure", "/openai?api-version=2024-10-21", call(Operation::Transcribe, Format::Common, "dep"), "/openai/deployments/dep/audio/transcriptions?api-version=2024-10-21"),
        ("azure", "?api-version=2025-04-01-preview", call(Operation::Generate, RESPONSES, "dep"), "/openai/responses?api-version=2025-04-01-preview"),
        ("openai", "/v1", call(Operation::TranscribeLive, Format::Common, "up"), "/v1/realtime?intent=transcription"),
        ("azure", "", call(Operation::TranscribeLive, Format::Common, "dep"), "/openai/v1/realtime?intent=transcription"),
        ("azure", "?api-version=2025-04-01-preview", call(Operation::TranscribeLive, Format::Common, "dep"), "/openai/realtime?intent=transcription&api-version=2025-04-01-preview"),
        ("azure", "?api-version=2025-04-01-preview", call(Operation::Realtime, Format::Common, "dep"), "/openai/realtime?api-version=2025-04-01-preview&deployment=dep"),
        ("anthropic", "", call(Operation::Generate, MESSAGES, "m"), "/v1/messages"),
        ("anthropic", "/v1", call(Operation::CountTokens, MESSAGES, "m"), "/v1/messages/count_tokens"),
        ("google", "", call(Operation::Generate, GENERATE, "models/gemini-x"), "/v1beta/models/gemini-x:generateContent"),
        ("google", "/v1beta", call(Operation::Generate, GENERATE, "gemini-x").streamed(true), "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"),
        ("google", "", call(Operation::CountTokens, GENERATE, "gemini-x"), "/v1beta/models/gemini-x:countTokens"),
        ("google", "", call(Operation::Embed, Format::Google, "e"), "/v1beta/models/e:batchEmbedContents"),
        ("cohere", "", call(Operation::Generate, CHAT, "command-a"), "/compatibility/v1/chat/completions"),
        ("cohere", "/v2", call(Operation::Rerank, Format::Cohere, "r"), "/v2/rerank"),
        ("cohere", "", call(Operation::Embed, Format::Cohere, "e"), "/v2/embed"),
        ("jina", "/v1", call(Operation::Rerank, Format::Common, "r"), "/v1/rerank"),
        ("voyage", "/v1", call(Operation::Rerank, Format::Voyage, "r"), "/v1/rerank"),
        ("ollama", "", call(Operation::Generate, CHAT, "llama3:8b"), "/v1/chat/completions"),
        ("ollama", "/api", call(Operation::Embed, Format::Common, "e"), "/v1/embeddings"),
        ("groq", "/openai/v1", call(Operation::Generate, CHAT, "m"), "/openai/v1/chat/completions"),
        ("siliconflow", "/v1", call(Operation::Rerank, Format::Common, "m"), "/v1/rerank"),
        ("dashscope", "/compatible-mode/v1", call(Operation::Generate, CHAT, "m"), "/compatible-mode/v1/chat/completions"),
        ("dashscope", "", call(Operation::Embed, Format::Common, "m"), "/compatible-mode/v1/embeddings"),
        ("dashscope-intl", "/compatible-mode/v1", call(Operation::Rerank, Format::Common, "m"), "/api/v1/services/rerank/text-rerank/text-rerank"),
        ("tei", "", call(Operation::Rerank, Format::TextEmbeddingsInference, "m"), "/rerank"),
        ("tei", "", call(Operation::Embed, Format::Common, "m"), "/v1/embeddings"),
    ] {
        let upstream = FakeUpstream::start().await;
        let channel = channel(id, &upstream, suffix, "key-1");
        let request = sent(&channel, &upstream, call).await;
        assert_eq!(address(&request), expected, "{id} {suffix} {call:?}");
    }
}

#[tokio::test]
async fn each_vendor_gets_its_key_where_it_looks_for_it() {
    for (id, call, header, value) in [
        (
            "openai",
            Call::new(Operation::Generate, CHAT, "m"),
            "authorization",
            "Bearer key-1",
        ),
        (
            "azure",
            Call::new(Operation::Generate, CHAT, "m"),
            "api-key",
            "key-1",
        ),
        (
            "anthropic",
            Call::new(Operation::Generate, MESSAGES, "m"),
            "x-api-key",
            "key-1",
        ),
        (
            "google",
            Call::new(Operation::Generate, GENERATE, "m"),
            "x-goog-api-key",
            "key-1",
        ),
        (
            "cohere",
            Call::new(Operation::Generate, CHAT, "m"),
            "authorization",
            "Bearer key-1",
        ),
        (
            "jina",
            Call::new(Operation::Embed, Format::Common, "m"),
            "authorization",
            "Bearer key-1",
        ),
        (
            "mistral",
            Call::new(Operation::Generate, CHAT, "m"),
            "authorization",
            "Bearer key-1",
        ),
    ] {
        let upstream = FakeUpstream::start().await;
        let request = sent(&channel(id, &upstream, "", "key-1"), &upstream, call).await;
        assert_eq!(request.header(header), Some(value), "{id}");
        let carriers = ["authorization", "api-key", "x-api-key", "x-goog-api-key"];
        let used = carriers
            .iter()
            .filter(|name| request.header(name).is_some())
            .count();
        assert_eq!(used, 1, "{id} sends its key once");
        assert!(!request.query.contains("key-1"), "{id}");
    }
}

#[tokio::test]
async fn keys_with_more_parts_and_no_key_at_all() {
    let upstream = FakeUpstream::start().await;
    let key = r#"{"api_key":"k","organization":"org","project":"proj"}"#;
    let call = Call::new(Operation::Generate, CHAT, "m");
    let request = sent(&channel("openai", &upstream, "/v1", key), &upstream, call).await;
    assert_eq!(request.header("openai-organization"), Some("org"));
    assert_eq!(request.header("openai-project"), Some("proj"));
    let request = sent(&channel("vllm", &upstream, "/v1", ""), &upstream, call).await;
    assert_eq!(request.header("authorization"), None);
    let missing = Upstream::open(provider("anthropic").unwrap(), "", "");
    assert_eq!(
        missing.unwrap_err().to_string(),
        "the key has no field `api_key`"
    );
    let homeless = Upstream::open(provider("azure").unwrap(), "", "k");
    assert_eq!(
        homeless.unwrap_err().to_string(),
        "this provider needs a base URL"
    );
}

#[tokio::test]
async fn the_clients_version_of_messages_stays() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/*", Reply::body("application/json", "{}"));
    let channel = channel("anthropic", &upstream, "", "k");
    let call = Call::new(Operation::Generate, MESSAGES, "m");
    let plain = sent(&channel, &upstream, call).await;
    assert_eq!(plain.header("anthropic-version"), Some("2023-06-01"));
    let mut headers = HeaderMap::new();
    headers.insert("anthropic-version", HeaderValue::from_static("2024-01-01"));
    let body = RequestBody::Whole("{}".into());
    let mut request = channel.request(&call, headers, body).unwrap();
    let client = client();
    Signer::new()
        .sign(&mut request, &channel, &client, &patient(), now)
        .await
        .unwrap();
    assert_eq!(request.headers["anthropic-version"], "2024-01-01");
}

#[tokio::test]
async fn bodies_are_changed_only_where_the_vendor_differs() {
    let upstream = FakeUpstream::start().await;
    let call = Call::new(Operation::Generate, CHAT, "m");
    let same = r#"{"model":"m","stream":true,"max_completion_tokens":5,"encoding_format":"float","x":1.50}"#;
    for id in ["openai", "groq"] {
        let request = sent(&channel(id, &upstream, "", "k"), &upstream, call).await;
        assert_eq!(request.text(), same, "{id}");
    }
    for id in ["mistral", "deepseek", "ollama"] {
        let request = sent(&channel(id, &upstream, "", "k"), &upstream, call).await;
        assert_eq!(request.json()["max_tokens"], 5, "{id}");
        assert!(!request.text().contains("max_completion_tokens"), "{id}");
        assert!(
            request.text().contains("1.50"),
            "numbers keep their spelling"
        );
    }
    let embed = Call::new(Operation::Embed, Format::Common, "m");
    let request = sent(&channel("jina", &upstream, "", "k"), &upstream, embed).await;
    assert_eq!(request.json()["embedding_type"], "float");
}

#[tokio::test]
async fn bedrock_gets_anthropics_bodies_signed() {
    let upstream = FakeUpstream::start().await;
    let key = "AKIDEXAMPLE|wJalrXUtnFEMI|us-east-1";
    let channel = channel("bedrock", &upstream, "", key);
    let model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    let call = Call::new(Operation::Generate, MESSAGES, model).streamed(true);
    assert_eq!(
        channel.provider.framing(&call),
        StreamFraming::AmazonMessages
    );
    let request = sent(&channel, &upstream, call).await;
    assert_eq!(
        request.path,
        "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke-with-response-stream"
    );
    let body = request.json();
    assert_eq!(body["anthropic_version"], "bedrock-2023-05-31");
    assert_eq!(body["anthropic_beta"], serde_json::json!(["one", "two"]));
    assert!(body.get("model").is_none() && body.get("stream").is_none());
    let signature = request.header("authorization").unwrap();
    let scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-east-1/bedrock/aws4_request";
    assert!(signature.starts_with(scope), "{signature}");
    assert!(signature.contains("SignedHeaders=content-type;host;x-amz-date"));
    assert_eq!(request.header("x-amz-date"), Some("20231114T221320Z"));
    assert!(request.header("anthropic-beta").is_none());
}

#[tokio::test]
async fn bedrocks_other_ways() {
    let upstream = FakeUpstream::start().await;
    let by_key = channel("bedrock", &upstream, "", "bedrock-api-key-1");
    let converse = Call::new(
        Operation::Generate,
        Format::Converse,
        "amazon.nova-pro-v1:0",
    );
    let request = sent(&by_key, &upstream, converse.streamed(true)).await;
    assert_eq!(
        request.path,
        "/model/amazon.nova-pro-v1%3A0/converse-stream"
    );
    assert_eq!(
        request.header("authorization"),
        Some("Bearer bedrock-api-key-1")
    );
    let chat = Call::new(Operation::Generate, CHAT, "openai.gpt-oss-20b-1:0");
    let request = sent(&by_key, &upstream, chat).await;
    assert_eq!(request.path, "/openai/v1/chat/completions");
    let bedrock = provider("bedrock").unwrap();
    let own = Upstream::open(bedrock, "", "AK|SK|eu-west-1").unwrap();
    assert_eq!(
        own.base.to_string(),
        "https://bedrock-runtime.eu-west-1.amazonaws.com"
    );
    assert!(Upstream::open(bedrock, "https://a.example", "").is_err());
}

#[tokio::test]
async fn what_a_vendor_does_not_do_is_not_sent() {
    let upstream = FakeUpstream::start().await;
    for (id, call) in [
        (
            "anthropic",
            Call::new(Operation::Embed, Format::Common, "m"),
        ),
        ("anthropic", Call::new(Operation::Generate, CHAT, "m")),
        ("openai", Call::new(Operation::Rerank, Format::Common, "m")),
        (
            "perplexity",
            Call::new(Operation::ListModels, Format::Common, ""),
        ),
        ("tei", Call::new(Operation::Generate, CHAT, "m")),
    ] {
        let channel = channel(id, &upstream, "", "k");
        let refused = channel.request(&call, HeaderMap::new(), RequestBody::Whole("{}".into()));
        assert_eq!(refused.unwrap_err(), Unroutable::Operation, "{id}");
    }
    for model in ["../files", "a?b", ""] {
        let call = Call::new(Operation::Generate, GENERATE, model);
        let channel = channel("google", &upstream, "", "k");
        let refused = channel.request(&call, HeaderMap::new(), RequestBody::Whole("{}".into()));
        assert!(matches!(refused, Err(Unroutable::Model(_))), "{model}");
    }
}

#[tokio::test]
async fn models_are_listed_page_after_page() {
    let upstream = FakeUpstream::start().await;
    upstream.on_request("/v1beta/models", |request| {
        let page = match request.query.as_str() {
            "pageSize=1000" => r#"{"models":[{"name":"models/a"}],"nextPageToken":"x y"}"#,
            "pageSize=1000&pageToken=x%20y" => r#"{"models":[{"name":"models/b"}]}"#,
            other => panic!("{other}"),
        };
        Reply::body("application/json", page)
    });
    upstream.on_each(
        "/v1/models",
        [
            Reply::body(
                "application/json",
                r#"{"data":[{"id":"c"}],"has_more":true,"last_id":"c"}"#,
            ),
            Reply::body(
                "application/json",
                r#"{"data":[{"id":"d"}],"has_more":false,"last_id":"d"}"#,
            ),
            Reply::body("application/json", r#"{"error":{"message":"no"}}"#).status(401),
        ],
    );
    upstream.on(
        "/api/tags",
        Reply::body("application/json", r#"{"models":[{"name":"l:8b"}]}"#),
    );
    let (signer, client, egress) = (Signer::new(), client(), patient());
    for (id, models) in [
        ("google", Some(vec!["a", "b"])),
        ("anthropic", Some(vec!["c", "d"])),
        ("ollama", Some(vec!["l:8b"])),
        ("voyage", None),
    ] {
        let channel = channel(id, &upstream, "", "k");
        let listed = fetch_models(&channel, &signer, &client, &egress, now())
            .await
            .unwrap();
        let listed = listed
            .as_ref()
            .map(|list| list.iter().map(String::as_str).collect());
        assert_eq!(listed, models, "{id}");
    }
    let channel = channel("anthropic", &upstream, "", "k");
    let failure = fetch_models(&channel, &signer, &client, &egress, now())
        .await
        .unwrap_err();
    assert_eq!(failure.kind, providers::Fault::Credential);
}
