//! Operations on vendors of other shapes: what reaches them, what comes back, what it costs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::exchange::{Answer, form, post};
use super::vendor::{CHAT, GENERATE, GRANT_NANOS, Speaks, Vendor};

const COHERE: Speaks = Speaks {
    provider: "cohere",
    dialect: "chat",
    path: "/v2/embed",
    stream_path: "/v2/rerank",
};

impl Vendor {
    fn post_as(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        let headers = [("authorization", bearer.as_str()), ("content-type", kind)];
        post(self.gate.address, path, &headers, body)
    }

    fn post_form(&self, path: &str, body: &[u8]) -> Answer {
        self.post_as(path, "multipart/form-data; boundary=BoUnd", body)
    }
}

#[test]
fn more_inputs_than_a_vendor_takes_become_several_calls_and_one_answer() {
    let vendor = Vendor::speaking(GENERATE);
    vendor
        .upstream()
        .on_request("/v1beta/models/up:batchEmbedContents", |request| {
            let count = request.json()["requests"].as_array().expect("a list").len();
            let vectors = vec![json!({"values": [0.5, 0.25]}); count];
            Scripted::json(&json!({ "embeddings": vectors }))
        });
    let inputs = vec!["word"; 150];
    let body = json!({"model": "m", "input": inputs, "encoding_format": "base64"});
    let reply = vendor.post("/v1/embeddings", &body);
    let answer = reply.json();
    assert_eq!(answer["data"].as_array().expect("a list").len(), 150);
    assert_eq!(answer["data"][149]["index"], 149);
    let bytes = STANDARD.decode(answer["data"][0]["embedding"].as_str().expect("text"));
    assert_eq!(bytes.expect("base64"), [0, 0, 0, 63, 0, 0, 128, 62]);
    let requests = vendor.upstream().requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(
        requests[0].json()["requests"]
            .as_array()
            .expect("a list")
            .len(),
        100
    );
    // The vendor tells no usage: 150 tokens were counted, at one dollar a million.
    let (row, attempts) = vendor.logged(&reply);
    assert_eq!((row.charge_nanos, row.is_estimated), (150_000, true));
    assert_eq!(attempts.len(), 1);
}

#[test]
fn a_client_of_google_is_served_by_a_vendor_of_the_common_format() {
    let vendor = Vendor::speaking(CHAT);
    let body = json!({"object": "list", "model": "up", "usage": {"prompt_tokens": 3, "total_tokens": 3},
        "data": [{"object": "embedding", "index": 0, "embedding": [1.0, 0.0]}]});
    vendor
        .upstream()
        .on("/v1/embeddings", Scripted::json(&body));
    let ask =
        json!({"content": {"parts": [{"text": "three small words"}]}, "outputDimensionality": 2});
    let reply = vendor.post("/v1beta/models/m:embedContent", &ask);
    assert_eq!(reply.json()["embedding"]["values"], json!([1.0, 0.0]));
    let sent = vendor.upstream().only_request().json();
    assert_eq!(
        (&sent["model"], &sent["dimensions"]),
        (&json!("up"), &json!(2))
    );
    assert_eq!(vendor.logged(&reply).0.charge_nanos, 3_000);
}

#[test]
fn what_a_vendor_cannot_be_told_never_reaches_it() {
    let vendor = Vendor::speaking(GENERATE);
    let tokens = json!({"model": "m", "input": [[1, 2, 3]]});
    let reply = vendor.post("/v1/embeddings", &tokens);
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (400, &json!("unsupported"))
    );
    let mp3 = json!({"model": "m", "input": "Hi", "voice": "alloy", "response_format": "mp3"});
    assert_eq!(vendor.post("/v1/audio/speech", &mp3).status, 400);
    let strict = [("x-modelgate-strict", "true")];
    let style = json!({"model": "m", "prompt": "x", "style": "vivid"}).to_string();
    assert_eq!(
        vendor
            .post_text("/v1/images/generations", &strict, &style)
            .status,
        400
    );
    assert!(vendor.upstream().requests().is_empty());
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn a_rerank_crosses_to_cohere_and_back() {
    let vendor = Vendor::speaking(COHERE);
    let body = json!({"id": "r1", "results": [{"index": 1, "relevance_score": 0.9},
        {"index": 0, "relevance_score": 0.1}], "meta": {"billed_units": {"search_units": 1},
        "tokens": {"input_tokens": 20}}});
    vendor.upstream().on("/v2/rerank", Scripted::json(&body));
    let ask = json!({"model": "m", "query": "q", "documents": [{"text": "a"}, "b"],
        "return_documents": true});
    let reply = vendor.post("/v1/rerank", &ask);
    let answer = reply.json();
    assert_eq!(
        answer["results"][0],
        json!({"index": 1, "relevance_score": 0.9,
        "document": {"text": "b"}})
    );
    let sent = vendor.upstream().only_request().json();
    assert_eq!(
        (&sent["model"], &sent["documents"]),
        (&json!("up"), &json!(["a", "b"]))
    );
    assert_eq!(vendor.logged(&reply).0.charge_nanos, 20_000);
}

#[test]
fn each_image_of_a_model_of_google_is_a_call_and_the_tokens_are_added_up() {
    let vendor = Vendor::speaking(GENERATE);
    let drawn = json!({"candidates": [{"content": {"parts": [
        {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 1290, "totalTokenCount": 1295}});
    vendor
        .upstream()
        .on("/v1beta/models/up:generateContent", Scripted::json(&drawn));
    let ask = json!({"model": "m", "prompt": "a fox", "n": 2, "size": "1536x1024"});
    let reply = vendor.post("/v1/images/generations", &ask);
    let answer = reply.json();
    assert_eq!(
        answer["data"],
        json!([{"b64_json": "iVBO"}, {"b64_json": "iVBO"}])
    );
    assert_eq!(answer["usage"]["total_tokens"], 2590);
    let requests = vendor.upstream().requests();
    assert_eq!(requests.len(), 2);
    let config = &requests[0].json()["generationConfig"]["imageConfig"];
    assert_eq!(config["aspectRatio"], "3:2");
    // 10 tokens at one dollar a million, 2,580 at ten.
    assert_eq!(vendor.logged(&reply).0.charge_nanos, 10_000 + 25_800_000);
    let png = b"\x89PNG\r\n\x1a\nx";
    let edit = form(
        &[("model", "m"), ("prompt", "night"), ("stream", "true")],
        1,
        ("image", "a", png),
    );
    let events = vendor.post_form("/v1/images/edits", &edit).events();
    assert_eq!(events[0]["type"], "image_edit.completed");
    let sent = vendor.upstream().requests()[2].json();
    let parts = &sent["contents"][0]["parts"];
    assert_eq!(parts[1]["inlineData"]["mimeType"], "image/png");
    let refused = json!({"candidates": [{"finishReason": "IMAGE_SAFETY"}]});
    vendor.upstream().on(
        "/v1beta/models/up:generateContent",
        Scripted::json(&refused),
    );
    assert_eq!(vendor.post("/v1/images/generations", &ask).status, 400);
}

#[test]
fn models_of_google_speak_and_write_down() {
    let vendor = Vendor::speaking(GENERATE);
    let spoken = json!({"candidates": [{"content": {"parts": [{"inlineData":
        {"mimeType": "audio/L16;codec=pcm;rate=24000", "data": STANDARD.encode([0; 480])}}]}}],
        "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 8, "totalTokenCount": 12}});
    let path = "/v1beta/models/up:generateContent";
    vendor.upstream().on(path, Scripted::json(&spoken));
    let ask = json!({"model": "m", "input": "Hi", "voice": "alloy"}).to_string();
    let answer = vendor.post_as("/v1/audio/speech", "application/json", ask.as_bytes());
    assert_eq!(
        (answer.header("content-type"), answer.body.len()),
        ("audio/wav", 524)
    );
    let written = json!({"candidates": [{"content": {"parts": [{"text": "Good morning."}]}}],
        "usageMetadata": {"promptTokenCount": 64, "candidatesTokenCount": 3, "totalTokenCount": 67}});
    vendor.upstream().on(path, Scripted::json(&written));
    let ask = form(
        &[("model", "m"), ("language", "en")],
        0,
        ("file", "a.wav", b"RIFF....WAVE"),
    );
    let answer = vendor.post_form("/v1/audio/transcriptions", &ask);
    assert_eq!(answer.json()["text"], "Good morning.");
    let sent: Value = vendor.upstream().requests()[1].json();
    assert_eq!(
        sent["contents"][0]["parts"][1]["inlineData"]["mimeType"],
        "audio/wav"
    );
    let row = vendor.logged_as(answer.header("x-request-id")).0;
    assert_eq!(
        (row.charge_nanos, row.is_estimated),
        (64_000 + 30_000, false)
    );
    let srt = [("model", "m"), ("response_format", "srt")];
    let ask = form(&srt, 2, ("file", "a.wav", b"x"));
    assert_eq!(
        vendor.post_form("/v1/audio/transcriptions", &ask).status,
        400
    );
}

#[test]
fn a_large_form_reaches_google_with_what_comes_after_its_image() {
    let vendor = Vendor::speaking(GENERATE);
    let drawn = json!({"candidates": [{"content": {"parts": [
        {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]}, "finishReason": "STOP"}]});
    let path = "/v1beta/models/up:generateContent";
    vendor.upstream().on(path, Scripted::json(&drawn));
    let texts = [("model", "m"), ("prompt", "at night"), ("n", "2")];
    let ask = form(&texts, 1, ("image", "a.png", &vec![7; 3 << 20]));
    let answer = vendor.post_form("/v1/images/edits", &ask);
    assert_eq!(answer.json()["data"].as_array().expect("a list").len(), 2);
    let sent = vendor.upstream().requests();
    assert_eq!(sent.len(), 2);
    assert_eq!(
        sent[0].json()["contents"][0]["parts"][0]["text"],
        "at night"
    );
    let without_prompt = form(&texts[..1], 1, ("image", "a.png", &vec![7; 3 << 20]));
    let answer = vendor.post_form("/v1/images/edits", &without_prompt);
    assert_eq!(
        (answer.status, &answer.json()["error"]["param"]),
        (400, &json!("prompt"))
    );
}

#[test]
fn what_google_cannot_be_told_of_a_form_is_named_or_refused() {
    let vendor = Vendor::speaking(GENERATE);
    let answer = json!({"candidates": [{"content": {"parts": [{"text": "Good morning."},
        {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]}, "finishReason": "STOP"}]});
    let path = "/v1beta/models/up:generateContent";
    vendor.upstream().on(path, Scripted::json(&answer));
    let recording = [
        ("model", "m"),
        ("temperature", "0.5"),
        ("timestamp_granularities[]", "word"),
        ("language", "en"),
    ];
    let image = [("model", "m"), ("prompt", "x"), ("background", "opaque")];
    for (path, ask, dropped) in [
        (
            "/v1/audio/transcriptions",
            form(&recording, 1, ("file", "a.wav", b"RIFF....WAVE")),
            "temperature,timestamp_granularities",
        ),
        (
            "/v1/images/edits",
            form(&image, 2, ("image", "a.png", b"x")),
            "background",
        ),
    ] {
        let answer = vendor.post_form(path, &ask);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.header("x-modelgate-dropped"), dropped);
        let bearer = format!("Bearer {}", vendor.token);
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "multipart/form-data; boundary=BoUnd"),
            ("x-modelgate-strict", "true"),
        ];
        let strict = post(vendor.gate.address, path, &headers, &ask);
        assert_eq!(strict.failure(), (400, "unsupported".to_owned()));
    }
    assert_eq!(vendor.upstream().requests().len(), 2);
}
