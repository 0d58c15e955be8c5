//! Errors in a server's frames. An error about the client's own event passes with secrets masked; of every other error
//! the client gets the gateway's text.

use serde_json::{Map, Value, json};

use crate::canonical::Failure;
use crate::{error_body, json};

use super::event_type;

/// A frame with an error, as the client gets it.
#[derive(Debug)]
pub struct ClearedFrame {
    /// The frame for the client.
    pub frame: String,
    /// The failure that it tells.
    pub failure: Failure,
}

/// Returns the frame for the client if it tells an error. None: it passes as it is.
pub fn clear_upstream_errors(frame: &str) -> Option<ClearedFrame> {
    if event_type(frame).is_some() && !may_have_error(frame) {
        return None;
    }
    let Ok(mut event) = serde_json::from_str::<Value>(frame) else {
        return Some(unreadable(frame));
    };
    let mut found = None;
    if let Value::Object(members) = &mut event {
        let kind = members.get("type").and_then(Value::as_str);
        let is_flat = kind.is_none_or(|kind| kind.ends_with("error"));
        if is_flat && members.get("message").is_some_and(Value::is_string) {
            found = Some(clear_object(members));
        }
    } else {
        return Some(unreadable(frame));
    }
    clear(&mut event, &mut found);
    let failure = found?;
    let frame = json::text(&event);
    Some(ClearedFrame { frame, failure })
}

/// Whether a frame can have a member `error`, also if its name is written with escapes.
fn may_have_error(frame: &str) -> bool {
    let has = |text: &str| memchr::memmem::find(frame.as_bytes(), text.as_bytes()).is_some();
    has("error\"") || has("\\u")
}

/// A frame that is no event.
fn unreadable(frame: &str) -> ClearedFrame {
    let failure = error_body::unusable(
        "The upstream sent an event that cannot be read.",
        frame.as_bytes(),
    );
    let error = written(&failure);
    let frame = json::text(&json!({"type": "error", "event_id": "event_gateway", "error": error}));
    ClearedFrame { frame, failure }
}

/// Clears every error in a value. Errors of tools that the client has brought are not the upstream's.
fn clear(value: &mut Value, found: &mut Option<Failure>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| clear(item, found)),
        Value::Object(members) => {
            let kind = members.get("type").and_then(Value::as_str);
            if kind.is_some_and(|kind| kind.starts_with("mcp_")) {
                return;
            }
            for (name, member) in members.iter_mut() {
                match member {
                    Value::Object(error)
                        if name == "error"
                            && error.get("message").is_some_and(Value::is_string) =>
                    {
                        *found = Some(clear_object(error));
                    }
                    Value::String(text) if name == "error" => {
                        let failure = read(&json!({ "error": text }));
                        failure.message.clone_into(text);
                        *found = Some(failure);
                    }
                    member => clear(member, found),
                }
            }
        }
        _ => {}
    }
}

/// Puts the text for the client into an error, and our words for its kind if the upstream's are not about the request.
fn clear_object(error: &mut Map<String, Value>) -> Failure {
    let failure = read(&json!({ "error": error }));
    if failure.upstream_text.is_some() {
        let ours = written(&failure);
        for name in ["type", "code"] {
            if error.contains_key(name)
                && !(name == "type" && error.get(name) == Some(&json!("error")))
            {
                error.insert(name.to_owned(), ours[name].clone());
            }
        }
    }
    error.insert("message".to_owned(), json!(failure.message));
    failure
}

fn read(error: &Value) -> Failure {
    error_body::for_client(error_body::read_error(200, json::text(error).as_bytes()))
}

fn written(failure: &Failure) -> Value {
    let body = serde_json::from_slice::<Value>(&error_body::write(failure)).unwrap_or_default();
    body["error"].clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "vendor account org-77 is rate limited";

    #[test]
    fn no_text_about_the_account_passes() {
        let error =
            json!({"type": "rate_limit_error", "code": "rate_limit_exceeded", "message": TEXT});
        for event in [
            json!({"type": "error", "event_id": "e", "error": error}),
            json!({"type": "error", "message": TEXT, "code": "rate_limit_exceeded"}),
            json!({"type": "response.done", "response": {"id": "r", "status": "failed",
                "status_details": {"type": "failed", "error": error}}}),
            json!({"type": "conversation.item.input_audio_transcription.failed", "error": error}),
            json!({"type": "response.done", "response": {"error": TEXT}}),
            json!({"error": error}),
            json!([TEXT]),
        ] {
            let written = event.to_string();
            for frame in [written.replace("\"error\":", "\"err\\u006fr\":"), written] {
                let cleared = clear_upstream_errors(&frame).expect("an error");
                assert!(
                    !cleared.frame.contains("vendor account"),
                    "{}",
                    cleared.frame
                );
                let told = cleared.failure.log_text();
                assert!(told.contains("vendor account ***"), "{told}");
            }
        }
        let cleared = clear_upstream_errors(TEXT).expect("no event");
        assert!(!cleared.frame.contains("vendor"), "{}", cleared.frame);
    }

    #[test]
    fn an_error_about_the_clients_event_passes_masked() {
        let frame = json!({"type": "error", "event_id": "e", "error": {"type": "invalid_request_error",
            "code": "invalid_value", "message": "Bad voice, see https://vendor.test/x", "event_id": "mine"}});
        let cleared = clear_upstream_errors(&frame.to_string()).expect("an error");
        let event: Value = serde_json::from_str(&cleared.frame).unwrap();
        assert_eq!(event["error"]["message"], "Bad voice, see ***");
        assert_eq!(event["error"]["code"], "invalid_value");
        assert_eq!(event["error"]["event_id"], "mine");
    }

    #[test]
    fn other_frames_pass_as_they_are() {
        for frame in [
            r#"{ "type" : "something.new", "n": 1.50 }"#,
            r#"{"type":"response.output_text.delta","delta":"an \"error\" occurred"}"#,
            r#"{"type":"session.updated","session":{"tools":[{"parameters":{"properties":{
                "error":{"type":"string"}},"required":["error"]}}]}}"#,
            r#"{"type":"response.done","response":{"status_details":{"error":null}}}"#,
            r#"{"type":"response.done","response":{"output":[{"type":"mcp_call","error":"not found"}]}}"#,
        ] {
            assert!(clear_upstream_errors(frame).is_none(), "{frame}");
        }
    }
}
