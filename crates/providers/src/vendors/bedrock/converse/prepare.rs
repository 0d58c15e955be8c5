//! Makes a request fit for Converse: what only this format cannot say is taken out by name, what only
//! it can say is set aside while the passes work, and written from `extra` later.

use dialects::canonical::{
    ChoiceMode, Extra, Failure, Hosted, HostedTool, Part, PartKind, Request, ToolKind,
};
use dialects::passes::{self, Target};
use dialects::{ReplyContext, name_once};
use serde_json::{Value, json};

use super::model_family::Family;

/// Members of Converse that clients of any dialect may give as they are.
const OWN_MEMBERS: [&str; 4] = [
    "additionalModelRequestFields",
    "guardrailConfig",
    "performanceConfig",
    "requestMetadata",
];

/// Prepares a request. Says what was left out.
pub(super) fn prepare(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
) -> Result<Vec<String>, Failure> {
    let mut left_out = LeftOut::new(target.strict);
    let family = Family::of(&request.model);
    let own = set_aside(request);
    leave_hosted_tools(request, &mut left_out)?;
    leave_hosted_parts(request, &mut left_out)?;
    let mut names = passes::prepare(request, target, reply)?;
    fit_choice(request, &mut left_out)?;
    if !family.caches() {
        clear_marks(request);
    }
    if let Some(top_k) = &request.sampling.top_k
        && family.top_k(top_k).is_none()
    {
        request.sampling.top_k = None;
        left_out.note("top_k")?;
    }
    request.extra = own;
    names.retain(|name| !left_out.names.contains(name));
    left_out.names.extend(names);
    Ok(left_out.names)
}

/// Names of what was left out.
struct LeftOut {
    names: Vec<String>,
    strict: bool,
}

impl LeftOut {
    fn new(strict: bool) -> Self {
        let names = Vec::new();
        Self { names, strict }
    }

    fn note(&mut self, name: &str) -> Result<(), Failure> {
        if self.strict {
            let text = format!("`{name}` cannot be carried to this model (strict mode).");
            return Err(Failure::unsupported(name, text));
        }
        name_once(&mut self.names, name);
        Ok(())
    }
}

/// Takes members of Converse and the tier out of the passes' way.
fn set_aside(request: &mut Request) -> Extra {
    let mut own = Extra::new();
    for name in OWN_MEMBERS {
        if let Some(value @ Value::Object(_)) = request.extra.shift_remove(name) {
            own.insert(name.to_owned(), value);
        }
    }
    let tier = request.tier.as_deref();
    if let Some(tier @ ("default" | "flex" | "priority")) = tier {
        own.insert("serviceTier".to_owned(), json!({ "type": tier }));
        request.tier = None;
    }
    own
}

/// Amazon runs no tools here that other vendors run.
fn leave_hosted_tools(request: &mut Request, left_out: &mut LeftOut) -> Result<(), Failure> {
    if let Some(ChoiceMode::Hosted { .. }) = request.tool_choice.mode {
        let text =
            "The hosted tool that `tool_choice` names does not exist in this model's format.";
        return Err(Failure::unsupported("tool_choice", text));
    }
    for tool in &request.tools {
        if let ToolKind::Hosted(hosted) = &tool.kind
            && type_of(&hosted.raw) != "namespace"
        {
            left_out.note(&format!("tools.{}", hosted_name(&tool.name, hosted)))?;
        }
    }
    let is_hosted = |kind: &ToolKind| matches!(kind, ToolKind::Hosted(_));
    request.tools.retain(|tool| !is_hosted(&tool.kind));
    Ok(())
}

fn hosted_name<'a>(name: &'a str, hosted: &'a HostedTool) -> &'a str {
    let key = hosted.raw.as_object().and_then(|map| map.keys().next());
    match (type_of(&hosted.raw), key) {
        ("", Some(key)) => key,
        ("", None) => name,
        (kind, _) => kind,
    }
}

fn type_of(raw: &Value) -> &str {
    raw.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Blocks that only the messages dialect understands; the passes leave them to it.
fn leave_hosted_parts(request: &mut Request, left_out: &mut LeftOut) -> Result<(), Failure> {
    for turn in &mut request.turns {
        for part in &turn.parts {
            if let PartKind::Hosted(hosted) = &part.kind
                && is_unknown(hosted)
            {
                left_out.note(type_of(&hosted.raw))?;
            }
        }
        turn.parts.retain(|part| !is_unknown_part(part));
    }
    Ok(())
}

fn is_unknown_part(part: &Part) -> bool {
    matches!(&part.kind, PartKind::Hosted(hosted) if is_unknown(hosted))
}

/// Search results have a block of their own in Converse.
fn is_unknown(hosted: &Hosted) -> bool {
    hosted.dialect == super::dialect::LIKE && type_of(&hosted.raw) != "search_result"
}

/// There is no word for "no calls", nor for "one at a time".
fn fit_choice(request: &mut Request, left_out: &mut LeftOut) -> Result<(), Failure> {
    if request.tool_choice.parallel.take() == Some(false) {
        left_out.note("parallel_tool_calls")?;
    }
    if request.tool_choice.mode != Some(ChoiceMode::None) {
        return Ok(());
    }
    request.tool_choice.mode = None;
    let is_call =
        |part: &Part| matches!(part.kind, PartKind::ToolCall(_) | PartKind::ToolResult(_));
    if request
        .turns
        .iter()
        .any(|turn| turn.parts.iter().any(is_call))
    {
        // Their definitions must stay for the sake of the history.
        return left_out.note("tool_choice");
    }
    request.tools.clear();
    Ok(())
}

fn clear_marks(request: &mut Request) {
    for tool in &mut request.tools {
        tool.cache = None;
    }
    let parts = request.turns.iter_mut().flat_map(|turn| &mut turn.parts);
    for part in request.system.iter_mut().chain(parts) {
        part.cache = None;
    }
}
