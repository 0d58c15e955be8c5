//! Log probabilities: four parallel lists here, a list of entries in chat completions.

use serde_json::{Map, Value, json};

/// The four lists as entries (`{content: […]}`).
pub(super) fn read(lists: &Value) -> Value {
    let list = |key: &str| lists.get(key).and_then(Value::as_array);
    let at = |key: &str, index: usize| list(key).and_then(|list| list.get(index));
    let tokens = list("tokens").map(Vec::as_slice).unwrap_or_default();
    let entries: Vec<Value> = tokens
        .iter()
        .enumerate()
        .map(|(index, token)| {
            let logprob = at("token_logprobs", index).cloned().unwrap_or_default();
            let others = at("top_logprobs", index).and_then(Value::as_object);
            let others: Vec<Value> = others
                .into_iter()
                .flatten()
                .map(|(token, logprob)| json!({"token":token,"logprob":logprob,"bytes":null}))
                .collect();
            json!({"token":token,"logprob":logprob,"bytes":null,"top_logprobs":others})
        })
        .collect();
    json!({"content":entries})
}

/// Entries as the four lists. `offset` is the place of the first token in the text, in characters;
/// it comes back as the place after the last one.
pub(super) fn write(entries: &Value, offset: &mut u64) -> Value {
    let mut tokens = Vec::new();
    let mut token_logprobs = Vec::new();
    let mut top_logprobs = Vec::new();
    let mut text_offset = Vec::new();
    let lists = ["content", "refusal"]
        .into_iter()
        .filter_map(|key| entries.get(key)?.as_array());
    for entry in lists.flatten() {
        let token = entry
            .get("token")
            .and_then(Value::as_str)
            .unwrap_or_default();
        tokens.push(Value::from(token));
        token_logprobs.push(entry.get("logprob").cloned().unwrap_or_default());
        top_logprobs.push(alternatives(entry));
        text_offset.push(Value::from(*offset));
        *offset += token.chars().count() as u64;
    }
    json!({"tokens":tokens,"token_logprobs":token_logprobs,"top_logprobs":top_logprobs,
        "text_offset":text_offset})
}

fn alternatives(entry: &Value) -> Value {
    let others = entry.get("top_logprobs").and_then(Value::as_array);
    let map: Map<String, Value> = others
        .into_iter()
        .flatten()
        .filter_map(|other| {
            let token = other.get("token")?.as_str()?.to_owned();
            Some((token, other.get("logprob").cloned().unwrap_or_default()))
        })
        .collect();
    // Only a token that nothing came before has no probability; typed clients need a map else.
    if map.is_empty() && entry.get("logprob").is_none_or(Value::is_null) {
        Value::Null
    } else {
        Value::Object(map)
    }
}
