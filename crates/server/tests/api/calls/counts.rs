//! Counts of tokens: an upstream with a counter is asked in its terms, in the client's own dialect or another one.

use dialects::{DialectId, Signature};
use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::signatures::{BAD, refusal, thought_before};
use super::vendor::{GENERATE, GRANT_NANOS, MESSAGES, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::whole;

/// Where clients ask, where the vendor is asked, and what it says.
fn counting(speaks: Speaks) -> (&'static str, &'static str, Value) {
    match speaks.dialect {
        "messages" => {
            let path = "/v1/messages/count_tokens";
            (path, path, json!({"input_tokens": 41}))
        }
        "responses" => {
            let path = "/v1/responses/input_tokens";
            let count = json!({"object": "response.input_tokens", "input_tokens": 41});
            (path, path, count)
        }
        _ => (
            "/v1beta/models/m:countTokens",
            "/v1beta/models/up:countTokens",
            json!({"totalTokens": 41}),
        ),
    }
}

#[test]
fn a_client_that_counts_gets_the_upstreams_count_or_ours() {
    let vendor = Vendor::speaking(MESSAGES);
    let count = json!({"input_tokens": 41});
    vendor
        .upstream()
        .on("/v1/messages/count_tokens", Scripted::json(&count));
    let (_, mut body) = asks("messages", false);
    body.as_object_mut().unwrap().remove("max_tokens");
    let reply = vendor.post("/v1/messages/count_tokens", &body);
    assert_eq!(reply.json(), count);
    assert_eq!(vendor.upstream().only_request().json()["model"], "up");
    let contents = asks("generate", false).1;
    let reply = vendor.post("/v1beta/models/m:countTokens", &contents);
    assert!(
        reply.json()["totalTokens"]
            .as_u64()
            .is_some_and(|count| count > 0)
    );
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

const COUNTERS: [Speaks; 3] = [MESSAGES, RESPONSES, GENERATE];

/// A question of this client, and where it asks.
fn question(client: Speaks) -> (&'static str, Value) {
    let (_, mut body) = asks(client.dialect, false);
    let members = body.as_object_mut().expect("an object");
    members.remove("max_tokens");
    members.remove("store");
    (counting(client).0, body)
}

#[test]
fn an_upstream_of_another_dialect_is_asked_in_its_own() {
    for speaks in COUNTERS {
        for client in COUNTERS
            .into_iter()
            .filter(|it| it.dialect != speaks.dialect)
        {
            let vendor = Vendor::speaking(speaks);
            let (_, at, count) = counting(speaks);
            vendor.upstream().on(at, Scripted::json(&count));
            let (path, body) = question(client);
            let reply = vendor.post(path, &body);
            let what = format!("{} to {}", client.dialect, speaks.dialect);
            assert_eq!(reply.status, 200, "{what}: {}", reply.body);
            assert_eq!(reply.json(), counting(client).2, "{what}");
            let sent = vendor.upstream().only_request().json();
            let names: Vec<&str> = sent
                .as_object()
                .unwrap()
                .keys()
                .map(|name| &**name)
                .collect();
            let expected: &[&str] = match speaks.dialect {
                "messages" => &["model", "messages"],
                "responses" => &["model", "input"],
                _ => &["generateContentRequest"],
            };
            let has_all = expected.iter().all(|name| names.contains(name));
            assert!(has_all && names.len() == expected.len(), "{what}: {sent}");
            assert!(sent.to_string().contains("\"Hi\""), "{what}: {sent}");
            let (call, _) = vendor.logged(&reply);
            assert_eq!(
                (call.charge_nanos, vendor.owned()),
                (0, GRANT_NANOS),
                "{what}"
            );
        }
    }
}

#[test]
fn what_an_upstream_of_another_dialect_does_not_count_is_counted_here() {
    let error = Scripted::json(&json!({"error": {"message": "Extra inputs are not permitted"}}));
    let strange = Scripted::json(&json!({"tokens": 41}));
    let failures = [400, 401, 404, 429, 500].map(|status| error.clone().status(status));
    for answer in failures.into_iter().chain([strange]) {
        for speaks in COUNTERS {
            let vendor = Vendor::speaking(speaks);
            vendor.upstream().on(counting(speaks).1, answer.clone());
            for client in COUNTERS
                .into_iter()
                .filter(|it| it.dialect != speaks.dialect)
            {
                let (path, body) = question(client);
                let reply = vendor.post(path, &body);
                assert_eq!(reply.status, 200, "{path}: {}", reply.body);
                let name = if client.dialect == "generate" {
                    "totalTokens"
                } else {
                    "input_tokens"
                };
                let counted = reply.json()[name].as_u64();
                assert!(counted > Some(0) && counted != Some(41), "{path}");
            }
            assert_eq!(vendor.owned(), GRANT_NANOS);
        }
    }
}

#[test]
fn what_cannot_be_said_to_another_counter_is_counted_here() {
    let vendor = Vendor::speaking(RESPONSES);
    let (path, mut body) = question(MESSAGES);
    body["messages"][0]["content"] = json!([{"type": "text", "text": "Hi"}, {"type": "document",
        "source": {"type": "content", "content": [{"type": "text", "text": "A page."}]}}]);
    body["top_k"] = 5.into();
    let strict = [("x-modelgate-strict", "true")];
    let reply = vendor.post_text(path, &strict, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.json()["input_tokens"].as_u64() > Some(0));
    assert!(vendor.upstream().requests().is_empty());
}

#[test]
fn a_signature_that_the_upstream_refuses_is_left_out_of_a_count() {
    for speaks in [MESSAGES, RESPONSES, GENERATE] {
        let vendor = Vendor::speaking(speaks);
        let (path, at, count) = counting(speaks);
        let good = Scripted::json(&count);
        vendor.upstream().on_each(at, [refusal(speaks), good]);
        let body = thought_before(speaks.dialect, false).1;
        let reply = vendor.post(path, &body);
        assert_eq!((reply.status, reply.json()), (200, count), "{path}");
        assert_eq!(reply.header("x-modelgate-dropped"), Some("signature"));
        let asked = vendor.upstream().requests();
        let has_signature = |at: usize| asked[at].text().contains(BAD);
        assert!(asked.len() == 2 && has_signature(0) && !has_signature(1));
        assert!(asked[1].text().contains("Again"), "{}", asked[1].text());
        // Whoever wants nothing dropped hears what the upstream said.
        let vendor = Vendor::speaking(speaks);
        vendor.upstream().on(at, refusal(speaks));
        let strict = [("x-modelgate-strict", "true")];
        let reply = vendor.post_text(path, &strict, &body.to_string());
        assert_eq!(reply.status, 400, "{}", reply.body);
    }
}

#[test]
fn a_count_does_not_show_an_upstream_what_the_gateway_has_made() {
    let vendor = Vendor::speaking(MESSAGES);
    let (path, at, count) = counting(MESSAGES);
    vendor.upstream().on(at, Scripted::json(&count));
    let foreign = Signature::native(DialectId::GenerateContent, BAD);
    let mut body = thought_before("messages", false).1;
    let thought = &mut body["messages"][1]["content"][0];
    thought["signature"] = foreign.for_client(DialectId::Messages).into();
    let reply = vendor.post(path, &body);
    assert_eq!((reply.status, reply.json()), (200, count));
    let sent = vendor.upstream().only_request().json();
    assert_eq!(
        sent["messages"][1]["content"],
        json!([{"type": "text", "text": "Hello"}]),
        "{sent}"
    );
    assert_eq!(sent["model"], "up");
}

#[test]
fn a_request_inside_of_a_count_is_sent_under_the_upstreams_name() {
    let vendor = Vendor::speaking(GENERATE);
    let (path, at, count) = counting(GENERATE);
    vendor.upstream().on(at, Scripted::json(&count));
    let mut request = asks("generate", false).1;
    request["systemInstruction"] = json!({"parts": [{"text": "Be brief."}]});
    request["model"] = "models/m".into();
    let reply = vendor.post(path, &json!({ "generateContentRequest": request }));
    assert_eq!((reply.status, reply.json()), (200, count));
    request["model"] = "models/up".into();
    let sent = vendor.upstream().only_request().json();
    assert_eq!(sent, json!({ "generateContentRequest": request }));
}

#[test]
fn a_count_goes_on_from_a_kept_answer_of_the_callers_own() {
    let vendor = Vendor::speaking(RESPONSES);
    let (path, at, count) = counting(RESPONSES);
    vendor.answers(RESPONSES, &whole("responses"));
    vendor.upstream().on(at, Scripted::json(&count));
    let first = json!({"model": "m", "input": "My name is Ada."});
    let first = vendor.post("/v1/responses", &first).json();
    let ask = |id: &Value| json!({"model": "m", "input": "And yours?", "previous_response_id": id});
    let reply = vendor.post(path, &ask(&first["id"]));
    assert_eq!((reply.status, reply.json()), (200, count));
    let sent = vendor.upstream().requests()[1].text().to_owned();
    let places = ["My name is Ada.", "Hello there", "And yours?"].map(|text| sent.find(text));
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{sent}"
    );
    assert!(!sent.contains("previous_response_id"), "{sent}");
    let reply = vendor.post(path, &ask(&"resp_of_somebody".into()));
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert_eq!(reply.json()["error"]["param"], "previous_response_id");
    assert_eq!(vendor.upstream().requests().len(), 2);
}

#[test]
fn a_count_of_what_the_vendor_keeps_is_refused() {
    for (speaks, field, value) in [
        (MESSAGES, "container", json!("container_1")),
        (RESPONSES, "conversation", json!("conv_1")),
        (GENERATE, "cachedContent", json!("cachedContents/1")),
    ] {
        let vendor = Vendor::speaking(speaks);
        let (path, at, count) = counting(speaks);
        vendor.upstream().on(at, Scripted::json(&count));
        let mut body = asks(speaks.dialect, false).1;
        body[field] = value;
        let reply = vendor.post(path, &body);
        assert_eq!(reply.status, 400, "{}", reply.body);
        assert!(reply.body.contains(field), "{}", reply.body);
        assert!(vendor.upstream().requests().is_empty());
    }
}

#[test]
fn a_count_that_fails_says_nothing_of_the_channel() {
    let error =
        json!({"type": "error", "error": {"type": "not_found_error", "message": "model: up"}});
    for status in [403, 404, 405, 429, 500] {
        let vendor = Vendor::speaking(MESSAGES);
        let (path, at, _) = counting(MESSAGES);
        let failed = Scripted::json(&error).status(status);
        vendor.upstream().on(at, failed);
        vendor.answers(MESSAGES, &whole("messages"));
        let (asks_at, body) = asks("messages", false);
        for _ in 0..12 {
            let counted = vendor.post(path, &body);
            assert_eq!(counted.status, 200, "{status}: {}", counted.body);
            assert!(counted.json()["input_tokens"].as_u64() > Some(0));
        }
        assert_eq!(vendor.upstream().requests().len(), 12, "{status}");
        let reply = vendor.post(&asks_at, &body);
        assert_eq!(reply.status, 200, "{status}: {}", reply.body);
    }
}
