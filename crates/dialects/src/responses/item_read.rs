//! Reads items, of a request's input or of an answer's output: each becomes one turn, its own
//! fields kept in the turn's `extra`. An item of a kind that we do not convert stays as it is.

use serde_json::{Map, Value, json};

use super::part_read::read_parts;
use crate::canonical::{
    Arguments, ContentShape, Extra, Failure, Hosted, Media, MediaClass, MediaSource, Part,
    PartKind, Role, Thinking, ThinkingForm, ToolCall, ToolResult, Turn,
};
use crate::{DialectId, Signature, json};

const ID: DialectId = DialectId::Responses;

/// Who sends the items that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sender {
    /// A client: signatures may be our envelopes.
    Client,
    /// An upstream: signatures are its own, generated images are part of the answer.
    Upstream,
}

/// Where an item stands, for error texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// `input` or `output`.
    pub list: &'static str,
    /// Its index there.
    pub index: usize,
}

impl Place {
    fn field(self, name: &str) -> String {
        let dot = if name.is_empty() { "" } else { "." };
        format!("{}[{}]{dot}{name}", self.list, self.index)
    }

    fn wrong(self, name: &str, message: impl Into<String>) -> Failure {
        Failure::bad_request(self.field(name), message)
    }
}

/// Reads an item as a turn of its own.
pub(super) fn read_item(item: Value, sender: Sender, place: Place) -> Result<Turn, Failure> {
    let Value::Object(map) = item else {
        return Err(place.wrong("", "An item must be an object."));
    };
    let kind = match map.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        None | Some(Value::Null) if map.contains_key("role") => "message".to_owned(),
        None | Some(Value::Null) if map.contains_key("id") => "item_reference".to_owned(),
        _ => return Err(place.wrong("type", "An item needs a `type`.")),
    };
    let turn = match kind.as_str() {
        "message" => read_message(map, place),
        "reasoning" => Ok(read_reasoning(map, sender)),
        "function_call" => read_call(map, place, false),
        "custom_tool_call" => read_call(map, place, true),
        "function_call_output" => read_result(map, place, false),
        "custom_tool_call_output" => read_result(map, place, true),
        "image_generation_call" if sender == Sender::Upstream => Ok(read_image(map)),
        _ => Ok(untouched(&kind, map)),
    };
    turn.map(|mut turn| {
        turn.extra.shift_remove(super::ITEM);
        turn
    })
    .map_err(|failure| relative(failure, place))
}

/// Puts the item's place before a field that is named without it.
fn relative(failure: Failure, place: Place) -> Failure {
    match &failure.param {
        Some(param) if !param.starts_with(place.list) => Failure {
            param: Some(place.field(param)),
            ..failure
        },
        _ => failure,
    }
}

/// A turn that is one item without a content field.
fn single(role: Role, part: Part, extra: Extra) -> Turn {
    Turn {
        shape: ContentShape::Absent,
        extra,
        ..Turn::new(role, vec![part])
    }
}

fn untouched(kind: &str, map: Map<String, Value>) -> Turn {
    let is_from_client = kind.ends_with("_output")
        || matches!(
            kind,
            "additional_tools" | "item_reference" | "mcp_approval_response" | "compaction_trigger"
        );
    let role = if is_from_client {
        Role::User
    } else {
        Role::Assistant
    };
    let hosted = Hosted {
        dialect: ID,
        raw: Value::Object(map),
    };
    single(role, Part::new(PartKind::Hosted(hosted)), Extra::new())
}

fn read_message(mut map: Map<String, Value>, place: Place) -> Result<Turn, Failure> {
    let word = json::take_string(&mut map, "role")?.unwrap_or_default();
    let role = match word.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" | "developer" => Role::System,
        _ => {
            return Err(place.wrong(
                "role",
                "`role` must be `user`, `assistant`, `system` or `developer`.",
            ));
        }
    };
    if role == Role::System && word != "system" {
        map.insert("role".to_owned(), Value::String(word));
    }
    let (parts, shape) = read_content(&mut map, "content", role, place)?;
    Ok(Turn {
        role,
        parts,
        shape,
        name: None,
        extra: map,
    })
}

/// A string, a list of parts, or nothing.
fn read_content(
    map: &mut Map<String, Value>,
    key: &'static str,
    role: Role,
    place: Place,
) -> Result<(Vec<Part>, ContentShape), Failure> {
    Ok(match map.shift_remove(key) {
        None => (Vec::new(), ContentShape::Absent),
        Some(Value::Null) => (Vec::new(), ContentShape::Null),
        Some(Value::String(text)) => (vec![Part::text(text)], ContentShape::Text),
        Some(Value::Array(list)) => (
            read_parts(list, role, &|| place.field(key))?,
            ContentShape::Parts,
        ),
        Some(_) => {
            return Err(place.wrong(key, format!("`{key}` must be a string or a list.")));
        }
    })
}

fn read_reasoning(mut map: Map<String, Value>, sender: Sender) -> Turn {
    map.shift_remove("type");
    let signature = match json::take(&mut map, "encrypted_content") {
        Some(Value::String(data)) if sender == Sender::Client => {
            Some(Signature::from_client(ID, &data))
        }
        Some(Value::String(data)) => Some(Signature::native(ID, data)),
        _ => None,
    };
    let summary = json::take(&mut map, "summary");
    let content = json::take(&mut map, "content");
    let summarised = paragraphs(summary.as_ref(), "\n\n");
    let raw = paragraphs(content.as_ref(), "");
    let (text, form) = match (summarised.is_empty(), raw.is_empty()) {
        (false, _) => (summarised, ThinkingForm::Summary),
        (true, false) => (raw, ThinkingForm::Raw),
        (true, true) => (String::new(), ThinkingForm::Redacted),
    };
    let thinking = Thinking { text, form };
    let (usual_summary, usual_content) = reasoning_fields(&thinking);
    for (key, given, usual) in [
        ("summary", summary, Some(usual_summary)),
        ("content", content, usual_content),
    ] {
        if let Some(given) = given.filter(|given| Some(given) != usual.as_ref()) {
            map.insert(key.to_owned(), given);
        }
    }
    let mut part = Part::new(PartKind::Thinking(thinking));
    part.signature = signature;
    single(Role::Assistant, part, map)
}

fn paragraphs(list: Option<&Value>, between: &str) -> String {
    let texts: Vec<&str> = list
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|part| part.get("text")?.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(between)
}

/// The `summary` and `content` of a reasoning item that shows these thoughts.
pub(super) fn reasoning_fields(thinking: &Thinking) -> (Value, Option<Value>) {
    let nothing = || Value::Array(Vec::new());
    match thinking.form {
        _ if thinking.text.is_empty() => (nothing(), None),
        ThinkingForm::Raw => (
            nothing(),
            Some(json!([{"type": "reasoning_text", "text": thinking.text}])),
        ),
        ThinkingForm::Summary | ThinkingForm::Redacted => (
            json!([{"type": "summary_text", "text": thinking.text}]),
            None,
        ),
    }
}

fn read_call(mut map: Map<String, Value>, place: Place, is_free: bool) -> Result<Turn, Failure> {
    map.shift_remove("type");
    let name = json::take_string(&mut map, "name")?
        .ok_or_else(|| place.wrong("name", "A tool call needs a `name`."))?;
    let id = match json::take_string(&mut map, "call_id")? {
        Some(id) if !id.is_empty() => id,
        _ => text_of(map.get("id")),
    };
    let namespace = json::take_string(&mut map, "namespace")?;
    let arguments = if is_free {
        Arguments::Free(json::take_string(&mut map, "input")?.unwrap_or_default())
    } else {
        read_arguments(&mut map)
    };
    let call = ToolCall {
        id,
        name,
        namespace,
        arguments,
    };
    let part = Part::new(PartKind::ToolCall(call));
    Ok(single(Role::Assistant, part, map))
}

fn text_of(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Arguments as text or, from sloppy senders, as the object itself. What the writer would spell
/// differently stays in `map`.
fn read_arguments(map: &mut Map<String, Value>) -> Arguments {
    let given = json::take(map, "arguments");
    let arguments = match &given {
        Some(Value::String(text)) => json::arguments(text),
        Some(value) => json::arguments(&json::text(value)),
        None => json::arguments(""),
    };
    if let Some(given) = given.filter(|given| given.as_str() != Some(arguments.text())) {
        map.insert("arguments".to_owned(), given);
    }
    arguments
}

fn read_result(mut map: Map<String, Value>, place: Place, is_free: bool) -> Result<Turn, Failure> {
    map.shift_remove("type");
    let call_id = json::take_string(&mut map, "call_id")?
        .ok_or_else(|| place.wrong("call_id", "A tool result needs its `call_id`."))?;
    let name = json::take_string(&mut map, "name")?;
    if let Some(output @ (Value::Object(_) | Value::Number(_) | Value::Bool(_))) = map.get("output")
    {
        // Not in the standard, but clear: the value's own text.
        let text = json::text(output);
        map.insert("output".to_owned(), Value::String(text));
    }
    let (parts, shape) = read_content(&mut map, "output", Role::User, place)?;
    let result = ToolResult {
        call_id,
        name,
        is_error: None,
        is_free,
        parts,
        shape,
    };
    let part = Part::new(PartKind::ToolResult(result));
    Ok(single(Role::User, part, map))
}

/// A generated image. Where it is missing (a failed call), the item stays as it is.
fn read_image(mut map: Map<String, Value>) -> Turn {
    let Some(data) = json::take_string(&mut map, "result").ok().flatten() else {
        return untouched("image_generation_call", map);
    };
    map.shift_remove("type");
    let format = map.get("output_format").and_then(Value::as_str);
    let mime = format!("image/{}", format.unwrap_or("png"));
    let source = MediaSource::Inline { mime, data };
    let part = Part::new(PartKind::Media(Media::new(MediaClass::Image, source)));
    single(Role::Assistant, part, map)
}
