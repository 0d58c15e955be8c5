//! Writes a request that the passes have made fit for this dialect.

use serde_json::{Map, Value};

use super::body::Body;
use super::{output_format, request_read, spelling, tool_choice, tools, turns_write};
use crate::DialectId;
use crate::canonical::{ALIKE, Extra, ReasoningMode, Request, Sampling, StreamOptions};
use crate::json;

/// Fields that stand first, or whose spelling `extra` keeps; each is weighed where it is written.
const WEIGHED: [&str; 11] = [
    "model",
    "messages",
    "stream",
    "stop",
    "tool_choice",
    "function_call",
    "response_format",
    "max_tokens",
    "max_completion_tokens",
    "user",
    "safety_identifier",
];

/// Writes a request. The conversation, which is most of it, goes straight into the bytes.
pub fn write(request: &Request) -> Vec<u8> {
    let same = request.source == DialectId::ChatCompletions;
    let mut out = Vec::with_capacity(2048);
    out.extend_from_slice(br#"{"model":"#);
    json::write_str(&mut out, &request.model);
    out.extend_from_slice(br#","messages":"#);
    json::write(&mut out, &turns_write::write(request));
    settings(request, same).write_after(&mut out);
    out.push(b'}');
    out
}

/// Everything but the model and the conversation.
fn settings(request: &Request, same: bool) -> Body<'_> {
    let mut body = Body::default();
    if tools::write(request, &mut body, same) {
        tool_choice::write(request, &mut body, same);
    }
    output_format::write(request, &mut body, same);
    write_sampling(&request.sampling, same, &mut body);
    write_limits(request, same, &mut body);
    write_wishes(request, same, &mut body);
    write_stream(request, same, &mut body);
    if same {
        body.add_extra_except(&request.extra, &WEIGHED);
    } else {
        for field in ALIKE {
            body.put(field, request.extra.get(field).cloned());
        }
    }
    body
}

/// Writes sampling parameters; `top_k` is none of the vendor's, but of others that speak this
/// dialect.
fn write_sampling(sampling: &Sampling, same: bool, body: &mut Body<'_>) {
    write_shared_sampling(sampling, same, body);
    body.put("logprobs", sampling.logprobs);
    body.put("top_logprobs", sampling.top_logprobs);
}

/// The sampling parameters that this dialect and legacy completions spell alike.
pub fn write_shared_sampling(sampling: &Sampling, same: bool, body: &mut Body<'_>) {
    for (key, number) in [
        ("temperature", &sampling.temperature),
        ("top_p", &sampling.top_p),
        ("frequency_penalty", &sampling.frequency_penalty),
        ("presence_penalty", &sampling.presence_penalty),
        ("seed", &sampling.seed),
    ] {
        body.put(key, number.clone().map(Value::Number));
    }
    if same {
        body.put("top_k", sampling.top_k.clone().map(Value::Number));
    }
    body.put("logit_bias", sampling.logit_bias.clone());
}

fn write_limits(request: &Request, same: bool, body: &mut Body<'_>) {
    // The deprecated name in `extra` also tells a model that takes no other.
    let cap = request.max_output.map(Value::from);
    write_renamed(
        body,
        &request.extra,
        ["max_completion_tokens", "max_tokens"],
        cap,
    );
    body.put("n", request.choices);
    write_stop(request, same, body);
}

/// Writes a value under its current name, or under the deprecated one that the client used.
fn write_renamed(
    body: &mut Body<'_>,
    extra: &Extra,
    [current, deprecated]: [&'static str; 2],
    value: Option<Value>,
) {
    match (extra.get(deprecated), extra.contains_key(current)) {
        (Some(_), false) => body.put(deprecated, value),
        (Some(old), true) => {
            body.put(current, value);
            body.put(deprecated, Some(old.clone()));
        }
        (None, _) => body.put(current, value),
    }
}

/// Writes `stop` as a list, or as the bare string that it was.
pub fn write_stop(request: &Request, same: bool, body: &mut Body<'_>) {
    if request.stop.is_empty() {
        return;
    }
    let original = same
        .then(|| {
            let read = request_read::stop_words;
            spelling::original(&request.extra, "stop", &request.stop, read)
        })
        .flatten();
    let value = original.unwrap_or_else(|| request.stop.clone().into());
    body.put("stop", Some(value));
}

fn write_wishes(request: &Request, same: bool, body: &mut Body<'_>) {
    let effort = match (&request.reasoning.effort, request.reasoning.mode) {
        (Some(effort), _) => Some(effort.word()),
        (None, ReasoningMode::Off) => Some("none"),
        (None, _) => None,
    };
    body.put("reasoning_effort", effort);
    body.put("verbosity", request.verbosity.as_deref());
    body.put("modalities", request.modalities.clone());
    body.put("audio", request.audio.clone());
    body.put("prediction", request.prediction.clone());
    body.put("service_tier", request.tier.as_deref());
    body.put("store", request.store);
    body.put("metadata", request.metadata.clone());
    body.put("prompt_cache_key", request.cache_key.as_deref());
    let empty = Extra::new();
    let extra = if same { &request.extra } else { &empty };
    let user = request.end_user.as_deref().map(Value::from);
    write_renamed(body, extra, ["safety_identifier", "user"], user);
}

/// Writes the wish for a stream. A foreign client's stream always asks for usage; one of this
/// dialect says what it says, since the caller decides whether usage is asked for besides.
fn write_stream(request: &Request, same: bool, body: &mut Body<'_>) {
    let Some(options) = &request.stream else {
        if same {
            body.put("stream", request.extra.get("stream").cloned());
        }
        return;
    };
    body.put("stream", Some(true));
    body.put(
        "stream_options",
        stream_options(options, same).map(Value::Object),
    );
}

/// The `stream_options` of a request, where it has any.
pub fn stream_options(options: &StreamOptions, same: bool) -> Option<Map<String, Value>> {
    let mut map = Map::new();
    let include_usage = options.include_usage.or((!same).then_some(true));
    if let Some(include_usage) = include_usage {
        map.insert("include_usage".to_owned(), include_usage.into());
    }
    if same {
        spelling::add_extra(&mut map, &options.extra);
    }
    (!map.is_empty()).then_some(map)
}
