//! Tools in the target's terms: names that it takes, free-text tools, and hosted tools that have a
//! counterpart there.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{Dropped, Target, turns};
use crate::canonical::{
    Arguments, ChoiceMode, Extra, Failure, HostedTool, HostedToolKind, Part, PartKind, Request,
    Schema, Tool, ToolKind,
};
use crate::{DialectId, ReplyContext, ToolOrigin, ids};

/// Fits the tools and every mention of them.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    fit_hosted(request, target, dropped)?;
    wrap_free_tools(request, target, reply, dropped)?;
    rename(request, target, reply)?;
    declare_called(request, target);
    if target.dialect == DialectId::Responses {
        say_strictness(request);
    }
    Ok(())
}

/// Hosted tools become the target's own, or are dropped; one that the client forces is refused.
fn fit_hosted(
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
            // Two that become one and the same are declared once.
            if !kept.iter().any(|other: &Tool| other.kind == tool.kind) {
                kept.push(tool);
            }
        } else {
            dropped.note(&format!("tools.{}", hosted_name(&tool, hosted)))?;
        }
    }
    request.tools = kept;
    Ok(())
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
    let mut tool = Extra::new();
    let mut set = |key: &str, value: Value| tool.insert(key.to_owned(), value);
    let place = |nested: bool| {
        user_location
            .as_ref()
            .and_then(Value::as_object)
            .map(|fields| {
                let fields: Extra = fields
                    .iter()
                    .filter(|(key, _)| *key != "type")
                    .map(|(k, v)| (k.clone(), v.clone()))
                    .collect();
                if nested {
                    json!({"type": "approximate", "approximate": fields})
                } else {
                    let mut flat = Extra::from_iter([("type".to_owned(), json!("approximate"))]);
                    flat.extend(fields);
                    Value::Object(flat)
                }
            })
    };
    match target {
        DialectId::ChatCompletions | DialectId::TextCompletions => {
            context_size
                .as_ref()
                .map(|size| set("search_context_size", json!(size)));
            place(true).map(|location| set("user_location", location));
        }
        DialectId::Messages => {
            set("type", json!("web_search_20250305"));
            set("name", json!("web_search"));
            if !allowed_domains.is_empty() {
                set("allowed_domains", json!(allowed_domains));
            } else if !blocked_domains.is_empty() {
                set("blocked_domains", json!(blocked_domains));
            }
            place(false).map(|location| set("user_location", location));
        }
        DialectId::GenerateContent => {
            set("googleSearch", json!({}));
        }
        DialectId::Responses => {
            set("type", json!("web_search"));
            if !allowed_domains.is_empty() {
                set("filters", json!({"allowed_domains": allowed_domains}));
            }
            context_size
                .as_ref()
                .map(|size| set("search_context_size", json!(size)));
            place(false).map(|location| set("user_location", location));
        }
    }
    let tool = Value::Object(tool);
    Some(match target {
        // Here it is a field of the request, not an entry of `tools`.
        DialectId::ChatCompletions | DialectId::TextCompletions => {
            json!({ "web_search_options": tool })
        }
        _ => tool,
    })
}

/// Where the target has no free-text tools, a function with one text field stands in for them.
fn wrap_free_tools(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    if matches!(
        target.dialect,
        DialectId::ChatCompletions | DialectId::Responses
    ) {
        return Ok(());
    }
    for tool in &mut request.tools {
        let ToolKind::Custom { format } = &tool.kind else {
            continue;
        };
        if format
            .as_ref()
            .is_some_and(|f| f.get("type").and_then(Value::as_str) == Some("grammar"))
        {
            dropped.note("tools.format")?;
        }
        let fields = json!({"type": "object", "properties": {"input": {"type": "string"}},
            "required": ["input"]});
        tool.kind = ToolKind::Function {
            parameters: Some(Schema::json(fields)),
            strict: None,
        };
        reply.free_tools.push(tool.name.clone());
    }
    for part in request.turns.iter_mut().flat_map(|turn| &mut turn.parts) {
        let PartKind::ToolCall(call) = &mut part.kind else {
            continue;
        };
        if let Arguments::Free(text) = &call.arguments {
            call.arguments = Arguments::Json(json!({"input": text}).to_string());
        }
    }
    Ok(())
}

/// Namespace and name as the client said them → the name that the target gets.
type Names = BTreeMap<(Option<String>, String), String>;

/// Gives every tool a name that the target takes, here and in the history, and remembers the
/// client's own for the way back.
fn rename(request: &mut Request, target: &Target, reply: &mut ReplyContext) -> Result<(), Failure> {
    let mut names = Names::new();
    let mut taken: BTreeMap<String, (Option<String>, String)> = BTreeMap::new();
    let mentions = request
        .tools
        .iter()
        .filter(|tool| !matches!(tool.kind, ToolKind::Hosted(_)));
    let mentions = mentions.map(|tool| (tool.namespace.clone(), tool.name.clone()));
    let calls = request
        .turns
        .iter()
        .flat_map(|turn| &turn.parts)
        .filter_map(call_origin);
    for origin in mentions.chain(calls) {
        if names.contains_key(&origin) {
            continue;
        }
        let mut name = legal_name(&origin, target.dialect);
        if taken.contains_key(&name) {
            name = hashed_name(&name, &origin, longest_name(target.dialect));
        }
        taken.insert(name.clone(), origin.clone());
        names.insert(origin, name);
    }
    for tool in request
        .tools
        .iter_mut()
        .filter(|t| !matches!(t.kind, ToolKind::Hosted(_)))
    {
        apply(&names, &mut tool.namespace, &mut tool.name, target.dialect);
    }
    rename_in_history(request, &names, target.dialect);
    let chosen = request.tool_choice.allowed.iter_mut().flatten();
    let forced = match &mut request.tool_choice.mode {
        Some(ChoiceMode::Named(tool)) => Some(tool),
        _ => None,
    };
    chosen
        .chain(forced)
        .for_each(|tool| rename_by_name(&names, &mut tool.name));
    check_unique(request)?;
    for (name, (namespace, original)) in taken {
        if name != original {
            reply.tool_names.insert(
                name,
                ToolOrigin {
                    name: original,
                    namespace,
                },
            );
        }
    }
    Ok(())
}

/// Calls get their new names, and so do the results that answer them.
fn rename_in_history(request: &mut Request, names: &Names, target: DialectId) {
    let mut called: BTreeMap<String, String> = BTreeMap::new();
    for part in request.turns.iter_mut().flat_map(|turn| &mut turn.parts) {
        match &mut part.kind {
            PartKind::ToolCall(call) => {
                apply(names, &mut call.namespace, &mut call.name, target);
                called.insert(call.id.clone(), call.name.clone());
            }
            PartKind::ToolResult(result) => {
                if let Some(name) = called.get(&result.call_id) {
                    result.name = Some(name.clone());
                }
            }
            _ => {}
        }
    }
}

fn call_origin(part: &Part) -> Option<(Option<String>, String)> {
    match &part.kind {
        PartKind::ToolCall(call) => Some((call.namespace.clone(), call.name.clone())),
        _ => None,
    }
}

fn apply(names: &Names, namespace: &mut Option<String>, name: &mut String, target: DialectId) {
    if let Some(new) = names.get(&(namespace.clone(), name.clone())) {
        name.clone_from(new);
        if target != DialectId::Responses {
            *namespace = None;
        }
    }
}

fn rename_by_name(names: &Names, name: &mut String) {
    if let Some((_, new)) = names.iter().find(|((_, original), _)| original == name) {
        name.clone_from(new);
    }
}

fn check_unique(request: &Request) -> Result<(), Failure> {
    let names: Vec<_> = request
        .tools
        .iter()
        .map(|tool| &tool.name)
        .filter(|n| !n.is_empty())
        .collect();
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            let text = format!("Two tools are called `{name}`.");
            return Err(Failure::bad_request("tools", text));
        }
    }
    Ok(())
}

fn longest_name(dialect: DialectId) -> usize {
    match dialect {
        DialectId::Messages | DialectId::GenerateContent => 128,
        _ => 64,
    }
}

/// The name that the target takes for this tool; namespaces are flattened into it.
fn legal_name(origin: &(Option<String>, String), target: DialectId) -> String {
    let flat = match origin {
        (Some(namespace), name) if target != DialectId::Responses => format!("{namespace}__{name}"),
        (_, name) => name.clone(),
    };
    let generate = target == DialectId::GenerateContent;
    let legal = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '_' | '-') || (generate && matches!(c, '.' | ':'))
    };
    let mut name: String = flat
        .chars()
        .map(|c| if legal(c) { c } else { '_' })
        .collect();
    if generate && !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    let longest = longest_name(target);
    if name.len() > longest {
        hashed_name(&name, origin, longest)
    } else {
        name
    }
}

/// A name cut to length, with a hash of the original so that it stays unique.
fn hashed_name(name: &str, origin: &(Option<String>, String), longest: usize) -> String {
    let digits = ids::hash(&[origin.0.as_deref().unwrap_or_default(), &origin.1], 8);
    let kept: String = name.chars().take(longest - digits.len() - 1).collect();
    format!("{kept}_{digits}")
}

/// Messages wants a definition for every tool that the history calls.
fn declare_called(request: &mut Request, target: &Target) {
    if target.dialect != DialectId::Messages || !request.tools.is_empty() {
        return;
    }
    for name in turns::called_tools(request) {
        let parameters = Some(Schema::json(json!({"type": "object", "properties": {}})));
        request.tools.push(Tool {
            name,
            description: None,
            namespace: None,
            kind: ToolKind::Function {
                parameters,
                strict: None,
            },
            cache: None,
            extra: Extra::new(),
        });
    }
}

/// Responses tries strict schemas where nothing is said; everybody else does not.
fn say_strictness(request: &mut Request) {
    for tool in &mut request.tools {
        if let ToolKind::Function { strict, .. } = &mut tool.kind {
            strict.get_or_insert(false);
        }
    }
}
