//! One documented answer of every provider through the running gateway: where the call goes, which
//! credential it bears, what the client hears, and what was used.

use serde_json::{Value, json};
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use super::gateway::Gateway;
use super::{amazon, vendor_replies};
use crate::support::Reply;

/// The key of a service account that exists nowhere.
const PRIVATE_KEY: &str =
    include_str!("../../../../providers/tests/fixtures/service_account_key.pem");

/// A provider, and one call to it.
struct Case {
    provider: &'static str,
    /// What stands behind the address of the fake upstream.
    base: &'static str,
    model: &'static str,
    path: &'static str,
    ask: Value,
    /// Where the call must arrive, and what is answered there.
    arrives: &'static str,
    answer: Scripted,
    /// The header that bears the credential, and how it begins.
    bears: (&'static str, &'static str),
    /// A place in the client's answer, and what is there.
    hears: (&'static str, Value),
    /// Input and output tokens of the log's row.
    used: (i64, i64),
}

fn hello() -> Value {
    json!({"messages": [{"role": "user", "content": "Hi"}]})
}

/// A call of the chat format that is answered in this dialect.
fn text(provider: &'static str, model: &'static str, arrives: &'static str, speaks: &str) -> Case {
    Case {
        provider,
        base: "",
        model,
        path: "/v1/chat/completions",
        ask: hello(),
        arrives,
        answer: Scripted::json(&vendor_replies::whole(speaks)),
        bears: ("authorization", "Bearer key-1"),
        hears: ("/choices/0/message/content", json!("Hello there")),
        used: (7, 2),
    }
}

fn texts() -> Vec<Case> {
    let converse = json!({"output": {"message": {"role": "assistant",
        "content": [{"text": "Hello there"}]}}, "stopReason": "end_turn",
        "usage": {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9}});
    let vertex = "/v1/projects/p/locations/global/publishers";
    vec![
        Case {
            base: "/v1",
            ..text("openai", "gpt-x", "/v1/chat/completions", "chat")
        },
        Case {
            bears: ("api-key", "key-1"),
            ..text("azure", "dep", "/openai/v1/chat/completions", "chat")
        },
        Case {
            base: "?api-version=2024-10-21",
            bears: ("api-key", "key-1"),
            ..text(
                "azure",
                "old",
                "/openai/deployments/old/chat/completions",
                "chat",
            )
        },
        Case {
            bears: ("x-api-key", "key-1"),
            ..text("anthropic", "claude-x", "/v1/messages", "messages")
        },
        Case {
            bears: ("x-goog-api-key", "key-1"),
            ..text(
                "google",
                "gemini-x",
                "/v1beta/models/gemini-x:generateContent",
                "generate",
            )
        },
        Case {
            bears: ("authorization", "Bearer ya29"),
            ..text(
                "vertex",
                "gemini-y",
                leak(format!("{vertex}/google/models/gemini-y:generateContent")),
                "generate",
            )
        },
        Case {
            bears: ("authorization", "Bearer ya29"),
            ..text(
                "vertex",
                "claude-y",
                leak(format!("{vertex}/anthropic/models/claude-y:rawPredict")),
                "messages",
            )
        },
        Case {
            answer: Scripted::json(&converse),
            bears: ("authorization", "AWS4-HMAC-SHA256 Credential=AKID/"),
            ..text(
                "bedrock",
                "amazon.nova-x",
                "/model/amazon.nova-x/converse",
                "",
            )
        },
        Case {
            bears: ("authorization", "AWS4-HMAC-SHA256 Credential=AKID/"),
            ..text(
                "bedrock",
                "anthropic.claude-z",
                "/model/anthropic.claude-z/invoke",
                "messages",
            )
        },
        text(
            "cohere",
            "command-x",
            "/compatibility/v1/chat/completions",
            "chat",
        ),
        text("ollama", "llama-x", "/v1/chat/completions", "chat"),
        Case {
            base: "/v1",
            ..text("vllm", "llama-y", "/v1/chat/completions", "chat")
        },
        Case {
            base: "/v1",
            ..text("mistral", "mistral-x", "/v1/chat/completions", "chat")
        },
    ]
}

/// Paths live as long as the test does.
fn leak(path: String) -> &'static str {
    Box::leak(path.into_boxed_str())
}

fn ranks() -> Vec<Case> {
    let rank = |provider, model, arrives, answer: Value, used| Case {
        provider,
        base: "",
        model,
        path: "/v1/rerank",
        ask: json!({"query": "q", "documents": ["a", "b"]}),
        arrives,
        answer: Scripted::json(&answer),
        bears: ("authorization", "Bearer key-1"),
        hears: ("/results/0/index", json!(1)),
        used: (used, 0),
    };
    vec![
        Case {
            base: "/v1",
            ..rank(
                "voyage",
                "rank-v",
                "/v1/rerank",
                json!({"object": "list", "model": "rank-v",
                "data": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}],
                "usage": {"total_tokens": 26}}),
                26,
            )
        },
        Case {
            base: "/v1",
            ..rank(
                "jina",
                "rank-j",
                "/v1/rerank",
                json!({"model": "rank-j",
                "results": [{"index": 1, "relevance_score": 0.9}, {"index": 0, "relevance_score": 0.1}],
                "usage": {"total_tokens": 26}}),
                26,
            )
        },
        Case {
            base: "/compatible-mode/v1",
            ..rank(
                "dashscope",
                "rank-d",
                "/api/v1/services/rerank/text-rerank/text-rerank",
                json!({"output": {"results": [{"index": 1, "relevance_score": 0.9},
                    {"index": 0, "relevance_score": 0.1}]},
                "usage": {"total_tokens": 26}, "request_id": "r1"}),
                26,
            )
        },
        Case {
            used: (4, 0),
            ..rank(
                "tei",
                "rank-t",
                "/rerank",
                json!([{"index": 1, "score": 0.97},
                {"index": 0, "score": 0.03}]),
                0,
            )
        },
        Case {
            bears: ("authorization", "Bearer ya29"),
            ..rank(
                "vertex",
                "semantic-ranker-x",
                "/v1/projects/p/locations/global/rankingConfigs/default_ranking_config:rank",
                json!({"records": [{"id": "1", "score": 0.97}, {"id": "0", "score": 0.03}]}),
                4,
            )
        },
    ]
}

fn others() -> Vec<Case> {
    let vertex = "/v1/projects/p/locations/global/publishers/google/models";
    vec![
        Case {
            provider: "vertex",
            base: "",
            model: "imagen-x",
            path: "/v1/images/generations",
            ask: json!({"prompt": "a boat"}),
            arrives: leak(format!("{vertex}/imagen-x:predict")),
            answer: Scripted::json(&json!({"predictions": [{"mimeType": "image/png",
                "bytesBase64Encoded": "iVBORw0KGgo="}]})),
            bears: ("authorization", "Bearer ya29"),
            hears: ("/data/0/b64_json", json!("iVBORw0KGgo=")),
            used: (0, 0),
        },
        Case {
            provider: "vertex",
            base: "",
            model: "gemini-embedding-2-x",
            path: "/v1/embeddings",
            ask: json!({"input": ["a", "b"]}),
            arrives: leak(format!("{vertex}/gemini-embedding-2-x:embedContent")),
            answer: Scripted::json(&json!({"embedding": {"values": [0.1, 0.2]},
                "usageMetadata": {"promptTokenCount": 3}})),
            bears: ("authorization", "Bearer ya29"),
            hears: ("/data/1/embedding", json!([0.1, 0.2])),
            used: (6, 0),
        },
        Case {
            provider: "vertex",
            base: "",
            model: "gemini-embedding-2-y",
            path: "/v1beta/models/gemini-embedding-2-y:embedContent",
            ask: json!({"content": {"parts": [{"text": "a"}]}}),
            arrives: leak(format!("{vertex}/gemini-embedding-2-y:embedContent")),
            answer: Scripted::json(&json!({"embedding": {"values": [0.1, 0.2]},
                "usageMetadata": {"promptTokenCount": 3}})),
            bears: ("authorization", "Bearer ya29"),
            hears: ("/embedding/values", json!([0.1, 0.2])),
            used: (3, 0),
        },
        Case {
            provider: "voyage",
            base: "/v1",
            model: "vector-v",
            path: "/v1/embeddings",
            ask: json!({"input": ["a", "b"]}),
            arrives: "/v1/embeddings",
            answer: Scripted::json(&json!({"object": "list", "model": "vector-v",
                "data": [{"object": "embedding", "embedding": [0.1, 0.2], "index": 0},
                    {"object": "embedding", "embedding": [0.4, 0.5], "index": 1}],
                "usage": {"total_tokens": 10}})),
            bears: ("authorization", "Bearer key-1"),
            hears: ("/data/1/embedding", json!([0.4, 0.5])),
            used: (10, 0),
        },
        Case {
            provider: "bedrock",
            base: "",
            model: "amazon.titan-embed-x",
            path: "/v1/embeddings",
            ask: json!({"input": "a"}),
            arrives: "/model/amazon.titan-embed-x/invoke",
            answer: Scripted::json(&json!({"embedding": [0.1, 0.2], "inputTextTokenCount": 3})),
            bears: ("authorization", "AWS4-HMAC-SHA256 Credential=AKID/"),
            hears: ("/data/0/embedding", json!([0.1, 0.2])),
            used: (3, 0),
        },
    ]
}

/// The key of a channel, as it stands in the configuration.
fn key(provider: &str, upstream: &FakeUpstream) -> String {
    match provider {
        "bedrock" => "AKID|secret|eu-west-1".to_owned(),
        "vertex" => json!({"type": "service_account", "project_id": "p", "location": "global",
            "client_email": "a@p.iam", "private_key": PRIVATE_KEY,
            "token_uri": upstream.url("/token")})
        .to_string(),
        _ => "key-1".to_owned(),
    }
}

/// A gateway with a channel for each of these models.
fn gateway(upstream: &FakeUpstream, cases: &[Case]) -> Gateway {
    let token = json!({"access_token": "ya29.abc", "expires_in": 3600, "token_type": "Bearer"});
    upstream.on("/token", Scripted::json(&token));
    let mut config = "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n".to_owned();
    for case in cases {
        upstream.on(case.arrives, case.answer.clone());
        let text = |value: &str| json!(value).to_string();
        let lines = [
            "[[channels]]".to_owned(),
            format!(
                "name = {}",
                text(&format!("{}-{}", case.provider, case.model))
            ),
            format!("type = {}", text(case.provider)),
            format!("base_url = {}", text(&upstream.url(case.base))),
            format!("key = {}", text(&key(case.provider, upstream))),
            format!("models = [{}]", text(case.model)),
            "[[prices]]".to_owned(),
            format!("model = {}", text(case.model)),
            "input = \"1\"\noutput = \"10\"\n".to_owned(),
        ];
        config.push_str(&lines.join("\n"));
    }
    Gateway::with_config(&config)
}

fn ask(gateway: &Gateway, case: &Case) -> Reply {
    let mut body = case.ask.clone();
    body["model"] = json!(case.model);
    gateway.post(case.path, &body)
}

fn play(cases: &[Case]) {
    let runtime = Runtime::new().expect("a runtime");
    let upstream = runtime.block_on(FakeUpstream::start());
    let gateway = gateway(&upstream, cases);
    for case in cases {
        let what = format!("{} {}", case.provider, case.model);
        let reply = ask(&gateway, case);
        assert_eq!(reply.status, 200, "{what}: {}", reply.body);
        let (place, heard) = &case.hears;
        assert_eq!(
            reply.json().pointer(place),
            Some(heard),
            "{what}: {}",
            reply.body
        );
        let sent = upstream.requests().pop().expect("it was asked");
        assert_eq!(sent.path, case.arrives, "{what}");
        let (name, start) = case.bears;
        let borne = sent.header(name).unwrap_or_default();
        assert!(borne.starts_with(start), "{what}: {borne}");
        let row = gateway.row(&reply);
        assert_eq!((row.input_tokens, row.output_tokens), case.used, "{what}");
    }
}

#[test]
fn every_provider_of_texts_is_served() {
    play(&texts());
}

#[test]
fn every_shape_of_ranks_is_served() {
    play(&ranks());
}

#[test]
fn images_and_vectors_of_vendors_shapes_are_served() {
    play(&others());
}

/// What a stream of Converse is made of.
const CONVERSE: [(&str, &str); 6] = [
    ("messageStart", r#"{"role":"assistant"}"#),
    (
        "contentBlockDelta",
        r#"{"contentBlockIndex":0,"delta":{"text":"Hello"}}"#,
    ),
    (
        "contentBlockDelta",
        r#"{"contentBlockIndex":0,"delta":{"text":" there"}}"#,
    ),
    ("contentBlockStop", r#"{"contentBlockIndex":0}"#),
    ("messageStop", r#"{"stopReason":"end_turn"}"#),
    (
        "metadata",
        r#"{"usage":{"inputTokens":7,"outputTokens":2,"totalTokens":9},"metrics":{"latencyMs":1}}"#,
    ),
];

/// Amazon's framing around what a stream of the messages dialect says.
fn wrapped(stream: Scripted) -> Scripted {
    let events = [
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message",
            "role": "assistant", "model": "up", "content": [], "stop_reason": null,
            "usage": {"input_tokens": 7, "output_tokens": 0, "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " there"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
        json!({"type": "message_stop"}),
    ];
    events.iter().fold(stream, |stream, event| {
        stream.bytes(amazon::chunk(&event.to_string()))
    })
}

#[test]
fn streams_in_amazons_framing_are_served() {
    let stream = || Scripted::stream("application/vnd.amazon.eventstream");
    let converse = CONVERSE.iter().fold(stream(), |stream, (name, payload)| {
        stream.bytes(amazon::event(name, payload))
    });
    let mut cases = [
        Case {
            answer: converse,
            ..text(
                "bedrock",
                "amazon.nova-x",
                "/model/amazon.nova-x/converse-stream",
                "",
            )
        },
        Case {
            answer: wrapped(stream()),
            ..text(
                "bedrock",
                "anthropic.claude-z",
                "/model/anthropic.claude-z/invoke-with-response-stream",
                "",
            )
        },
    ];
    for case in &mut cases {
        case.ask["stream"] = json!(true);
    }
    let runtime = Runtime::new().expect("a runtime");
    let upstream = runtime.block_on(FakeUpstream::start());
    let gateway = gateway(&upstream, &cases);
    for case in &cases {
        let reply = ask(&gateway, case);
        assert_eq!(reply.status, 200, "{}: {}", case.model, reply.body);
        for word in [
            "\"Hello\"",
            "\" there\"",
            "\"finish_reason\":\"stop\"",
            "data: [DONE]",
        ] {
            assert!(reply.body.contains(word), "{word}: {}", reply.body);
        }
        let row = gateway.row(&reply);
        assert_eq!(
            (row.input_tokens, row.output_tokens),
            (7, 2),
            "{}",
            case.model
        );
    }
}
