//! Reads a client's legacy request: its prompt becomes the one user turn of a conversation. What a
//! conversation cannot do (text after the insertion, the best of several) is refused here, because
//! a body for a native upstream is never read but passed through.

use serde_json::{Map, Value};

use crate::DialectId;
use crate::canonical::{ContentShape, Failure, Part, Request, Role, Turn};
use crate::chat_completions::request_read::{
    read_shared_sampling, read_stop, read_stream, take_u32,
};
use crate::json::{read_object, take, take_bool, take_string, take_u64};

/// More prompts than this in one call are refused: each is a call of its own.
pub const MAX_PROMPTS: usize = 16;

/// The cap of a request that names none. This is the only dialect with a small one.
const DEFAULT_CAP: u64 = 16;
/// Marks a cap that the client did not name.
pub(super) const DEFAULTED: &str = "#default_cap";

/// Reads a request that has one prompt.
pub(super) fn read(body: &[u8]) -> Result<Request, Failure> {
    let mut requests = read_prompts(body)?;
    match (requests.pop(), requests.is_empty()) {
        (Some(request), true) => Ok(request),
        _ => Err(Failure::bad_request("prompt", "One prompt is taken here.")),
    }
}

/// Reads a request with any number of prompts up to [`MAX_PROMPTS`]: one request for each, in their
/// order. Each asks for the same number of choices `n` (1 where absent); in the client's answer,
/// sample `s` of prompt `p` has the index `p * n + s`. [`super::join_replies`] and [`super::Join`]
/// put the answers together by that rule.
pub fn read_prompts(body: &[u8]) -> Result<Vec<Request>, Failure> {
    let mut map = read_object(body)?;
    let prompts = take_prompts(&mut map)?;
    let request = read_rest(map)?;
    let is_list = prompts.len() > 1;
    Ok(prompts
        .into_iter()
        .map(|prompt| {
            let mut request = request.clone();
            if is_list {
                request.extra.shift_remove("prompt");
            }
            let mut turn = Turn::new(Role::User, vec![Part::text(prompt)]);
            turn.shape = ContentShape::Text;
            request.turns.push(turn);
            request
        })
        .collect())
}

/// The prompt that the answer begins with, where the client asked for that.
pub fn echoed_prompt(request: &Request) -> Option<String> {
    let is_wanted = request.extra.get("echo") == Some(&Value::Bool(true));
    let text = request.turns.first()?.parts.first()?.as_text()?;
    is_wanted.then(|| text.to_owned())
}

fn take_prompts(map: &mut Map<String, Value>) -> Result<Vec<String>, Failure> {
    let wrong = |message: &str| Failure::bad_request("prompt", message);
    match take(map, "prompt") {
        None => Err(wrong("`prompt` is required.")),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(items)) => {
            if items.is_empty() {
                return Err(wrong("`prompt` must not be empty."));
            }
            if items.len() > MAX_PROMPTS && items.iter().all(Value::is_string) {
                return Err(wrong("There are too many prompts in one call."));
            }
            let texts: Option<Vec<String>> = items
                .iter()
                .map(|item| item.as_str().map(str::to_owned))
                .collect();
            texts.ok_or_else(|| {
                wrong("Prompts of token ids cannot be decoded for this model: send text.")
            })
        }
        Some(_) => Err(wrong("`prompt` must be a string or a list of strings.")),
    }
}

fn read_rest(mut map: Map<String, Value>) -> Result<Request, Failure> {
    let model = take_string(&mut map, "model")?
        .filter(|model| !model.is_empty())
        .ok_or_else(|| Failure::bad_request("model", "`model` is required."))?;
    let mut request = Request::new(DialectId::TextCompletions, model);
    request.sampling = read_shared_sampling(&mut map)?;
    read_stop(&mut map, &mut request)?;
    read_stream(&mut map, &mut request)?;
    request.choices = take_u32(&mut map, "n")?;
    request.end_user = take_string(&mut map, "user")?;
    request.max_output = take_u64(&mut map, "max_tokens")?;
    if request.max_output.is_none() {
        request.max_output = Some(DEFAULT_CAP);
        request
            .extra
            .insert(DEFAULTED.to_owned(), Value::Bool(true));
    }
    if let Some(count) = take_u32(&mut map, "logprobs")? {
        request.sampling.logprobs = Some(true);
        request.sampling.top_logprobs = Some(count);
    }
    refuse(&mut map, &request)?;
    request
        .extra
        .extend(map.into_iter().filter(|(_, value)| !value.is_null()));
    Ok(request)
}

/// Refuses what only a native upstream can do.
fn refuse(map: &mut Map<String, Value>, request: &Request) -> Result<(), Failure> {
    let suffix = take_string(map, "suffix")?.unwrap_or_default();
    if !suffix.is_empty() {
        let message = "`suffix` is not supported for this model.";
        return Err(Failure::unsupported("suffix", message));
    }
    let choices = request.choices.unwrap_or(1);
    if let Some(best_of) = take_u32(map, "best_of")? {
        if best_of > choices.max(1) {
            let message = "`best_of` above `n` is not supported for this model.";
            return Err(Failure::unsupported("best_of", message));
        }
        map.insert("best_of".to_owned(), best_of.into());
    }
    if let Some(echo) = take_bool(map, "echo")? {
        if echo && request.sampling.logprobs == Some(true) {
            let message = "`logprobs` of an echoed prompt are not supported for this model.";
            return Err(Failure::unsupported("logprobs", message));
        }
        map.insert("echo".to_owned(), Value::Bool(echo));
    }
    Ok(())
}
