//! Hosted tools: the target's counterpart of another vendor's.

use std::collections::HashSet;
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
    let has_functions = request.tools.iter().any(|tool| !is_hosted(tool));
    // Some models take functions or hosted tools, not both.
    let takes_hosted = target.can.mixed_tools || !has_functions;
    let allowed = allowed_kinds(request);
    let mut kept = Vec::with_capacity(request.tools.len());
    let mut kept_kinds = HashSet::new();
    for mut tool in request.tools.drain(..) {
        let ToolKind::Hosted(hosted) = &tool.kind else {
            kept.push(tool);
            continue;
        };
        if !is_allowed(hosted, allowed.as_ref()) {
            continue;
        }
        if hosted.dialect == target.dialect {
            kept_kinds.insert(discriminant(&hosted.kind));
            kept.push(tool);
        } else if let Some(mut raw) =
            counterpart(&hosted.kind, target.dialect).filter(|_| takes_hosted)
        {
            note_lost_limits(hosted, target, dropped)?;
            limit_uses(&mut raw, target, &mut request.extra);
            let (dialect, kind) = (target.dialect, hosted.kind.clone());
            let own_kind = discriminant(&kind);
            tool.kind = ToolKind::Hosted(HostedTool { dialect, kind, raw });
            tool.extra = Extra::new();
            // Two of one kind become one: the target knows it by one name.
            if kept_kinds.insert(own_kind) {
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

fn is_hosted(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Hosted(_))
}

/// The types of hosted tools that a narrowed choice still allows; absent where it narrows none.
fn allowed_kinds(request: &Request) -> Option<HashSet<String>> {
    let raw = request.tool_choice.raw.as_ref();
    if request.source != DialectId::Responses || request.tool_choice.allowed.is_none() {
        return None;
    }
    let tools = raw.and_then(|raw| raw.get("tools")?.as_array());
    let kind = |tool: &Value| Some(tool.get("type")?.as_str()?.to_owned());
    Some(tools.into_iter().flatten().filter_map(kind).collect())
}

fn is_allowed(hosted: &HostedTool, kinds: Option<&HashSet<String>>) -> bool {
    let Some(kinds) = kinds else { return true };
    let kind = hosted.raw.get("type").and_then(Value::as_str);
    is_taken_over(hosted) || kind.is_some_and(|kind| kinds.contains(kind))
}

/// Limits of a search that the target's own cannot be given: which pages it reads, how often it runs.
fn note_lost_limits(
    hosted: &HostedTool,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    let (target, is_carried) = (
        target.dialect,
        target.hosted_uses.is_some()
            && matches!(
                target.dialect,
                DialectId::Messages | DialectId::Responses | DialectId::ChatCompletions
            ),
    );
    let HostedToolKind::WebSearch {
        allowed_domains,
        blocked_domains,
        ..
    } = &hosted.kind
    else {
        return Ok(());
    };
    let says_allowed = matches!(target, DialectId::Messages | DialectId::Responses);
    let says_blocked = target == DialectId::Messages && allowed_domains.is_empty();
    for (field, is_lost) in [
        (
            "tools.allowed_domains",
            !allowed_domains.is_empty() && !says_allowed,
        ),
        (
            "tools.blocked_domains",
            !blocked_domains.is_empty() && !says_blocked,
        ),
        (
            "tools.max_uses",
            !is_carried && hosted.raw.get("max_uses").is_some_and(Value::is_number),
        ),
    ] {
        if is_lost {
            dropped.note(field)?;
        }
    }
    Ok(())
}

/// Tells the target how often a tool may be used. A search of chat completions is one by a call in any case.
fn limit_uses(raw: &mut Value, target: &Target, extra: &mut Extra) {
    let Some(uses) = target.hosted_uses else {
        return;
    };
    match target.dialect {
        DialectId::Messages if !matches!(raw["name"].as_str(), Some("code_execution")) => {
            raw["max_uses"] = uses.into();
        }
        DialectId::Responses => {
            extra.insert("max_tool_calls".to_owned(), uses.into());
        }
        _ => {}
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

#[cfg(test)]
#[path = "hosted_tools_tests.rs"]
mod tests;
