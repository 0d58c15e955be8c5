//! Tool calls inside an assistant message: functions, custom tools, and the deprecated single
//! function call. Ids stay as they are here; who reads decides what an id carries.

use serde_json::{Map, Value, json};

use super::parts::within;
use super::spelling;
use crate::DialectId;
use crate::canonical::{Arguments, Extra, Failure, Hosted, Part, PartKind, ToolCall};
use crate::json::{self, take, take_object, take_string};

const ID: DialectId = DialectId::ChatCompletions;

/// Reads one entry of `tool_calls`.
pub fn read(value: Value) -> Result<Part, Failure> {
    let Value::Object(mut map) = value else {
        return Err(Failure::bad_request("", "A tool call must be an object."));
    };
    let id = take_string(&mut map, "id")?.unwrap_or_default();
    if let Some(call) = take_object(&mut map, "function")? {
        return read_function(id, call, map).map_err(|failure| within("function", failure));
    }
    if let Some(call) = take_object(&mut map, "custom")? {
        return read_custom(id, call, map).map_err(|failure| within("custom", failure));
    }
    if !id.is_empty() {
        map.insert("id".to_owned(), id.into());
    }
    let raw = Value::Object(map);
    Ok(Part::new(PartKind::Hosted(Hosted { dialect: ID, raw })))
}

/// Reads the deprecated `function_call` of a message.
pub fn read_old(mut call: Map<String, Value>) -> Result<Part, Failure> {
    let name = take_string(&mut call, "name")?.unwrap_or_default();
    let arguments = take(&mut call, "arguments");
    let mut part = call_part(String::new(), name, arguments, Map::new());
    spelling::mark(&mut part.extra, spelling::OLD_FUNCTION);
    Ok(part)
}

fn read_function(
    id: String,
    mut call: Map<String, Value>,
    mut outer: Map<String, Value>,
) -> Result<Part, Failure> {
    outer.shift_remove("type");
    let name = take_string(&mut call, "name")?.unwrap_or_default();
    let arguments = take(&mut call, "arguments");
    if !call.is_empty() {
        outer.insert("function".to_owned(), Value::Object(call));
    }
    Ok(call_part(id, name, arguments, outer))
}

/// A call whose arguments are text; some clients send the object itself.
fn call_part(id: String, name: String, arguments: Option<Value>, mut extra: Extra) -> Part {
    let text = match arguments {
        Some(Value::String(text)) => text,
        Some(value) => json::text(&value),
        None => String::new(),
    };
    let arguments = json::arguments(&text);
    if arguments.text() != text {
        extra.insert(spelling::ARGUMENTS.to_owned(), text.into());
    }
    let mut part = Part::new(PartKind::ToolCall(ToolCall {
        id,
        name,
        namespace: None,
        arguments,
    }));
    part.extra = extra;
    part
}

fn read_custom(
    id: String,
    mut call: Map<String, Value>,
    mut outer: Map<String, Value>,
) -> Result<Part, Failure> {
    outer.shift_remove("type");
    let name = take_string(&mut call, "name")?.unwrap_or_default();
    let input = take_string(&mut call, "input")?.unwrap_or_default();
    if !call.is_empty() {
        outer.insert("custom".to_owned(), Value::Object(call));
    }
    let mut part = Part::new(PartKind::ToolCall(ToolCall {
        id,
        name,
        namespace: None,
        arguments: Arguments::Free(input),
    }));
    part.extra = outer;
    Ok(part)
}

/// Writes one entry of `tool_calls` under this id. `same` says that the part was read from this
/// dialect.
pub fn write(call: &ToolCall, id: &str, extra: &Extra, same: bool) -> Value {
    let (kind, inner) = if let Arguments::Free(input) = &call.arguments {
        ("custom", json!({"name":call.name,"input":input}))
    } else {
        let arguments = arguments_text(call, extra, same);
        ("function", json!({"name":call.name,"arguments":arguments}))
    };
    let mut map = Map::new();
    map.insert("id".to_owned(), id.into());
    map.insert("type".to_owned(), kind.into());
    map.insert(kind.to_owned(), inner);
    if same {
        if let (Some(Value::Object(inner)), Some(Value::Object(more))) =
            (map.get_mut(kind), extra.get(kind))
        {
            spelling::add_extra(inner, more);
        }
        spelling::add_extra(&mut map, extra);
    }
    Value::Object(map)
}

/// The arguments' text, as it was sent where that still means the same.
pub fn arguments_text(call: &ToolCall, extra: &Extra, same: bool) -> String {
    let original = same.then_some(()).and_then(|()| {
        spelling::original(extra, spelling::ARGUMENTS, &call.arguments, |original| {
            original.as_str().map(json::arguments)
        })
    });
    match original {
        Some(Value::String(text)) => text,
        _ => call.arguments.text().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(value: &Value) -> Value {
        let part = read(value.clone()).unwrap();
        let PartKind::ToolCall(call) = &part.kind else {
            panic!("a call");
        };
        write(call, &call.id, &part.extra, true)
    }

    #[test]
    fn a_call_is_written_as_it_was_read() {
        for value in [
            json!({"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1.0}"}}),
            json!({"id":"a","type":"function","function":{"name":"f","arguments":""}}),
            json!({"id":"a","type":"function","function":{"name":"f","arguments":"[1]","x":2},"y":3}),
            json!({"id":"a","type":"custom","custom":{"name":"sql","input":"SELECT 1"}}),
        ] {
            assert_eq!(round(&value), value);
        }
    }

    #[test]
    fn arguments_that_came_as_an_object_become_text() {
        let value = json!({"id":"a","type":"function","function":{"name":"f","arguments":{"x":1}}});
        assert_eq!(round(&value)["function"]["arguments"], "{\"x\":1}");
    }

    #[test]
    fn empty_arguments_mean_an_empty_object() {
        let part = read(json!({"id":"a","function":{"name":"f","arguments":""}})).unwrap();
        let PartKind::ToolCall(call) = part.kind else {
            panic!("a call");
        };
        assert_eq!(call.arguments, Arguments::Json("{}".into()));
    }
}
