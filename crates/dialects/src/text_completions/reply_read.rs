//! Reads a whole legacy answer of a native upstream.

use serde_json::Map;

use super::logprobs;
use crate::canonical::{Choice, Failure, Part, Reply};
use crate::chat_completions::reply_read::{
    has_error, open_choice, take_choices, take_created, take_usage,
};
use crate::chat_completions::{finish, spelling};
use crate::tree::{self, Members, Node};
use crate::{DialectId, error_body};

/// Reads an answer.
pub(super) fn read(body: &[u8]) -> Result<Reply, Failure> {
    tree::read_answer(body, |members| {
        if has_error(&members) {
            return Err(error_body::for_client(error_body::read_error(200, body)));
        }
        read_members(members, body)
    })
}

fn read_members(mut members: Members<'_>, body: &[u8]) -> Result<Reply, Failure> {
    let choices = take_choices(&mut members, body)?;
    let mut reply = Reply {
        source: DialectId::TextCompletions,
        id: take_text(&mut members, "id"),
        model: take_text(&mut members, "model"),
        created: take_created(&mut members),
        choices: Vec::with_capacity(choices.len()),
        usage: None,
        tier: None,
        extra: Map::new(),
    };
    for (at, choice) in choices.into_iter().enumerate() {
        reply.choices.push(read_choice(choice, at)?);
    }
    reply.usage = take_usage(&mut members, &mut reply.extra);
    members.take("object");
    members.move_to(&mut reply.extra);
    Ok(reply)
}

/// A text field; another type counts as absent, since nothing depends on it.
fn take_text(members: &mut Members<'_>, name: &str) -> String {
    match members.take(name) {
        Some(Node::Text(text)) => text.into_owned(),
        _ => String::new(),
    }
}

fn read_choice(choice: Node<'_>, at: usize) -> Result<Choice, Failure> {
    let (mut members, index) = open_choice(choice, at)?;
    let text = take_text(&mut members, "text");
    let word = take_text(&mut members, "finish_reason");
    if finish::is_failure(&word) {
        return Err(finish::failure(None));
    }
    let lists = members.take("logprobs").map(Node::into_value);
    let mut extra = members.into_map();
    let mut entries = None;
    if let Some(lists) = lists {
        let read = logprobs::read(&lists);
        let written = logprobs::write(&read, &mut 0);
        spelling::keep(&mut extra, "logprobs", lists, Some(&written));
        entries = Some(read);
    }
    Ok(Choice {
        index,
        parts: if text.is_empty() {
            Vec::new()
        } else {
            vec![Part::text(text)]
        },
        finish: finish::read(&word),
        logprobs: entries,
        extra,
    })
}
