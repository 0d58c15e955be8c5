//! Writes turns as input items. A turn that was read here is one item and gets its own fields back;
//! a foreign turn becomes as many items as its parts need.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::item_read::reasoning_fields;
use super::marks::{BARE_INPUT, ITEM, overlay};
use super::part_write::{Spelling, write_part};
use crate::DialectId;
use crate::canonical::{
    Arguments, ContentShape, Extra, Part, PartKind, Request, Role, Thinking, ToolCall, ToolResult,
    Turn,
};

/// Gathers the items of a request.
pub(super) struct ItemWriter {
    items: Vec<Value>,
    spelling: Spelling,
    /// Calls of custom tools: their results are items of another kind, and not every dialect says
    /// so on the result.
    free_calls: HashSet<String>,
    /// Whether a reasoning item was left out: the items after it then lose their ids too, because
    /// the vendor refuses an item that it knows without the reasoning that belongs to it.
    lost_reasoning: bool,
}

impl ItemWriter {
    /// A writer for the items of this request.
    pub(super) fn new(request: &Request, spelling: Spelling) -> Self {
        let calls = request.turns.iter().flat_map(|turn| &turn.parts);
        let free_calls = calls.filter_map(|part| match &part.kind {
            PartKind::ToolCall(ToolCall {
                id,
                arguments: Arguments::Free(_),
                ..
            }) => Some(id.clone()),
            _ => None,
        });
        Self {
            items: Vec::new(),
            spelling,
            free_calls: free_calls.collect(),
            lost_reasoning: false,
        }
    }

    /// The items so far.
    pub(super) fn finish(self) -> Vec<Value> {
        self.items
    }

    /// Adds an item that is written already.
    pub(super) fn raw(&mut self, item: Value) {
        self.items.push(item);
    }

    /// Writes a turn.
    pub(super) fn turn(&mut self, turn: &Turn) {
        if turn.role != Role::Assistant {
            self.lost_reasoning = false;
        }
        let mut extra = Some(&turn.extra).filter(|_| self.spelling == Spelling::Own);
        let mut content = Vec::new();
        for part in &turn.parts {
            let item = match &part.kind {
                PartKind::Thinking(thinking) => match self.reasoning(thinking, part) {
                    Some(item) => item,
                    None => continue,
                },
                PartKind::ToolCall(call) => call_item(call),
                PartKind::ToolResult(result) => self.result_item(result),
                PartKind::Hosted(hosted) if turn.shape == ContentShape::Absent => {
                    if hosted.dialect == DialectId::Responses {
                        self.items.push(hosted.raw.clone());
                    }
                    continue;
                }
                _ => {
                    write_part(part, turn.role, self.spelling, &mut content);
                    continue;
                }
            };
            self.message(turn, &mut content, &mut extra);
            self.push(item, extra.take());
        }
        let stays_empty = turn.parts.is_empty() && self.spelling == Spelling::Own;
        if stays_empty {
            self.push(bare_message(turn), extra);
        } else {
            self.message(turn, &mut content, &mut extra);
        }
    }

    fn push(&mut self, mut item: Map<String, Value>, extra: Option<&Extra>) {
        if let Some(extra) = extra {
            overlay(&mut item, extra);
        }
        if self.lost_reasoning {
            item.shift_remove("id");
        }
        self.items.push(Value::Object(item));
    }

    /// Writes the gathered content as a message.
    fn message(&mut self, turn: &Turn, content: &mut Vec<Value>, extra: &mut Option<&Extra>) {
        if content.is_empty() {
            return;
        }
        let list = std::mem::take(content);
        let content = match (self.spelling, turn.shape, list.as_slice()) {
            (Spelling::Own, ContentShape::Text, [only]) => only["text"].clone(),
            _ => Value::Array(list),
        };
        let mut item = Map::new();
        put(&mut item, "role", role_word(turn, self.spelling));
        item.insert("content".to_owned(), content);
        self.push(item, extra.take());
    }

    /// A reasoning item, if this vendor made it.
    fn reasoning(&mut self, thinking: &Thinking, part: &Part) -> Option<Map<String, Value>> {
        let proof = part.signature.as_ref();
        let encrypted = proof.and_then(|proof| proof.for_upstream(DialectId::Responses));
        if encrypted.is_none() && (proof.is_some() || self.spelling == Spelling::Foreign) {
            self.lost_reasoning = true;
            return None;
        }
        let mut item = reasoning_item(thinking);
        if let Some(data) = encrypted {
            item.insert(
                "encrypted_content".to_owned(),
                Value::String(data.to_owned()),
            );
        }
        Some(item)
    }

    fn result_item(&self, result: &ToolResult) -> Map<String, Value> {
        let is_free = result.is_free || self.free_calls.contains(&result.call_id);
        let kind = if is_free {
            "custom_tool_call_output"
        } else {
            "function_call_output"
        };
        let mut item = typed(kind);
        put(&mut item, "call_id", &result.call_id);
        if let Some(name) = result
            .name
            .as_ref()
            .filter(|_| self.spelling == Spelling::Own)
        {
            put(&mut item, "name", name);
        }
        if let Some(output) = self.result_output(result) {
            item.insert("output".to_owned(), output);
        }
        item
    }

    fn result_output(&self, result: &ToolResult) -> Option<Value> {
        let mut list = Vec::new();
        for part in &result.parts {
            write_part(part, Role::User, self.spelling, &mut list);
        }
        let is_own = self.spelling == Spelling::Own;
        if is_own && list.is_empty() {
            return match result.shape {
                ContentShape::Absent | ContentShape::Null => None,
                ContentShape::Text => Some(Value::String(String::new())),
                ContentShape::Parts => Some(Value::Array(list)),
            };
        }
        if is_own && result.shape != ContentShape::Text {
            return Some(Value::Array(list));
        }
        Some(match list.as_slice() {
            [] => Value::String(String::new()),
            [only] if only["type"] == "input_text" && result.parts[0].cache.is_none() => {
                only["text"].clone()
            }
            _ => Value::Array(list),
        })
    }
}

/// Whether this request's input was one bare string and still is.
pub(super) fn bare_input(turns: &[Turn]) -> Option<&str> {
    match turns {
        [turn] if turn.extra.get(ITEM).and_then(Value::as_str) == Some(BARE_INPUT) => {
            turn.parts.first()?.as_text()
        }
        _ => None,
    }
}

/// Where a turn of this dialect said `developer`, its `extra` says so again.
fn role_word(turn: &Turn, spelling: Spelling) -> &'static str {
    match (turn.role, spelling) {
        (Role::User, _) => "user",
        (Role::Assistant, _) => "assistant",
        (Role::System, Spelling::Own) => "system",
        (Role::System, Spelling::Foreign) => "developer",
    }
}

/// A message whose content is an empty list, an empty string, null or missing.
fn bare_message(turn: &Turn) -> Map<String, Value> {
    let mut item = Map::new();
    put(&mut item, "role", role_word(turn, Spelling::Own));
    let content = match turn.shape {
        ContentShape::Parts => Some(Value::Array(Vec::new())),
        ContentShape::Text => Some(Value::String(String::new())),
        ContentShape::Null => Some(Value::Null),
        ContentShape::Absent => None,
    };
    if let Some(content) = content {
        item.insert("content".to_owned(), content);
    }
    item
}

fn typed(kind: &str) -> Map<String, Value> {
    Map::from_iter([("type".to_owned(), Value::String(kind.to_owned()))])
}

fn put(map: &mut Map<String, Value>, key: &str, text: &str) {
    map.insert(key.to_owned(), Value::String(text.to_owned()));
}

/// A reasoning item without its proof.
pub(super) fn reasoning_item(thinking: &Thinking) -> Map<String, Value> {
    let mut item = typed("reasoning");
    let (summary, content) = reasoning_fields(thinking);
    item.insert("summary".to_owned(), summary);
    if let Some(content) = content {
        item.insert("content".to_owned(), content);
    }
    item
}

/// A call as an item.
pub(super) fn call_item(call: &ToolCall) -> Map<String, Value> {
    let (kind, field) = match call.arguments {
        Arguments::Free(_) => ("custom_tool_call", "input"),
        Arguments::Json(_) | Arguments::Broken(_) => ("function_call", "arguments"),
    };
    let mut item = typed(kind);
    put(&mut item, "call_id", &call.id);
    put(&mut item, "name", &call.name);
    if let Some(namespace) = &call.namespace {
        put(&mut item, "namespace", namespace);
    }
    put(&mut item, field, call.arguments.text());
    item
}
