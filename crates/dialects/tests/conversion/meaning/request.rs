//! What a request asks for.

use std::collections::BTreeMap;

use dialects::DialectId;
use serde_json::{Value, json};

use super::json::{arguments, canon, list, pick, result_text, schema, string, text_of};

/// What a request asks for.
#[derive(Debug, Default)]
pub struct RequestMeaning {
    pub system: Vec<String>,
    pub turns: Vec<TurnMeaning>,
    /// By name: description and schema.
    pub tools: BTreeMap<String, (Option<String>, String)>,
    pub tool_choice: Option<String>,
    pub max_tokens: Option<f64>,
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub top_k: Option<f64>,
    pub stop: Vec<String>,
    pub schema: Option<String>,
    pub is_json: bool,
    /// Whether system text stands between turns: then turns cannot be compared one by one.
    pub has_system_between: bool,
    pub has_documents: bool,
}

/// Neighbouring messages of one role, merged.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct TurnMeaning {
    pub role: String,
    pub text: String,
    pub media: usize,
    pub calls: Vec<(String, String)>,
    pub results: Vec<String>,
}

impl RequestMeaning {
    fn turn(&mut self, role: &str) -> &mut TurnMeaning {
        if self.turns.last().is_none_or(|turn| turn.role != role) {
            self.turns.push(TurnMeaning {
                role: role.to_owned(),
                ..TurnMeaning::default()
            });
        }
        self.turns.last_mut().expect("a turn was just pushed")
    }

    fn tool(&mut self, declared: &Value, parameters: &Value) {
        let mut folded = schema(parameters);
        let asks_nothing = [
            Value::Null,
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}}),
        ];
        if asks_nothing.contains(&folded) {
            folded = json!({});
        }
        let description = declared["description"].as_str().map(str::to_owned);
        let name = string(declared.get("name"));
        self.tools.insert(name, (description, canon(&folded)));
    }

    fn free_tool(&mut self, declared: &Value) {
        let wrapped = json!({
            "type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"],
        });
        self.tool(declared, &wrapped);
    }

    fn done(mut self) -> Self {
        let is_empty = |turn: &TurnMeaning| {
            turn.text.is_empty()
                && turn.media == 0
                && turn.calls.is_empty()
                && turn.results.is_empty()
        };
        self.turns.retain(|turn| !is_empty(turn));
        self.system.retain(|text| !text.is_empty());
        self
    }
}

/// Reads a request.
pub fn request(dialect: DialectId, body: &Value) -> RequestMeaning {
    match dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions => chat(body),
        DialectId::Messages => messages(body),
        DialectId::GenerateContent => generate(body),
        DialectId::Responses => responses(body),
    }
    .done()
}

fn chat(body: &Value) -> RequestMeaning {
    let mut meaning = RequestMeaning::default();
    for message in list(&body["messages"]) {
        let content = &message["content"];
        match message["role"].as_str().unwrap_or_default() {
            "system" | "developer" => meaning.system.push(text_of(content)),
            "tool" | "function" => meaning.turn("user").results.push(result_text(content)),
            role => {
                let turn = meaning.turn(role);
                turn.text += &text_of(content);
                turn.media += count(content, &["image_url", "input_audio", "file"]);
                let calls = list(&message["tool_calls"]);
                turn.calls.extend(calls.iter().map(chat_call));
            }
        }
    }
    for tool in list(&body["tools"]) {
        match tool["type"].as_str() {
            Some("function") => meaning.tool(&tool["function"], &tool["function"]["parameters"]),
            Some("custom") => meaning.free_tool(&tool["custom"]),
            _ => {}
        }
    }
    meaning.tool_choice = choice(
        &body["tool_choice"],
        &body["tool_choice"]["function"]["name"],
    );
    meaning.max_tokens = pick(body, &["max_completion_tokens", "max_tokens"]).as_f64();
    sampling(&mut meaning, body, ["temperature", "top_p", "top_k"]);
    meaning.stop = stops(&body["stop"]);
    let format = &body["response_format"];
    output(&mut meaning, format, &format["json_schema"]["schema"]);
    meaning
}

/// A call of chat completions: the tool's name and what it is called with.
pub fn chat_call(call: &Value) -> (String, String) {
    let (body, input) = match call["type"].as_str() {
        Some("custom") => (&call["custom"], "input"),
        _ => (&call["function"], "arguments"),
    };
    (string(body.get("name")), arguments(&body[input]))
}

fn messages(body: &Value) -> RequestMeaning {
    let mut meaning = RequestMeaning::default();
    meaning.system.push(text_of(&body["system"]));
    for message in list(&body["messages"]) {
        let content = &message["content"];
        let role = message["role"].as_str().unwrap_or_default();
        if role == "system" {
            meaning.system.push(text_of(content));
            meaning.has_system_between = true;
            continue;
        }
        meaning.has_documents |= count(content, &["document"]) > 0;
        let turn = meaning.turn(role);
        if let Value::String(text) = content {
            turn.text += text;
        }
        for part in list(content) {
            match part["type"].as_str().unwrap_or_default() {
                "text" => turn.text += &text_of(part),
                "image" | "document" => turn.media += 1,
                "tool_use" => {
                    let call = (string(part.get("name")), arguments(&part["input"]));
                    turn.calls.push(call);
                }
                "tool_result" => turn.results.push(result_text(&part["content"])),
                _ => {}
            }
        }
    }
    for tool in list(&body["tools"]) {
        if tool.get("input_schema").is_some() {
            meaning.tool(tool, &tool["input_schema"]);
        }
    }
    let choice = &body["tool_choice"];
    meaning.tool_choice = match choice["type"].as_str() {
        Some("any") => Some("required".to_owned()),
        Some("tool") => Some(format!("tool:{}", string(choice.get("name")))),
        other => other.map(str::to_owned),
    };
    meaning.max_tokens = body["max_tokens"].as_f64();
    sampling(&mut meaning, body, ["temperature", "top_p", "top_k"]);
    meaning.stop = stops(&body["stop_sequences"]);
    let older = &body["output_format"];
    let format = match &body["output_config"]["format"] {
        Value::Null => older,
        format => format,
    };
    output(&mut meaning, format, &format["schema"]);
    meaning
}

fn generate(body: &Value) -> RequestMeaning {
    let mut meaning = RequestMeaning::default();
    let system = pick(body, &["systemInstruction", "system_instruction"]);
    let parts = if system.is_object() {
        &system["parts"]
    } else {
        system
    };
    meaning.system.push(text_of(parts));
    if let Value::String(text) = &body["contents"] {
        meaning.turn("user").text.clone_from(text);
    }
    for content in list(&body["contents"]) {
        let is_model = content["role"] == "model";
        let turn = meaning.turn(if is_model { "assistant" } else { "user" });
        for part in list(&content["parts"]) {
            generate_part(turn, part);
        }
    }
    for tool in list(&body["tools"]) {
        for declared in list(pick(
            tool,
            &["functionDeclarations", "function_declarations"],
        )) {
            let names = [
                "parameters",
                "parametersJsonSchema",
                "parameters_json_schema",
            ];
            meaning.tool(declared, pick(declared, &names));
        }
    }
    let config = pick(body, &["toolConfig", "tool_config"]);
    meaning.tool_choice = generate_choice(pick(
        config,
        &["functionCallingConfig", "function_calling_config"],
    ));
    let config = pick(body, &["generationConfig", "generation_config", "config"]);
    meaning.max_tokens = pick(config, &["maxOutputTokens", "max_output_tokens"]).as_f64();
    meaning.temperature = config["temperature"].as_f64();
    meaning.top_p = pick(config, &["topP", "top_p"]).as_f64();
    meaning.top_k = pick(config, &["topK", "top_k"]).as_f64();
    meaning.stop = stops(pick(config, &["stopSequences", "stop_sequences"]));
    let names = [
        "responseSchema",
        "responseJsonSchema",
        "response_schema",
        "response_json_schema",
    ];
    let wanted = pick(config, &names);
    meaning.schema = (!wanted.is_null()).then(|| canon(&schema(wanted)));
    let mime = pick(config, &["responseMimeType", "response_mime_type"]);
    meaning.is_json = mime == "application/json";
    meaning
}

fn generate_part(turn: &mut TurnMeaning, part: &Value) {
    if part["thought"] == true {
        return;
    }
    let call = pick(part, &["functionCall", "function_call"]);
    let result = pick(part, &["functionResponse", "function_response"]);
    let media = ["inlineData", "inline_data", "fileData", "file_data"];
    if let Some(text) = part["text"].as_str() {
        turn.text += text;
    } else if !pick(part, &media).is_null() {
        turn.media += 1;
    } else if !call.is_null() {
        let given = if call["args"].is_null() {
            &json!({})
        } else {
            &call["args"]
        };
        turn.calls
            .push((string(call.get("name")), arguments(given)));
    } else if !result.is_null() {
        turn.results.push(result_text(&result["response"]));
    }
}

fn generate_choice(config: &Value) -> Option<String> {
    let names = list(pick(
        config,
        &["allowedFunctionNames", "allowed_function_names"],
    ));
    match (config["mode"].as_str()?, names) {
        ("ANY", [name]) => Some(format!("tool:{}", name.as_str().unwrap_or_default())),
        ("ANY", _) => Some("required".to_owned()),
        ("NONE", _) => Some("none".to_owned()),
        ("AUTO" | "VALIDATED", _) => Some("auto".to_owned()),
        _ => None,
    }
}

fn responses(body: &Value) -> RequestMeaning {
    let mut meaning = RequestMeaning::default();
    meaning.system.push(string(body.get("instructions")));
    if let Value::String(text) = &body["input"] {
        meaning.turn("user").text.clone_from(text);
    }
    for item in list(&body["input"]) {
        responses_item(&mut meaning, item);
    }
    for tool in list(&body["tools"]) {
        match tool["type"].as_str() {
            Some("function") => meaning.tool(tool, &tool["parameters"]),
            Some("custom") => meaning.free_tool(tool),
            _ => {}
        }
    }
    let chosen = &body["tool_choice"];
    let name = if chosen["type"] == "function" {
        &chosen["name"]
    } else {
        &Value::Null
    };
    meaning.tool_choice = choice(chosen, name);
    meaning.max_tokens = body["max_output_tokens"].as_f64();
    sampling(&mut meaning, body, ["temperature", "top_p", "top_k"]);
    let format = &body["text"]["format"];
    output(&mut meaning, format, &format["schema"]);
    meaning
}

fn responses_item(meaning: &mut RequestMeaning, item: &Value) {
    let content = &item["content"];
    match (
        item["type"].as_str().unwrap_or("message"),
        item["role"].as_str(),
    ) {
        ("message", Some("system" | "developer")) => meaning.system.push(text_of(content)),
        ("message", Some(role)) => {
            let turn = meaning.turn(role);
            turn.text += &text_of(content);
            turn.media += count(content, &["input_image", "input_file", "input_audio"]);
        }
        ("function_call" | "custom_tool_call", _) => {
            let call = (
                string(item.get("name")),
                arguments(pick(item, &["arguments", "input"])),
            );
            meaning.turn("assistant").calls.push(call);
        }
        ("function_call_output" | "custom_tool_call_output", _) => {
            meaning
                .turn("user")
                .results
                .push(result_text(&item["output"]));
        }
        _ => {}
    }
}

fn count(content: &Value, kinds: &[&str]) -> usize {
    let is_kind = |part: &&Value| {
        part["type"]
            .as_str()
            .is_some_and(|kind| kinds.contains(&kind))
    };
    list(content).iter().filter(is_kind).count()
}

fn choice(chosen: &Value, name: &Value) -> Option<String> {
    match (chosen, name) {
        (Value::String(word), _) => Some(word.clone()),
        (_, Value::String(name)) => Some(format!("tool:{name}")),
        _ => None,
    }
}

fn sampling(meaning: &mut RequestMeaning, body: &Value, names: [&str; 3]) {
    [meaning.temperature, meaning.top_p, meaning.top_k] = names.map(|name| body[name].as_f64());
}

fn stops(value: &Value) -> Vec<String> {
    match value {
        Value::String(one) => vec![one.clone()],
        many => list(many).iter().map(|stop| string(Some(stop))).collect(),
    }
}

fn output(meaning: &mut RequestMeaning, format: &Value, wanted: &Value) {
    let kind = format["type"].as_str().unwrap_or_default();
    if kind == "json_schema" {
        let wanted = if wanted.is_null() { &json!({}) } else { wanted };
        meaning.schema = Some(canon(&schema(wanted)));
    }
    meaning.is_json = matches!(kind, "json_schema" | "json_object");
}
