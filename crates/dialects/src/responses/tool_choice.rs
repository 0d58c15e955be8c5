//! `tool_choice`, both ways.

use serde_json::{Value, json};

use crate::DialectId;
use crate::canonical::{ChoiceMode, ToolChoice, ToolRef};

/// Reads a choice. What cannot be written again from its meaning is kept as it came.
pub(super) fn read(given: Value, choice: &mut ToolChoice) {
    match &given {
        Value::String(word) => choice.mode = read_word(word),
        Value::Object(map) => match map.get("type").and_then(Value::as_str) {
            Some(kind @ ("function" | "custom")) => {
                choice.mode = read_ref(&given, kind).map(ChoiceMode::Named);
            }
            Some("allowed_tools") => {
                choice.mode = map.get("mode").and_then(Value::as_str).and_then(read_word);
                let tools = map.get("tools").and_then(Value::as_array);
                choice.allowed = tools.map(|tools| tools.iter().filter_map(allowed_ref).collect());
            }
            _ => {
                choice.mode = Some(ChoiceMode::Hosted {
                    dialect: DialectId::Responses,
                    raw: given.clone(),
                });
            }
        },
        _ => {}
    }
    if write(choice).as_ref() != Some(&given) {
        choice.raw = Some(given);
    }
}

fn read_word(word: &str) -> Option<ChoiceMode> {
    match word {
        "auto" => Some(ChoiceMode::Auto),
        "none" => Some(ChoiceMode::None),
        "required" => Some(ChoiceMode::Required),
        _ => None,
    }
}

fn allowed_ref(tool: &Value) -> Option<ToolRef> {
    let kind = tool.get("type")?.as_str()?;
    read_ref(tool, kind)
}

fn read_ref(tool: &Value, kind: &str) -> Option<ToolRef> {
    matches!(kind, "function" | "custom").then_some(())?;
    Some(ToolRef {
        name: tool.get("name")?.as_str()?.to_owned(),
        is_free: kind == "custom",
    })
}

/// Writes a choice by its meaning.
pub(super) fn write(choice: &ToolChoice) -> Option<Value> {
    let mode = choice.mode.as_ref();
    if let Some(allowed) = &choice.allowed {
        let word = match mode {
            Some(ChoiceMode::Required | ChoiceMode::Named(_)) => "required",
            Some(ChoiceMode::None) => return Some(json!("none")),
            _ => "auto",
        };
        let tools: Vec<Value> = allowed.iter().map(write_ref).collect();
        return Some(json!({"type": "allowed_tools", "mode": word, "tools": tools}));
    }
    Some(match mode? {
        ChoiceMode::Auto | ChoiceMode::Validated => json!("auto"),
        ChoiceMode::None => json!("none"),
        ChoiceMode::Required => json!("required"),
        ChoiceMode::Named(tool) => write_ref(tool),
        ChoiceMode::Hosted {
            dialect: DialectId::Responses,
            raw,
        } => raw.clone(),
        ChoiceMode::Hosted { .. } => return None,
    })
}

fn write_ref(tool: &ToolRef) -> Value {
    let kind = if tool.is_free { "custom" } else { "function" };
    json!({"type": kind, "name": tool.name})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_choice_is_written_as_it_was_read() {
        for given in [
            json!("auto"),
            json!("none"),
            json!("required"),
            json!({"type": "function", "name": "f"}),
            json!({"type": "custom", "name": "c"}),
            json!({"type": "allowed_tools", "mode": "required",
                "tools": [{"type": "function", "name": "f"}, {"type": "custom", "name": "c"}]}),
            json!({"type": "web_search_preview"}),
            json!({"type": "mcp", "server_label": "s", "name": "t"}),
        ] {
            let mut choice = ToolChoice::default();
            read(given.clone(), &mut choice);
            assert_eq!(write(&choice), Some(given), "by its meaning");
            assert_eq!(choice.raw, None);
        }
    }

    #[test]
    fn what_the_meaning_does_not_hold_is_kept_beside_it() {
        for given in [
            json!("sometimes"),
            json!({"type": "function", "name": "f", "namespace": "n"}),
            json!({"type": "allowed_tools", "mode": "auto",
                "tools": [{"type": "mcp", "server_label": "s"}]}),
        ] {
            let mut choice = ToolChoice::default();
            read(given.clone(), &mut choice);
            assert_eq!(choice.raw, Some(given));
        }
    }
}
