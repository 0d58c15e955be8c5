//! What a gateway needs to keep answers itself: earlier turns in canonical form, requests that go
//! on from a stored answer, and the listing of a request's input.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value, json};

use super::item_read::{Place, Sender, read_item};
use crate::canonical::{Failure, Turn};
use crate::ids;

/// The turns of an earlier exchange, from what was stored of it: the items that were sent and the
/// items that were answered.
pub fn history(input_items: &[Value], output_items: &[Value]) -> Result<Vec<Turn>, Failure> {
    let lists = [("input", input_items), ("output", output_items)];
    let mut turns = Vec::with_capacity(input_items.len() + output_items.len());
    for (list, items) in lists {
        for (index, item) in items.iter().enumerate() {
            let place = Place { list, index };
            // Answers were written for the client: their signatures may be our envelopes.
            turns.push(read_item(item.clone(), Sender::Client, place)?);
        }
    }
    Ok(turns)
}

/// Makes a request that goes on from a stored answer whole: the earlier items come before its own,
/// references to them are resolved, and the stored answer's id is taken out. Instructions are not
/// inherited.
pub fn resume(
    request: &mut Map<String, Value>,
    input_items: &[Value],
    output_items: &[Value],
) -> Result<(), Failure> {
    let own = input_of(request)?;
    let earlier = || input_items.iter().chain(output_items);
    let ids = earlier().filter_map(|item| item.get("id")?.as_str());
    let known: HashSet<&str> = ids.collect();
    let mut items: Vec<Value> = earlier().cloned().collect();
    for item in own {
        let Some(id) = reference(&item) else {
            items.push(item);
            continue;
        };
        // An item of the exchange itself is in the list already.
        if !known.contains(id) {
            items.push(item);
        }
    }
    request.insert("input".to_owned(), Value::Array(items));
    request.shift_remove("previous_response_id");
    Ok(())
}

/// The ids of items that a request's input names without sending them.
pub fn references(request: &Map<String, Value>) -> Vec<String> {
    let Some(Value::Array(items)) = request.get("input") else {
        return Vec::new();
    };
    let named = items.iter().filter_map(reference);
    named.map(str::to_owned).collect()
}

/// Puts these items, by their ids, in the place of references to them. Says which reference is the first whose item is not
/// among them.
pub fn put_items(
    request: &mut Map<String, Value>,
    known: &BTreeMap<String, Value>,
) -> Option<(usize, String)> {
    let Some(Value::Array(items)) = request.get_mut("input") else {
        return None;
    };
    let mut missing = None;
    for (place, item) in items.iter_mut().enumerate() {
        let Some(id) = reference(item) else { continue };
        match known.get(id).cloned() {
            Some(found) => *item = found,
            None => missing = missing.or_else(|| Some((place, id.to_owned()))),
        }
    }
    missing
}

/// The id of the item that is named here without being sent.
fn reference(item: &Value) -> Option<&str> {
    let is_reference = item.is_object() && is_reference(item);
    item.get("id").filter(|_| is_reference)?.as_str()
}

/// A reference has a type of its own, or an id and nothing else.
fn is_reference(item: &Value) -> bool {
    match item.get("type").and_then(Value::as_str) {
        Some(kind) => kind == "item_reference",
        None => item.get("role").is_none(),
    }
}

fn input_of(request: &Map<String, Value>) -> Result<Vec<Value>, Failure> {
    match request.get("input") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![json!({"role": "user", "content": text})]),
        Some(Value::Array(items)) => Ok(items.clone()),
        Some(_) => Err(Failure::bad_request(
            "input",
            "`input` must be a string or a list of items.",
        )),
    }
}

/// The input items of a request as they are listed: each with a type, an id and its content as a
/// list of parts. `response_id` is the answer's id, from which missing ids are made.
pub fn input_items(request: &Map<String, Value>, response_id: &str) -> Result<Vec<Value>, Failure> {
    let items = input_of(request)?.into_iter().enumerate();
    Ok(items
        .map(|(index, item)| match item {
            Value::Object(map) => Value::Object(listed(map, response_id, index)),
            other => other,
        })
        .collect())
}

fn listed(mut map: Map<String, Value>, response_id: &str, index: usize) -> Map<String, Value> {
    let kind = match map.get("type").and_then(Value::as_str) {
        Some(kind) => kind.to_owned(),
        None => "message".to_owned(),
    };
    if !map.get("id").is_some_and(Value::is_string) {
        let prefix = match kind.as_str() {
            "message" => "msg",
            "reasoning" => "rs",
            "function_call" => "fc",
            "function_call_output" => "fco",
            "custom_tool_call" => "ctc",
            _ => "item",
        };
        let digits = ids::hash(&["input", response_id, &index.to_string()], 24);
        map.insert("id".to_owned(), json!(format!("{prefix}_{digits}")));
    }
    if kind == "message"
        && let Some(Value::String(text)) = map.get("content")
    {
        let is_answer = map.get("role").and_then(Value::as_str) == Some("assistant");
        let part = if is_answer {
            "output_text"
        } else {
            "input_text"
        };
        let content = json!([{"type": part, "text": text}]);
        map.insert("content".to_owned(), content);
    }
    map.insert("type".to_owned(), Value::String(kind));
    map
}

/// The answer of `GET /v1/responses/{id}/input_items`: newest first unless `ascending`, after the
/// item with id `after`, at most `limit` of them.
pub fn input_list(items: &[Value], ascending: bool, after: Option<&str>, limit: usize) -> Value {
    let id = |item: &Value| item.get("id").cloned().unwrap_or(Value::Null);
    let mut data: Vec<&Value> = items.iter().collect();
    if !ascending {
        data.reverse();
    }
    if let Some(after) = after
        && let Some(index) = data.iter().position(|item| id(item) == json!(after))
    {
        data.drain(..=index);
    }
    let has_more = data.len() > limit;
    data.truncate(limit);
    json!({
        "object": "list",
        "first_id": data.first().map(|item| id(item)),
        "last_id": data.last().map(|item| id(item)),
        "has_more": has_more,
        "data": data,
    })
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
