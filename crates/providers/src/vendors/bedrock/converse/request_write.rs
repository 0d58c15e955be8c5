//! A request, written. The passes have made it fit; what has no word here is gone.

use dialects::canonical::{
    CacheMark, ChoiceMode, Extra, Failure, Request, Role, Schema, Tool, ToolChoice, ToolKind,
};
use serde_json::{Map, Value, json};

use super::content_write::{Contents, system};
use super::model_family::Family;

/// Writes the body.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, Failure> {
    let mut body = Map::new();
    let mut contents = Contents::default();
    body.insert("messages".to_owned(), messages(request, &mut contents)?);
    let system = system(&request.system);
    if !system.is_empty() {
        body.insert("system".to_owned(), Value::Array(system));
    }
    let inference = inference(request);
    if !inference.is_empty() {
        body.insert("inferenceConfig".to_owned(), Value::Object(inference));
    }
    if !request.tools.is_empty() {
        body.insert("toolConfig".to_owned(), tool_config(request));
    }
    let own = additional(request);
    if !own.is_empty() {
        let name = "additionalModelRequestFields".to_owned();
        body.insert(name, Value::Object(own));
    }
    for (name, value) in &request.extra {
        body.entry(name.clone()).or_insert_with(|| value.clone());
    }
    Ok(dialects::json::bytes(&body))
}

fn messages(request: &Request, contents: &mut Contents) -> Result<Value, Failure> {
    let mut messages = Vec::with_capacity(request.turns.len());
    for turn in &request.turns {
        let role = match turn.role {
            Role::Assistant => "assistant",
            Role::User | Role::System => "user",
        };
        messages.push(json!({ "role": role, "content": contents.message(&turn.parts)? }));
    }
    Ok(Value::Array(messages))
}

fn inference(request: &Request) -> Map<String, Value> {
    let mut map = Map::new();
    if let Some(most) = request.max_output {
        map.insert("maxTokens".to_owned(), most.into());
    }
    for (name, number) in [
        ("temperature", &request.sampling.temperature),
        ("topP", &request.sampling.top_p),
    ] {
        if let Some(number) = number {
            map.insert(name.to_owned(), Value::Number(number.clone()));
        }
    }
    if !request.stop.is_empty() {
        map.insert("stopSequences".to_owned(), json!(request.stop));
    }
    map
}

/// What the model's maker takes beside Converse; what the client gave itself counts first.
fn additional(request: &Request) -> Extra {
    let given = request.extra.get("additionalModelRequestFields");
    let mut fields = given
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let family = Family::of(&request.model);
    let top_k = request.sampling.top_k.as_ref();
    let ours = [
        top_k.and_then(|top_k| family.top_k(top_k)),
        family.reasoning(&request.reasoning),
    ];
    for (name, value) in ours.into_iter().flatten() {
        fields.entry(name).or_insert(value);
    }
    fields
}

fn tool_config(request: &Request) -> Value {
    let mut tools = Vec::with_capacity(request.tools.len());
    for tool in &request.tools {
        tools.push(tool_spec(tool));
        if let Some(mark) = &tool.cache {
            tools.push(cache_point(mark));
        }
    }
    let mut config = json!({ "tools": tools });
    if let Some(choice) = tool_choice(&request.tool_choice) {
        config["toolChoice"] = choice;
    }
    config
}

fn tool_spec(tool: &Tool) -> Value {
    let (schema, strict) = match &tool.kind {
        ToolKind::Function { parameters, strict } => (parameters.as_ref(), *strict),
        ToolKind::Custom { .. } | ToolKind::Hosted(_) => (None, None),
    };
    let mut spec = Map::new();
    spec.insert("name".to_owned(), json!(tool.name));
    if let Some(text) = tool.description.as_ref().filter(|text| !text.is_empty()) {
        spec.insert("description".to_owned(), json!(text));
    }
    let schema = json!({ "json": schema.map_or_else(no_parameters, schema_value) });
    spec.insert("inputSchema".to_owned(), schema);
    if strict == Some(true) {
        spec.insert("strict".to_owned(), json!(true));
    }
    json!({ "toolSpec": spec })
}

fn no_parameters() -> Value {
    json!({"type": "object", "properties": {}})
}

/// Amazon refuses a schema that is no object's.
fn schema_value(schema: &Schema) -> Value {
    match &schema.value {
        Value::Object(map) if map.contains_key("type") => schema.value.clone(),
        Value::Object(map) => {
            let mut typed = Map::from_iter([("type".to_owned(), json!("object"))]);
            typed.extend(map.clone());
            Value::Object(typed)
        }
        _ => no_parameters(),
    }
}

fn tool_choice(choice: &ToolChoice) -> Option<Value> {
    Some(match choice.mode.as_ref()? {
        ChoiceMode::Auto | ChoiceMode::Validated => json!({ "auto": {} }),
        ChoiceMode::Required => json!({ "any": {} }),
        ChoiceMode::Named(tool) => json!({ "tool": { "name": tool.name } }),
        ChoiceMode::None | ChoiceMode::Hosted { .. } => return None,
    })
}

/// The block that ends a cached beginning.
pub(super) fn cache_point(mark: &CacheMark) -> Value {
    match mark.ttl.as_deref() {
        Some(ttl @ ("5m" | "1h")) => json!({ "cachePoint": { "type": "default", "ttl": ttl } }),
        _ => json!({ "cachePoint": { "type": "default" } }),
    }
}
