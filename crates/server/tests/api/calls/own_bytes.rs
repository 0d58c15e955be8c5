//! Where client and upstream speak one dialect, each has the other's own bytes.

use super::vendor::{CHAT, GENERATE, MESSAGES, RESPONSES, Vendor, asks};
use super::vendor_replies::{stream, whole};
use testkit::Reply as Scripted;

#[test]
fn a_body_goes_through_but_for_the_models_name() {
    for (speaks, client, body) in [
        (
            CHAT,
            "chat",
            r#"{ "model":"m" , "messages":[{"role":"user","content":"h\u00e4\n"}],"x_new":{"a":1.50}}"#,
        ),
        (
            MESSAGES,
            "messages",
            r#"{"max_tokens": 5,"model":"m","messages":[{"role":"user","content":"hi"}],"x_new":[1e2]}"#,
        ),
        (
            RESPONSES,
            "responses",
            r#"{"store":false,"input":"hi","model":"m","x_new":null}"#,
        ),
        (
            GENERATE,
            "generate",
            r#"{"contents":[{"parts":[{"text":"hi"}],"x_new":1.0}]}"#,
        ),
    ] {
        let vendor = Vendor::speaking(speaks);
        let mut answer = whole(client).to_string();
        answer.insert_str(1, r#" "x_new" : 1.50,"#);
        let reply = Scripted::body("application/json", answer.clone());
        vendor.upstream().on(speaks.path, reply);
        let reply = vendor.post_text(&asks(client, false).0, &[], body);
        assert_eq!(reply.body, answer, "{client}");
        let sent = vendor.upstream().only_request();
        let renamed = body.replace(r#""model":"m""#, r#""model":"up""#);
        assert_eq!(sent.text(), renamed, "{client}");
    }
}

#[test]
fn a_stream_goes_through_as_it_is() {
    let vendor = Vendor::speaking(MESSAGES);
    let frames = ": hello\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n";
    let reply = stream("messages").bytes(frames);
    vendor.upstream().on(MESSAGES.path, reply);
    let (path, body) = asks("messages", true);
    let reply = vendor.post(&path, &body);
    assert!(
        reply.body.starts_with("event: message_start\ndata: {"),
        "{}",
        reply.body
    );
    assert!(reply.body.contains("\"model\":\"up-real\""));
}

#[test]
fn usage_is_asked_for_and_not_shown_to_who_did_not_ask() {
    let vendor = Vendor::speaking(CHAT);
    vendor.upstream().on(CHAT.path, stream("chat"));
    let (path, mut body) = asks("chat", true);
    let reply = vendor.post(&path, &body);
    assert!(!reply.body.contains("prompt_tokens"), "{}", reply.body);
    let sent = vendor.upstream().only_request().json();
    assert_eq!(sent["stream_options"]["include_usage"], true);
    assert_eq!(vendor.logged(&reply).0.output_tokens, 2);
    body["stream_options"] = serde_json::json!({"include_usage": true});
    let reply = vendor.post(&path, &body);
    assert!(reply.body.contains("prompt_tokens"), "{}", reply.body);
}

#[test]
fn headers_pass_by_name_and_credentials_never() {
    let vendor = Vendor::speaking(MESSAGES);
    vendor.answers(MESSAGES, &whole("messages"));
    let (path, body) = asks("messages", false);
    let more = [
        ("anthropic-beta", "context-1m,tools-2"),
        ("x-stainless-os", "Linux"),
        ("cookie", "session=1"),
        ("x-forwarded-for", "10.0.0.1"),
    ];
    let reply = vendor.post_text(&format!("{path}?beta=true"), &more, &body.to_string());
    assert_eq!(reply.status, 200);
    let sent = vendor.upstream().only_request();
    assert_eq!(sent.query, "beta=true");
    assert_eq!(sent.header("anthropic-beta"), Some("context-1m,tools-2"));
    assert_eq!(sent.header("x-api-key"), Some("sk-vendor"));
    for name in [
        "authorization",
        "x-stainless-os",
        "cookie",
        "x-forwarded-for",
    ] {
        assert_eq!(sent.header(name), None, "{name}");
    }
}

#[test]
fn a_cap_that_the_wallet_cannot_pay_for_is_lowered_in_the_body() {
    // 2,000 nano-dollars for a few input tokens, 1,000 tokens of output cost ten million.
    let vendor = Vendor::with(&[CHAT], "0.001");
    vendor.answers(CHAT, &whole("chat"));
    let (path, mut body) = asks("chat", false);
    body["max_completion_tokens"] = 1000.into();
    body["x_new"] = 1.into();
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let sent = vendor.upstream().only_request().json();
    let cap = sent["max_completion_tokens"].as_u64().expect("a cap");
    assert!((1..100).contains(&cap), "{cap}");
    assert_eq!(sent["x_new"], 1);
    let vendor = Vendor::with(&[CHAT], "0.000001");
    let reply = vendor.post(&path, &body);
    assert_eq!(
        (reply.status, &reply.json()["error"]["code"]),
        (402, &"insufficient_quota".into())
    );
    assert!(vendor.upstream().requests().is_empty());
}

#[test]
fn counters_that_an_upstream_leaves_out_are_there_for_the_client() {
    let vendor = Vendor::speaking(MESSAGES);
    let mut answer = whole("messages");
    answer["usage"] = serde_json::json!({"input_tokens": 7, "output_tokens": 2});
    vendor.answers(MESSAGES, &answer);
    let (path, body) = asks("messages", false);
    let usage = vendor.post(&path, &body).json()["usage"].clone();
    assert_eq!(usage["input_tokens"], 7);
    assert_eq!(usage["cache_read_input_tokens"], 0, "{usage}");
    assert_eq!(usage["cache_creation_input_tokens"], 0, "{usage}");
    let start = r#"{"type":"message_start","message":{"id":"msg_1","type":"message",
        "role":"assistant","model":"up-real","content":[],"stop_reason":null,
        "usage":{"input_tokens":7,"output_tokens":0}}}"#;
    let frames = [
        (
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        ),
        (
            "content_block_delta",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}"#,
        ),
        (
            "content_block_stop",
            r#"{"type":"content_block_stop","index":0}"#,
        ),
        (
            "message_delta",
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}"#,
        ),
        ("message_stop", r#"{"type":"message_stop"}"#),
    ];
    let mut reply = Scripted::sse().event("message_start", &start.replace('\n', ""));
    for (name, data) in frames {
        reply = reply.event(name, data);
    }
    vendor.upstream().on(MESSAGES.path, reply);
    let (path, body) = asks("messages", true);
    let reply = vendor.post(&path, &body);
    let first = reply.body.lines().nth(1).expect("a frame");
    assert!(first.contains("cache_read_input_tokens"), "{}", reply.body);
    assert!(reply.body.contains("event: message_stop"), "{}", reply.body);
}
