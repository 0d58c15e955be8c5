//! Reads a client's request.

use serde_json::{Map, Value};

use super::parts::within;
use super::{output_format, tool_choice, tools, turns_read};
use crate::DialectId;
use crate::canonical::{
    Effort, Extra, Failure, Reasoning, ReasoningMode, Request, Sampling, StreamOptions,
};
use crate::json::{
    read_object, take, take_array, take_bool, take_number, take_object, take_string, take_u64,
};

/// Reads a request.
pub fn read(body: &[u8]) -> Result<Request, Failure> {
    let mut map = read_object(body)?;
    let model = take_string(&mut map, "model")?
        .filter(|model| !model.is_empty())
        .ok_or_else(|| Failure::bad_request("model", "`model` is required."))?;
    let mut request = Request::new(DialectId::ChatCompletions, model);
    turns_read::read(&mut map, &mut request)?;
    tools::read(&mut map, &mut request)?;
    tool_choice::read(&mut map, &mut request)?;
    output_format::read(&mut map, &mut request);
    request.sampling = read_sampling(&mut map)?;
    read_stream(&mut map, &mut request)?;
    read_limits(&mut map, &mut request)?;
    read_reasoning(&mut map, &mut request)?;
    read_output(&mut map, &mut request)?;
    read_account(&mut map, &mut request)?;
    let spellings = std::mem::take(&mut request.extra);
    request.extra = map
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .collect();
    request.extra.extend(spellings);
    Ok(request)
}

/// Takes a whole number that fits 32 bits.
pub fn take_u32(map: &mut Map<String, Value>, key: &str) -> Result<Option<u32>, Failure> {
    take_u64(map, key)?
        .map(|number| {
            u32::try_from(number)
                .map_err(|_| Failure::bad_request(key, format!("`{key}` is too large.")))
        })
        .transpose()
}

fn read_sampling(map: &mut Map<String, Value>) -> Result<Sampling, Failure> {
    Ok(Sampling {
        logprobs: take_bool(map, "logprobs")?,
        top_logprobs: take_u32(map, "top_logprobs")?,
        ..read_shared_sampling(map)?
    })
}

/// The sampling parameters that this dialect and legacy completions spell alike.
pub fn read_shared_sampling(map: &mut Map<String, Value>) -> Result<Sampling, Failure> {
    Ok(Sampling {
        temperature: take_number(map, "temperature")?,
        top_p: take_number(map, "top_p")?,
        top_k: take_number(map, "top_k")?,
        frequency_penalty: take_number(map, "frequency_penalty")?,
        presence_penalty: take_number(map, "presence_penalty")?,
        seed: take_number(map, "seed")?,
        logit_bias: take_object(map, "logit_bias")?.map(Value::Object),
        logprobs: None,
        top_logprobs: None,
    })
}

/// `stream` and its options. Options without a stream, and a `false`, are kept as they are.
pub fn read_stream(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    match take_bool(map, "stream")? {
        Some(true) => {}
        Some(false) => {
            request
                .extra
                .insert("stream".to_owned(), Value::Bool(false));
            return Ok(());
        }
        None => return Ok(()),
    }
    let mut options = StreamOptions::default();
    if let Some(mut given) = take_object(map, "stream_options")? {
        options.include_usage =
            take_bool(&mut given, "include_usage").map_err(|f| within("stream_options", f))?;
        options.extra = given;
    }
    request.stream = Some(options);
    Ok(())
}

fn read_limits(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    request.max_output = read_renamed(
        map,
        &mut request.extra,
        ["max_completion_tokens", "max_tokens"],
        take_u64,
        |number| Value::Number((*number).into()),
    )?;
    request.choices = take_u32(map, "n")?;
    read_stop(map, request)
}

/// Reads a field that has a current and a deprecated name: the current one counts. The deprecated
/// one stays in `extra`, and beside it the current one where both were given.
fn read_renamed<T>(
    map: &mut Map<String, Value>,
    extra: &mut Extra,
    [current, deprecated]: [&str; 2],
    take: impl Fn(&mut Map<String, Value>, &str) -> Result<Option<T>, Failure>,
    value: impl Fn(&T) -> Value,
) -> Result<Option<T>, Failure> {
    let new = take(map, current)?;
    let old = take(map, deprecated)?;
    if let Some(old) = &old {
        extra.insert(deprecated.to_owned(), value(old));
        if let Some(new) = &new {
            extra.insert(current.to_owned(), value(new));
        }
    }
    Ok(new.or(old))
}

/// `stop`: one string or a list; a bare string is remembered.
pub fn read_stop(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    let Some(value) = take(map, "stop") else {
        return Ok(());
    };
    request.stop = stop_words(&value).ok_or_else(|| {
        Failure::bad_request("stop", "`stop` must be a string or a list of strings.")
    })?;
    if value.is_string() {
        request.extra.insert("stop".to_owned(), value);
    }
    Ok(())
}

/// The stop strings that a value names.
pub fn stop_words(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => items
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}

fn read_reasoning(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    if let Some(word) = take_string(map, "reasoning_effort")? {
        let effort = Effort::read(&word);
        let mode = match effort {
            Effort::None => ReasoningMode::Off,
            _ => ReasoningMode::On,
        };
        request.reasoning = Reasoning {
            mode,
            effort: Some(effort),
            ..Reasoning::default()
        };
    }
    Ok(())
}

fn read_output(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    if let Some(items) = take_array(map, "modalities")? {
        let words: Option<Vec<String>> = items
            .iter()
            .map(|item| item.as_str().map(str::to_ascii_lowercase))
            .collect();
        request.modalities = Some(words.ok_or_else(|| {
            Failure::bad_request("modalities", "`modalities` must be a list of strings.")
        })?);
    }
    request.audio = take_object(map, "audio")?.map(Value::Object);
    request.verbosity = take_string(map, "verbosity")?;
    request.prediction = take_object(map, "prediction")?.map(Value::Object);
    Ok(())
}

fn read_account(map: &mut Map<String, Value>, request: &mut Request) -> Result<(), Failure> {
    request.end_user = read_renamed(
        map,
        &mut request.extra,
        ["safety_identifier", "user"],
        take_string,
        |word| word.as_str().into(),
    )?;
    request.cache_key = take_string(map, "prompt_cache_key")?;
    request.tier = take_string(map, "service_tier")?;
    request.store = take_bool(map, "store")?;
    request.metadata = take_object(map, "metadata")?.map(Value::Object);
    Ok(())
}
