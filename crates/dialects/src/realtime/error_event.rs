//! Failures of the gateway's own, as events of a session that goes on or is about to be closed.

use serde_json::{Value, json};

use crate::canonical::Failure;
use crate::{error_body, json};

/// Writes an error event. `caused_by` is the id of the client's event that is wrong.
pub fn write_error_event(failure: &Failure, event_id: &str, caused_by: Option<&str>) -> String {
    let body = serde_json::from_slice::<Value>(&error_body::write(failure)).unwrap_or_default();
    let mut event = json!({"type": "error", "event_id": event_id, "error": body["error"]});
    event["error"]["event_id"] = json!(caused_by);
    json::text(&event)
}
