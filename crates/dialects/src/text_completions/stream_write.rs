//! Writes a streamed legacy answer for a client.

use serde_json::Value;

use super::{logprobs, reply_write};
use crate::canonical::{At, Event, Finish, PartHead};
use crate::chat_completions::chunk_frame::{ChunkFrame, write_number};
use crate::chat_completions::finish;
use crate::json::{write, write_str};
use crate::{ReplyContext, StreamWriter};

/// Writes one streamed answer.
pub(super) struct Writer {
    context: ReplyContext,
    frame: ChunkFrame,
    choices: Vec<ChoiceOut>,
}

#[derive(Default)]
struct ChoiceOut {
    index: u32,
    /// The part whose words are a refusal, and the one whose words are not shown.
    refusal: Option<u32>,
    thinking: Option<u32>,
    has_refusal: bool,
    is_finished: bool,
    /// Where the next token of the log probabilities stands.
    offset: u64,
}

impl Writer {
    /// A writer for one answer.
    pub(super) fn new(context: &ReplyContext) -> Self {
        Self {
            context: context.clone(),
            frame: ChunkFrame::new("text_completion", "cmpl-", context),
            choices: Vec::new(),
        }
    }
}

impl StreamWriter for Writer {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        if self.frame.has_ended() {
            return;
        }
        match event {
            Event::Start { id, model, created } => self.on_start(id, model, created, out),
            Event::PartStart { at, head } => self.on_part_start(at, &head, out),
            Event::Text { at, text } => self.on_text(at, text, out),
            Event::Logprobs { choice, entries } => self.on_logprobs(choice, entries, out),
            Event::Finish { choice, finish } => self.on_finish(choice, finish, out),
            Event::Usage(usage) => self.frame.merge_usage(usage),
            Event::End => self.frame.finish(out),
            Event::Error(failure) => self.frame.fail(failure, out),
            Event::Ping => out.extend_from_slice(b": ping\n\n"),
            Event::Arguments { .. }
            | Event::Signature { .. }
            | Event::Note { .. }
            | Event::PartEnd { .. }
            | Event::Tier(_) => {}
        }
    }
}

impl Writer {
    fn on_start(&mut self, id: &str, model: &str, created: Option<u64>, out: &mut Vec<u8>) {
        if self.frame.start(id, model, created) {
            self.choice(0, out);
        }
    }

    /// The state of a choice; one that begins here echoes the prompt where that was asked for.
    fn choice(&mut self, index: u32, out: &mut Vec<u8>) -> &mut ChoiceOut {
        if let Some(at) = self.choices.iter().position(|choice| choice.index == index) {
            return &mut self.choices[at];
        }
        let mut offset = 0;
        if let Some(prompt) = self
            .context
            .echoed_prompt
            .as_deref()
            .filter(|p| !p.is_empty())
        {
            offset = prompt.chars().count() as u64;
            self.piece(index, prompt, &Value::Null, None, out);
        }
        self.choices.push(ChoiceOut {
            index,
            offset,
            ..ChoiceOut::default()
        });
        let last = self.choices.len() - 1;
        &mut self.choices[last]
    }

    /// One chunk.
    fn piece(
        &self,
        choice: u32,
        text: &str,
        logprobs: &Value,
        finish: Option<&str>,
        out: &mut Vec<u8>,
    ) {
        self.frame.begin(out);
        out.extend_from_slice(b"{\"text\":");
        write_str(out, text);
        out.extend_from_slice(b",\"index\":");
        write_number(out, choice.into());
        out.extend_from_slice(b",\"logprobs\":");
        write(out, logprobs);
        out.extend_from_slice(b",\"finish_reason\":");
        match finish {
            Some(word) => write_str(out, word),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
        self.frame.end(out);
    }

    fn on_part_start(&mut self, at: At, head: &PartHead<'_>, out: &mut Vec<u8>) {
        let choice = self.choice(at.choice, out);
        match head {
            PartHead::Refusal => choice.refusal = Some(at.part),
            PartHead::Thinking(_) => choice.thinking = Some(at.part),
            _ => {}
        }
    }

    fn on_text(&mut self, at: At, text: &str, out: &mut Vec<u8>) {
        let choice = self.choice(at.choice, out);
        if text.is_empty() || choice.thinking == Some(at.part) {
            return;
        }
        choice.has_refusal |= choice.refusal == Some(at.part);
        self.piece(at.choice, text, &Value::Null, None, out);
    }

    fn on_logprobs(&mut self, choice: u32, entries: &Value, out: &mut Vec<u8>) {
        let state = self.choice(choice, out);
        let lists = logprobs::write(entries, &mut state.offset);
        self.piece(choice, "", &lists, None, out);
    }

    fn on_finish(&mut self, choice: u32, reason: &Finish, out: &mut Vec<u8>) {
        let state = self.choice(choice, out);
        if std::mem::replace(&mut state.is_finished, true) {
            return;
        }
        let has_refusal = state.has_refusal;
        let explained = finish::explanation(reason).filter(|_| !has_refusal);
        let word = reply_write::finish_word(reason, has_refusal || explained.is_some());
        let text = explained.unwrap_or_default();
        self.piece(choice, text, &Value::Null, Some(word), out);
    }
}
