//! Writes a legacy request. Only one text of one user can be said in it.

use serde_json::{Map, Value};

use super::request_read::DEFAULTED;
use crate::DialectId;
use crate::canonical::{Failure, Request, Role};
use crate::chat_completions::request_write::{stream_options, write_shared_sampling, write_stop};
use crate::chat_completions::spelling;
use crate::json;

/// Fields whose spelling `extra` keeps; each is weighed where it is written.
const WEIGHED: [&str; 2] = ["stop", "stream"];

/// Writes a request.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, Failure> {
    let same = request.source == DialectId::TextCompletions;
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.as_str().into());
    body.insert("prompt".to_owned(), prompt(request)?.into());
    let is_default = same && request.extra.contains_key(DEFAULTED);
    if let Some(cap) = request.max_output.filter(|cap| !(is_default && *cap == 16)) {
        body.insert("max_tokens".to_owned(), cap.into());
    }
    write_shared_sampling(&request.sampling, same, &mut body);
    if request.sampling.logprobs == Some(true) {
        let count = request.sampling.top_logprobs.unwrap_or(0);
        body.insert("logprobs".to_owned(), count.into());
    }
    if let Some(choices) = request.choices {
        body.insert("n".to_owned(), choices.into());
    }
    write_stop(request, same, &mut body);
    if let Some(user) = &request.end_user {
        body.insert("user".to_owned(), user.as_str().into());
    }
    write_stream(request, same, &mut body);
    if same {
        spelling::add_extra_except(&mut body, &request.extra, &WEIGHED);
    }
    Ok(json::bytes(&body))
}

fn write_stream(request: &Request, same: bool, body: &mut Map<String, Value>) {
    if let Some(options) = &request.stream {
        body.insert("stream".to_owned(), Value::Bool(true));
        if let Some(options) = stream_options(options, same) {
            body.insert("stream_options".to_owned(), Value::Object(options));
        }
    } else if same && let Some(stream) = request.extra.get("stream") {
        body.insert("stream".to_owned(), stream.clone());
    }
}

/// The one text of the one user turn.
fn prompt(request: &Request) -> Result<&str, Failure> {
    let text = match (&request.system[..], &request.turns[..], &request.tools[..]) {
        ([], [turn], []) if turn.role == Role::User && turn.parts.len() == 1 => {
            turn.parts[0].as_text()
        }
        _ => None,
    };
    text.ok_or_else(|| {
        Failure::unsupported(
            "messages",
            "The model takes one prompt of text and no conversation.",
        )
    })
}
