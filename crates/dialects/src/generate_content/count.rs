//! Token counts: `:countTokens`.

use serde_json::{Value, json};

use super::{HERE, request_read, spelling};
use crate::canonical::{Failure, Request};
use crate::{PathHints, json};

/// Where a count request holds a generate request.
const INNER: &str = "generateContentRequest";

/// Reads a count request: contents alone, or a whole generate request inside.
pub fn read_count_request(body: &[u8], path: &PathHints) -> Result<Request, Failure> {
    let mut map = json::read_object(body)?;
    spelling::fold(&mut map);
    let request = match json::take(&mut map, INNER) {
        Some(Value::Object(inner)) => request_read::read(inner, path)?,
        _ => request_read::read(map, path)?,
    };
    Ok(Request {
        source: HERE,
        ..request
    })
}

/// Whether a count request holds a whole generate request, which then names its model once more.
pub fn holds_request(body: &[u8]) -> bool {
    json::read_object(body).is_ok_and(|mut map| {
        spelling::fold(&mut map);
        matches!(map.get(INNER), Some(Value::Object(_)))
    })
}

/// Puts a generate request, as it was written for an upstream, into a count request for this model of it.
pub fn hold_request(body: &[u8], model: &str) -> Result<Vec<u8>, Failure> {
    let mut request = json::read_object(body)?;
    request.insert("model".to_owned(), json!(format!("models/{model}")));
    Ok(json::bytes(&json!({ INNER: request })))
}

/// The answer to a count request.
pub fn write_count(tokens: u64) -> Vec<u8> {
    json::bytes(&json!({ "totalTokens": tokens }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_inside_is_found_and_put_back_under_the_upstreams_name() {
        let contents = json!([{"role": "user", "parts": [{"text": "Hi"}]}]);
        let inside = json!({"model": "models/m", "contents": contents});
        for name in [INNER, "generate_content_request"] {
            assert!(holds_request(
                json!({ name: inside }).to_string().as_bytes()
            ));
        }
        for body in [
            "{}",
            "[]",
            r#"{"contents":[],"generateContentRequest":null}"#,
        ] {
            assert!(!holds_request(body.as_bytes()), "{body}");
        }
        let held = hold_request(inside.to_string().as_bytes(), "up").unwrap();
        let held: Value = serde_json::from_slice(&held).unwrap();
        let renamed = json!({"model": "models/up", "contents": contents});
        assert_eq!(held, json!({ INNER: renamed }));
    }
}
