//! Requests of a shape and a size, in every dialect.

use dialects::DialectId;
use serde_json::{Map, Value, json};

/// What a request has much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Messages.
    Messages,
    /// Parts of one message.
    Parts,
    /// Functions.
    Tools,
    /// Functions, all of them named again as those that may be called.
    AllowedTools,
    /// Functions, and as many tools that a vendor runs.
    HostedTools,
    /// Properties of one schema.
    SchemaWidth,
    /// Schemas around each other.
    SchemaDepth,
    /// References to one schema.
    SchemaReferences,
    /// Parallel calls whose results come in reverse.
    ReversedResults,
    /// Calls without ids or with one id, each followed by its result.
    RepeatedIds,
    /// Stop sequences.
    Stops,
}

impl Shape {
    /// All shapes, each with the smallest size to measure.
    pub const ALL: [(Self, usize); 11] = [
        (Self::Messages, 400),
        (Self::Parts, 500),
        (Self::Tools, 250),
        (Self::AllowedTools, 250),
        (Self::HostedTools, 150),
        (Self::SchemaWidth, 400),
        (Self::SchemaDepth, 6),
        (Self::SchemaReferences, 400),
        (Self::ReversedResults, 200),
        (Self::RepeatedIds, 200),
        (Self::Stops, 50),
    ];
}

/// A request, or `None` if the dialect does not have this shape.
pub fn request(client: DialectId, shape: Shape, size: usize) -> Option<Vec<u8>> {
    if client == DialectId::TextCompletions {
        let body = json!({"model": "m", "prompt": "Once", "stop": stops(size)});
        return (shape == Shape::Stops).then(|| body.to_string().into_bytes());
    }
    let mut request = Request {
        client,
        turns: vec![said(client, "user", "Begin.")],
        tools: Vec::new(),
        more: Map::new(),
    };
    request.fill(shape, size)?;
    Some(request.body().to_string().into_bytes())
}

struct Request {
    client: DialectId,
    turns: Vec<Value>,
    tools: Vec<Value>,
    more: Map<String, Value>,
}

impl Request {
    fn fill(&mut self, shape: Shape, size: usize) -> Option<()> {
        let client = self.client;
        let plain = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        let functions = (0..size).map(|at| function(client, &format!("tool_{at}"), &plain));
        match shape {
            Shape::Messages => self.turns.extend((0..size).map(|at| {
                let role = if at % 2 == 0 { "assistant" } else { "user" };
                said(client, role, "Some words.")
            })),
            Shape::Parts => self.turns.push(parts(client, size)),
            Shape::Tools => self.tools.extend(functions),
            Shape::AllowedTools => {
                self.tools.extend(functions);
                self.allow(size)?;
            }
            Shape::HostedTools => {
                self.tools.extend(functions);
                self.tools.extend((0..size).map(|at| hosted(client, at)));
            }
            Shape::SchemaWidth => self.tools.push(function(client, "f", &wide(size))),
            Shape::SchemaDepth => {
                let schema = deep(size);
                let functions = (0..100).map(|at| function(client, &format!("f{at}"), &schema));
                self.tools.extend(functions);
            }
            Shape::SchemaReferences => self.tools.push(function(client, "f", &referring(size))),
            Shape::ReversedResults => self.turns.extend(reversed(client, size)),
            Shape::RepeatedIds => self.turns.extend(
                (0..size)
                    .flat_map(|_| [calls(client, &["same"]), results(client, &["same"])].concat()),
            ),
            Shape::Stops => match client {
                DialectId::ChatCompletions => drop(self.more.insert("stop".into(), stops(size))),
                DialectId::Messages => drop(self.more.insert("stop_sequences".into(), stops(size))),
                DialectId::GenerateContent => {
                    let config = json!({"stopSequences": stops(size)});
                    self.more.insert("generationConfig".into(), config);
                }
                _ => return None,
            },
        }
        Some(())
    }

    fn allow(&mut self, size: usize) -> Option<()> {
        let names = (0..size).map(|at| format!("tool_{at}"));
        let (field, choice) = match self.client {
            DialectId::ChatCompletions => {
                let tool = |name| json!({"type": "function", "function": {"name": name}});
                let tools: Vec<Value> = names.map(tool).collect();
                let allowed = json!({"mode": "auto", "tools": tools});
                (
                    "tool_choice",
                    json!({"type": "allowed_tools", "allowed_tools": allowed}),
                )
            }
            DialectId::GenerateContent => {
                let names: Vec<String> = names.collect();
                let calling = json!({"mode": "ANY", "allowedFunctionNames": names});
                ("toolConfig", json!({"functionCallingConfig": calling}))
            }
            DialectId::Responses => {
                let tool = |name| json!({"type": "function", "name": name});
                let tools: Vec<Value> = names.map(tool).collect();
                (
                    "tool_choice",
                    json!({"type": "allowed_tools", "mode": "auto", "tools": tools}),
                )
            }
            _ => return None,
        };
        self.more.insert(field.to_owned(), choice);
        Some(())
    }

    fn body(self) -> Value {
        let (turns, tools) = (self.turns, self.tools);
        let mut body = match self.client {
            DialectId::Messages => json!({"model": "m", "max_tokens": 64, "messages": turns}),
            DialectId::GenerateContent => json!({"contents": turns}),
            DialectId::Responses => json!({"model": "m", "store": false, "input": turns}),
            _ => json!({"model": "m", "messages": turns}),
        };
        if !tools.is_empty() {
            body["tools"] = match self.client {
                DialectId::GenerateContent => grouped(tools),
                _ => tools.into(),
            };
        }
        for (name, value) in self.more {
            body[name] = value;
        }
        body
    }
}

fn said(client: DialectId, role: &str, text: &str) -> Value {
    match (client, role) {
        (DialectId::GenerateContent, "assistant") => {
            json!({"role": "model", "parts": [{"text": text}]})
        }
        (DialectId::GenerateContent, _) => json!({"role": role, "parts": [{"text": text}]}),
        _ => json!({"role": role, "content": text}),
    }
}

fn parts(client: DialectId, size: usize) -> Value {
    let (field, part) = match client {
        DialectId::GenerateContent => ("parts", json!({"text": "Some words."})),
        DialectId::Responses => (
            "content",
            json!({"type": "input_text", "text": "Some words."}),
        ),
        _ => ("content", json!({"type": "text", "text": "Some words."})),
    };
    json!({"role": "user", field: vec![part; size]})
}

fn function(client: DialectId, name: &str, schema: &Value) -> Value {
    match client {
        DialectId::Messages => json!({"name": name, "input_schema": schema, "strict": true}),
        DialectId::GenerateContent => json!({"name": name, "parametersJsonSchema": schema}),
        DialectId::Responses => {
            json!({"type": "function", "name": name, "parameters": schema, "strict": true})
        }
        _ => json!({"type": "function",
            "function": {"name": name, "parameters": schema, "strict": true}}),
    }
}

fn hosted(client: DialectId, at: usize) -> Value {
    match client {
        DialectId::Messages => json!({"type": "web_search_20250305", "name": format!("web_{at}")}),
        DialectId::GenerateContent => json!({"googleSearch": {}}),
        DialectId::Responses => json!({"type": "web_search"}),
        _ => json!({"type": format!("kind_{at}")}),
    }
}

/// Functions of generate content stand in a group; other tools do not.
fn grouped(tools: Vec<Value>) -> Value {
    let is_function = |tool: &Value| tool.get("name").is_some();
    let (functions, others): (Vec<Value>, Vec<Value>) = tools.into_iter().partition(is_function);
    let mut list = vec![json!({"functionDeclarations": functions})];
    list.extend(others);
    list.into()
}

fn wide(size: usize) -> Value {
    let names: Vec<String> = (0..size).map(|at| format!("property_{at}")).collect();
    let properties: Map<String, Value> = names
        .iter()
        .map(|name| (name.clone(), json!({"type": "string", "minLength": 1})))
        .collect();
    json!({"type": "object", "properties": properties, "required": names,
        "additionalProperties": false})
}

fn deep(size: usize) -> Value {
    let inner = json!({"type": "string", "format": "date"});
    let schema = (0..size).fold(inner, |inner, _| json!({"type": "array", "items": inner}));
    json!({"type": "object", "properties": {"a": schema}, "required": ["a"],
        "additionalProperties": false})
}

fn referring(size: usize) -> Value {
    let reference = json!({"$ref": "#/$defs/one"});
    let properties: Map<String, Value> = (0..size)
        .map(|at| (format!("property_{at}"), reference.clone()))
        .collect();
    let one = json!({"type": "object", "description": "x".repeat(size * 8),
        "properties": {"a": {"$ref": "#/$defs/one"}, "b": {"type": "string"}}});
    json!({"type": "object", "properties": properties, "$defs": {"one": one}})
}

fn reversed(client: DialectId, size: usize) -> Vec<Value> {
    let ids: Vec<String> = (0..size).map(|at| format!("call_{at:05}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let backwards: Vec<&str> = ids.iter().rev().copied().collect();
    [calls(client, &ids), results(client, &backwards)].concat()
}

/// One answer with these calls.
fn calls(client: DialectId, ids: &[&str]) -> Vec<Value> {
    let call = |id: &&str| match client {
        DialectId::Messages => json!({"type": "tool_use", "id": id, "name": "f", "input": {}}),
        DialectId::GenerateContent => json!({"functionCall": {"id": id, "name": "f", "args": {}}}),
        DialectId::Responses => {
            json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"})
        }
        _ => json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}),
    };
    let calls: Vec<Value> = ids.iter().map(call).collect();
    match client {
        DialectId::Responses => calls,
        DialectId::GenerateContent => vec![json!({"role": "model", "parts": calls})],
        DialectId::Messages => vec![json!({"role": "assistant", "content": calls})],
        _ => vec![json!({"role": "assistant", "content": null, "tool_calls": calls})],
    }
}

/// The results of these calls.
fn results(client: DialectId, ids: &[&str]) -> Vec<Value> {
    let result = |id: &&str| match client {
        DialectId::Messages => json!({"type": "tool_result", "tool_use_id": id, "content": "1"}),
        DialectId::GenerateContent => {
            json!({"functionResponse": {"id": id, "name": "f", "response": {"output": "1"}}})
        }
        DialectId::Responses => {
            json!({"type": "function_call_output", "call_id": id, "output": "1"})
        }
        _ => json!({"role": "tool", "tool_call_id": id, "content": "1"}),
    };
    let results: Vec<Value> = ids.iter().map(result).collect();
    match client {
        DialectId::GenerateContent => vec![json!({"role": "user", "parts": results})],
        DialectId::Messages => vec![json!({"role": "user", "content": results})],
        _ => results,
    }
}

fn stops(size: usize) -> Value {
    (0..size).map(|at| format!("stop {at}")).collect()
}
