//! Hundreds of calls whose vendor uses everything that a reading of the body allows it: all of it is paid, and the ledger
//! is clean afterwards.

use serde_json::{Value, json};
use store::ledger;

use super::vendor::{CHAT, GENERATE, GRANT_NANOS, MESSAGES, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::whole;

const CALLS: u64 = 60;
const SEARCH: i64 = 10_000_000;

/// What a vendor uses of a call.
#[derive(Debug, Clone, Copy)]
struct Used {
    output: u64,
    searches: u64,
}

/// The members of the numbered call, and what its vendor uses.
fn members(dialect: &str, number: u64) -> (Value, Used) {
    let (cap, other, times) = (10 + number % 7 * 30, 5 + number % 11 * 40, 1 + number % 3);
    let used = |output: u64, searches: u64| Used { output, searches };
    match dialect {
        "chat" => (
            json!({"max_tokens": cap, "max_output_tokens": other, "n": times, "best_of": 1 + number % 2}),
            used(cap.max(other) * times * (1 + number % 2), 0),
        ),
        "messages" => {
            let tool =
                json!([{"type": "web_search_20250305", "name": "web_search", "max_uses": times}]);
            let more = json!({"max_tokens": cap, "max_completion_tokens": other, "tools": tool});
            (more, used(cap.max(other), times))
        }
        "responses" => {
            let more = json!({"max_output_tokens": cap, "max_tokens": other,
                "max_tool_calls": times, "tools": [{"type": "web_search"}]});
            (more, used(cap.max(other), times))
        }
        _ => (
            json!({"generationConfig": {"maxOutputTokens": cap.to_string(), "candidateCount": times,
                "thinkingConfig": {"thinkingBudget": other}}}),
            used((cap + other) * times, 0),
        ),
    }
}

/// The vendor's answer, with this usage.
fn answer(dialect: &str, used: Used) -> Value {
    let Used { output, searches } = used;
    let mut answer = whole(dialect);
    match dialect {
        "chat" => answer["usage"]["completion_tokens"] = output.into(),
        "messages" => {
            answer["usage"]["output_tokens"] = output.into();
            answer["usage"]["server_tool_use"] = json!({"web_search_requests": searches});
        }
        "responses" => {
            answer["usage"]["output_tokens"] = output.into();
            let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed",
                "action": {"type": "search", "query": "a"}});
            let list = answer["output"].as_array_mut().expect("a list");
            list.extend((0..searches).map(|_| search.clone()));
        }
        _ => answer["usageMetadata"]["candidatesTokenCount"] = output.into(),
    }
    answer
}

fn all_is_paid(speaks: Speaks) {
    let vendor = Vendor::speaking(speaks);
    let mut paid = 0;
    for number in 0..CALLS {
        let (more, used) = members(speaks.dialect, number);
        vendor.answers(speaks, &answer(speaks.dialect, used));
        let (path, mut body) = asks(speaks.dialect, false);
        for (name, value) in more.as_object().expect("members") {
            body[name] = value.clone();
        }
        let reply = vendor.post(&path, &body);
        assert_eq!(reply.status, 200, "{body}: {}", reply.body);
        let (call, _) = vendor.logged(&reply);
        let output = i64::try_from(used.output).expect("few tokens");
        let searches = i64::try_from(used.searches).expect("few searches");
        let cost = 7_000 + output * 10_000 + searches * SEARCH;
        assert_eq!(call.charge_nanos, cost, "{body}");
        let lines = format!("{:?}", call.price_lines);
        assert!(!lines.contains("not_covered"), "{body}: {lines}");
        paid += cost;
    }
    assert_eq!(vendor.owned(), GRANT_NANOS - paid);
    vendor.runtime.block_on(async {
        let verified = ledger::verify(vendor.gate.app.store().read()).await;
        let verified = verified.expect("the records answer");
        assert!(verified.differences.is_empty(), "{verified:?}");
    });
}

#[test]
fn everything_that_chat_completions_may_use_is_paid() {
    all_is_paid(CHAT);
}

#[test]
fn everything_that_messages_may_use_is_paid() {
    all_is_paid(MESSAGES);
}

#[test]
fn everything_that_responses_may_use_is_paid() {
    all_is_paid(RESPONSES);
}

#[test]
fn everything_that_generate_content_may_use_is_paid() {
    all_is_paid(GENERATE);
}

#[test]
fn a_lowered_call_lowers_every_cap_in_its_body() {
    let vendor = Vendor::with(&[CHAT], "0.01");
    vendor.answers(CHAT, &whole("chat"));
    let (path, mut body) = asks("chat", false);
    body["max_completion_tokens"] = 1.into();
    body["max_tokens"] = 100_000.into();
    body["max_output_tokens"] = 50_000.into();
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let asked = vendor.upstream().requests();
    let sent: Value = serde_json::from_str(asked[0].text()).expect("it is JSON");
    for name in ["max_tokens", "max_completion_tokens", "max_output_tokens"] {
        let cap = sent[name].as_u64().expect(name);
        assert!(cap <= 1_000, "{sent}");
    }
}

#[test]
fn a_bound_is_told_to_an_upstream_of_another_dialect() {
    let tool = json!([{"type": "web_search_20250305", "name": "web_search", "max_uses": 2}]);
    let vendor = Vendor::speaking(RESPONSES);
    vendor.answers(RESPONSES, &whole("responses"));
    let (path, mut body) = asks("messages", false);
    body["tools"] = tool.clone();
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let asked = vendor.upstream().requests();
    let sent: Value = serde_json::from_str(asked[0].text()).expect("it is JSON");
    assert_eq!(sent["max_tool_calls"], 2, "{sent}");

    let vendor = Vendor::speaking(MESSAGES);
    vendor.answers(MESSAGES, &whole("messages"));
    let (path, mut body) = asks("chat", false);
    body["web_search_options"] = json!({});
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let asked = vendor.upstream().requests();
    let sent: Value = serde_json::from_str(asked[0].text()).expect("it is JSON");
    assert_eq!(sent["tools"][0]["max_uses"], 1, "{sent}");

    // Newer models of Google cannot be told.
    let vendor = Vendor::naming("gemini-3-pro", GENERATE);
    let (path, mut body) = asks("messages", false);
    body["tools"] = tool;
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert!(vendor.upstream().requests().is_empty());
}

#[test]
fn a_charge_that_no_answer_tells_of_is_charged_as_reserved() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole("chat"));
    let (path, mut body) = asks("chat", false);
    body["service_tier"] = "priority".into();
    body["plugins"] = json!([{"id": "web", "max_results": 3}]);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let charge = vendor.logged(&reply).0.charge_nanos;
    assert_eq!(charge, 7_000 + 20_000 + 20_000_000 + 3 * 1_000_000);
}

#[test]
fn an_answer_is_charged_for_a_search_whose_field_is_escaped() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole("chat"));
    let body =
        r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],"web_search_option\u0073":{}}"#;
    let reply = vendor.post_text("/v1/chat/completions", &[], body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert_eq!(
        vendor.logged(&reply).0.charge_nanos,
        7_000 + 20_000 + SEARCH
    );
    let refused = vendor.post_text(
        "/v1/chat/completions",
        &[],
        &body.replace("{}", "{},\"plugins\":[{\"id\":\"file-parser\"}]"),
    );
    assert_eq!(refused.status, 403, "{}", refused.body);
}
