//! Hosted tools: the target's counterpart of another vendor's.

use std::mem::discriminant;

use serde_json::{Value, json};

use super::{Dropped, Target};
use crate::DialectId;
use crate::canonical::{
    ChoiceMode, Extra, Failure, HostedTool, HostedToolKind, Request, Tool, ToolKind,
};

/// Hosted tools become the target's own, or are dropped; one that the client forces is refused.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    let forced = matches!(&request.tool_choice.mode, Some(ChoiceMode::Hosted { dialect, .. })
        if *dialect != target.dialect);
    if forced {
        let text =
            "The hosted tool that `tool_choice` names does not exist in this model's format.";
        return Err(Failure::unsupported("tool_choice", text));
    }
    let had_some = !request.tools.is_empty();
    let mut kept = Vec::with_capacity(request.tools.len());
    for mut tool in request.tools.drain(..) {
        let ToolKind::Hosted(hosted) = &tool.kind else {
            kept.push(tool);
            continue;
        };
        if hosted.dialect == target.dialect {
            kept.push(tool);
        } else if let Some(raw) = counterpart(&hosted.kind, target.dialect) {
            let (dialect, kind) = (target.dialect, hosted.kind.clone());
            tool.kind = ToolKind::Hosted(HostedTool { dialect, kind, raw });
            tool.extra = Extra::new();
            // Two of one kind become one: the target knows it by one name.
            if !kept.iter().any(|other| is_of_kind(other, &tool)) {
                kept.push(tool);
            }
        } else if !is_taken_over(hosted) {
            dropped.note(&format!("tools.{}", hosted_name(&tool, hosted)))?;
        }
    }
    if had_some && kept.is_empty() && request.tool_choice.mode == Some(ChoiceMode::Required) {
        let text =
            "`tool_choice` demands a tool, and none of `tools` exists in this model's format.";
        return Err(Failure::unsupported("tool_choice", text));
    }
    request.tools = kept;
    Ok(())
}

fn is_of_kind(one: &Tool, other: &Tool) -> bool {
    match (&one.kind, &other.kind) {
        (ToolKind::Hosted(one), ToolKind::Hosted(other)) => {
            discriminant(&one.kind) == discriminant(&other.kind)
        }
        _ => false,
    }
}

/// A namespace is no tool: those in it were declared with their namespace before their name.
fn is_taken_over(hosted: &HostedTool) -> bool {
    hosted.raw.get("type").and_then(Value::as_str) == Some("namespace")
}

fn hosted_name<'a>(tool: &'a Tool, hosted: &'a HostedTool) -> &'a str {
    let kind = hosted.raw.get("type").and_then(Value::as_str);
    let key = || {
        hosted
            .raw
            .as_object()
            .and_then(|map| map.keys().next())
            .map(String::as_str)
    };
    kind.or_else(key).unwrap_or(&tool.name)
}

/// The target's own declaration of a hosted tool.
fn counterpart(kind: &HostedToolKind, target: DialectId) -> Option<Value> {
    use DialectId::{GenerateContent, Messages, Responses};
    match (kind, target) {
        (HostedToolKind::WebSearch { .. }, _) => web_search(kind, target),
        (HostedToolKind::CodeExecution, Messages) => {
            Some(json!({"type": "code_execution_20250825", "name": "code_execution"}))
        }
        (HostedToolKind::CodeExecution, GenerateContent) => Some(json!({"codeExecution": {}})),
        (HostedToolKind::CodeExecution, Responses) => {
            Some(json!({"type": "code_interpreter", "container": {"type": "auto"}}))
        }
        (HostedToolKind::UrlFetch, Messages) => {
            Some(json!({"type": "web_fetch_20250910", "name": "web_fetch"}))
        }
        (HostedToolKind::UrlFetch, GenerateContent) => Some(json!({"urlContext": {}})),
        _ => None,
    }
}

fn web_search(kind: &HostedToolKind, target: DialectId) -> Option<Value> {
    let HostedToolKind::WebSearch {
        allowed_domains,
        blocked_domains,
        user_location,
        context_size,
    } = kind
    else {
        return None;
    };
    let place = user_location.as_ref().and_then(Value::as_object);
    let flat_place = place.map(|place| {
        let mut flat = Extra::from_iter([("type".to_owned(), json!("approximate"))]);
        flat.extend(without_type(place));
        Value::Object(flat)
    });
    let context_size = context_size.as_ref().map(|size| json!(size));
    let listed = |domains: &Vec<String>| (!domains.is_empty()).then(|| json!(domains));
    let allowed = listed(allowed_domains);
    Some(match target {
        // Here it is a field of the request, not an entry of `tools`.
        DialectId::ChatCompletions | DialectId::TextCompletions => {
            let place = place
                .map(|place| json!({"type": "approximate", "approximate": without_type(place)}));
            json!({"web_search_options": members([
                ("search_context_size", context_size),
                ("user_location", place),
            ])})
        }
        DialectId::Messages => {
            let blocked = listed(blocked_domains).filter(|_| allowed.is_none());
            members([
                ("type", Some(json!("web_search_20250305"))),
                ("name", Some(json!("web_search"))),
                ("allowed_domains", allowed),
                ("blocked_domains", blocked),
                ("user_location", flat_place),
            ])
        }
        DialectId::GenerateContent => json!({"googleSearch": {}}),
        DialectId::Responses => members([
            ("type", Some(json!("web_search"))),
            (
                "filters",
                allowed.map(|domains| json!({"allowed_domains": domains})),
            ),
            ("search_context_size", context_size),
            ("user_location", flat_place),
        ]),
    })
}

fn without_type(place: &Extra) -> Extra {
    let fields = place.iter().filter(|(key, _)| *key != "type");
    fields
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// An object of those members that have a value.
fn members<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let said = members.into_iter();
    said.filter_map(|(key, value)| Some((key.to_owned(), value?)))
        .collect()
}
