//! Several prompts in one legacy call, for upstreams that take one: each is a call of its own, one
//! after the other, and the client gets one answer and one charge. It comes whole; a client that
//! wants a stream gets it as one.

use std::collections::VecDeque;

use bytes::Bytes;
use dialects::canonical::{Failure, Reply};
use dialects::convert::{convert_request_to, read_reply_from, write_reply_as};
use dialects::text_completions::{Answered, echoed_prompt, join_replies, read_prompts};
use dialects::{DialectId, ReplyContext, UpstreamDialect};
use providers::RequestBody;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::format::Spoken;
use super::input::Input;
use super::request::lower_caps;
use super::task::TextTask;
use super::usage;
use crate::model_call::headers::{passing, passing_query};
use crate::model_call::refusals;
use crate::model_call::strict;
use crate::model_call::task::{Addressee, Outgoing, Used};
use crate::model_call::whole_answer::{Reading, WholeAnswer};

/// The longest answer to one prompt.
const LONGEST: usize = 16 << 20;

/// How many prompts a legacy body has. What is no list is one prompt, and so is one in tokens.
pub fn count(body: &[u8]) -> u64 {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        prompt: Vec<&'a RawValue>,
    }
    let Ok(body) = serde_json::from_slice::<Body<'_>>(body) else {
        return 1;
    };
    let is_prompt = |entry: &&RawValue| entry.get().starts_with(['"', '[']);
    match body.prompt.first() {
        Some(first) if is_prompt(first) => body.prompt.len() as u64,
        _ => 1,
    }
}

/// The first of the requests, and who makes the others.
pub fn write(
    task: &TextTask,
    to: &Addressee<'_>,
    spoken: Spoken,
    (mut context, input): (ReplyContext, Input),
) -> Result<Outgoing, Failure> {
    let mut bodies = VecDeque::new();
    let (mut echoes, mut dropped) = (Vec::new(), Vec::new());
    let mut target = spoken.dialect.target(&to.place.upstream_model);
    target.strict = strict::is_strict(to.call);
    for mut request in read_prompts(&task.body)? {
        echoes.push(echoed_prompt(&request));
        (*to.place.upstream_model).clone_into(&mut request.model);
        request.stream = None;
        if let Some(cap) = task.lowered_cap {
            lower_caps(&mut request, cap);
        }
        let written = convert_request_to(spoken.dialect, &mut request, &target, &mut context)?;
        bodies.push_back(Bytes::from(written.body));
        dropped = written.dropped;
    }
    let first = bodies.pop_front().ok_or_else(refusals::unusable_answer)?;
    let upstream = spoken.dialect.native();
    let is_stream = task.is_stream;
    let answers = Answers {
        upstream: spoken.dialect,
        per_prompt: task.scan.demand.choices().try_into().unwrap_or(u32::MAX),
        input,
        context,
        bodies,
        echoes: echoes.into(),
        answered: Vec::new(),
        failure: None,
        is_stream,
    };
    let kind = if is_stream {
        "text/event-stream"
    } else {
        "application/json"
    };
    Ok(Outgoing {
        format: spoken.format,
        is_stream: false,
        headers: passing(to.call, to.place, upstream),
        query: passing_query(to.call, upstream),
        body: RequestBody::Whole(first),
        dropped,
        answer: Box::new(WholeAnswer::new(answers, kind)),
    })
}

/// The answers so far.
struct Answers {
    upstream: &'static dyn UpstreamDialect,
    context: ReplyContext,
    /// The request's `n`.
    per_prompt: u32,
    /// All prompts, to be counted.
    input: Input,
    /// What is still to be asked.
    bodies: VecDeque<Bytes>,
    /// What each answer begins with, where the client wants that.
    echoes: VecDeque<Option<String>>,
    answered: Vec<Answered>,
    failure: Option<Failure>,
    is_stream: bool,
}

impl Answers {
    fn take(&mut self, body: &[u8]) {
        let echoed_prompt = self.echoes.pop_front().flatten();
        match read_reply_from(self.upstream, body, &self.context) {
            Ok(reply) => self.answered.push(Answered {
                reply,
                echoed_prompt,
            }),
            Err(failure) => self.failure = Some(failure),
        }
    }

    fn joined(&mut self) -> Result<Reply, Failure> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let answered = std::mem::take(&mut self.answered);
        join_replies(answered, self.per_prompt).ok_or_else(refusals::unusable_answer)
    }
}

impl Reading for Answers {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn another(&mut self, body: &Bytes) -> Option<RequestBody> {
        let next = self.bodies.pop_front()?;
        self.take(body);
        Some(RequestBody::Whole(next)).filter(|_| self.failure.is_none())
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        if self.failure.is_none() {
            self.take(&body);
        }
        let reply = self.joined()?;
        let client = DialectId::TextCompletions;
        let (written, outcome) = write_reply_as(client, reply, self.is_stream, &self.context)?;
        Ok((written.into(), usage::of(&outcome, || self.input.tokens())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_counted_in_every_form() {
        for (body, prompts) in [
            (r#"{"prompt":"a"}"#, 1),
            (r#"{"prompt":["a"]}"#, 1),
            (r#"{"prompt":["a","b","c"],"n":2}"#, 3),
            (r#"{"prompt":[1,2,3]}"#, 1),
            (r#"{"prompt":[[1,2],[3]]}"#, 2),
            (r#"{"prompt":[]}"#, 1),
        ] {
            assert_eq!(count(body.as_bytes()), prompts, "{body}");
        }
    }
}
