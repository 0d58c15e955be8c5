//! Bounds of the target: output caps, sampling ranges, service tiers, cache marks and the length of
//! tool-call ids.

use serde_json::{Number, Value, json};

use super::{Dropped, Target};
use crate::canonical::{
    ALIKE, CacheMark, Failure, Part, PartKind, ReasoningMode, Request, Sampling, ToolResult,
};
use crate::{DialectId, ids};

/// The least that responses takes.
const RESPONSES_MIN_OUTPUT: u64 = 16;
/// What messages gets where nobody said a cap and the model's own is not known.
const DEFAULT_OUTPUT: u64 = 4096;
const DEFAULT_OUTPUT_THINKING: u64 = 8192;
/// How many cache marks messages takes.
const MAX_CACHE_MARKS: usize = 4;

/// Keeps everything within the target's bounds.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    cap_output(request, target);
    fit_audio(request, target);
    fit_sampling(request, target, dropped)?;
    fit_tier(request, target, dropped)?;
    fit_cache_marks(request, target);
    fit_call_ids(request, target);
    keep_alike(request, target);
    request.choices = request.choices.filter(|n| *n > 1);
    Ok(())
}

/// Of what only the source's own dialect knows, its nearest relative knows some.
fn keep_alike(request: &mut Request, target: &Target) {
    use DialectId::{ChatCompletions, Responses};
    let are_related = matches!(
        (request.source, target.dialect),
        (ChatCompletions, Responses) | (Responses, ChatCompletions)
    );
    // Set by the gateway for hosted tools that the target runs.
    let limits_tools = target.dialect == Responses && target.hosted_uses.is_some();
    request.extra.retain(|field, value| {
        let is_limit = limits_tools && field == "max_tool_calls";
        let is_alike = are_related && ALIKE.contains(&field.as_str());
        (is_limit || is_alike) && !value.is_null()
    });
}

fn cap_output(request: &mut Request, target: &Target) {
    request.max_output = request.max_output.filter(|cap| *cap > 0);
    match target.dialect {
        DialectId::Messages if request.max_output.is_none() => {
            let thinks = matches!(
                request.reasoning.mode,
                ReasoningMode::On | ReasoningMode::Auto
            );
            let default = if thinks {
                DEFAULT_OUTPUT_THINKING
            } else {
                DEFAULT_OUTPUT
            };
            request.max_output = Some(target.can.max_output.unwrap_or(default));
        }
        DialectId::Responses => {
            request.max_output = request.max_output.map(|cap| cap.max(RESPONSES_MIN_OUTPUT));
        }
        _ => {}
    }
}

/// Chat completions want the format of spoken answers, and text beside them.
fn fit_audio(request: &mut Request, target: &Target) {
    let Some(modalities) = &mut request.modalities else {
        return;
    };
    if target.dialect != DialectId::ChatCompletions || !modalities.iter().any(|one| one == "audio")
    {
        return;
    }
    if !modalities.iter().any(|one| one == "text") {
        modalities.insert(0, "text".to_owned());
    }
    if let Some(Value::Object(audio)) = &mut request.audio {
        audio.entry("format").or_insert(json!("pcm16"));
    }
}

fn fit_sampling(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    // It says how many, where they are asked for; without that vendors refuse it.
    if request.sampling.logprobs != Some(true) {
        request.sampling.top_logprobs = None;
    }
    if !target.can.sampling {
        return drop_sampling(&mut request.sampling, dropped);
    }
    let hot = |t: &Number| t.as_f64().is_some_and(|t| t > 1.0);
    if target.dialect == DialectId::Messages
        && request.sampling.temperature.as_ref().is_some_and(hot)
    {
        request.sampling.temperature = Some(Number::from(1));
        dropped.note("temperature")?;
    }
    if !target.can.temperature_with_top_p
        && request.sampling.temperature.is_some()
        && request.sampling.top_p.take().is_some()
    {
        dropped.note("top_p")?;
    }
    Ok(())
}

fn drop_sampling(sampling: &mut Sampling, dropped: &mut Dropped) -> Result<(), Failure> {
    for (field, value) in [
        ("temperature", &mut sampling.temperature),
        ("top_p", &mut sampling.top_p),
        ("top_k", &mut sampling.top_k),
        ("frequency_penalty", &mut sampling.frequency_penalty),
        ("presence_penalty", &mut sampling.presence_penalty),
    ] {
        if value.take().is_some() {
            dropped.note(field)?;
        }
    }
    Ok(())
}

/// Only tiers of equal meaning cross; the rest is dropped.
fn fit_tier(request: &mut Request, target: &Target, dropped: &mut Dropped) -> Result<(), Failure> {
    let Some(tier) = request.tier.take() else {
        return Ok(());
    };
    request.tier = tier_for(&tier, request.source, target.dialect).map(str::to_owned);
    if request.tier.is_none() && tier != "auto" {
        dropped.note("service_tier")?;
    }
    Ok(())
}

fn tier_for(tier: &str, source: DialectId, target: DialectId) -> Option<&'static str> {
    use DialectId::{GenerateContent, Messages};
    let tier = match (source, tier) {
        (GenerateContent, "standard") | (Messages, "standard_only") => "default",
        (_, other) => other,
    };
    match (target, tier) {
        (GenerateContent, "default") => Some("standard"),
        (GenerateContent, "flex") => Some("flex"),
        (GenerateContent, "priority") => Some("priority"),
        (Messages, "auto") => Some("auto"),
        (Messages, "default") => Some("standard_only"),
        (GenerateContent | Messages, _) => None,
        (_, "auto") => Some("auto"),
        (_, "default") => Some("default"),
        (_, "flex") => Some("flex"),
        (_, "scale") => Some("scale"),
        (_, "priority") => Some("priority"),
        (_, "fast") => Some("fast"),
        _ => None,
    }
}

/// Messages takes four marks, the last ones count; others take them only on text, if at all.
fn fit_cache_marks(request: &mut Request, target: &Target) {
    let keeps = match target.dialect {
        DialectId::Messages => true,
        DialectId::ChatCompletions | DialectId::Responses => target.can.cache_marks,
        _ => false,
    };
    let own = (target.dialect == DialectId::Messages).then(|| json!({"type": "ephemeral"}));
    let mut marks: Vec<&mut Option<CacheMark>> = Vec::new();
    marks.extend(request.tools.iter_mut().map(|tool| &mut tool.cache));
    let parts = request.turns.iter_mut().flat_map(|turn| &mut turn.parts);
    for part in request.system.iter_mut().chain(parts) {
        collect_marks(part, target.dialect, &mut marks);
    }
    let mut left = if keeps { MAX_CACHE_MARKS } else { 0 };
    for mark in marks.into_iter().rev().filter(|mark| mark.is_some()) {
        if left == 0 {
            *mark = None;
            continue;
        }
        left -= 1;
        if let Some(mark) = mark {
            mark.raw = own
                .clone()
                .map(|raw| (target.dialect, with_ttl(raw, mark.ttl.as_deref())));
        }
    }
}

fn with_ttl(mut raw: Value, ttl: Option<&str>) -> Value {
    if let (Some(ttl @ ("5m" | "1h")), Some(map)) = (ttl, raw.as_object_mut()) {
        map.insert("ttl".to_owned(), json!(ttl));
    }
    raw
}

/// Marks in the order of the prompt; those on parts that cannot carry one are removed at once.
fn collect_marks<'a>(
    part: &'a mut Part,
    target: DialectId,
    marks: &mut Vec<&'a mut Option<CacheMark>>,
) {
    let is_text = part.as_text().is_some_and(|text| !text.is_empty());
    let carries = match &part.kind {
        PartKind::Thinking(_) => false,
        PartKind::Text { .. } => is_text,
        _ => target == DialectId::Messages,
    };
    if !carries {
        part.cache = None;
    }
    let Part { kind, cache, .. } = part;
    if let PartKind::ToolResult(ToolResult { parts, .. }) = kind {
        for part in parts {
            collect_marks(part, target, marks);
        }
    }
    marks.push(cache);
}

/// Ids that the target refuses get a stand-in, the same for call and result.
fn fit_call_ids(request: &mut Request, target: &Target) {
    let longest = match target.dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions => 40,
        _ => 64,
    };
    for part in request.turns.iter_mut().flat_map(|turn| &mut turn.parts) {
        let id = match &mut part.kind {
            PartKind::ToolCall(call) => &mut call.id,
            PartKind::ToolResult(result) => &mut result.call_id,
            _ => continue,
        };
        if target.dialect == DialectId::GenerateContent && !target.can.call_ids {
            id.clear();
        } else {
            let legal = ids::legal_call_id(id, longest).into_owned();
            *id = legal;
        }
    }
}
