//! The messages of a request: leading system text, then turn after turn, nothing merged.

use serde_json::{Map, Value};

use super::parts::{self, within};
use super::{assistant, spelling};
use crate::canonical::{
    ContentShape, Extra, Failure, Part, PartKind, Request, Role, ToolResult, Turn,
};
use crate::json::{take, take_string};
use crate::{Signature, ids};

/// Takes the messages out of a request's body.
pub fn read(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let messages = match take(map, "messages") {
        Some(Value::Array(messages)) if !messages.is_empty() => messages,
        Some(Value::Array(_)) => {
            return Err(Failure::bad_request(
                "messages",
                "`messages` must not be empty.",
            ));
        }
        Some(_) => {
            return Err(Failure::bad_request(
                "messages",
                "`messages` must be a list.",
            ));
        }
        None => return Err(Failure::bad_request("messages", "`messages` is required.")),
    };
    let mut reader = Turns {
        request,
        old_call: None,
    };
    for (at, message) in messages.into_iter().enumerate() {
        let place = format!("messages[{at}]");
        reader
            .message(message)
            .map_err(|failure| within(&place, failure))?;
    }
    Ok(())
}

struct Turns<'a> {
    request: &'a mut Request,
    /// The id that we gave to the last deprecated function call.
    old_call: Option<String>,
}

impl Turns<'_> {
    fn message(&mut self, message: Value) -> Result<(), Failure> {
        let Value::Object(mut map) = message else {
            return Err(Failure::bad_request("", "A message must be an object."));
        };
        let Some(role) = take_string(&mut map, "role")? else {
            return Err(Failure::bad_request("role", "A message needs a `role`."));
        };
        match role.as_str() {
            "system" | "developer" if self.request.turns.is_empty() => self.leading(role, map),
            "system" | "developer" => self.between(role, map),
            "user" => self.user(map),
            "assistant" => self.assistant(map),
            "tool" => self.tool(map),
            "function" => self.function(map),
            _ => Err(Failure::bad_request(
                "role",
                format!("`{role}` is not a role of this interface."),
            )),
        }
    }

    /// System text before the first turn: its blocks, the first of them marked with its message.
    fn leading(&mut self, role: String, mut map: Map<String, Value>) -> Result<(), Failure> {
        let (mut parts, shape) = read_content(&mut map)?;
        // A message without words is still one: its place is kept by an empty text.
        if parts.is_empty() {
            parts.push(Part::text(""));
        }
        map.insert("role".to_owned(), role.into());
        if shape == ContentShape::Text {
            spelling::mark(&mut map, spelling::BARE);
        }
        if let Some(first) = parts.first_mut() {
            first
                .extra
                .insert(spelling::MESSAGE.to_owned(), Value::Object(map));
        }
        let is_first = self.request.system.is_empty();
        self.request.system_shape = if is_first { shape } else { ContentShape::Parts };
        self.request.system.extend(parts);
        Ok(())
    }

    /// System text between turns.
    fn between(&mut self, role: String, mut map: Map<String, Value>) -> Result<(), Failure> {
        let (parts, shape) = read_content(&mut map)?;
        if role != "system" {
            map.insert(spelling::ROLE.to_owned(), role.into());
        }
        self.push(Role::System, parts, shape, map)
    }

    fn user(&mut self, mut map: Map<String, Value>) -> Result<(), Failure> {
        let (parts, shape) = read_content(&mut map)?;
        self.push(Role::User, parts, shape, map)
    }

    fn assistant(&mut self, mut map: Map<String, Value>) -> Result<(), Failure> {
        let (mut parts, shape) = assistant::read(&mut map)?;
        for part in &mut parts {
            self.read_call_id(part);
        }
        self.push(Role::Assistant, parts, shape, map)
    }

    /// A signature may ride on a call's id; a deprecated call has no id and is given one, so that
    /// its result can name it.
    fn read_call_id(&mut self, part: &mut Part) {
        let PartKind::ToolCall(call) = &mut part.kind else {
            return;
        };
        if part.extra.contains_key(spelling::OLD_FUNCTION) {
            let turn = u32::try_from(self.request.turns.len()).unwrap_or(u32::MAX);
            call.id = ids::call_id(&call.name, turn, 0);
            self.old_call = Some(call.id.clone());
        }
        let (plain, signature) = Signature::split_id(&call.id);
        // Results lose what rides on their id, whoever has put it there.
        if plain.len() < call.id.len() {
            call.id = plain.to_owned();
            part.signature = signature;
        }
    }

    fn tool(&mut self, mut map: Map<String, Value>) -> Result<(), Failure> {
        let Some(id) = take_string(&mut map, "tool_call_id")? else {
            return Err(Failure::bad_request(
                "tool_call_id",
                "A tool message needs the id of the call that it answers.",
            ));
        };
        let (plain, _) = Signature::split_id(&id);
        let result = read_result(&mut map, plain.to_owned(), None)?;
        self.push(Role::User, vec![result], ContentShape::Parts, map)
    }

    /// The deprecated result: it answers the last function call.
    fn function(&mut self, mut map: Map<String, Value>) -> Result<(), Failure> {
        let name = take_string(&mut map, "name")?;
        let id = self
            .old_call
            .clone()
            .unwrap_or_else(|| ids::call_id(name.as_deref().unwrap_or_default(), 0, 0));
        let mut result = read_result(&mut map, id, name)?;
        spelling::mark(&mut result.extra, spelling::OLD_FUNCTION);
        self.push(Role::User, vec![result], ContentShape::Parts, map)
    }

    fn push(
        &mut self,
        role: Role,
        parts: Vec<Part>,
        shape: ContentShape,
        mut extra: Extra,
    ) -> Result<(), Failure> {
        let name = take_string(&mut extra, "name")?;
        self.request.turns.push(Turn {
            role,
            parts,
            shape,
            name,
            extra,
        });
        Ok(())
    }
}

fn read_result(
    map: &mut Map<String, Value>,
    call_id: String,
    name: Option<String>,
) -> Result<Part, Failure> {
    let (parts, shape) = read_content(map)?;
    Ok(Part::new(PartKind::ToolResult(ToolResult {
        call_id,
        name,
        is_error: None,
        is_free: false,
        parts,
        shape,
    })))
}

/// An empty string has a shape but no part.
fn read_content(map: &mut Map<String, Value>) -> Result<(Vec<Part>, ContentShape), Failure> {
    match map.shift_remove("content") {
        None => Ok((Vec::new(), ContentShape::Absent)),
        Some(Value::Null) => Ok((Vec::new(), ContentShape::Null)),
        Some(Value::String(text)) if text.is_empty() => Ok((Vec::new(), ContentShape::Text)),
        Some(Value::String(text)) => Ok((vec![Part::text(text)], ContentShape::Text)),
        Some(Value::Array(items)) => parts::read_list(items)
            .map(|parts| (parts, ContentShape::Parts))
            .map_err(|failure| within("content", failure)),
        Some(_) => Err(Failure::bad_request(
            "content",
            "`content` must be a string or a list of parts.",
        )),
    }
}
