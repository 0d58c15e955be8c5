//! Chunks of chat completions and of legacy completions.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Line, ensure, is_object, json};

#[derive(Default)]
struct Choice {
    has_role: bool,
    finish: Option<String>,
    /// Kind and arguments so far, by index.
    calls: Vec<(String, String)>,
}

pub fn check(lines: &[Line], is_legacy: bool) -> Result<(), String> {
    let mut choices: BTreeMap<u64, Choice> = BTreeMap::new();
    let mut head = None;
    let mut has_usage = false;
    let Some((last, chunks)) = lines.split_last() else {
        return Err("an empty stream".to_owned());
    };
    for line in lines {
        ensure(line.event.is_none(), "chunks have no event names")?;
    }
    if last.data != "[DONE]" {
        let has_error = json(&last.data)?.get("error").is_some();
        ensure(has_error, "the last frame is neither [DONE] nor an error")?;
    }
    for line in chunks {
        ensure(line.data != "[DONE]", "[DONE] is not last")?;
        let chunk = json(&line.data)?;
        ensure(chunk.get("error").is_none(), "an error is not last")?;
        ensure(!has_usage, "something comes after the usage chunk")?;
        let this = ["id", "object", "created", "model"].map(|name| chunk[name].clone());
        ensure(
            this.iter().all(|value| !value.is_null()),
            "a chunk without its head",
        )?;
        ensure(
            head.get_or_insert(this.clone()) == &this,
            "the head changes",
        )?;
        let told = chunk["choices"].as_array().ok_or("no choices")?;
        has_usage = told.is_empty();
        ensure(
            chunk["usage"].is_object() == has_usage,
            "usage stands in its own chunk",
        )?;
        for choice in told {
            let index = choice["index"]
                .as_u64()
                .ok_or("a choice without an index")?;
            let state = choices.entry(index).or_default();
            if is_legacy {
                check_legacy(state, choice)?;
            } else {
                check_choice(state, choice)?;
            }
        }
    }
    if last.data == "[DONE]" {
        ensure(!choices.is_empty(), "an answer without a choice")?;
        let finished = choices.values().all(|choice| choice.finish.is_some());
        ensure(finished, "a choice without a finish")?;
    }
    Ok(())
}

fn check_legacy(state: &mut Choice, choice: &Value) -> Result<(), String> {
    ensure(state.finish.is_none(), "words after the finish")?;
    ensure(choice["text"].is_string(), "a choice without text")?;
    state.finish = choice["finish_reason"].as_str().map(str::to_owned);
    Ok(())
}

fn check_choice(state: &mut Choice, choice: &Value) -> Result<(), String> {
    let delta = &choice["delta"];
    ensure(state.finish.is_none(), "words after the finish")?;
    ensure(delta.is_object(), "a choice without a delta")?;
    let is_first = !std::mem::replace(&mut state.has_role, true);
    ensure(
        (delta["role"] == "assistant") == is_first,
        "the role comes once, first",
    )?;
    for call in delta["tool_calls"].as_array().into_iter().flatten() {
        check_call(state, call)?;
    }
    if let Some(finish) = choice["finish_reason"].as_str() {
        state.finish = Some(finish.to_owned());
        for (kind, given) in &state.calls {
            let is_whole = kind != "function" || is_object(given);
            ensure(
                is_whole || finish == "length" || finish == "content_filter",
                &format!("arguments are no object: {given}"),
            )?;
        }
    }
    Ok(())
}

fn check_call(state: &mut Choice, call: &Value) -> Result<(), String> {
    let index = call["index"].as_u64().ok_or("a call without an index")?;
    let index = usize::try_from(index).map_err(|_| "a wild index")?;
    if index == state.calls.len() {
        let kind = call["type"]
            .as_str()
            .ok_or("a call begins without its type")?;
        ensure(
            call["id"].as_str().is_some_and(|id| !id.is_empty()),
            "a call without an id",
        )?;
        ensure(
            call[kind]["name"].is_string(),
            "a call begins without its name",
        )?;
        state.calls.push((kind.to_owned(), String::new()));
    } else {
        ensure(index < state.calls.len(), "tool indexes are not dense")?;
        ensure(call.get("id").is_none(), "an id comes twice")?;
    }
    let (kind, given) = &mut state.calls[index];
    let field = if kind == "custom" {
        "input"
    } else {
        "arguments"
    };
    *given += call[kind.as_str()][field].as_str().unwrap_or_default();
    Ok(())
}
