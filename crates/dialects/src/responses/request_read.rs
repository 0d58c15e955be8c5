//! Reads a request. Each input item becomes a turn of its own; system and developer messages before
//! the first turn join `system`, after the instructions.

use serde_json::{Map, Value, json};

use super::item_read::{Place, Sender, read_item};
use super::marks::{BARE_INPUT, ITEM};
use super::{tool_choice, tool_read};
use crate::canonical::{
    ContentShape, Effort, Failure, OutputFormat, Part, PartKind, ReasoningMode, ReasoningShow,
    Request, Role, Schema, StreamOptions, Turn,
};
use crate::{DialectId, json};

/// Reads a client's request.
pub(super) fn read_request(body: &[u8]) -> Result<Request, Failure> {
    read_map(json::read_object(body)?)
}

/// Reads a request that is parsed already.
pub(super) fn read_map(mut map: Map<String, Value>) -> Result<Request, Failure> {
    map.shift_remove(ITEM);
    let model = json::take_string(&mut map, "model")?
        .ok_or_else(|| Failure::bad_request("model", "`model` is required."))?;
    let mut request = Request::new(DialectId::Responses, model);
    if let Some(instructions) = json::take_string(&mut map, "instructions")? {
        request.system.push(Part::text(instructions));
        request.system_shape = ContentShape::Text;
    }
    read_input(&mut map, &mut request)?;
    read_tools(&mut map, &mut request)?;
    read_limits(&mut map, &mut request)?;
    read_text(&mut map, &mut request)?;
    read_reasoning(&mut map, &mut request)?;
    read_account(&mut map, &mut request)?;
    read_stream(&mut map, &mut request)?;
    request.extra = map;
    Ok(request)
}

fn read_input(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let items = match map.shift_remove("input") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::String(text)) => {
            let mut turn = Turn::new(Role::User, vec![Part::text(text)]);
            turn.shape = ContentShape::Text;
            turn.extra.insert(ITEM.to_owned(), json!(BARE_INPUT));
            request.turns.push(turn);
            return Ok(());
        }
        Some(Value::Array(items)) => items,
        Some(_) => {
            return Err(Failure::bad_request(
                "input",
                "`input` must be a string or a list of items.",
            ));
        }
    };
    if items.is_empty() {
        map.insert("input".to_owned(), Value::Array(items));
        return Ok(());
    }
    let mut is_leading = true;
    for (index, item) in items.into_iter().enumerate() {
        let place = Place {
            list: "input",
            index,
        };
        let turn = read_item(item, Sender::Client, place)?;
        is_leading = is_leading && (turn.role == Role::System || declares_tools(&turn));
        if is_leading && turn.role == Role::System && !turn.parts.is_empty() {
            lead(turn, request);
        } else {
            request.turns.push(turn);
        }
    }
    Ok(())
}

/// An item that only declares tools says nothing: the conversation has not begun.
fn declares_tools(turn: &Turn) -> bool {
    matches!(turn.parts.as_slice(), [Part { kind: PartKind::Hosted(item), .. }]
        if item.raw.get("type").and_then(Value::as_str) == Some("additional_tools"))
}

/// A system or developer message before the first turn joins `system`.
fn lead(turn: Turn, request: &mut Request) {
    let mut item = turn.extra;
    if turn.shape == ContentShape::Text {
        item.insert("content".to_owned(), json!("text"));
    }
    if !request.turns.is_empty() {
        item.insert("position".to_owned(), json!(request.turns.len()));
    }
    let mut mark = Some(Value::Object(item));
    for mut part in turn.parts {
        if let Some(mark) = mark.take() {
            part.extra.insert(ITEM.to_owned(), mark);
        }
        request.system.push(part);
    }
    if request.system_shape == ContentShape::Absent {
        request.system_shape = ContentShape::Parts;
    }
}

fn read_tools(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    if map.get("tools").is_some_and(|tools| *tools != json!([])) {
        let list = json::take_array(map, "tools")?.unwrap_or_default();
        request.tools = tool_read::read_tools(list)?;
    }
    tool_read::join_declared(&request.turns, &mut request.tools)?;
    if let Some(choice) = json::take(map, "tool_choice") {
        tool_choice::read(choice, &mut request.tool_choice);
    }
    request.tool_choice.parallel = json::take_bool(map, "parallel_tool_calls")?;
    Ok(())
}

fn read_limits(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    request.max_output = json::take_u64(map, "max_output_tokens")?;
    request.sampling.temperature = json::take_number(map, "temperature")?;
    request.sampling.top_p = json::take_number(map, "top_p")?;
    let wanted = json::take_u64(map, "top_logprobs")?;
    request.sampling.top_logprobs = wanted.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    // `include` itself stays in `extra`: only one of its words means something elsewhere.
    if let Some(Value::Array(include)) = map.get("include")
        && include.iter().any(|word| word == LOGPROBS)
    {
        request.sampling.logprobs = Some(true);
    }
    Ok(())
}

/// The word in `include` that asks for log probabilities.
pub(super) const LOGPROBS: &str = "message.output_text.logprobs";

/// `text` holds the output format and the verbosity; what else is in it stays in `extra`.
fn read_text(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let Some(mut text) = json::take_object(map, "text")? else {
        return Ok(());
    };
    let was_empty = text.is_empty();
    request.verbosity = json::take_string(&mut text, "verbosity")
        .map_err(|failure| Failure::bad_request("text.verbosity", failure.message))?;
    if let Some(mut format) = json::take_object(&mut text, "format")
        .map_err(|failure| Failure::bad_request("text.format", failure.message))?
    {
        request.output = read_format(&mut format).map_err(|failure| {
            let field = failure.param.unwrap_or_default();
            Failure::bad_request(format!("text.format.{field}"), failure.message)
        })?;
        if !format.is_empty() {
            text.insert("format".to_owned(), Value::Object(format));
        }
    }
    if was_empty || !text.is_empty() {
        map.insert("text".to_owned(), Value::Object(text));
    }
    Ok(())
}

fn read_format(format: &mut Map<String, Value>) -> Result<OutputFormat, Failure> {
    let kind = format.get("type").and_then(Value::as_str);
    let output = match kind {
        Some("text") => OutputFormat::PlainText,
        Some("json_object") => OutputFormat::JsonObject,
        Some("json_schema") => OutputFormat::JsonSchema {
            name: json::take_string(format, "name")?,
            description: json::take_string(format, "description")?,
            schema: Schema::json(json::take(format, "schema").unwrap_or_else(|| json!({}))),
            strict: json::take_bool(format, "strict")?,
        },
        _ => return Ok(OutputFormat::Text),
    };
    format.shift_remove("type");
    Ok(output)
}

fn read_reasoning(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let Some(mut given) = json::take_object(map, "reasoning")? else {
        return Ok(());
    };
    if given.is_empty() {
        map.insert("reasoning".to_owned(), Value::Object(given));
        return Ok(());
    }
    let named = |failure: Failure| {
        let field = failure.param.unwrap_or_default();
        Failure::bad_request(format!("reasoning.{field}"), failure.message)
    };
    let reasoning = &mut request.reasoning;
    let effort = json::take_string(&mut given, "effort").map_err(named)?;
    reasoning.effort = effort.as_deref().map(Effort::read);
    reasoning.mode = match &reasoning.effort {
        None => ReasoningMode::Unset,
        Some(Effort::None) => ReasoningMode::Off,
        Some(_) => ReasoningMode::On,
    };
    reasoning.summary = json::take_string(&mut given, "summary").map_err(named)?;
    // The field's old name means the same but is written again as it came.
    if reasoning.summary.is_some() || given.get("generate_summary").is_some_and(Value::is_string) {
        reasoning.show = ReasoningShow::Summary;
    }
    reasoning.extra = given;
    Ok(())
}

fn read_account(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let user = map.get("user").and_then(Value::as_str).map(str::to_owned);
    match user {
        // The old name of the field; both may be there, and then both stay.
        Some(user) => {
            let newer = map.get("safety_identifier").and_then(Value::as_str);
            request.end_user = Some(newer.map_or(user, str::to_owned));
        }
        None => request.end_user = json::take_string(map, "safety_identifier")?,
    }
    request.cache_key = json::take_string(map, "prompt_cache_key")?;
    request.tier = json::take_string(map, "service_tier")?;
    request.metadata = json::take(map, "metadata");
    request.store = json::take_bool(map, "store")?;
    Ok(())
}

fn read_stream(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    match json::take_bool(map, "stream")? {
        Some(true) => {
            let extra = json::take_object(map, "stream_options")?.unwrap_or_default();
            request.stream = Some(StreamOptions {
                include_usage: None,
                extra,
            });
        }
        Some(false) => {
            map.insert("stream".to_owned(), Value::Bool(false));
        }
        None => {}
    }
    Ok(())
}
