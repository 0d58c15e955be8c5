//! Log probabilities, between this dialect's words and those of chat completions.

use serde_json::{Value, json};

/// `logprobsResult` as chat completions says it.
pub(super) fn read(result: &Value) -> Option<Value> {
    let chosen = result.get("chosenCandidates")?.as_array()?;
    let tops = result.get("topCandidates").and_then(Value::as_array);
    let entries = chosen.iter().enumerate().map(|(index, entry)| {
        let top = tops.and_then(|list| list.get(index)?.get("candidates")?.as_array());
        let top: Vec<Value> = top.into_iter().flatten().map(token).collect();
        let mut entry = token(entry);
        entry["top_logprobs"] = Value::Array(top);
        entry
    });
    Some(json!({ "content": entries.collect::<Vec<_>>() }))
}

fn token(entry: &Value) -> Value {
    let text = entry
        .get("token")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let logprob = entry.get("logProbability").cloned().unwrap_or(json!(0));
    json!({"token": text, "logprob": logprob, "bytes": text.as_bytes()})
}

/// `logprobsResult` from what chat completions says.
pub(super) fn write(logprobs: &Value) -> Option<Value> {
    Some(write_list(logprobs.get("content")?.as_array()?))
}

/// `logprobsResult` from a list of entries.
pub(super) fn write_list(content: &[Value]) -> Value {
    let plain = |entry: &Value| json!({"token": entry.get("token"), "logProbability": entry.get("logprob")});
    let chosen: Vec<Value> = content.iter().map(plain).collect();
    let tops: Vec<Value> = content
        .iter()
        .map(|entry| {
            let top = entry.get("top_logprobs").and_then(Value::as_array);
            let top: Vec<Value> = top.into_iter().flatten().map(plain).collect();
            json!({ "candidates": top })
        })
        .collect();
    json!({"chosenCandidates": chosen, "topCandidates": tops})
}
