//! The demo models' answers to text requests. They say back what was said, reason when asked to,
//! call a declared tool when they are made to or when its name is mentioned, and answer in the form
//! that was asked for.

use dialects::DialectId;
use dialects::canonical::{
    Arguments, Choice, ChoiceMode, Extra, Finish, FinishReason, OutputFormat, Part, PartKind,
    ReasoningMode, Reply, Request, Role, Thinking, ThinkingForm, Tool, ToolCall, ToolKind, Turn,
    Usage,
};
use dialects::ids;
use serde_json::{Value, json};

use super::arguments::sample;
use super::tokens;

/// Longer questions are not repeated whole.
const REPEATED_CHARACTERS: usize = 200;

/// The answer of this demo model.
pub fn answer(request: &Request, model: &str, id: &str, created: u64) -> Reply {
    let thought = thought(request, model);
    let mut choices = Vec::new();
    let mut output = 0;
    for index in 0..request.choices.unwrap_or(1).clamp(1, 128) {
        let choice = choice(request, model, id, index, thought.as_deref());
        output += choice.parts.iter().map(spent).sum::<u64>();
        choices.push(choice);
    }
    let input = tokens::count_input(request);
    let reasoning = thought.as_deref().map(tokens::count);
    Reply {
        source: DialectId::ChatCompletions,
        id: id.to_owned(),
        model: model.to_owned(),
        created: Some(created),
        choices,
        usage: Some(Usage {
            input: Some(input),
            output: Some(output),
            reasoning,
            ..Usage::default()
        }),
        tier: None,
        extra: Extra::new(),
    }
}

fn spent(part: &Part) -> u64 {
    match &part.kind {
        PartKind::Text { text, .. } => tokens::count(text),
        PartKind::Thinking(thinking) => tokens::count(&thinking.text),
        PartKind::ToolCall(call) => {
            tokens::count(&call.name) + tokens::count(call.arguments.text())
        }
        _ => 0,
    }
}

fn choice(request: &Request, model: &str, id: &str, index: u32, thought: Option<&str>) -> Choice {
    let mut left = request.max_output.unwrap_or(u64::MAX);
    let mut parts = Vec::new();
    let mut finish = FinishReason::Stop;
    if let Some(text) = thought {
        let text = limited(text, &mut left, &mut finish);
        let thinking = Thinking {
            text,
            form: ThinkingForm::Raw,
        };
        parts.push(Part::new(PartKind::Thinking(thinking)));
    }
    if finish == FinishReason::Stop {
        match called_tool(request) {
            Some(tool) => {
                parts.push(call(tool, id, index));
                finish = FinishReason::ToolCalls;
            }
            None => parts.push(Part::text(limited(
                &said(request, model),
                &mut left,
                &mut finish,
            ))),
        }
    }
    let word = match finish {
        FinishReason::Length => "length",
        FinishReason::ToolCalls => "tool_calls",
        _ => "stop",
    };
    Choice {
        index,
        parts,
        finish: Finish::new(finish, word),
        logprobs: None,
        extra: Extra::new(),
    }
}

/// As much of a text as the cap allows.
fn limited(text: &str, left: &mut u64, finish: &mut FinishReason) -> String {
    let kept = tokens::cut(text, *left);
    if kept.len() < text.len() {
        *finish = FinishReason::Length;
    }
    *left = left.saturating_sub(tokens::count(kept));
    kept.to_owned()
}

fn thought(request: &Request, model: &str) -> Option<String> {
    let is_asked = matches!(
        request.reasoning.mode,
        ReasoningMode::On | ReasoningMode::Auto
    ) || request.reasoning.effort.is_some();
    let is_off = request.reasoning.mode == ReasoningMode::Off;
    let thinks = !is_off && (model == "demo-reasoning" || is_asked);
    thinks.then(|| {
        format!(
            "The user says {} words; I will say them back.",
            words(request)
        )
    })
}

fn words(request: &Request) -> usize {
    last_words(request).split_whitespace().count()
}

/// What the user said last.
fn last_words(request: &Request) -> String {
    let last = request
        .turns
        .iter()
        .rev()
        .find(|turn| turn.role == Role::User);
    last.map(|turn| turn.parts.iter().filter_map(Part::as_text).collect())
        .unwrap_or_default()
}

fn said(request: &Request, model: &str) -> String {
    match &request.output {
        OutputFormat::JsonSchema { schema, .. } => return sample(&schema.value).to_string(),
        OutputFormat::JsonObject => return json!({"said": last_words(request)}).to_string(),
        OutputFormat::Enum { schema } => {
            return sample(&schema.value)
                .as_str()
                .unwrap_or_default()
                .to_owned();
        }
        OutputFormat::Text | OutputFormat::PlainText => {}
    }
    if let Some(result) = request.turns.last().and_then(tool_said) {
        return format!("The tool says: {result}");
    }
    let words: String = last_words(request)
        .chars()
        .take(REPEATED_CHARACTERS)
        .collect();
    if words.trim().is_empty() {
        return format!("Hello from {model}.");
    }
    format!("Hello from {model}. You said: {words}")
}

fn tool_said(turn: &Turn) -> Option<String> {
    turn.parts.iter().find_map(|part| match &part.kind {
        PartKind::ToolResult(result) => {
            Some(result.parts.iter().filter_map(Part::as_text).collect())
        }
        _ => None,
    })
}

/// The tool to call: the one that is forced, any where one is required, or the first whose name the
/// user mentions. After a tool has answered, the model does.
fn called_tool(request: &Request) -> Option<&Tool> {
    let callable = || {
        request
            .tools
            .iter()
            .filter(|t| !matches!(t.kind, ToolKind::Hosted(_)))
    };
    if request.turns.last().and_then(tool_said).is_some() {
        return None;
    }
    match &request.tool_choice.mode {
        Some(ChoiceMode::None) => None,
        Some(ChoiceMode::Named(chosen)) => callable().find(|tool| tool.name == chosen.name),
        Some(ChoiceMode::Required) => callable().next(),
        _ => {
            let words = last_words(request);
            callable().find(|tool| mentions(&words, &tool.name))
        }
    }
}

/// Whether a text says this name as a word of its own.
fn mentions(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
}

fn call(tool: &Tool, id: &str, index: u32) -> Part {
    let arguments = match &tool.kind {
        ToolKind::Custom { .. } => Arguments::Free("demo".to_owned()),
        ToolKind::Function {
            parameters: Some(schema),
            ..
        } => Arguments::Json(sample(&schema.value).to_string()),
        _ => Arguments::Json(Value::Object(Extra::new()).to_string()),
    };
    Part::new(PartKind::ToolCall(ToolCall {
        id: ids::call_id(id, index, 0),
        name: tool.name.clone(),
        namespace: tool.namespace.clone(),
        arguments,
    }))
}
