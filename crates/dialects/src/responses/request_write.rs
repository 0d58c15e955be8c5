//! Writes a request that the passes have made fit for this dialect.

use serde_json::{Map, Value, json};

use super::item_write::{ItemWriter, bare_input};
use super::marks::{ITEM, merge_missing, overlay};
use super::part_write::{Spelling, write_part};
use super::request_read::LOGPROBS;
use super::{tool_choice, tool_write};
use crate::canonical::{
    ALIKE, Effort, Extra, OutputFormat, Part, PartKind, ReasoningMode, ReasoningShow, Request, Role,
};
use crate::{DialectId, json};

/// Writes a request's body.
pub(super) fn write_request(request: &Request) -> Vec<u8> {
    json::bytes(&write_map(request))
}

/// Writes a request as an object.
pub(super) fn write_map(request: &Request) -> Map<String, Value> {
    let spelling = spelling_of(request);
    let mut map = Map::new();
    map.insert("model".to_owned(), json!(request.model));
    put_input(&mut map, request, spelling);
    put_tools(&mut map, request, spelling);
    put_limits(&mut map, request);
    put_text(&mut map, request);
    put_reasoning(&mut map, request, spelling);
    put_account(&mut map, request, spelling);
    if let Some(stream) = &request.stream {
        map.insert("stream".to_owned(), Value::Bool(true));
        if spelling == Spelling::Own && !stream.extra.is_empty() {
            let options = Value::Object(stream.extra.clone());
            map.insert("stream_options".to_owned(), options);
        }
    }
    match spelling {
        Spelling::Own => merge_missing(&mut map, &request.extra),
        Spelling::Foreign => {
            let alike = |field: &str| Some((field.to_owned(), request.extra.get(field)?.clone()));
            // Hosted tools of another dialect are limited by it.
            let fields = ALIKE.into_iter().chain(["max_tool_calls"]);
            map.extend(fields.filter_map(alike));
            put_include(&mut map, request);
        }
    }
    map
}

fn spelling_of(request: &Request) -> Spelling {
    if request.source == DialectId::Responses {
        Spelling::Own
    } else {
        Spelling::Foreign
    }
}

/// Instructions are the system parts before the first one that began an item of its own.
fn put_input(map: &mut Map<String, Value>, request: &Request, spelling: Spelling) {
    let is_item = |part: &Part| spelling == Spelling::Own && part.extra.contains_key(ITEM);
    let first_item = request.system.iter().position(is_item);
    let (instructions, leading) = request
        .system
        .split_at(first_item.unwrap_or(request.system.len()));
    let mut leading = leading_items(leading);
    let is_plain = |part: &Part| part.as_text().is_some() && part.cache.is_none();
    if instructions.iter().all(is_plain) {
        let texts: Vec<&str> = instructions.iter().filter_map(Part::as_text).collect();
        if !texts.is_empty() {
            map.insert("instructions".to_owned(), json!(texts.join("\n\n")));
        }
    } else {
        leading.insert(0, (0, developer_message(instructions, spelling)));
    }
    if spelling == Spelling::Own
        && leading.is_empty()
        && let Some(text) = bare_input(&request.turns)
    {
        map.insert("input".to_owned(), json!(text));
        return;
    }
    let items = items(request, leading, spelling);
    if !items.is_empty() {
        map.insert("input".to_owned(), Value::Array(items));
    }
}

/// The conversation's items, each leading message at its old place.
fn items(request: &Request, leading: Vec<(u64, Value)>, spelling: Spelling) -> Vec<Value> {
    let mut writer = ItemWriter::new(request, spelling);
    let mut leading = leading.into_iter().peekable();
    for (index, turn) in (0_u64..).zip(&request.turns) {
        while let Some((_, item)) = leading.next_if(|(position, _)| *position <= index) {
            writer.raw(item);
        }
        writer.turn(turn);
    }
    for (_, item) in leading {
        writer.raw(item);
    }
    writer.finish()
}

/// Instructions with cache marks or media cannot be one string.
fn developer_message(parts: &[Part], spelling: Spelling) -> Value {
    let mut content = Vec::new();
    for part in parts {
        write_part(part, Role::System, spelling, &mut content);
    }
    json!({"role": "developer", "content": content})
}

/// System and developer messages before the first turn, with the number of turns before each.
fn leading_items(parts: &[Part]) -> Vec<(u64, Value)> {
    let mut items = Vec::new();
    let mut rest = parts;
    while let Some(first) = rest.first() {
        let more = rest[1..]
            .iter()
            .position(|part| part.extra.contains_key(ITEM));
        let (item, after) = rest.split_at(more.map_or(rest.len(), |more| more + 1));
        let empty = Extra::new();
        let fields = first.extra.get(ITEM).and_then(Value::as_object);
        items.push(leading_item(item, fields.unwrap_or(&empty)));
        rest = after;
    }
    items
}

fn leading_item(parts: &[Part], fields: &Extra) -> (u64, Value) {
    let mut content = Vec::new();
    for part in parts {
        write_part(part, Role::System, Spelling::Own, &mut content);
    }
    let was_text = fields.contains_key("content");
    let content = match content.as_slice() {
        [only] if was_text => only["text"].clone(),
        _ => Value::Array(content),
    };
    let mut map = Map::from_iter([("role".to_owned(), json!("system"))]);
    overlay(&mut map, fields);
    map.shift_remove("position");
    map.insert("content".to_owned(), content);
    let position = fields.get("position").and_then(Value::as_u64);
    (position.unwrap_or(0), Value::Object(map))
}

fn put_tools(map: &mut Map<String, Value>, request: &Request, spelling: Spelling) {
    let tools = tool_write::write_tools(&request.tools, spelling);
    if !tools.is_empty() {
        map.insert("tools".to_owned(), Value::Array(tools));
    }
    let choice = match &request.tool_choice.raw {
        Some(raw) if spelling == Spelling::Own => Some(raw.clone()),
        _ => tool_choice::write(&request.tool_choice),
    };
    if let Some(choice) = choice {
        map.insert("tool_choice".to_owned(), choice);
    }
    if let Some(parallel) = request.tool_choice.parallel {
        map.insert("parallel_tool_calls".to_owned(), Value::Bool(parallel));
    }
}

fn put_limits(map: &mut Map<String, Value>, request: &Request) {
    if let Some(cap) = request.max_output {
        map.insert("max_output_tokens".to_owned(), json!(cap));
    }
    let sampling = &request.sampling;
    for (key, number) in [
        ("temperature", &sampling.temperature),
        ("top_p", &sampling.top_p),
    ] {
        if let Some(number) = number {
            map.insert(key.to_owned(), Value::Number(number.clone()));
        }
    }
    if let Some(count) = sampling.top_logprobs {
        map.insert("top_logprobs".to_owned(), json!(count));
    }
}

fn put_text(map: &mut Map<String, Value>, request: &Request) {
    let mut text = Map::new();
    if let Some(format) = write_format(&request.output) {
        text.insert("format".to_owned(), format);
    }
    if let Some(verbosity) = &request.verbosity {
        text.insert("verbosity".to_owned(), json!(verbosity));
    }
    if !text.is_empty() {
        map.insert("text".to_owned(), Value::Object(text));
    }
}

fn write_format(output: &OutputFormat) -> Option<Value> {
    Some(match output {
        // The passes turn an enum into a schema that has a name here; by itself it has none.
        OutputFormat::Text | OutputFormat::Enum { .. } => return None,
        OutputFormat::PlainText => json!({"type": "text"}),
        OutputFormat::JsonObject => json!({"type": "json_object"}),
        OutputFormat::JsonSchema {
            name,
            description,
            schema,
            strict,
        } => {
            let name = name.as_deref().unwrap_or("response");
            let mut format = Map::from_iter([
                ("type".to_owned(), json!("json_schema")),
                ("name".to_owned(), json!(name)),
                ("schema".to_owned(), schema.value.clone()),
            ]);
            if let Some(description) = description {
                format.insert("description".to_owned(), json!(description));
            }
            if let Some(strict) = strict {
                format.insert("strict".to_owned(), Value::Bool(*strict));
            }
            Value::Object(format)
        }
    })
}

fn put_reasoning(map: &mut Map<String, Value>, request: &Request, spelling: Spelling) {
    let reasoning = &request.reasoning;
    let mut object = Map::new();
    let effort = match (&reasoning.effort, reasoning.mode) {
        (Some(effort), _) => Some(effort.word()),
        (None, ReasoningMode::Off) => Some(Effort::None.word()),
        (None, _) => None,
    };
    if let Some(effort) = effort {
        object.insert("effort".to_owned(), json!(effort));
    }
    let summary = match (&reasoning.summary, spelling) {
        (Some(word), _) => Some(word.as_str()),
        (None, Spelling::Own) => None,
        (None, Spelling::Foreign) => (reasoning.show == ReasoningShow::Summary).then_some("auto"),
    };
    if let Some(summary) = summary {
        object.insert("summary".to_owned(), json!(summary));
    }
    if spelling == Spelling::Own {
        merge_missing(&mut object, &reasoning.extra);
    }
    if !object.is_empty() {
        map.insert("reasoning".to_owned(), Value::Object(object));
    }
}

fn put_account(map: &mut Map<String, Value>, request: &Request, spelling: Spelling) {
    let is_own = spelling == Spelling::Own;
    // With the old field `user` in `extra`, the newer one is there too if the client sent it.
    let says_user = is_own && request.extra.contains_key("user");
    for (key, value) in [
        (
            "safety_identifier",
            request.end_user.as_ref().filter(|_| !says_user),
        ),
        ("prompt_cache_key", request.cache_key.as_ref()),
        ("service_tier", request.tier.as_ref()),
    ] {
        if let Some(value) = value {
            map.insert(key.to_owned(), json!(value));
        }
    }
    if let Some(metadata) = &request.metadata {
        map.insert("metadata".to_owned(), metadata.clone());
    }
    // Left out, this vendor keeps the answer; no other dialect means that by silence.
    if let Some(store) = request.store.or((!is_own).then_some(false)) {
        map.insert("store".to_owned(), Value::Bool(store));
    }
}

/// What a request of another dialect needs to be told in the answer.
fn put_include(map: &mut Map<String, Value>, request: &Request) {
    let mut include = Vec::new();
    if request.sampling.logprobs == Some(true) {
        include.push(json!(LOGPROBS));
    }
    let keeps_nothing = request.store != Some(true);
    if keeps_nothing && reasons(request) {
        include.push(json!("reasoning.encrypted_content"));
    }
    if !include.is_empty() {
        map.insert("include".to_owned(), Value::Array(include));
    }
}

/// Whether the model surely reasons: models that do not refuse the wish for encrypted reasoning.
fn reasons(request: &Request) -> bool {
    let wants = matches!(
        request.reasoning.mode,
        ReasoningMode::On | ReasoningMode::Auto
    );
    let has_before = || {
        let mut parts = request.turns.iter().flat_map(|turn| &turn.parts);
        parts.any(|part| {
            matches!(part.kind, PartKind::Thinking(_))
                && part
                    .signature
                    .as_ref()
                    .is_some_and(|made| made.origin == Some(DialectId::Responses))
        })
    };
    wants
        || request
            .reasoning
            .effort
            .as_ref()
            .is_some_and(|effort| *effort != Effort::None)
        || has_before()
}
