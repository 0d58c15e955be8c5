//! Stored answers: going on from them, and listing what was sent.

use std::slice::from_ref;

use serde_json::{Map, Value, json};

use super::*;
use crate::canonical::{PartKind, Role};
use crate::responses::request_read::read_map;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => panic!("an object"),
    }
}

fn stored() -> (Vec<Value>, Vec<Value>) {
    let input = vec![json!({"role": "user", "content": "Weather?"})];
    let output = vec![
        json!({"type": "reasoning", "id": "rs_1", "summary": []}),
        json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather",
            "arguments": "{}", "status": "completed"}),
    ];
    (input, output)
}

#[test]
fn the_history_of_a_stored_exchange_is_its_items_in_order() {
    let (input, output) = stored();
    let turns = history(&input, &output).expect("turns");
    let roles: Vec<Role> = turns.iter().map(|turn| turn.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Assistant]);
    assert!(matches!(turns[1].parts[0].kind, PartKind::Thinking(_)));
    assert!(matches!(&turns[2].parts[0].kind, PartKind::ToolCall(call) if call.id == "call_1"));
}

#[test]
fn a_request_goes_on_from_a_stored_answer() {
    let (input, output) = stored();
    let mut request = object(json!({"model": "m", "previous_response_id": "resp_1",
        "instructions": "New ones.",
        "input": [{"type": "item_reference", "id": "fc_1"}, {"id": "fc_1"},
            {"type": "item_reference", "id": "msg_elsewhere"},
            {"type": "function_call_output", "call_id": "call_1", "output": "4 C"}]}));
    let earlier = resume(&mut request, &input, &output).expect("a request");
    assert_eq!(earlier, 3);
    assert!(!request.contains_key("previous_response_id"));
    let items = request["input"].as_array().expect("items");
    assert_eq!(items.len(), 5, "{items:?}");
    assert_eq!(items[3]["id"], "msg_elsewhere");
    let read = read_map(request).expect("a request");
    assert_eq!(read.turns.len(), 5);
    assert_eq!(read.system[0].as_text(), Some("New ones."));
}

#[test]
fn a_bare_string_goes_on_from_a_stored_answer_too() {
    let (input, output) = stored();
    let mut request = object(json!({"model": "m", "input": "And tomorrow?"}));
    resume(&mut request, &input, &output).expect("a request");
    assert_eq!(
        request["input"][3],
        json!({"role": "user", "content": "And tomorrow?"})
    );
    let mut wrong = object(json!({"input": 7}));
    let failure = resume(&mut wrong, &input, &output).expect_err("a failure");
    assert_eq!(failure.param.as_deref(), Some("input"));
}

#[test]
fn input_is_listed_with_types_and_ids() {
    let request = object(json!({"input": [{"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"type": "function_call_output", "id": "fco_own", "call_id": "c", "output": "1"}]}));
    let items = input_items(&request, "resp_1").expect("items");
    assert_eq!(items[0]["type"], "message");
    assert_eq!(
        items[0]["content"],
        json!([{"type": "input_text", "text": "Hi"}])
    );
    assert_eq!(items[1]["content"][0]["type"], "output_text");
    assert_eq!(items[2]["id"], "fco_own");
    let again = input_items(&request, "resp_1").expect("items");
    assert_eq!(items, again, "ids are the same each time");
    assert_ne!(items[0]["id"], items[1]["id"]);
}

#[test]
fn a_list_is_newest_first_and_goes_on_after_an_item() {
    let items: Vec<Value> = (0..5).map(|n| json!({"id": format!("msg_{n}")})).collect();
    let page = input_list(&items, false, None, 2);
    assert_eq!(page["first_id"], "msg_4");
    assert_eq!(page["last_id"], "msg_3");
    assert_eq!(page["has_more"], true);
    let page = input_list(&items, false, Some("msg_3"), 20);
    assert_eq!(
        page["data"],
        json!([{"id": "msg_2"}, {"id": "msg_1"}, {"id": "msg_0"}])
    );
    assert_eq!(page["has_more"], false);
    let page = input_list(&items, true, Some("msg_3"), 20);
    assert_eq!(page["data"], json!([{"id": "msg_4"}]));
    assert_eq!(input_list(&[], true, None, 20)["first_id"], Value::Null);
}

#[test]
fn references_are_found_and_replaced_by_what_they_name() {
    let message = json!({"type": "message", "id": "msg_9", "role": "user", "content": "Hi"});
    let mut request = object(json!({"model": "m", "input": [
        {"type": "item_reference", "id": "rs_1"}, message, {"id": "fc_1"},
        {"type": "item_reference", "id": "msg_elsewhere"}, {"type": "item_reference"}]}));
    assert_eq!(
        references(&request, 0),
        ["rs_1", "fc_1", "msg_elsewhere", ""]
    );
    assert_eq!(references(&request, 3), ["msg_elsewhere", ""]);
    let (_, output) = stored();
    let id = |item: &Value| item["id"].as_str().expect("an id").to_owned();
    let known = output.iter().map(|item| (id(item), item.clone())).collect();
    let missing = put_items(&mut request, 0, &known, false);
    assert_eq!(missing, Some((3, "msg_elsewhere".to_owned())));
    let items = request["input"].as_array().expect("a list");
    assert_eq!(items[..3], [output[0].clone(), message, output[1].clone()]);
    let mut text = object(json!({"model": "m", "input": "item_reference"}));
    assert!(references(&text, 0).is_empty() && put_items(&mut text, 0, &known, false).is_none());
}

fn put(items: &Value, known: &[Value]) -> (Value, Option<usize>) {
    let id = |item: &Value| item["id"].as_str().expect("an id").to_owned();
    let known = known.iter().map(|item| (id(item), item.clone())).collect();
    let mut request = object(json!({"input": items}));
    let missing = put_items(&mut request, 0, &known, false);
    (request["input"].take(), missing.map(|(place, _)| place))
}

#[test]
fn an_item_that_is_only_an_id_must_be_in_a_stored_answer() {
    for item in [
        json!({"type": "image_generation_call", "id": "ig_1"}),
        json!({"type": "image_generation_call", "id": "ig_1", "result": null}),
        json!({"type": "file_search_call", "id": "fs_1", "queries": ["q"], "results": null}),
        json!({"type": "reasoning", "id": "rs_1", "summary": []}),
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": ""}),
    ] {
        let stored = json!({"type": item["type"], "id": item["id"], "status": "completed"});
        let (items, missing) = put(&json!([item]), from_ref(&stored));
        assert_eq!((items, missing), (json!([stored]), None));
        assert_eq!(put(&json!([item]), &[]), (json!([item]), Some(0)));
    }
}

#[test]
fn an_item_that_says_what_it_means_loses_an_id_that_is_not_its_senders() {
    let summary = json!([{"type": "summary_text", "text": "Hm"}]);
    for item in [
        json!({"type": "image_generation_call", "id": "ig_1", "result": "aGk="}),
        json!({"type": "reasoning", "id": "rs_1", "summary": summary}),
    ] {
        let (items, missing) = put(&json!([item]), &[]);
        assert_eq!((items[0].get("id"), missing), (None, None));
        assert_eq!(items[0]["type"], item["type"]);
        assert_eq!(put(&json!([item]), from_ref(&item)).0, json!([item]));
    }
    // Made by the gateway, or read from the item itself.
    for item in [
        json!({"type": "reasoning", "id": "rs_gw1abc", "summary": summary}),
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "e"}),
        json!({"type": "message", "id": "msg_1", "role": "assistant", "content": "Hi"}),
        json!({"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": "{}"}),
    ] {
        assert_eq!(put(&json!([item]), &[]), (json!([item]), None));
    }
}

#[test]
fn files_and_containers_of_an_item_must_be_those_of_the_stored_one() {
    let call = |container: &str| json!({"type": "code_interpreter_call", "id": "ci_1", "container_id": container});
    let cited = |file: &str| {
        json!({"type": "message", "id": "msg_1", "role": "assistant", "content":
        [{"type": "output_text", "text": "t", "annotations": [{"type": "file_citation", "file_id": file}]}]})
    };
    for (own, foreign) in [(call("cntr_1"), call("cntr_2")), (cited("f1"), cited("f2"))] {
        assert_eq!(put(&json!([own]), from_ref(&own)).1, None);
        assert_eq!(put(&json!([foreign]), &[own]).1, Some(0));
        assert_eq!(put(&json!([foreign]), &[]).1, Some(0));
    }
    let nameless = json!({"type": "code_interpreter_call", "container_id": "cntr_1"});
    assert_eq!(put(&json!([nameless]), &[]).1, Some(0));
}
