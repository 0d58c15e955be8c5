//! Documented answers of each named vendor, replayed: a chat client's question goes out in the
//! vendor's format, and what comes back is read, whole and streamed.

use dialects::convert::{
    Outcome, StreamConverter, convert_reply_from, convert_request_to, dialect,
};
use dialects::{DialectId, Framing, PathHints, ReplyContext};
use http::HeaderMap;
use providers::{Call, Format, Operation, RequestBody, Signer, Upstream, provider};
use serde_json::{Value, json};
use testkit::{FakeUpstream, RecordedRequest, Reply};

use crate::amazon::{chunk, event};
use crate::support::{client, now, patient};

const CHAT: DialectId = DialectId::ChatCompletions;

/// A vendor: its id, what follows the base URL, a key, a model, the dialect whose fixtures it answers with.
type Vendor = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

/// Vendors whose answers are those of a dialect.
#[rustfmt::skip]
const VENDORS: &[Vendor] = &[
    ("openai", "/v1", "k", "gpt-4o-mini", "chat_completions"),
    ("azure", "", "k", "deployment", "chat_completions"),
    (
        "azure",
        "?api-version=2024-10-21",
        "k",
        "deployment",
        "chat_completions",
    ),
    ("anthropic", "", "k", "claude-sonnet-4-5", "messages"),
    ("google", "", "k", "gemini-2.5-flash", "generate_content"),
    (
        "bedrock",
        "",
        "k",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "messages",
    ),
    (
        "bedrock",
        "",
        "AK|SK|us-east-1",
        "openai.gpt-oss-120b-1:0",
        "chat_completions",
    ),
    (
        "bedrock",
        "",
        "AK|SK|us-east-1",
        "amazon.nova-pro-v1:0",
        "converse",
    ),
    ("cohere", "", "k", "command-a-03-2025", "chat_completions"),
    ("ollama", "", "", "llama3:8b", "chat_completions"),
    ("vllm", "/v1", "", "llama-4", "chat_completions"),
    ("mistral", "/v1", "k", "mistral-large", "chat_completions"),
];

pub fn fixture(dialect: &str, name: &str) -> Vec<u8> {
    let root = env!("CARGO_MANIFEST_DIR");
    let path = match dialect {
        "converse" => format!("{root}/tests/fixtures/bedrock/{name}"),
        _ => format!("{root}/../dialects/fixtures/{dialect}/{name}"),
    };
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What the vendor sends as its streamed answer, framed as it does.
fn streamed_answer(vendor: Vendor) -> Reply {
    let (id, .., dialect) = vendor;
    if dialect == "converse" {
        let lines = String::from_utf8(fixture(dialect, "stream.jsonl")).unwrap();
        let events = lines.lines().map(|line| line.split_once(' ').unwrap());
        let bytes: Vec<u8> = events.flat_map(|(name, data)| event(name, data)).collect();
        return Reply::body("application/vnd.amazon.eventstream", bytes);
    }
    let text = fixture(dialect, "stream-text.sse");
    if (id, dialect) == ("bedrock", "messages") {
        let text = String::from_utf8(text).unwrap();
        let frames = text.lines().filter_map(|line| line.strip_prefix("data: "));
        let bytes: Vec<u8> = frames.flat_map(chunk).collect();
        return Reply::body("application/vnd.amazon.eventstream", bytes);
    }
    Reply::body("text/event-stream", text)
}

struct Asked {
    request: RecordedRequest,
    outcome: Outcome,
    text: String,
}

/// A chat client asks, and is answered.
async fn ask(channel: &Upstream, fake: &FakeUpstream, model: &str, stream: bool) -> Asked {
    let format = channel.provider.formats(Operation::Generate, model)[0];
    let upstream = format.text().unwrap();
    let question = json!({"model": model, "stream": stream, "max_completion_tokens": 100,
        "messages": [{"role": "user", "content": "Hello"}]});
    let mut request = dialect(CHAT)
        .read_request(question.to_string().as_bytes(), &PathHints::default())
        .unwrap();
    model.clone_into(&mut request.model);
    let mut context = ReplyContext {
        model: model.to_owned(),
        ..ReplyContext::default()
    };
    let target = upstream.target(model);
    let written = convert_request_to(upstream, &mut request, &target, &mut context).unwrap();
    let call = Call::new(Operation::Generate, format, model).streamed(stream);
    let body = send(channel, &call, written.body).await;
    let request = fake.requests().pop().unwrap();
    if !stream {
        let (written, outcome) = convert_reply_from(upstream, CHAT, &body, &context).unwrap();
        let answer: Value = serde_json::from_slice(&written.body).unwrap();
        let text = answer["choices"][0]["message"]["content"].as_str();
        let text = text.unwrap_or_default().to_owned();
        return Asked {
            request,
            outcome,
            text,
        };
    }
    let framing = Framing::ServerSentEvents;
    let mut converter = StreamConverter::from_upstream(upstream, framing, CHAT, &context);
    let mut unwrapping = channel.provider.framing(&call).unwrapping();
    let (mut frames, mut out) = (Vec::new(), Vec::new());
    for piece in body.chunks(11) {
        frames.clear();
        match &mut unwrapping {
            Some(unwrapping) => unwrapping.push(piece, &mut frames).unwrap(),
            None => frames.extend_from_slice(piece),
        }
        converter.push(&frames, &mut out);
    }
    converter.close(&mut out);
    let outcome = converter.outcome().clone();
    let text = chat_text(&String::from_utf8(out).unwrap());
    Asked {
        request,
        outcome,
        text,
    }
}

/// The words of a chat stream.
fn chat_text(stream: &str) -> String {
    let frames = stream
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    frames
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .filter_map(|frame| Some(frame["choices"][0]["delta"]["content"].as_str()?.to_owned()))
        .collect()
}

pub async fn send(channel: &Upstream, call: &Call<'_>, body: Vec<u8>) -> Vec<u8> {
    let body = RequestBody::Whole(body.into());
    let mut request = channel.request(call, HeaderMap::new(), body).unwrap();
    let (client, signer) = (client(), Signer::new());
    signer
        .sign(&mut request, channel, &client, &patient(), now)
        .await
        .unwrap();
    let reply = client.send(request, &patient()).await.unwrap();
    reply.body.collect(1 << 20).await.unwrap().to_vec()
}

#[tokio::test]
async fn every_named_vendor_answers_a_chat_client() {
    for vendor in VENDORS {
        let (id, suffix, key, model, dialect) = *vendor;
        let fake = FakeUpstream::start().await;
        let channel = Upstream::open(provider(id).unwrap(), &fake.url(suffix), key).unwrap();
        let whole = match dialect {
            "converse" => fixture(dialect, "reply.json"),
            _ => fixture(dialect, "reply-text.json"),
        };
        fake.on("/*", Reply::body("application/json", whole));
        let answer = ask(&channel, &fake, model, false).await;
        assert!(!answer.text.is_empty(), "{id} {model}");
        assert!(
            answer.outcome.usage.unwrap().output > Some(0),
            "{id} {model}"
        );
        fake.on("/*", streamed_answer(*vendor));
        let streamed = ask(&channel, &fake, model, true).await;
        assert_eq!(streamed.outcome.failure, None, "{id} {model}");
        assert!(!streamed.text.is_empty(), "{id} {model}");
        assert!(
            streamed.outcome.usage.unwrap().output > Some(0),
            "{id} {model}"
        );
        assert!(streamed.request.header("content-type").is_some());
    }
}

#[tokio::test]
async fn every_compatible_vendor_is_asked_in_the_chat_format() {
    let fake = FakeUpstream::start().await;
    fake.on(
        "/*",
        Reply::body(
            "application/json",
            fixture("chat_completions", "reply-text.json"),
        ),
    );
    let chat = Format::Text(CHAT);
    let is_chat = |id: &str| {
        provider(id)
            .unwrap()
            .formats(Operation::Generate, "m")
            .contains(&chat)
    };
    let mut asked = 0;
    for vendor in providers::PROVIDERS
        .iter()
        .filter(|vendor| is_chat(vendor.id()))
    {
        let id = vendor.id();
        let own = Upstream::open(*vendor, "", "k");
        assert!(own.is_ok() || matches!(id, "azure"), "{id}");
        let channel = Upstream::open(*vendor, &fake.url("/x/v1"), "k").unwrap();
        let answer = ask(&channel, &fake, "m", false).await;
        assert!(answer.request.path.ends_with("/chat/completions"), "{id}");
        assert_eq!(answer.request.method, "POST");
        assert_eq!(
            answer.request.json()["messages"][0]["content"],
            "Hello",
            "{id}"
        );
        assert!(!answer.text.is_empty(), "{id}");
        asked += 1;
    }
    assert!(asked >= 40, "{asked} vendors");
}

#[tokio::test]
async fn vertex_answers_with_both_makers_models_and_lists_them() {
    let fake = FakeUpstream::start().await;
    let token = json!({ "access_token": "t", "expires_in": 3599 });
    fake.on("/token", Reply::json(&token));
    let key = crate::signing::account(&fake.url("/token"));
    let channel = Upstream::open(provider("vertex").unwrap(), &fake.url(""), &key).unwrap();
    for (model, dialect, method) in [
        (
            "gemini-2.5-pro",
            "generate_content",
            "streamGenerateContent",
        ),
        ("claude-sonnet-4-5@20250929", "messages", "streamRawPredict"),
    ] {
        fake.on(
            "/*",
            Reply::body("application/json", fixture(dialect, "reply-text.json")),
        );
        let whole = ask(&channel, &fake, model, false).await;
        assert!(!whole.text.is_empty(), "{model}");
        fake.on(
            "/*",
            Reply::body("text/event-stream", fixture(dialect, "stream-text.sse")),
        );
        let streamed = ask(&channel, &fake, model, true).await;
        assert!(
            !streamed.text.is_empty() && streamed.outcome.failure.is_none(),
            "{model}"
        );
        assert!(
            streamed.request.path.ends_with(method),
            "{}",
            streamed.request.path
        );
        assert_eq!(streamed.request.header("authorization"), Some("Bearer t"));
    }
    let list = r#"{"publisherModels":[{"name":"publishers/google/models/gemini-2.5-pro"}]}"#;
    fake.on(
        "/v1beta1/publishers/google/models",
        Reply::body("application/json", list),
    );
    let listed = providers::fetch_models(&channel, &Signer::new(), &client(), &patient(), now())
        .await
        .unwrap();
    assert_eq!(listed, Some(vec!["gemini-2.5-pro".to_owned()]));
}
