//! Answers of the responses format that are kept: gone on from, looked at, deleted, and made in the
//! background, whatever the upstream speaks.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{CHAT, GRANT_NANOS, MESSAGES, RESPONSES, Vendor};
use super::vendor_replies::{stream, whole};
use crate::support::{Reply, send};

pub fn ask(vendor: &Vendor, line: &str) -> Reply {
    let bearer = format!("Bearer {}", vendor.token);
    send(vendor.gate.address, line, &[("authorization", &bearer)], "")
}

#[test]
fn an_answer_is_gone_on_from_whatever_the_upstream_speaks() {
    for speaks in [CHAT, MESSAGES, RESPONSES] {
        let vendor = Vendor::speaking(speaks);
        vendor.answers(speaks, &whole(speaks.dialect));
        let first = json!({"model": "m", "input": "My name is Ada."});
        let first = vendor.post("/v1/responses", &first).json();
        let id = first["id"].as_str().expect("an id");
        let second = json!({"model": "m", "input": "And yours?", "previous_response_id": id,
            "store": false});
        let second = vendor.post("/v1/responses", &second);
        assert_eq!(second.status, 200, "{}", second.body);
        let sent = vendor.upstream().requests()[1].text().to_owned();
        let places = ["My name is Ada.", "Hello there", "And yours?"].map(|text| sent.find(text));
        assert!(
            places.iter().all(Option::is_some) && places.is_sorted(),
            "{sent}"
        );
        assert!(!sent.contains("previous_response_id"), "{sent}");
    }
}

#[test]
fn a_streamed_answer_is_kept_too() {
    let vendor = Vendor::speaking(CHAT);
    vendor.upstream().on(CHAT.path, stream("chat"));
    let body = json!({"model": "m", "input": "Hi", "stream": true});
    let reply = vendor.post("/v1/responses", &body);
    let completed = reply
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|event| event["type"] == "response.completed")
        .expect("an end");
    let id = completed["response"]["id"].as_str().expect("an id");
    let kept = ask(&vendor, &format!("GET /v1/responses/{id}")).json();
    assert_eq!(kept["output"][0]["content"][0]["text"], "Hello there");
}

#[test]
fn a_kept_answer_is_shown_listed_and_deleted() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole("chat"));
    let body = json!({"model": "m", "input": "A secret question"});
    let made = vendor.post("/v1/responses", &body).json();
    let id = made["id"].as_str().expect("an id");
    let kept = ask(&vendor, &format!("GET /v1/responses/{id}"));
    assert_eq!(
        (kept.status, &kept.json()["output"]),
        (200, &made["output"])
    );
    let items = ask(&vendor, &format!("GET /v1/responses/{id}/input_items")).json();
    assert_eq!(items["data"][0]["content"][0]["text"], "A secret question");
    let cancelled = ask(&vendor, &format!("POST /v1/responses/{id}/cancel"));
    assert_eq!(cancelled.status, 400, "{}", cancelled.body);
    let deleted = ask(&vendor, &format!("DELETE /v1/responses/{id}")).json();
    assert_eq!(deleted["deleted"], true);
    for line in [
        format!("GET /v1/responses/{id}"),
        format!("DELETE /v1/responses/{id}"),
        format!("GET /v1/responses/{id}/input_items"),
    ] {
        assert_eq!(ask(&vendor, &line).status, 404, "{line}");
    }
    assert_eq!(vendor.post("/v1/responses/compact", &json!({})).status, 404);
    let plain = String::from_utf8_lossy(&vendor.gate.record_bytes()).into_owned();
    assert!(
        !plain.contains("A secret question"),
        "it is kept in the clear"
    );
}

#[test]
fn what_was_not_kept_cannot_be_gone_on_from() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole("chat"));
    let body = json!({"model": "m", "input": "Hi", "store": false});
    let made = vendor.post("/v1/responses", &body).json();
    let body = json!({"model": "m", "input": "Hi", "previous_response_id": made["id"]});
    let reply = vendor.post("/v1/responses", &body);
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert_eq!(reply.json()["error"]["param"], "previous_response_id");
    assert_eq!(vendor.upstream().requests().len(), 1);
}

/// Looks for an answer until it is no longer being made.
pub fn wait_for_end(vendor: &Vendor, id: &str) -> Value {
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let kept = ask(vendor, &format!("GET /v1/responses/{id}")).json();
        if kept["status"] != "in_progress" {
            return kept;
        }
        assert!(Instant::now() < deadline, "{kept}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_answer_is_made_in_the_background() {
    let vendor = Vendor::speaking(CHAT);
    let reply = Scripted::json(&whole("chat")).after(Duration::from_millis(50));
    vendor.upstream().on(CHAT.path, reply);
    let body = json!({"model": "m", "input": "Hi", "background": true});
    let promised = vendor.post("/v1/responses", &body);
    assert_eq!(
        promised.json()["status"],
        "in_progress",
        "{}",
        promised.body
    );
    let id = promised.json()["id"].as_str().expect("an id").to_owned();
    let kept = wait_for_end(&vendor, &id);
    assert_eq!(kept["status"], "completed", "{kept}");
    assert_eq!(
        (&kept["id"], &kept["background"]),
        (&json!(id), &json!(true))
    );
    assert_eq!(kept["output"][0]["content"][0]["text"], "Hello there");
    assert_eq!(vendor.logged(&promised).0.charge_nanos, 27_000);
}

#[test]
fn an_answer_from_the_background_is_what_was_promised() {
    for speaks in [CHAT, RESPONSES] {
        let vendor = Vendor::speaking(speaks);
        let mut answer = whole(speaks.dialect);
        answer["store"] = false.into();
        vendor.answers(speaks, &answer);
        let first = vendor.post("/v1/responses", &json!({"model": "m", "input": "Hi"}));
        let first = first.json()["id"].clone();
        let body = json!({"model": "m", "input": "And?", "background": true,
            "previous_response_id": first});
        let promised = vendor.post("/v1/responses", &body).json();
        let kept = wait_for_end(&vendor, promised["id"].as_str().expect("an id"));
        assert_eq!(kept["status"], "completed", "{kept}");
        for name in ["id", "background", "store", "previous_response_id"] {
            assert_eq!(kept[name], promised[name], "{name} in {kept}");
        }
        assert_eq!(kept["previous_response_id"], first);
    }
}

#[test]
fn an_answer_in_the_background_fails_or_is_cancelled() {
    let vendor = Vendor::speaking(CHAT);
    vendor
        .upstream()
        .on(CHAT.path, Scripted::json(&json!({})).status(500));
    let body = json!({"model": "m", "input": "Hi", "background": true});
    let promised = vendor.post("/v1/responses", &body).json();
    let kept = wait_for_end(&vendor, promised["id"].as_str().expect("an id"));
    assert_eq!(kept["status"], "failed", "{kept}");
    assert!(kept["error"]["message"].is_string(), "{kept}");

    let vendor = Vendor::speaking(CHAT);
    vendor.upstream().on(CHAT.path, Scripted::silence());
    let promised = vendor.post("/v1/responses", &body).json();
    vendor
        .runtime
        .block_on(vendor.upstream().wait_for_requests(1));
    let id = promised["id"].as_str().expect("an id");
    let cancelled = ask(&vendor, &format!("POST /v1/responses/{id}/cancel")).json();
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    vendor
        .runtime
        .block_on(vendor.upstream().wait_for_open_connections(0));
    assert_eq!(wait_for_end(&vendor, id)["status"], "cancelled");
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn compaction_is_not_served() {
    let vendor = Vendor::speaking(CHAT);
    let reply = vendor.post(
        "/v1/responses/compact",
        &json!({"model": "m", "input": "a"}),
    );
    assert_eq!(reply.status, 404, "{}", reply.body);
    assert_eq!(reply.json()["error"]["code"], "not_found");
}

#[test]
fn an_item_of_any_kept_answer_is_found_by_its_id() {
    for (speaks, background) in [(CHAT, false), (RESPONSES, false), (MESSAGES, true)] {
        let vendor = Vendor::speaking(speaks);
        vendor.answers(speaks, &whole(speaks.dialect));
        let first = json!({"model": "m", "input": "My name is Ada.", "background": background});
        let first = vendor.post("/v1/responses", &first).json();
        let first = wait_for_end(&vendor, first["id"].as_str().expect("an id"));
        let item = &first["output"][0]["id"];
        for keeps in [true, false] {
            let before = vendor.upstream().requests().len();
            let body = json!({"model": "m", "store": keeps, "input": [
                {"role": "user", "content": "Say hello."},
                {"type": "item_reference", "id": item},
                {"role": "user", "content": "Again!"}]});
            let reply = vendor.post("/v1/responses", &body);
            assert_eq!(reply.status, 200, "{}", reply.body);
            let sent = vendor.upstream().requests()[before].text().to_owned();
            let places = ["Say hello.", "Hello there", "Again!"].map(|text| sent.find(text));
            let is_sorted = places.iter().all(Option::is_some) && places.is_sorted();
            assert!(is_sorted && !sent.contains("item_reference"), "{sent}");
        }
        let counted = json!({"model": "m", "input": [{"type": "item_reference", "id": item}]});
        let counted = vendor.post("/v1/responses/input_tokens", &counted);
        assert_eq!(counted.status, 200, "{}", counted.body);
    }
}

#[test]
fn an_item_that_is_in_no_kept_answer_is_refused_by_its_name() {
    let vendor = Vendor::speaking(RESPONSES);
    vendor.answers(RESPONSES, &whole("responses"));
    let kept = vendor.post("/v1/responses", &json!({"model": "m", "input": "Hi"}));
    let kept = kept.json();
    let (id, item) = (
        kept["id"].as_str().expect("an id"),
        &kept["output"][0]["id"],
    );
    assert_eq!(
        ask(&vendor, &format!("DELETE /v1/responses/{id}")).status,
        200
    );
    for named in [item, &json!("msg_of_somebody"), &json!("\0")] {
        for path in ["/v1/responses", "/v1/responses/input_tokens"] {
            let reference = json!({"type": "item_reference", "id": named});
            let input = json!([{"role": "user", "content": "Hi"}, reference]);
            let body = json!({"model": "m", "input": input, "store": false});
            let reply = vendor.post(path, &body);
            assert_eq!(reply.status, 400, "{}", reply.body);
            let error = &reply.json()["error"];
            assert_eq!(
                (&error["code"], &error["param"]),
                (&json!("item_not_found"), &json!("input[1].id"))
            );
            let name = named.as_str().expect("a name");
            assert!(
                error["message"]
                    .as_str()
                    .is_some_and(|text| text.contains(name))
            );
        }
    }
    assert_eq!(vendor.upstream().requests().len(), 1);
}

#[test]
fn a_stored_answer_has_an_id_of_the_gateways_own() {
    for speaks in [CHAT, MESSAGES, RESPONSES] {
        let vendor = Vendor::speaking(speaks);
        vendor.answers(speaks, &whole(speaks.dialect));
        let ids = ["My name is Ada.", "My name is Bob."].map(|input| {
            let made = vendor.post("/v1/responses", &json!({"model": "m", "input": input}));
            made.json()["id"].as_str().expect("an id").to_owned()
        });
        assert_ne!(ids[0], ids[1], "the upstream gives one id twice");
        for (id, own, other) in [(&ids[0], "Ada", "Bob"), (&ids[1], "Bob", "Ada")] {
            let before = vendor.upstream().requests().len();
            let body = json!({"model": "m", "input": "Who?", "previous_response_id": id});
            assert_eq!(vendor.post("/v1/responses", &body).status, 200);
            let sent = vendor.upstream().requests()[before].text().to_owned();
            assert!(sent.contains(own) && !sent.contains(other), "{sent}");
            let kept = ask(&vendor, &format!("GET /v1/responses/{id}")).json();
            assert_eq!(kept["id"], **id);
        }
    }
}

#[test]
fn references_to_what_a_vendor_keeps_are_rejected_however_they_are_spelled() {
    let vendor = Vendor::speaking(RESPONSES);
    for member in [
        r#""conversatio\u006e":"conv_1""#,
        r#""\u0070rompt":{"id":"p"}"#,
        r#""tools":[{"type":"shell","environment":{"container\u005fid":"c"}}]"#,
        r#""unknown":"\u0066ile-1""#,
        r#""store":false,"input":[{"typ\u0065":"image_generation_call","id":"ig_1"}]"#,
    ] {
        let input = if member.contains("input") {
            ""
        } else {
            r#","input":"Hi""#
        };
        let body = format!(r#"{{"model":"m"{input},{member}}}"#);
        let bearer = format!("Bearer {}", vendor.token);
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let reply = send(vendor.gate.address, "POST /v1/responses", &headers, &body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
    }
    assert!(vendor.upstream().requests().is_empty());
}
