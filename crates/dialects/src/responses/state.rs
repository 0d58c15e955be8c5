//! What a gateway needs to keep answers itself: earlier turns in canonical form, requests that go
//! on from a stored answer, and the listing of a request's input.

use std::collections::{BTreeMap, BTreeSet, HashSet};

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
/// inherited. Returns the number of earlier items.
pub fn resume(
    request: &mut Map<String, Value>,
    input_items: &[Value],
    output_items: &[Value],
) -> Result<usize, Failure> {
    let own = input_of(request)?;
    let earlier = || input_items.iter().chain(output_items);
    let ids = earlier().filter_map(|item| item.get("id")?.as_str());
    let known: HashSet<&str> = ids.collect();
    let mut items: Vec<Value> = earlier().cloned().collect();
    let count = items.len();
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
    Ok(count)
}

/// The ids of items of a request's input that only the stored answers of its sender can vouch for: items that are named
/// without being sent, and those that lean on something that their vendor keeps. The first `earlier` items are not looked
/// at. An item without an id has an empty one.
pub fn references(request: &Map<String, Value>, earlier: usize) -> Vec<String> {
    let Some(Value::Array(items)) = request.get("input") else {
        return Vec::new();
    };
    let own = items.iter().skip(earlier);
    let leaning = own.filter(|item| Lean::of(item).is_some());
    leaning.map(|item| id_of(item).to_owned()).collect()
}

/// Puts these items of stored answers, by their ids, in the place of references to them, and checks with them what other
/// items lean on. The first `earlier` items are not looked at. Returns the first place that nothing vouches for, counted
/// without them, and the id there. `passes`: what nothing vouches for stays as it is.
pub fn put_items(
    request: &mut Map<String, Value>,
    earlier: usize,
    known: &BTreeMap<String, Value>,
    passes: bool,
) -> Option<(usize, String)> {
    let Some(Value::Array(items)) = request.get_mut("input") else {
        return None;
    };
    let mut missing = None;
    for (place, item) in items.iter_mut().skip(earlier).enumerate() {
        let Some(lean) = Lean::of(item) else { continue };
        let id = id_of(item);
        let stored = known.get(id);
        match (lean, stored) {
            (Lean::Whole, Some(stored)) => *item = stored.clone(),
            (Lean::Id, Some(_)) => {}
            (Lean::Kept, Some(stored))
                if kept_by_vendor(item).is_subset(&kept_by_vendor(stored)) => {}
            _ if passes => {}
            (Lean::Id, None) => forget_id(item),
            (Lean::Whole | Lean::Kept, _) => {
                missing = missing.or_else(|| Some((place, id.to_owned())));
            }
        }
    }
    missing
}

/// The way in which an item leans on what a vendor keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lean {
    /// It is nothing but an id.
    Whole,
    /// It says all that it means, but the vendor may take what it keeps under its id instead.
    Id,
    /// It names a file or a container.
    Kept,
}

impl Lean {
    fn of(item: &Value) -> Option<Self> {
        if !kept_by_vendor(item).is_empty() {
            return Some(Self::Kept);
        }
        let item = item.as_object()?;
        let has = |name: &str| item.get(name).is_some_and(|value| !is_nothing(value));
        let is_own = (item.get("id").and_then(Value::as_str)).is_some_and(ids::is_own_item);
        let is_said = match item.get("type").and_then(Value::as_str) {
            None if item.contains_key("role") => None,
            None | Some("item_reference") => return Some(Self::Whole),
            // Encrypted thoughts are read from the item itself.
            Some("reasoning") if has("encrypted_content") => None,
            Some("reasoning") => Some(has("summary") || has("content")),
            Some("image_generation_call") => Some(has("result")),
            Some("file_search_call") => Some(has("results")),
            Some(_) => None,
        };
        is_said
            .filter(|_| has("id") && !is_own)
            .map(|is_said| if is_said { Self::Id } else { Self::Whole })
    }
}

fn id_of(item: &Value) -> &str {
    item.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// The id of the item that is named here without being sent.
fn reference(item: &Value) -> Option<&str> {
    (Lean::of(item) == Some(Lean::Whole)).then(|| id_of(item))
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

fn forget_id(item: &mut Value) {
    if let Some(item) = item.as_object_mut() {
        item.shift_remove("id");
    }
}

/// The files and containers that an item names.
fn kept_by_vendor(item: &Value) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    add_kept(item, &mut names);
    names
}

fn add_kept<'a>(value: &'a Value, names: &mut BTreeSet<&'a str>) {
    match value {
        Value::Array(list) => list.iter().for_each(|entry| add_kept(entry, names)),
        Value::Object(map) => {
            for (name, value) in map {
                match value {
                    Value::String(id) if matches!(name.as_str(), "file_id" | "container_id") => {
                        names.insert(id);
                    }
                    value => add_kept(value, names),
                }
            }
        }
        _ => {}
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
