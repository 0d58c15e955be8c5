//! A client that leaves: its upstream is closed at once, and it pays for what was generated.

use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{Ending, Reply as Scripted};

use super::vendor::{CHAT, GRANT_NANOS, MESSAGES, Speaks, Vendor, asks};
use super::vendor_replies::begun;
use crate::support::Connection;

/// How fast an upstream must be closed.
const AT_ONCE: Duration = Duration::from_millis(100);

/// Asks, and leaves the answer to be read.
pub fn ask(vendor: &Vendor, client: &str, stream: bool) -> Connection {
    let (path, body) = asks(client, stream);
    let body = body.to_string();
    let mut connection = Connection::open(vendor.gate.address);
    connection.write(&format!(
        "POST {path} HTTP/1.1\r\nhost: gate\r\nauthorization: Bearer {}\r\n\
         provider-version: 2023-06-01\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        vendor.token,
        body.len()
    ));
    connection
}

/// Waits until the upstream noticed that its peer left, and says how long that took.
fn left_after(vendor: &Vendor, since: Instant) -> Duration {
    let ending = vendor.runtime.block_on(vendor.upstream().ending(0));
    match ending {
        Ending::LeftByPeer { at } => at.saturating_duration_since(since),
        other => panic!("the upstream saw another end: {other:?}"),
    }
}

#[test]
fn who_leaves_before_the_head_pays_nothing() {
    for (client, stream) in [("chat", false), ("chat", true), ("messages", true)] {
        let vendor = Vendor::speaking(CHAT);
        vendor.upstream().on(CHAT.path, Scripted::silence());
        let connection = ask(&vendor, client, stream);
        vendor
            .runtime
            .block_on(vendor.upstream().wait_for_requests(1));
        let since = Instant::now();
        drop(connection);
        assert!(left_after(&vendor, since) < AT_ONCE);
        assert_eq!(vendor.owned(), GRANT_NANOS);
        let call = vendor.newest();
        assert_eq!((call.status, call.charge_nanos), (499, 0));
    }
}

fn leave_in_the_middle(speaks: Speaks, client: &str) {
    let vendor = Vendor::speaking(speaks);
    let reply = begun(speaks.dialect).stall();
    vendor.upstream().on(speaks.stream_path, reply);
    let mut connection = ask(&vendor, client, true);
    connection.read_until("there");
    let since = Instant::now();
    drop(connection);
    assert!(left_after(&vendor, since) < AT_ONCE);
    // The settlement may come a moment later than the upstream's end.
    let deadline = Instant::now() + Duration::from_secs(5);
    while vendor.owned() == GRANT_NANOS && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    let call = vendor.newest();
    assert!(call.is_estimated, "{call:?}");
    assert_eq!(call.output_tokens, 2, "{call:?}");
    assert!(call.charge_nanos >= 20_000, "{call:?}");
    assert_eq!(vendor.owned(), GRANT_NANOS - call.charge_nanos);
    assert_eq!(call.error_cause.as_deref(), Some("client_left"));
}

#[test]
fn who_leaves_in_the_middle_pays_for_what_was_generated() {
    leave_in_the_middle(CHAT, "chat");
    leave_in_the_middle(CHAT, "messages");
    leave_in_the_middle(MESSAGES, "messages");
    leave_in_the_middle(MESSAGES, "responses");
}

#[test]
fn an_answer_without_usage_is_counted_and_marked() {
    let vendor = Vendor::speaking(CHAT);
    let answer = json!({"id": "c1", "object": "chat.completion", "created": 1, "model": "up-real",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello there"},
            "finish_reason": "stop"}]});
    vendor.answers(CHAT, &answer);
    let (path, body) = asks("chat", false);
    let reply = vendor.post(&path, &body);
    let (call, _) = vendor.logged(&reply);
    assert!(call.is_estimated && call.charge_nanos > 0, "{call:?}");
    assert_eq!(call.output_tokens, 2);
}

#[test]
fn an_empty_answer_costs_nothing() {
    let vendor = Vendor::speaking(CHAT);
    let answer = json!({"id": "c1", "object": "chat.completion", "created": 1, "model": "up-real",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ""},
            "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 0, "total_tokens": 7}});
    vendor.answers(CHAT, &answer);
    let (path, body) = asks("chat", false);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200);
    assert_eq!(vendor.logged(&reply).0.charge_nanos, 0);
}
