//! What happens when a channel fails: another one takes over while nothing was said, and the client
//! hears of it in its own words afterwards.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{CHAT, GRANT_NANOS, MESSAGES, Vendor, asks};
use super::vendor_replies::{begun, stream, whole};

fn error(message: &str) -> Value {
    json!({"error": {"message": message, "type": "x", "code": "y"}})
}

#[test]
fn a_failed_channel_is_left_for_the_next() {
    let faults = [
        Scripted::json(&error("broken")).status(500),
        Scripted::json(&error("bad key sk-vendor")).status(401),
        Scripted::too_many_requests("7"),
        Scripted::html(502),
        Scripted::nothing(),
        Scripted::body("application/json", "{\"id\":"),
    ];
    for fault in faults {
        let vendor = Vendor::with(&[CHAT, MESSAGES], "100");
        vendor.upstreams[0].on(CHAT.path, fault);
        vendor.upstreams[1].on(MESSAGES.path, Scripted::json(&whole("messages")));
        let (path, body) = asks("chat", false);
        let reply = vendor.post(&path, &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let (call, attempts) = vendor.logged(&reply);
        assert_eq!(attempts.len(), 2, "{attempts:?}");
        assert!(attempts[0].error.is_some() && attempts[1].error.is_none());
        assert_eq!(call.charge_nanos, 27_000);
    }
}

#[test]
fn a_stream_that_breaks_before_its_first_content_is_taken_over() {
    for fault in [
        Scripted::sse().cut(),
        Scripted::sse().data(r#"{"id":"c1","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}"#).cut(),
        Scripted::sse().data(r#"{"error":{"message":"overloaded","type":"server_error","code":null}}"#),
    ] {
        let vendor = Vendor::with(&[CHAT, CHAT], "100");
        vendor.upstreams[0].on(CHAT.path, fault);
        vendor.upstreams[1].on(CHAT.path, stream("chat"));
        let (path, body) = asks("chat", true);
        let reply = vendor.post(&path, &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        assert!(reply.body.ends_with("data: [DONE]\n\n"), "{}", reply.body);
        assert_eq!(reply.body.matches("Hello").count(), 1);
        assert_eq!(vendor.logged(&reply).1.len(), 2);
    }
}

#[test]
fn a_stream_that_breaks_later_ends_with_an_error_frame_and_costs_nothing() {
    for (client, speaks) in [
        ("chat", CHAT),
        ("messages", CHAT),
        ("responses", CHAT),
        ("generate", CHAT),
        ("messages", MESSAGES),
        ("chat", MESSAGES),
    ] {
        let vendor = Vendor::with(&[speaks, speaks], "100");
        vendor.upstreams[0].on(speaks.path, begun(speaks.dialect).cut());
        let (path, body) = asks(client, true);
        let reply = vendor.post(&path, &body);
        let what = format!("{client} to {}: {}", speaks.dialect, reply.body);
        assert_eq!(reply.status, 200, "{what}");
        assert!(reply.body.contains("Hello"), "{what}");
        let (sign, end) = match client {
            "messages" => ("event: error", "message_stop"),
            "responses" => ("response.failed", "response.completed"),
            _ => ("\"error\":{", "[DONE]"),
        };
        assert!(
            reply.body.contains(sign) && !reply.body.contains(end),
            "{what}"
        );
        let (call, attempts) = vendor.logged(&reply);
        assert_eq!((call.charge_nanos, attempts.len()), (0, 1), "{what}");
        assert!(
            call.error_cause.is_some() && attempts[0].error.is_some(),
            "{what}"
        );
        assert!(vendor.upstreams[1].requests().is_empty(), "{what}");
        assert_eq!(vendor.owned(), GRANT_NANOS);
    }
}

#[test]
fn what_is_wrong_with_the_request_is_told_in_the_callers_shape_and_not_retried() {
    let vendor = Vendor::with(&[CHAT, CHAT], "100");
    let refusal = json!({"error": {"message": "temperature is too high", "param": "temperature",
        "type": "invalid_request_error", "code": null}});
    vendor.upstreams[0].on(CHAT.path, Scripted::json(&refusal).status(400));
    for client in ["chat", "messages", "generate", "responses"] {
        let (path, body) = asks(client, false);
        let reply = vendor.post(&path, &body);
        assert_eq!(reply.status, 400, "{}", reply.body);
        let message = &reply.json()["error"]["message"];
        assert!(
            message.as_str().unwrap().contains("temperature"),
            "{message}"
        );
    }
    assert!(vendor.upstreams[1].requests().is_empty());
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn the_gateways_own_trouble_with_a_vendor_is_not_shown() {
    let vendor = Vendor::speaking(CHAT);
    let refusal = error("Incorrect API key provided: sk-vendor");
    vendor
        .upstream()
        .on(CHAT.path, Scripted::json(&refusal).status(401));
    let (path, body) = asks("chat", false);
    let reply = vendor.post(&path, &body);
    assert!(
        matches!(reply.status, 502 | 503),
        "{} {}",
        reply.status,
        reply.body
    );
    assert!(
        !reply.body.contains("sk-vendor") && !reply.body.contains("API key"),
        "{}",
        reply.body
    );
}

#[test]
fn a_channel_without_an_alternative_gets_one_retry() {
    for fault in [
        Scripted::json(&error("broken")).status(500),
        Scripted::too_many_requests("1"),
    ] {
        let vendor = Vendor::speaking(CHAT);
        let replies = [fault, Scripted::json(&whole("chat"))];
        vendor.upstream().on_each(CHAT.path, replies);
        let (path, body) = asks("chat", false);
        let reply = vendor.post(&path, &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let (call, attempts) = vendor.logged(&reply);
        assert_eq!((call.charge_nanos, attempts.len()), (27_000, 2));
    }
}

#[test]
fn a_context_that_is_too_long_moves_to_another_upstream_model() {
    let too_long = json!({"error": {"message": "This model's maximum context length is 8192 tokens.",
        "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}});
    let vendor = Vendor::with(&[CHAT, CHAT, CHAT], "100");
    for upstream in &vendor.upstreams[..2] {
        upstream.on(CHAT.path, Scripted::json(&too_long).status(400));
    }
    vendor.upstreams[2].on(CHAT.path, Scripted::json(&whole("chat")));
    let (path, body) = asks("chat", false);
    // All three channels have the same upstream model: the first error is returned.
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert_eq!(reply.json()["error"]["code"], "context_length_exceeded");
    assert!(vendor.upstreams[2].requests().is_empty());
    vendor.map_model(2, "up-long");
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(vendor.upstreams[1].requests().len(), 0);
    assert_eq!(vendor.logged(&reply).1.len(), 2);
}

#[test]
fn moves_to_a_healthy_channel_never_exhaust_the_retry_budget() {
    let vendor = Vendor::with(&[CHAT, CHAT], "100");
    vendor.upstreams[0].on(
        CHAT.path,
        Scripted::json(&error("broken"))
            .status(500)
            .after(Duration::from_millis(300)),
    );
    vendor.upstreams[1].on(CHAT.path, Scripted::json(&whole("chat")));
    let (path, body) = asks("chat", false);
    let failed = std::thread::scope(|scope| {
        let call = || vendor.post(&path, &body).status;
        let calls: Vec<_> = (0..60).map(|_| scope.spawn(call)).collect();
        let statuses = calls.into_iter().map(|call| call.join().expect("a call"));
        statuses.filter(|status| *status != 200).count()
    });
    assert_eq!(failed, 0);
}

#[test]
fn one_channel_that_is_called_too_often_says_when_to_come_again() {
    let vendor = Vendor::speaking(CHAT);
    vendor
        .upstream()
        .on(CHAT.path, Scripted::too_many_requests("7"));
    let (path, body) = asks("chat", false);
    let reply = vendor.post(&path, &body);
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (429, Some("7"))
    );
}
