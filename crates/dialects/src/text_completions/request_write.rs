//! Writes a legacy request. Only one text of one user can be said in it.

use serde_json::Value;

use super::request_read::DEFAULTED;
use crate::DialectId;
use crate::canonical::{Failure, Request, Role};
use crate::chat_completions::body::Body;
use crate::chat_completions::request_write::{stream_options, write_shared_sampling, write_stop};
use crate::json;

/// Fields that stand first, or whose spelling `extra` keeps; each is weighed where it is written.
const WEIGHED: [&str; 4] = ["model", "prompt", "stop", "stream"];

/// Writes a request.
pub(super) fn write(request: &Request) -> Result<Vec<u8>, Failure> {
    let same = request.source == DialectId::TextCompletions;
    let mut out = Vec::with_capacity(1024);
    out.extend_from_slice(br#"{"model":"#);
    json::write_str(&mut out, &request.model);
    out.extend_from_slice(br#","prompt":"#);
    json::write_str(&mut out, prompt(request)?);
    settings(request, same).write_after(&mut out);
    out.push(b'}');
    Ok(out)
}

/// Everything but the model and the prompt.
fn settings(request: &Request, same: bool) -> Body<'_> {
    let mut body = Body::default();
    let is_default = same && request.extra.contains_key(DEFAULTED);
    if let Some(cap) = request.max_output.filter(|cap| !(is_default && *cap == 16)) {
        body.insert("max_tokens", cap.into());
    }
    write_shared_sampling(&request.sampling, same, &mut body);
    if request.sampling.logprobs == Some(true) {
        let count = request.sampling.top_logprobs.unwrap_or(0);
        body.insert("logprobs", count.into());
    }
    if let Some(choices) = request.choices {
        body.insert("n", choices.into());
    }
    write_stop(request, same, &mut body);
    if let Some(user) = &request.end_user {
        body.insert("user", user.as_str().into());
    }
    write_stream(request, same, &mut body);
    if same {
        body.add_extra_except(&request.extra, &WEIGHED);
    }
    body
}

fn write_stream(request: &Request, same: bool, body: &mut Body<'_>) {
    if let Some(options) = &request.stream {
        body.insert("stream", Value::Bool(true));
        if let Some(options) = stream_options(options, same) {
            body.insert("stream_options", Value::Object(options));
        }
    } else if same && let Some(stream) = request.extra.get("stream") {
        body.insert("stream", stream.clone());
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
