//! Names of tools: which ones a target takes, and the way back to the client's own.

use std::collections::{HashMap, HashSet};

use super::Target;
use crate::canonical::{ChoiceMode, Failure, Part, PartKind, Request, Tool, ToolChoice, ToolKind};
use crate::{DialectId, ReplyContext, ToolOrigin, ids};

/// Namespace and name as the client said them → the name that the target gets.
type Names = HashMap<(Option<String>, String), String>;

/// Gives every tool a name that the target takes, here and in the history, and remembers the
/// client's own for the way back.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
) -> Result<(), Failure> {
    let names = choose(request, target.dialect);
    let own_tools = request.tools.iter_mut().filter(|tool| is_own(tool));
    for tool in own_tools {
        apply(&names, &mut tool.namespace, &mut tool.name, target.dialect);
    }
    rename_in_history(request, &names, target.dialect);
    rename_choice(&mut request.tool_choice, &names);
    check_unique(request)?;
    for ((namespace, name), new) in names {
        if new != name {
            let origin = ToolOrigin { name, namespace };
            reply.tool_names.insert(new, origin);
        }
    }
    Ok(())
}

fn is_own(tool: &Tool) -> bool {
    !matches!(tool.kind, ToolKind::Hosted(_))
}

/// A name for each tool that is declared or called, each different.
fn choose(request: &Request, target: DialectId) -> Names {
    let declared = request.tools.iter().filter(|tool| is_own(tool));
    let declared = declared.map(|tool| (tool.namespace.clone(), tool.name.clone()));
    let parts = request.turns.iter().flat_map(|turn| &turn.parts);
    let mut names = Names::new();
    let mut taken = HashSet::new();
    for origin in declared.chain(parts.filter_map(call_origin)) {
        if names.contains_key(&origin) {
            continue;
        }
        let mut name = legal_name(&origin, target);
        if taken.contains(&name) {
            name = hashed_name(&name, &origin, longest_name(target));
        }
        taken.insert(name.clone());
        names.insert(origin, name);
    }
    names
}

/// Calls get their new names, and so do the results that answer them.
fn rename_in_history(request: &mut Request, names: &Names, target: DialectId) {
    let mut called: HashMap<String, String> = HashMap::new();
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

/// Renames the tools of a choice, which have no namespace. Of several tools with one name the first
/// by namespace counts.
fn rename_choice(choice: &mut ToolChoice, names: &Names) {
    let forced = match &mut choice.mode {
        Some(ChoiceMode::Named(tool)) => Some(tool),
        _ => None,
    };
    let mut chosen = choice.allowed.iter_mut().flatten().chain(forced).peekable();
    if chosen.peek().is_none() {
        return;
    }
    let mut by_name: HashMap<&str, (&Option<String>, &String)> = HashMap::new();
    for ((namespace, name), new) in names {
        let first = by_name.entry(name).or_insert((namespace, new));
        if namespace < first.0 {
            *first = (namespace, new);
        }
    }
    for tool in chosen {
        if let Some((_, new)) = by_name.get(tool.name.as_str()) {
            tool.name.clone_from(new);
        }
    }
}

fn check_unique(request: &Request) -> Result<(), Failure> {
    let mut seen = HashSet::with_capacity(request.tools.len());
    let mut names = request.tools.iter().map(|tool| tool.name.as_str());
    match names.find(|name| !name.is_empty() && !seen.insert(*name)) {
        Some(name) => {
            let text = format!("Two tools are called `{name}`.");
            Err(Failure::bad_request("tools", text))
        }
        None => Ok(()),
    }
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
