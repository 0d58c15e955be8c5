//! Which tools the model may or must call, in the target's terms.

use std::collections::HashSet;

use super::{Dropped, Target};
use crate::DialectId;
use crate::canonical::{ChoiceMode, Failure, Request, ToolChoice, ToolKind};

/// Fits the choice.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    request.tool_choice.raw = None;
    if request.tools.is_empty() {
        // Vendors refuse a choice without tools.
        request.tool_choice = ToolChoice::default();
        return Ok(());
    }
    check_named(request)?;
    if target.dialect != DialectId::GenerateContent
        && request.tool_choice.mode == Some(ChoiceMode::Validated)
    {
        request.tool_choice.mode = Some(ChoiceMode::Auto);
    }
    narrow(request, target);
    if target.dialect == DialectId::GenerateContent && request.tool_choice.parallel == Some(false) {
        request.tool_choice.parallel = None;
        dropped.note("parallel_tool_calls")?;
    }
    Ok(())
}

/// A choice of a tool that does not exist would be refused by every vendor.
fn check_named(request: &Request) -> Result<(), Failure> {
    let Some(ChoiceMode::Named(chosen)) = &request.tool_choice.mode else {
        return Ok(());
    };
    if request.tools.iter().any(|tool| tool.name == chosen.name) {
        return Ok(());
    }
    let text = format!(
        "`tool_choice` names `{}`, which is not among `tools`.",
        chosen.name
    );
    Err(Failure::bad_request("tool_choice", text))
}

/// Where the target has no list of allowed tools, only those are sent.
fn narrow(request: &mut Request, target: &Target) {
    let native = match target.dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions | DialectId::Responses => true,
        DialectId::Messages => false,
        // Names are taken together with a forced call only.
        DialectId::GenerateContent => request.tool_choice.mode == Some(ChoiceMode::Required),
    };
    if native {
        return;
    }
    if let Some(allowed) = request.tool_choice.allowed.take() {
        let allowed: HashSet<&str> = allowed.iter().map(|tool| tool.name.as_str()).collect();
        request.tools.retain(|tool| {
            matches!(tool.kind, ToolKind::Hosted(_)) || allowed.contains(tool.name.as_str())
        });
    }
}
