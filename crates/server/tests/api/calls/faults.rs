//! Every fault of an upstream, streamed and not, with another channel at hand and without: what the
//! client sees, what is logged, and what it costs.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{CHAT, GENERATE, GRANT_NANOS, MESSAGES, RESPONSES, Vendor, asks};
use super::vendor_replies::{begun, stream, whole};
use crate::support::Reply;

/// The charge of the fake vendors' answer.
const CHARGE_NANOS: i64 = 27_000;

/// Makes an upstream's reply.
type Script = fn() -> Scripted;

/// One fault and what comes of it.
struct Fault {
    name: &'static str,
    reply: Script,
    /// What the client sees where there is no other channel.
    status: u16,
    /// How often the faulty channel is asked: twice where the connection may have been at fault.
    asked: usize,
    /// Number of requests if there is no other channel.
    asked_alone: usize,
    /// Whether another channel can help.
    is_helped: bool,
}

const fn fault(name: &'static str, reply: Script, status: u16) -> Fault {
    Fault {
        name,
        reply,
        status,
        asked: 1,
        asked_alone: 1,
        is_helped: true,
    }
}

fn says(status: u16) -> Scripted {
    let body = json!({"error": {"message": "It is so.", "type": "x", "code": "y"}});
    Scripted::json(&body).status(status)
}

/// Faults before anything of an answer has come: the same for whole and for streamed answers.
const BEFORE: [Fault; 13] = [
    Fault {
        is_helped: false,
        ..fault("bad request", || says(400), 400)
    },
    Fault {
        is_helped: false,
        ..fault("cannot be processed", || says(422), 400)
    },
    fault("bad key", || says(401), 502),
    fault("forbidden", || says(403), 502),
    fault("called too often", || Scripted::too_many_requests("4"), 429),
    Fault {
        asked_alone: 2,
        ..fault("broken", || says(500), 502)
    },
    fault("a proxy's page", || Scripted::html(502), 502),
    fault("overloaded", || says(503), 503),
    fault("overloaded, in another way", || says(529), 503),
    fault("no answer at all", Scripted::silence, 504),
    fault("a page with status 200", || Scripted::html(200), 502),
    fault("closed without a byte", Scripted::nothing, 502),
    fault("no HTTP", || Scripted::raw("hello\r\n\r\n"), 502),
];

/// Faults of a whole answer.
const WHOLE: [Fault; 4] = [
    fault(
        "half a body",
        || Scripted::json(&whole("chat")).cut_after(20),
        502,
    ),
    fault(
        "not JSON",
        || Scripted::body("application/json", "{\"id\":"),
        502,
    ),
    fault(
        "an empty body",
        || Scripted::body("application/json", ""),
        502,
    ),
    fault(
        "another shape",
        || Scripted::json(&json!({"hello": "world"})),
        502,
    ),
];

/// Faults of a stream before its first content.
const BEGINNING: [Fault; 5] = [
    fault("an empty stream", Scripted::sse, 502),
    fault("cut before content", || Scripted::sse().cut(), 502),
    fault("reset before content", || Scripted::sse().reset(), 502),
    fault("silent before content", || Scripted::sse().stall(), 504),
    fault(
        "an error in place of content",
        || {
            Scripted::sse()
                .data(r#"{"error":{"message":"It is so.","type":"server_error","code":null}}"#)
        },
        502,
    ),
];

/// Faults of a stream after its first content: no other channel can help.
const LATER: [(&str, Script); 5] = [
    ("cut", || begun("chat").cut()),
    ("reset", || begun("chat").reset()),
    ("silent", || begun("chat").stall()),
    ("ended without its end", || begun("chat")),
    ("an error", || {
        begun("chat").data(r#"{"error":{"message":"It is so.","type":"server_error","code":null}}"#)
    }),
];

fn ask(vendor: &Vendor, is_stream: bool) -> Reply {
    let (path, body) = asks("chat", is_stream);
    let reply = vendor.post(&path, &body);
    assert!(reply.header("x-request-id").is_some());
    for secret in ["sk-vendor", "127.0.0.1"] {
        assert!(!reply.body.contains(secret), "{}", reply.body);
    }
    reply
}

fn alone(fault: &Fault, is_stream: bool) {
    let what = format!("{}, streamed: {is_stream}", fault.name);
    let vendor = Vendor::hasty(&[CHAT]);
    vendor.upstream().on(CHAT.path, (fault.reply)());
    let reply = ask(&vendor, is_stream);
    assert_eq!(reply.status, fault.status, "{what}: {}", reply.body);
    assert!(reply.json()["error"]["message"].is_string(), "{what}");
    let (call, attempts) = vendor.logged(&reply);
    assert_eq!(attempts.len(), fault.asked_alone, "{what}: {attempts:?}");
    assert!(attempts.iter().all(|tried| tried.error.is_some()), "{what}");
    assert_eq!(
        (call.charge_nanos, call.status),
        (0, i64::from(fault.status)),
        "{what}"
    );
    assert_eq!(vendor.owned(), GRANT_NANOS, "{what}");
    if fault.status == 429 {
        assert_eq!(reply.header("retry-after"), Some("4"), "{what}");
    }
}

fn with_another(fault: &Fault, is_stream: bool) {
    let what = format!("{} beside another, streamed: {is_stream}", fault.name);
    let vendor = Vendor::hasty(&[CHAT, CHAT]);
    vendor.upstreams[0].on(CHAT.path, (fault.reply)());
    let good = if is_stream {
        stream("chat")
    } else {
        Scripted::json(&whole("chat"))
    };
    vendor.upstreams[1].on(CHAT.path, good);
    let reply = ask(&vendor, is_stream);
    let (call, attempts) = vendor.logged(&reply);
    if fault.is_helped {
        assert_eq!(reply.status, 200, "{what}: {}", reply.body);
        assert_eq!(reply.body.matches("Hello").count(), 1, "{what}");
        assert_eq!(attempts.len(), fault.asked + 1, "{what}: {attempts:?}");
        assert_eq!(call.charge_nanos, CHARGE_NANOS, "{what}");
    } else {
        assert_eq!(reply.status, fault.status, "{what}: {}", reply.body);
        assert!(vendor.upstreams[1].requests().is_empty(), "{what}");
        assert_eq!((attempts.len(), call.charge_nanos), (1, 0), "{what}");
    }
    assert_eq!(vendor.owned(), GRANT_NANOS - call.charge_nanos, "{what}");
}

#[test]
fn faults_of_whole_answers_without_another_channel() {
    for fault in BEFORE.iter().chain(&WHOLE) {
        alone(fault, false);
    }
}

#[test]
fn faults_of_whole_answers_beside_another_channel() {
    for fault in BEFORE.iter().chain(&WHOLE) {
        with_another(fault, false);
    }
}

#[test]
fn faults_before_the_content_of_streams_without_another_channel() {
    for fault in BEFORE.iter().chain(&BEGINNING) {
        alone(fault, true);
    }
}

#[test]
fn faults_before_the_content_of_streams_beside_another_channel() {
    for fault in BEFORE.iter().chain(&BEGINNING) {
        with_another(fault, true);
    }
}

#[test]
fn faults_after_the_first_content_are_told_in_the_stream() {
    for (name, reply) in LATER {
        for channels in [&[CHAT][..], &[CHAT, CHAT]] {
            let what = format!("{name}, {} channels", channels.len());
            let vendor = Vendor::hasty(channels);
            vendor.upstream().on(CHAT.path, reply());
            let reply = ask(&vendor, true);
            assert_eq!(reply.status, 200, "{what}: {}", reply.body);
            assert!(reply.body.contains("Hello"), "{what}: {}", reply.body);
            assert!(reply.body.contains("\"error\":{"), "{what}: {}", reply.body);
            assert!(!reply.body.contains("[DONE]"), "{what}: {}", reply.body);
            let (call, attempts) = vendor.logged(&reply);
            assert_eq!((call.charge_nanos, attempts.len()), (0, 1), "{what}");
            assert!(call.error_cause.is_some(), "{what}");
            let others = vendor.upstreams.iter().skip(1);
            assert!(
                others.map(|other| other.requests().len()).sum::<usize>() == 0,
                "{what}"
            );
            assert_eq!(vendor.owned(), GRANT_NANOS, "{what}");
        }
    }
}

#[test]
fn an_end_that_leaves_its_reason_out_is_an_end_and_costs_what_was_said() {
    let usage = r#"{"id":"c1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#;
    for (speaks, client) in [(CHAT, "chat"), (CHAT, "messages")] {
        let vendor = Vendor::speaking(speaks);
        let script = begun("chat").data(usage).data("[DONE]");
        vendor.upstream().on(CHAT.path, script);
        let (path, body) = asks(client, true);
        let reply = vendor.post(&path, &body);
        assert!(reply.body.contains(" there"), "{client}: {}", reply.body);
        assert!(!reply.body.contains("error"), "{client}: {}", reply.body);
        let (call, attempts) = vendor.logged(&reply);
        assert_eq!(call.charge_nanos, CHARGE_NANOS, "{client}");
        assert_eq!((call.error_cause, attempts[0].error.clone()), (None, None));
        assert_eq!(vendor.owned(), GRANT_NANOS - CHARGE_NANOS, "{client}");
    }
}

#[test]
fn a_frame_that_cannot_be_read_ends_a_stream_in_its_own_dialect() {
    for (speaks, told) in [
        (CHAT, "\"error\":{"),
        (MESSAGES, "event: error\n"),
        (GENERATE, "\"error\":{"),
        (RESPONSES, "event: response.failed\n"),
    ] {
        let vendor = Vendor::speaking(speaks);
        let script = begun(speaks.dialect).bytes("data: {]\n\n");
        vendor.upstream().on(speaks.stream_path, script);
        let (path, body) = asks(speaks.dialect, true);
        let reply = vendor.post(&path, &body);
        let what = format!("{}: {}", speaks.dialect, reply.body);
        assert_eq!(reply.status, 200, "{what}");
        assert!(
            reply.body.contains(" there") && reply.body.contains(told),
            "{what}"
        );
        assert!(!reply.body.contains("{]"), "{what}");
        let (call, _) = vendor.logged(&reply);
        assert_eq!(call.charge_nanos, 0, "{what}");
        assert!(call.error_cause.is_some(), "{what}");
    }
}

#[test]
fn a_responses_stream_that_is_cut_off_fails_as_the_answer_that_it_was() {
    let vendor = Vendor::speaking(RESPONSES);
    let script = begun("responses").cut();
    vendor.upstream().on(RESPONSES.stream_path, script);
    let (path, mut body) = asks("responses", true);
    body["store"] = json!(true);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.body.matches("event: response.created").count(), 1);
    let failed = reply.body.split_once("event: response.failed\ndata: ");
    let failed = failed.unwrap_or_else(|| panic!("{}", reply.body)).1;
    let failed: Value = serde_json::from_str(failed.trim()).expect("a whole event");
    let id = failed["response"]["id"].as_str().expect("an id");
    // The gateway's own id, in every event.
    assert!(id != "resp_1" && !reply.body.contains("resp_1"), "{id}");
    assert!(reply.body.matches(id).count() >= 2, "{}", reply.body);
    assert_eq!(failed["sequence_number"], 5);
}
