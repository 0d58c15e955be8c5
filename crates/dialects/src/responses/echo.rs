//! The fields of a request that its answer repeats.

use serde_json::{Map, Value, json};

use super::request_write::write_map;
use crate::canonical::{Extra, Request};

/// What an answer says where the request said nothing, in the order of the vendor's answers.
fn defaults() -> Map<String, Value> {
    let Value::Object(map) = json!({
        "background": false,
        "instructions": null,
        "max_output_tokens": null,
        "max_tool_calls": null,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "prompt_cache_key": null,
        "reasoning": {"effort": null, "summary": null},
        "safety_identifier": null,
        "store": true,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": [],
        "top_logprobs": 0,
        "top_p": 1.0,
        "truncation": "disabled",
        "user": null,
        "metadata": {},
    }) else {
        return Map::new();
    };
    map
}

/// The fields that the answer to this request repeats, for [`crate::ReplyContext::echo`]. To be
/// taken from the request as it was read, before any pass has changed it.
pub fn echo(request: &Request) -> Extra {
    let mut request = write_map(request);
    let mut echo = Extra::new();
    for key in defaults().keys() {
        if let Some(value) = request.shift_remove(key) {
            echo.insert(key.clone(), value);
        }
    }
    echo
}

/// The repeated fields of an answer, all of them.
pub(super) fn repeated(echo: &Extra) -> Map<String, Value> {
    let mut fields = defaults();
    for (key, field) in &mut fields {
        match (field, echo.get(key)) {
            (Value::Object(usual), Some(Value::Object(given))) if key != "metadata" => {
                for (key, value) in given {
                    usual.insert(key.clone(), value.clone());
                }
            }
            (field, Some(given)) if !given.is_null() => *field = given.clone(),
            _ => {}
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::responses::request_read::read_request;

    #[test]
    fn an_answer_repeats_what_the_request_said_and_fills_the_rest() {
        let body = br#"{"model":"m","input":"hi","temperature":0,"metadata":{"a":"b"},
            "tools":[{"type":"function","name":"f","parameters":null,"strict":true}],
            "reasoning":{"effort":"low"},"text":{"verbosity":"low"},"truncation":"auto",
            "instructions":"Be brief.","store":false}"#;
        let request = read_request(body).expect("a request");
        let fields = repeated(&echo(&request));
        assert_eq!(fields["temperature"], 0);
        assert_eq!(fields["metadata"], json!({"a": "b"}));
        assert_eq!(fields["tools"][0]["name"], "f");
        assert_eq!(
            fields["reasoning"],
            json!({"effort": "low", "summary": null})
        );
        assert_eq!(
            fields["text"],
            json!({"format": {"type": "text"}, "verbosity": "low"})
        );
        assert_eq!(fields["truncation"], "auto");
        assert_eq!(fields["instructions"], "Be brief.");
        assert_eq!(fields["store"], false);
        assert_eq!(fields["tool_choice"], "auto");
        assert!(!fields.contains_key("model"));
    }
}
