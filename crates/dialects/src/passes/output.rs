//! The form of the answer: JSON modes and schemas where the target has them, the nearest thing to
//! them where it does not.

use serde_json::{Value, json};

use super::{Dropped, Target, reasoning, schema, turns};
use crate::canonical::{
    ChoiceMode, Extra, Failure, OutputFormat, Part, ReasoningMode, Request, Schema, Tool, ToolKind,
    ToolRef,
};
use crate::{DialectId, ReplyContext};

/// The tool that stands in for a structured answer.
const ANSWER_TOOL: &str = "json_output";
/// What vendors without a JSON mode are told, and what those with one demand to find.
const JSON_PLEASE: &str = "Answer with one JSON object only.";

/// Fits the form of the answer.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    reply.show_reasoning = reasoning::shows(&request.reasoning);
    if let (OutputFormat::Enum { schema }, false) = (
        &request.output,
        target.dialect == DialectId::GenerateContent,
    ) {
        let schema = schema.clone();
        request.output = OutputFormat::JsonSchema {
            name: None,
            description: None,
            schema,
            strict: None,
        };
    }
    match &request.output {
        OutputFormat::Text | OutputFormat::PlainText | OutputFormat::Enum { .. } => Ok(()),
        OutputFormat::JsonObject => {
            fit_json_object(request, target);
            Ok(())
        }
        OutputFormat::JsonSchema { .. } => fit_json_schema(request, target, reply, dropped),
    }
}

fn fit_json_object(request: &mut Request, target: &Target) {
    match target.dialect {
        DialectId::GenerateContent => {}
        DialectId::Messages => {
            request.output = OutputFormat::Text;
            request.system.push(Part::text(JSON_PLEASE));
        }
        // The vendor refuses the mode unless the word is said somewhere.
        _ if !mentions_json(request) => request.system.push(Part::text(JSON_PLEASE)),
        _ => {}
    }
}

fn mentions_json(request: &Request) -> bool {
    let parts = request.turns.iter().flat_map(|turn| &turn.parts);
    request
        .system
        .iter()
        .chain(parts)
        .filter_map(Part::as_text)
        .any(|text| {
            text.as_bytes()
                .windows(4)
                .any(|word| word.eq_ignore_ascii_case(b"json"))
        })
}

fn fit_json_schema(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    let foreign_strictness = matches!(
        request.source,
        DialectId::Messages | DialectId::GenerateContent
    );
    // A format excludes a given beginning.
    let has_format = target.can.structured_output && !turns::is_prefill(request);
    let OutputFormat::JsonSchema {
        name,
        description,
        schema,
        strict,
    } = &mut request.output
    else {
        return Ok(());
    };
    match target.dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions | DialectId::Responses => {
            name.get_or_insert_with(|| "response".to_owned());
            if foreign_strictness {
                *strict = Some(schema::is_strict(&schema::to_json_schema(schema)));
            }
        }
        DialectId::GenerateContent => describe(schema, description.take()),
        DialectId::Messages if has_format => describe(schema, description.take()),
        DialectId::Messages => return answer_by_tool(request, reply, dropped),
    }
    Ok(())
}

/// Where the format has no description, the schema carries it.
fn describe(schema: &mut Schema, description: Option<String>) {
    if let (Some(text), Value::Object(map)) = (description, &mut schema.value) {
        map.entry("description").or_insert(Value::String(text));
    }
}

/// Older messages models answer in a form when they are made to call a tool that has that form; where
/// they cannot be made to, they are asked in words.
fn answer_by_tool(
    request: &mut Request,
    reply: &mut ReplyContext,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    let output = std::mem::take(&mut request.output);
    let OutputFormat::JsonSchema {
        description,
        schema,
        ..
    } = output
    else {
        return Ok(());
    };
    let thinks = matches!(
        request.reasoning.mode,
        ReasoningMode::On | ReasoningMode::Auto
    );
    if !request.tools.is_empty() || thinks || turns::is_prefill(request) {
        request.system.push(Part::text(format!(
            "{JSON_PLEASE} It must fit this JSON schema: {}",
            schema::to_json_schema(&schema)
        )));
        return dropped.note("response_format");
    }
    let schema = schema::to_json_schema(&schema);
    let parameters = if schema.get("type").and_then(Value::as_str) == Some("object") {
        schema
    } else {
        json!({"type": "object", "properties": {"value": schema}, "required": ["value"]})
    };
    request.tools.push(Tool {
        name: ANSWER_TOOL.to_owned(),
        description: Some(description.unwrap_or_else(|| "The answer.".to_owned())),
        namespace: None,
        kind: ToolKind::Function {
            parameters: Some(Schema::json(parameters)),
            strict: None,
        },
        cache: None,
        extra: Extra::new(),
    });
    let tool = ToolRef {
        name: ANSWER_TOOL.to_owned(),
        is_free: false,
    };
    request.tool_choice.mode = Some(ChoiceMode::Named(tool));
    reply.answer_tool = Some(ANSWER_TOOL.to_owned());
    Ok(())
}
