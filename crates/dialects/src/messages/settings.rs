//! How hard to think and in which form to answer: `thinking`, `output_config`, `output_format`.

use serde_json::{Map, Value, json};

use super::extra::keep_rest;
use crate::canonical::{
    Effort, Extra, Failure, OutputFormat, Reasoning, ReasoningMode, ReasoningShow, Request, Schema,
};
use crate::json::{take_object, take_string, take_u64};

/// Takes the reasoning and output settings out of a body.
pub(super) fn read(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    if let Some(thinking) = take_object(map, "thinking")? {
        read_thinking(thinking, &mut request.reasoning, &mut request.extra)?;
    }
    if let Some(config) = take_object(map, "output_config")? {
        read_output_config(config, request)?;
    }
    if request.output == OutputFormat::Text
        && let Some(Value::Object(format)) = map.get_mut("output_format")
        && let Some(schema) = take_schema(format)
    {
        // The rest of it stays among the extra fields and says that the older spelling was used.
        request.output = schema;
    }
    Ok(())
}

fn read_thinking(
    mut thinking: Map<String, Value>,
    reasoning: &mut Reasoning,
    extra: &mut Extra,
) -> Result<(), Failure> {
    reasoning.mode = match thinking.get("type").and_then(Value::as_str) {
        Some("enabled") => ReasoningMode::On,
        Some("adaptive") => ReasoningMode::Auto,
        Some("disabled") => ReasoningMode::Off,
        _ => {
            extra.insert("thinking".to_owned(), Value::Object(thinking));
            return Ok(());
        }
    };
    thinking.shift_remove("type");
    reasoning.budget = take_u64(&mut thinking, "budget_tokens")?;
    // It stays among the extra fields too: only its own vendor is told whether it was said.
    reasoning.show = match thinking.get("display").and_then(Value::as_str) {
        Some("omitted") => ReasoningShow::None,
        Some("summarized") => ReasoningShow::Summary,
        // Left out it means the same.
        None if reasoning.mode != ReasoningMode::Off => ReasoningShow::Summary,
        _ => ReasoningShow::Unset,
    };
    reasoning.extra = thinking;
    Ok(())
}

fn read_output_config(
    mut config: Map<String, Value>,
    request: &mut Request,
) -> Result<(), Failure> {
    let was_empty = config.is_empty();
    let effort = take_string(&mut config, "effort")?;
    request.reasoning.effort = effort.map(|word| Effort::read(&word));
    if let Some(Value::Object(format)) = config.get_mut("format")
        && let Some(schema) = take_schema(format)
    {
        request.output = schema;
        format.shift_remove("type");
        if format.is_empty() {
            config.shift_remove("format");
        }
    }
    if was_empty {
        let empty = Value::Object(config);
        request.extra.insert("output_config".to_owned(), empty);
    } else {
        keep_rest(&mut request.extra, "output_config", config);
    }
    Ok(())
}

fn take_schema(format: &mut Map<String, Value>) -> Option<OutputFormat> {
    if format.get("type").and_then(Value::as_str) != Some("json_schema") {
        return None;
    }
    let schema = format.shift_remove("schema")?;
    Some(OutputFormat::JsonSchema {
        name: None,
        description: None,
        schema: Schema::json(schema),
        strict: None,
    })
}

/// Writes the reasoning and output settings into a body.
pub(super) fn write(request: &Request, same: bool, body: &mut Map<String, Value>) {
    if let Some(thinking) = thinking(&request.reasoning, same) {
        body.insert("thinking".to_owned(), Value::Object(thinking));
    }
    let mut config = Map::new();
    if let Some(word) = effort_word(request.reasoning.effort.as_ref(), same) {
        config.insert("effort".to_owned(), word.into());
    }
    if let Some(schema) = schema(&request.output) {
        if same && is_older_spelling(&request.extra) {
            body.insert("output_format".to_owned(), json!({"schema": schema}));
        } else {
            let format = json!({"type": "json_schema", "schema": schema});
            config.insert("format".to_owned(), format);
        }
    }
    if !config.is_empty() {
        body.insert("output_config".to_owned(), Value::Object(config));
    }
}

fn thinking(reasoning: &Reasoning, same: bool) -> Option<Map<String, Value>> {
    let kind = match (reasoning.mode, reasoning.budget) {
        (ReasoningMode::Off, _) => "disabled",
        (ReasoningMode::On | ReasoningMode::Unset, Some(_)) => "enabled",
        (ReasoningMode::On, None) if same => "enabled",
        (ReasoningMode::Auto, _) | (ReasoningMode::On, None) => "adaptive",
        (ReasoningMode::Unset, None) => return None,
    };
    let mut thinking = Map::new();
    thinking.insert("type".to_owned(), kind.into());
    if let Some(budget) = reasoning.budget.filter(|_| same || kind == "enabled") {
        thinking.insert("budget_tokens".to_owned(), budget.into());
    }
    if same {
        super::extra::restore(&mut thinking, &reasoning.extra);
        return Some(thinking);
    }
    let display = match reasoning.show {
        ReasoningShow::Summary => Some("summarized"),
        ReasoningShow::None => Some("omitted"),
        ReasoningShow::Unset => None,
    };
    if let Some(display) = display.filter(|_| kind != "disabled") {
        thinking.insert("display".to_owned(), display.into());
    }
    Some(thinking)
}

/// The word for an effort; `none` and `minimal` have none here.
fn effort_word(effort: Option<&Effort>, same: bool) -> Option<&str> {
    let effort = effort?;
    match effort {
        Effort::Low | Effort::Medium | Effort::High | Effort::ExtraHigh | Effort::Max => {
            Some(effort.word())
        }
        Effort::None | Effort::Minimal | Effort::Other(_) => same.then(|| effort.word()),
    }
}

fn schema(output: &OutputFormat) -> Option<Value> {
    let OutputFormat::JsonSchema {
        description,
        schema,
        ..
    } = output
    else {
        return None;
    };
    let mut schema = schema.value.clone();
    if let (Some(description), Value::Object(members)) = (description, &mut schema)
        && !members.contains_key("description")
    {
        let description = Value::String(description.clone());
        members.insert("description".to_owned(), description);
    }
    Some(schema)
}

fn is_older_spelling(extra: &Extra) -> bool {
    matches!(extra.get("output_format"), Some(Value::Object(rest)) if !rest.contains_key("schema"))
}
