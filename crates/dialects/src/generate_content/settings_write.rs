//! `generationConfig`, on the way out.

use serde_json::{Map, Value, json};

use super::HERE;
use crate::canonical::{
    OutputFormat, Reasoning, ReasoningMode, ReasoningShow, Request, Schema, SchemaForm,
};

/// The settings of a request; empty where there are none.
pub(super) fn write(request: &Request) -> Map<String, Value> {
    let native = request.source == HERE;
    let mut out = match request.extra.get("generationConfig") {
        Some(Value::Object(own)) if native => own.clone(),
        _ => Map::new(),
    };
    let sampling = &request.sampling;
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            out.insert(key.to_owned(), value);
        }
    };
    let number = |n: &Option<serde_json::Number>| n.clone().map(Value::Number);
    set("temperature", number(&sampling.temperature));
    set("topP", number(&sampling.top_p));
    set("topK", number(&sampling.top_k));
    set("presencePenalty", number(&sampling.presence_penalty));
    set("frequencyPenalty", number(&sampling.frequency_penalty));
    set("seed", number(&sampling.seed));
    set("responseLogprobs", sampling.logprobs.map(Value::Bool));
    set("logprobs", sampling.top_logprobs.map(|n| json!(n)));
    set("maxOutputTokens", request.max_output.map(|n| json!(n)));
    set("candidateCount", request.choices.map(|n| json!(n)));
    set(
        "stopSequences",
        (!request.stop.is_empty()).then(|| json!(request.stop)),
    );
    let upper = |list: &Vec<String>| list.iter().map(|m| json!(m.to_ascii_uppercase())).collect();
    set("responseModalities", request.modalities.as_ref().map(upper));
    let voice = request
        .audio
        .as_ref()
        .and_then(|audio| audio.get("voice"))
        .filter(|_| !native);
    set("speechConfig", voice.and_then(Value::as_str).map(speech));
    write_output(&request.output, &mut set);
    let thinking = write_thinking(&request.reasoning, native);
    set(
        "thinkingConfig",
        (!thinking.is_empty()).then_some(Value::Object(thinking)),
    );
    out
}

fn speech(voice: &str) -> Value {
    json!({"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}})
}

fn write_output(output: &OutputFormat, set: &mut dyn FnMut(&str, Option<Value>)) {
    let (mime, schema) = match output {
        OutputFormat::Text => return,
        OutputFormat::PlainText => ("text/plain", None),
        OutputFormat::JsonObject => ("application/json", None),
        OutputFormat::JsonSchema { schema, .. } => ("application/json", Some(schema)),
        OutputFormat::Enum { schema } => ("text/x.enum", Some(schema)),
    };
    set("responseMimeType", Some(json!(mime)));
    if let Some(Schema { value, form }) = schema {
        let key = match form {
            SchemaForm::JsonSchema => "responseJsonSchema",
            SchemaForm::OpenApi => "responseSchema",
        };
        set(key, Some(value.clone()));
    }
}

fn write_thinking(reasoning: &Reasoning, native: bool) -> Map<String, Value> {
    let mut out = if native {
        reasoning.extra.clone()
    } else {
        Map::new()
    };
    let thinks = matches!(reasoning.mode, ReasoningMode::On | ReasoningMode::Auto);
    let shows = match reasoning.show {
        ReasoningShow::Summary => Some(true),
        ReasoningShow::None => Some(false),
        // A client of another dialect that asks for reasoning expects to see it.
        ReasoningShow::Unset => (thinks && !native).then_some(true),
    };
    if let Some(shows) = shows {
        out.insert("includeThoughts".to_owned(), Value::Bool(shows));
    }
    // Level and budget exclude each other.
    if let Some(effort) = &reasoning.effort {
        out.insert(
            "thinkingLevel".to_owned(),
            json!(effort.word().to_ascii_uppercase()),
        );
        return out;
    }
    let budget = match (reasoning.mode, reasoning.budget) {
        (ReasoningMode::Off, _) => Some(json!(0)),
        (_, Some(budget)) => Some(json!(budget)),
        (ReasoningMode::Auto, None) => Some(json!(-1)),
        _ => None,
    };
    if let Some(budget) = budget {
        out.insert("thinkingBudget".to_owned(), budget);
    }
    out
}
