//! Tools in the target's terms: free-text tools, definitions, strictness. Hosted tools and names have
//! passes of their own.

use serde_json::{Value, json};

use super::{Dropped, Target, hosted_tools, schema, tool_names, turns};
use crate::canonical::{Arguments, Extra, Failure, PartKind, Request, Schema, Tool, ToolKind};
use crate::{DialectId, ReplyContext};

/// Fits the tools and every mention of them.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    hosted_tools::fit(request, target, dropped)?;
    wrap_free_tools(request, target, reply, dropped)?;
    tool_names::fit(request, target, reply)?;
    declare_called(request, target);
    fit_strictness(request, target);
    Ok(())
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

/// A tool is strict only where the target can hold it to its schema: a vendor refuses the whole request
/// otherwise. Responses tries strict schemas where nothing is said; everybody else does not.
fn fit_strictness(request: &mut Request, target: &Target) {
    for tool in &mut request.tools {
        let ToolKind::Function { parameters, strict } = &mut tool.kind else {
            continue;
        };
        match target.dialect {
            DialectId::Messages if !target.can.strict_tools || parameters.is_none() => {
                *strict = None;
            }
            DialectId::ChatCompletions | DialectId::Responses if *strict == Some(true) => {
                let fits = |schema: &Schema| schema::is_strict(&schema::to_json_schema(schema));
                *strict = Some(parameters.as_ref().is_some_and(fits));
            }
            DialectId::Responses => *strict = Some(false),
            _ => {}
        }
    }
}
