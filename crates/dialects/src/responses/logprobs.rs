//! Log probabilities for clients: chat completions may leave a token's bytes and alternatives out,
//! this dialect's typed clients may not.

use serde_json::{Value, json};

/// An entry of chat completions with everything that a typed client needs.
pub(super) fn write(entry: &Value) -> Value {
    let mut entry = entry.clone();
    complete(&mut entry);
    let Value::Object(map) = &mut entry else {
        return entry;
    };
    let others = map.entry("top_logprobs").or_insert(Value::Null);
    match others {
        Value::Array(others) => others.iter_mut().for_each(complete),
        none => *none = json!([]),
    }
    entry
}

fn complete(entry: &mut Value) {
    let token = entry.get("token").and_then(Value::as_str);
    let bytes = json!(token.unwrap_or_default().as_bytes());
    if let Value::Object(map) = entry
        && map.get("bytes").is_none_or(Value::is_null)
    {
        map.insert("bytes".to_owned(), bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chat_leaves_out_is_filled_in() {
        let entry = json!({"token": "ß", "logprob": -1.50, "bytes": null,
            "top_logprobs": [{"token": "s", "logprob": -2}]});
        assert_eq!(
            write(&entry),
            json!({"token": "ß", "logprob": -1.50, "bytes": [195, 159],
                "top_logprobs": [{"token": "s", "logprob": -2, "bytes": [115]}]})
        );
        let bare = write(&json!({"token": "a", "logprob": 0, "bytes": [97]}));
        assert_eq!(bare["top_logprobs"], json!([]));
        assert_eq!(bare["bytes"], json!([97]));
    }
}
