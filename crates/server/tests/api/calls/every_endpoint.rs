//! What a bad request gets, endpoint by endpoint, text and all others: status, shape and text from one
//! table. Nothing reaches an upstream, and nothing is charged. Bodies in detail: `bad_requests`.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use store::request_log::{self, LogFilter, PageBounds};

use super::exchange::{Answer, form, post};
use super::gateway::Gateway;

/// Whose words a refusal is told in.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    OpenAi,
    Messages,
    Google,
}

/// An endpoint: a good body for it, and one with a field of a wrong type.
struct Endpoint {
    path: &'static str,
    shape: Shape,
    good: Body,
    wrong: Body,
    /// The field that is named when its type is wrong.
    field: &'static str,
}

enum Body {
    Json(Value),
    Form(Vec<u8>),
}

impl Body {
    fn kind(&self) -> &'static str {
        match self {
            Self::Json(_) => "application/json",
            Self::Form(_) => "multipart/form-data; boundary=BoUnd",
        }
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Json(value) => value.to_string().into_bytes(),
            Self::Form(bytes) => bytes.clone(),
        }
    }

    /// The same for another model.
    fn of_model(&self, model: &str) -> Vec<u8> {
        let bytes = self.bytes();
        let text = String::from_utf8(bytes).expect("text");
        text.replace("demo-", model).into_bytes()
    }
}

fn of_json(path: &'static str, good: Value, field: &'static str, wrong: Value) -> Endpoint {
    let mut bad = good.clone();
    bad[field] = wrong;
    let shape = match path {
        _ if path.contains("/models/") => Shape::Google,
        _ if path.starts_with("/v1/messages") => Shape::Messages,
        _ => Shape::OpenAi,
    };
    Endpoint {
        path,
        shape,
        good: Body::Json(good),
        wrong: Body::Json(bad),
        field,
    }
}

fn of_form(
    path: &'static str,
    model: &str,
    texts: &[(&str, &str)],
    file: &str,
    wrong: (&'static str, &str),
) -> Endpoint {
    let model = ("model", model);
    let good: Vec<_> = [model].into_iter().chain(texts.iter().copied()).collect();
    let bad: Vec<_> = good.iter().copied().chain([wrong]).collect();
    let file = (file, "file.bin", &b"not read"[..]);
    Endpoint {
        path,
        shape: Shape::OpenAi,
        good: Body::Form(form(&good, good.len(), file)),
        wrong: Body::Form(form(&bad, bad.len(), file)),
        field: wrong.0,
    }
}

fn endpoints() -> Vec<Endpoint> {
    let mut all = text_endpoints();
    all.extend(other_endpoints());
    all
}

fn text_endpoints() -> Vec<Endpoint> {
    let user = json!([{"role": "user", "content": "Hi"}]);
    let contents = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]});
    let messages = json!({"model": "demo-chat", "max_tokens": 9, "messages": user});
    vec![
        of_json(
            "/v1/chat/completions",
            json!({"model": "demo-chat", "messages": user}),
            "messages",
            json!("Hi"),
        ),
        of_json(
            "/v1/completions",
            json!({"model": "demo-chat", "prompt": "Hi"}),
            "max_tokens",
            json!("many"),
        ),
        of_json("/v1/messages", messages.clone(), "max_tokens", json!(0)),
        of_json(
            "/v1/messages/count_tokens",
            messages,
            "messages",
            json!("Hi"),
        ),
        of_json(
            "/v1/responses",
            json!({"model": "demo-chat", "input": "Hi"}),
            "input",
            json!(7),
        ),
        of_json(
            "/v1beta/models/demo-chat:generateContent",
            contents.clone(),
            "contents",
            json!(7),
        ),
        of_json(
            "/v1beta/models/demo-chat:streamGenerateContent",
            contents.clone(),
            "contents",
            json!(7),
        ),
        of_json(
            "/v1/models/demo-chat:countTokens",
            contents,
            "contents",
            json!(7),
        ),
    ]
}

fn other_endpoints() -> Vec<Endpoint> {
    let content = json!({"content": {"parts": [{"text": "Hi"}]}});
    let ranked = json!({"model": "demo-rerank", "query": "a", "documents": ["a", "b"]});
    vec![
        of_json(
            "/v1beta/models/demo-embedding:embedContent",
            content,
            "content",
            json!(7),
        ),
        of_json(
            "/v1/embeddings",
            json!({"model": "demo-embedding", "input": "Hi"}),
            "input",
            json!(7),
        ),
        of_json("/v1/rerank", ranked.clone(), "documents", json!("a")),
        of_json("/v2/rerank", ranked.clone(), "documents", json!("a")),
        of_json("/rerank", ranked, "documents", json!("a")),
        of_json(
            "/v1/moderations",
            json!({"model": "demo-moderation", "input": "Hi"}),
            "input",
            json!(7),
        ),
        of_json(
            "/v1/images/generations",
            json!({"model": "demo-image", "prompt": "a fox"}),
            "n",
            json!("two"),
        ),
        of_form(
            "/v1/images/edits",
            "demo-image",
            &[("prompt", "a fox")],
            "image",
            ("n", "two"),
        ),
        of_form(
            "/v1/images/variations",
            "demo-image",
            &[],
            "image",
            ("n", "two"),
        ),
        of_form(
            "/v1/audio/transcriptions",
            "demo-transcribe",
            &[],
            "file",
            ("response_format", "runes"),
        ),
        of_form(
            "/v1/audio/translations",
            "demo-transcribe",
            &[],
            "file",
            ("response_format", "runes"),
        ),
        of_json(
            "/v1/audio/speech",
            json!({"model": "demo-speech", "input": "Hi", "voice": "alloy"}),
            "response_format",
            json!(7),
        ),
    ]
}

/// Posts with these credentials.
fn ask(gateway: &Gateway, path: &str, key: &str, kind: &str, body: &[u8]) -> Answer {
    let headers = [
        ("x-api-key", key),
        ("content-type", kind),
        ("provider-version", "2023-06-01"),
    ];
    post(gateway.program.address, path, &headers, body)
}

/// Checks a refusal, and gives its text.
fn refused(endpoint: &Endpoint, answer: &Answer, status: u16, code: &str, what: &str) -> String {
    let what = format!(
        "{}, {what}: {}",
        endpoint.path,
        String::from_utf8_lossy(&answer.body)
    );
    assert_eq!(answer.status, status, "{what}");
    assert_eq!(answer.header("content-type"), "application/json", "{what}");
    assert!(!answer.header("x-request-id").is_empty(), "{what}");
    let body = answer.json();
    let error = &body["error"];
    match endpoint.shape {
        Shape::OpenAi => {
            assert_eq!(error["code"], code, "{what}");
            let all = ["message", "type", "param", "code"];
            assert!(all.iter().all(|field| error[*field].is_string()), "{what}");
        }
        Shape::Messages => {
            assert_eq!(body["type"], "error", "{what}");
            assert!(
                error["type"].is_string() && body["request_id"].is_string(),
                "{what}"
            );
        }
        Shape::Google => {
            assert_eq!(error["code"], status, "{what}");
            assert!(error["status"].is_string(), "{what}");
        }
    }
    let text = error["message"].as_str().expect("a text").to_owned();
    assert!(text.len() > 10, "{what}");
    text
}

/// What the user owns, and how many attempts are in the log.
fn traces(gateway: &Gateway) -> (i64, usize) {
    let attempts = gateway.records(async |store| {
        let bounds = PageBounds::rows(1000);
        let page = request_log::page(store.read(), &LogFilter::default(), None, bounds).await;
        let calls = page.expect("the records answer").items;
        calls.iter().map(|call| call.attempts.0.len()).sum()
    });
    (gateway.owned(), attempts)
}

/// Sends a part of a body and nothing more.
fn half(gateway: &Gateway, path: &str, kind: &str, body: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(gateway.program.address).expect("the service accepts");
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).expect("a timeout");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: gate\r\nx-api-key: {}\r\nprovider-version: 2023-06-01\r\n\
         content-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        gateway.token,
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    stream.write_all(&body[..body.len() / 2]).expect("it reads");
    stream.shutdown(Shutdown::Write).expect("it is open");
    let mut answer = String::new();
    // The service may close without a word: nobody is there to hear it.
    let _ = stream.read_to_string(&mut answer);
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
fn a_bad_request_is_refused_on_every_endpoint_and_leaves_no_trace() {
    let gateway = Gateway::start();
    let before = traces(&gateway);
    let key = gateway.token.clone();
    for endpoint in endpoints() {
        let (path, kind) = (endpoint.path, endpoint.good.kind());
        let good = endpoint.good.bytes();
        let check =
            |answer: &Answer, status, code, what| refused(&endpoint, answer, status, code, what);
        let answer = post(
            gateway.program.address,
            path,
            &[("content-type", kind)],
            &good,
        );
        check(&answer, 401, "invalid_api_key", "no token");
        let answer = ask(&gateway, path, "sk-unknown-to-everybody", kind, &good);
        check(&answer, 401, "invalid_api_key", "unknown token");
        let answer = ask(&gateway, path, &key, "text/plain", &good);
        check(&answer, 415, "unsupported_media_type", "wrong media type");
        let answer = ask(&gateway, path, &key, kind, b"");
        check(&answer, 400, "invalid_request", "empty body");
        let answer = ask(&gateway, path, &key, kind, &endpoint.wrong.bytes());
        let text = check(&answer, 400, "invalid_request", "wrong type");
        assert!(text.contains(endpoint.field), "{path}: {text}");
        let (other, body) = match endpoint.shape {
            Shape::Google => (path.replace("demo-", "none-"), good.clone()),
            _ => (path.to_owned(), endpoint.good.of_model("none-")),
        };
        let answer = ask(&gateway, &other, &key, kind, &body);
        let text = check(&answer, 404, "model_not_found", "unknown model");
        assert!(text.contains("none-"), "{path}: {text}");
        let status = half(&gateway, path, kind, &good);
        assert!(
            matches!(status, None | Some(400)),
            "{path}, half: {status:?}"
        );
    }
    assert_eq!(traces(&gateway), before);
}

#[test]
fn ten_megabytes_of_brackets_are_refused_on_every_endpoint() {
    let gateway = Gateway::start();
    let before = traces(&gateway);
    let brackets = vec![b'['; 10 << 20];
    for endpoint in endpoints() {
        let kind = endpoint.good.kind();
        let answer = ask(&gateway, endpoint.path, &gateway.token, kind, &brackets);
        refused(&endpoint, &answer, 400, "invalid_request", "brackets");
    }
    assert_eq!(traces(&gateway), before);
}

#[test]
fn a_limit_that_is_exceeded_is_told_on_every_endpoint() {
    let gateway = Gateway::with_config("[limits]\nrpm = 1\n");
    let key = gateway.token.clone();
    let chat = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hi"}]});
    assert_eq!(gateway.post("/v1/chat/completions", &chat).status, 200);
    let before = traces(&gateway);
    // Counting costs nothing and is not counted.
    let counts = |endpoint: &Endpoint| endpoint.path.to_lowercase().contains("tokens");
    for endpoint in endpoints().into_iter().filter(|it| !counts(it)) {
        let good = &endpoint.good;
        let answer = ask(&gateway, endpoint.path, &key, good.kind(), &good.bytes());
        refused(&endpoint, &answer, 429, "rate_limit_exceeded", "limit");
        let seconds: u64 = answer.header("retry-after").parse().expect("seconds");
        assert!((1..=60).contains(&seconds), "{}", endpoint.path);
    }
    assert_eq!(traces(&gateway), before);
}
