//! Token counts: `:countTokens`.

use serde_json::{Value, json};

use super::{HERE, request_read, spelling};
use crate::canonical::{Failure, Request};
use crate::{PathHints, json};

/// Reads a count request: contents alone, or a whole generate request inside.
pub fn read_count_request(body: &[u8], path: &PathHints) -> Result<Request, Failure> {
    let mut map = json::read_object(body)?;
    spelling::fold(&mut map);
    let request = match json::take(&mut map, "generateContentRequest") {
        Some(Value::Object(inner)) => request_read::read(inner, path)?,
        _ => request_read::read(map, path)?,
    };
    Ok(Request {
        source: HERE,
        ..request
    })
}

/// The answer to a count request.
pub fn write_count(tokens: u64) -> Vec<u8> {
    json::bytes(&json!({ "totalTokens": tokens }))
}
