//! Proofs of earlier reasoning that an upstream refuses: the call is made once more without them.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{GENERATE, GRANT_NANOS, MESSAGES, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::{stream, whole};

/// A signature that no vendor made: `bad` in base64.
pub const BAD: &str = "YmFk";
/// Seven tokens at a dollar and two at ten for a million.
const CHARGE: i64 = 7_000 + 20_000;

/// How each vendor says that it does not take it.
pub fn refusal(speaks: Speaks) -> Scripted {
    let error = match speaks.dialect {
        "messages" => json!({"type": "error", "error": {"type": "invalid_request_error",
            "message": "messages.1.content.0: Invalid `signature` in `thinking` block"}}),
        "responses" => json!({"error": {"message": "The encrypted content could not be verified.",
            "type": "invalid_request_error", "param": null, "code": "invalid_encrypted_content"}}),
        _ => json!({"error": {"code": 400, "message": "Corrupted thought signature.",
            "status": "INVALID_ARGUMENT"}}),
    };
    Scripted::json(&error).status(400)
}

/// A conversation in which the model has thought before.
pub fn thought_before(client: &str, is_stream: bool) -> (String, Value) {
    let (path, mut body) = asks(client, is_stream);
    match client {
        "messages" => {
            let thought = json!([{"type": "thinking", "thinking": "hm", "signature": BAD},
                {"type": "text", "text": "Hello"}]);
            let turns = body["messages"].as_array_mut().expect("a list");
            turns.push(json!({"role": "assistant", "content": thought}));
            turns.push(json!({"role": "user", "content": "Again"}));
        }
        "responses" => {
            body["input"] = json!([{"role": "user", "content": "Hi"},
                {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": BAD},
                {"role": "user", "content": "Again"}]);
        }
        _ => {
            let turns = body["contents"].as_array_mut().expect("a list");
            turns.push(
                json!({"role": "model", "parts": [{"text": "Hello", "thoughtSignature": BAD}]}),
            );
            turns.push(json!({"role": "user", "parts": [{"text": "Again"}]}));
        }
    }
    (path, body)
}

#[test]
fn a_refused_signature_is_left_out_and_the_call_is_charged_once() {
    for speaks in [MESSAGES, RESPONSES, GENERATE] {
        for is_stream in [false, true] {
            let vendor = Vendor::speaking(speaks);
            let (at, good) = if is_stream {
                (speaks.stream_path, stream(speaks.dialect))
            } else {
                (speaks.path, Scripted::json(&whole(speaks.dialect)))
            };
            vendor.upstream().on_each(at, [refusal(speaks), good]);
            let (path, body) = thought_before(speaks.dialect, is_stream);
            let reply = vendor.post(&path, &body);
            let what = format!("{} {is_stream}: {}", speaks.dialect, reply.body);
            assert_eq!(reply.status, 200, "{what}");
            assert_eq!(reply.header("x-modelgate-dropped"), Some("signature"));
            let asked = vendor.upstream().requests();
            let has_signature = |at: usize| asked[at].text().contains(BAD);
            assert_eq!(asked.len(), 2, "{what}");
            assert!(has_signature(0) && !has_signature(1), "{what}");
            assert!(asked[1].text().contains("Again"), "{what}");
            let (call, attempts) = vendor.logged(&reply);
            let statuses: Vec<_> = attempts.iter().map(|tried| tried.status).collect();
            assert_eq!(statuses, [Some(400), Some(200)], "{what}");
            let error = attempts[0].error.as_deref().unwrap_or_default();
            assert!(error.starts_with("bad_request: "), "{error}");
            assert_eq!(attempts[1].error, None);
            assert_eq!(attempts[0].channel_id, attempts[1].channel_id);
            assert_eq!(call.charge_nanos, CHARGE, "{what}");
            assert_eq!(vendor.owned(), GRANT_NANOS - CHARGE);
        }
    }
}

#[test]
fn a_signature_that_came_through_a_foreign_client_is_left_out_too() {
    let vendor = Vendor::speaking(MESSAGES);
    let good = Scripted::json(&whole("messages"));
    vendor
        .upstream()
        .on_each(MESSAGES.path, [refusal(MESSAGES), good]);
    let proof = dialects::Signature::native(dialects::DialectId::Messages, BAD);
    let (path, mut body) = asks("responses", false);
    body["input"] = json!([{"role": "user", "content": "Hi"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}],
            "encrypted_content": proof.for_client(dialects::DialectId::Responses)},
        {"role": "assistant", "content": "Hello"}, {"role": "user", "content": "Again"}]);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let asked = vendor.upstream().requests();
    let thought = |at: usize| asked[at].json()["messages"][1]["content"][0]["type"].clone();
    assert_eq!((thought(0), thought(1)), ("thinking".into(), "text".into()));
}

#[test]
fn it_is_tried_once_more_and_no_more_and_the_client_hears_the_first_refusal() {
    let other = json!({"type": "error", "error": {"type": "invalid_request_error",
        "message": "messages.1: thinking must come first"}});
    for second in [refusal(MESSAGES), Scripted::json(&other).status(400)] {
        let vendor = Vendor::with(&[MESSAGES, MESSAGES], "100");
        vendor
            .upstream()
            .on_each(MESSAGES.path, [refusal(MESSAGES), second]);
        let (path, body) = thought_before("messages", false);
        let reply = vendor.post(&path, &body);
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert!(reply.body.contains("Invalid `signature`"), "{}", reply.body);
        let (call, attempts) = vendor.logged(&reply);
        assert_eq!((call.charge_nanos, attempts.len()), (0, 2));
        assert_eq!(vendor.upstream().requests().len(), 2);
        assert!(vendor.upstreams[1].requests().is_empty());
        assert_eq!(vendor.owned(), GRANT_NANOS);
    }
}

#[test]
fn a_call_is_not_changed_for_other_errors_or_where_nothing_may_or_can_be_dropped() {
    let missing = json!({"type": "error", "error": {"type": "invalid_request_error",
        "message": "messages.1.content.0.thinking: Field required"}});
    let (path, thoughtful) = thought_before("messages", false);
    let plain = asks("messages", false).1;
    let strict: &[(&str, &str)] = &[("x-modelgate-strict", "true")];
    for (refusal, headers, body) in [
        (Scripted::json(&missing).status(400), &[][..], &thoughtful),
        (refusal(MESSAGES), strict, &thoughtful),
        (refusal(MESSAGES), &[][..], &plain),
    ] {
        let vendor = Vendor::speaking(MESSAGES);
        vendor.upstream().on(MESSAGES.path, refusal);
        let reply = vendor.post_text(&path, headers, &body.to_string());
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert_eq!(vendor.upstream().requests().len(), 1, "{body}");
    }
}
