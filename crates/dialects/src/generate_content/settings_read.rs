//! `generationConfig`, on the way in. What no other dialect knows stays in the request's extra
//! fields under that name.

use serde_json::{Map, Value, json};

use super::spelling;
use crate::canonical::{
    Effort, Extra, Failure, OutputFormat, Reasoning, ReasoningMode, ReasoningShow, Request, Schema,
    SchemaForm,
};
use crate::json;

/// Reads the settings into the request.
pub(super) fn read(mut config: Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    spelling::fold(&mut config);
    let sampling = &mut request.sampling;
    sampling.temperature = json::take_number(&mut config, "temperature")?;
    sampling.top_p = json::take_number(&mut config, "topP")?;
    sampling.top_k = json::take_number(&mut config, "topK")?;
    sampling.presence_penalty = json::take_number(&mut config, "presencePenalty")?;
    sampling.frequency_penalty = json::take_number(&mut config, "frequencyPenalty")?;
    sampling.seed = json::take_number(&mut config, "seed")?;
    sampling.logprobs = json::take_bool(&mut config, "responseLogprobs")?;
    sampling.top_logprobs = take_count(&mut config, "logprobs")?.and_then(|n| n.try_into().ok());
    request.max_output = take_count(&mut config, "maxOutputTokens")?;
    request.choices = take_count(&mut config, "candidateCount")?.and_then(|n| n.try_into().ok());
    request.stop = read_stop(&mut config)?;
    request.output = read_output(&mut config);
    if let Some(thinking) = json::take_object(&mut config, "thinkingConfig")? {
        request.reasoning = read_thinking(thinking);
    }
    read_media(&mut config, request);
    if !config.is_empty() {
        request
            .extra
            .insert("generationConfig".to_owned(), Value::Object(config));
    }
    Ok(())
}

fn take_count(config: &mut Map<String, Value>, key: &str) -> Result<Option<u64>, Failure> {
    let Some(value) = json::take(config, key) else {
        return Ok(None);
    };
    spelling::count(&value).map(Some).ok_or_else(|| {
        let text = format!("`generationConfig.{key}` must be a whole number, not negative.");
        Failure::bad_request(format!("generationConfig.{key}"), text)
    })
}

fn read_stop(config: &mut Map<String, Value>) -> Result<Vec<String>, Failure> {
    let list = json::take_array(config, "stopSequences")?.unwrap_or_default();
    list.into_iter()
        .map(|stop| match stop {
            Value::String(text) => Ok(text),
            _ => Err(Failure::bad_request(
                "generationConfig.stopSequences",
                "`generationConfig.stopSequences` must hold strings.",
            )),
        })
        .collect()
}

/// The answer's form is said by a media type and one of two schema fields.
fn read_output(config: &mut Map<String, Value>) -> OutputFormat {
    let mime = config
        .get("responseMimeType")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (is_json, is_enum, is_plain) = (
        mime == "application/json",
        mime == "text/x.enum",
        mime == "text/plain",
    );
    if !(is_json || is_enum || is_plain) {
        return OutputFormat::Text;
    }
    config.shift_remove("responseMimeType");
    let schema = take_schema(config);
    match (schema, is_json, is_enum) {
        (Some(schema), true, _) => OutputFormat::JsonSchema {
            name: None,
            description: None,
            schema,
            strict: None,
        },
        (None, true, _) => OutputFormat::JsonObject,
        (Some(schema), _, true) => OutputFormat::Enum { schema },
        (None, _, true) => {
            config.insert("responseMimeType".to_owned(), json!("text/x.enum"));
            OutputFormat::Text
        }
        (Some(schema), ..) => {
            config.insert("responseSchema".to_owned(), schema.value);
            OutputFormat::PlainText
        }
        (None, ..) => OutputFormat::PlainText,
    }
}

fn take_schema(config: &mut Map<String, Value>) -> Option<Schema> {
    for key in ["responseJsonSchema", "_responseJsonSchema"] {
        if let Some(value) = json::take(config, key) {
            return Some(Schema::json(value));
        }
    }
    let value = json::take(config, "responseSchema")?;
    Some(Schema {
        value,
        form: SchemaForm::OpenApi,
    })
}

fn read_thinking(mut thinking: Map<String, Value>) -> Reasoning {
    spelling::fold(&mut thinking);
    let show = match thinking.shift_remove("includeThoughts") {
        Some(Value::Bool(true)) => ReasoningShow::Summary,
        Some(Value::Bool(false)) => ReasoningShow::None,
        _ => ReasoningShow::Unset,
    };
    let mut reasoning = Reasoning {
        show,
        ..Reasoning::default()
    };
    match thinking.get("thinkingBudget").and_then(Value::as_i64) {
        Some(0) => reasoning.mode = ReasoningMode::Off,
        Some(-1) => reasoning.mode = ReasoningMode::Auto,
        Some(budget) if budget > 0 => {
            reasoning.mode = ReasoningMode::On;
            reasoning.budget = budget.try_into().ok();
        }
        _ => {}
    }
    if reasoning.mode != ReasoningMode::Unset {
        thinking.shift_remove("thinkingBudget");
    }
    if let Some(Value::String(level)) = thinking.shift_remove("thinkingLevel") {
        reasoning.mode = ReasoningMode::On;
        reasoning.effort = Some(Effort::read(&level));
    }
    reasoning.extra = thinking;
    reasoning
}

/// Kinds of output. The vendor's own voice and image settings stay as they are; the voice is also
/// told in the words that other dialects know.
fn read_media(config: &mut Map<String, Value>, request: &mut Request) {
    if let Some(Value::Array(list)) = config.get("responseModalities")
        && let Some(words) = list
            .iter()
            .map(|m| m.as_str().map(str::to_ascii_lowercase))
            .collect()
    {
        request.modalities = Some(words);
        config.shift_remove("responseModalities");
    }
    let voice = config
        .get("speechConfig")
        .and_then(|speech| speech.pointer("/voiceConfig/prebuiltVoiceConfig/voiceName"))
        .and_then(Value::as_str);
    if let Some(voice) = voice {
        let audio = Extra::from_iter([("voice".to_owned(), json!(voice))]);
        request.audio = Some(Value::Object(audio));
    }
}
