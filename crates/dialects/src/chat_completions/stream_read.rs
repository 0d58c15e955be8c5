//! Reads a streamed answer of an upstream. Parts are closed and finishes told only at the end of
//! the stream, because upstreams send words after a finish reason.

use serde_json::Value;
use serde_json::value::RawValue;

use super::stream_choice::ChoiceState;
use super::stream_words::{Words, words};
use super::wire::{self, Chunk, ChunkChoice, Content, Delta};
use super::{finish, reply_read, usage};
use crate::around::Around;
use crate::canonical::{Event, EventSink, Failure};
use crate::tree::Members;
use crate::{Frame, StreamReader, error_body};

/// More than this is never held for one stream.
const MAX_HELD: usize = 32 << 20;
/// More choices than any request can ask for.
const MAX_CHOICES: usize = 256;

/// Reads one streamed answer.
#[derive(Default)]
pub struct Reader {
    /// How to read log probabilities that are not in this dialect's words.
    read_logprobs: Option<fn(&Value) -> Value>,
    started: bool,
    ended: bool,
    id: String,
    tier: String,
    around: Around,
    /// The choice whose words stood there.
    around_index: u32,
    choices: Vec<ChoiceState>,
    budget: Budget,
}

/// How much is held back for this stream.
#[derive(Default)]
pub struct Budget(usize);

impl Budget {
    /// Counts what is held from now on.
    pub fn charge(&mut self, bytes: usize) -> Result<(), Failure> {
        self.0 = self.0.saturating_add(bytes);
        if self.0 > MAX_HELD {
            return Err(Failure::upstream(
                "The upstream's answer is too large to hold.",
            ));
        }
        Ok(())
    }
}

impl StreamReader for Reader {
    fn frame(&mut self, frame: Frame<'_>, sink: &mut dyn EventSink) {
        if self.ended {
            return;
        }
        let data = frame.data.trim_ascii();
        if data.is_empty() {
            return;
        }
        if data == b"[DONE]" {
            // An upstream that says so has told all; some leave the reason out.
            if self.choices.iter().any(ChoiceState::has_content) {
                self.choices.iter_mut().for_each(ChoiceState::assume_finish);
            }
            self.finish(sink);
            return;
        }
        let outcome = match self.only_words(data) {
            _ if frame.event == Some("error") => Err(told_failure(data)),
            Some(words) => self.on_words(&words, sink),
            None => wire::parse(data, |chunk| match chunk {
                Some(chunk) => self.on_chunk(data, chunk, sink),
                None => Err(error_body::unusable(
                    "The upstream sent a frame that is not valid JSON.",
                    data,
                )),
            }),
        };
        if let Err(failure) = outcome {
            self.fail(&failure, sink);
        }
    }

    fn close(&mut self, sink: &mut dyn EventSink) {
        if !self.ended {
            self.finish(sink);
        }
    }
}

impl Reader {
    /// A reader for legacy completions, which only say `text` and have log probabilities of their
    /// own form.
    pub fn legacy(read_logprobs: fn(&Value) -> Value) -> Self {
        Self {
            read_logprobs: Some(read_logprobs),
            ..Self::default()
        }
    }

    /// The words of a frame after the first that says nothing else. Legacy completions say them
    /// elsewhere.
    fn only_words<'a>(&mut self, data: &'a [u8]) -> Option<Words<'a>> {
        if !self.started || self.read_logprobs.is_some() {
            return None;
        }
        if let Some(text) = self.around.words(data) {
            return Some(Words {
                index: self.around_index,
                text,
            });
        }
        let Some((words, place)) = words(data, &self.tier) else {
            self.around.forget();
            return None;
        };
        self.around.learn(data, place);
        self.around_index = words.index;
        Some(words)
    }

    fn on_words(&mut self, words: &Words<'_>, sink: &mut dyn EventSink) -> Result<(), Failure> {
        let at = self.place(words.index)?;
        self.choices[at].on_text(&words.text, sink);
        Ok(())
    }

    fn on_chunk(
        &mut self,
        data: &[u8],
        chunk: Chunk<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<(), Failure> {
        let has_message = chunk.choices.is_none() && chunk.message.is_some_and(is_error);
        if has_message || chunk.error.is_some_and(is_error) {
            return Err(told_failure(data));
        }
        self.on_start(&chunk, sink);
        if let Some(tier) = &chunk.service_tier
            && *tier.0 != *self.tier
        {
            self.tier = tier.0.clone().into_owned();
            sink.event(Event::Tier(&self.tier));
        }
        for choice in chunk.choices.into_iter().flatten() {
            self.on_choice(choice, sink)?;
        }
        if let Some(Value::Object(counts)) = chunk.usage.and_then(value) {
            sink.event(Event::Usage(&usage::read(&Members::of(&counts))));
        }
        Ok(())
    }

    fn on_start(&mut self, chunk: &Chunk<'_>, sink: &mut dyn EventSink) {
        if self.started {
            return;
        }
        self.started = true;
        self.id = chunk
            .id
            .as_ref()
            .map(|id| id.0.to_string())
            .unwrap_or_default();
        sink.event(Event::Start {
            id: &self.id,
            model: chunk.model.as_ref().map_or("", |model| &model.0),
            created: chunk.created.and_then(seconds),
        });
    }

    fn on_choice(
        &mut self,
        choice: ChunkChoice<'_>,
        sink: &mut dyn EventSink,
    ) -> Result<(), Failure> {
        let error = choice.error.filter(|error| is_error(error)).and_then(value);
        let is_failure = choice
            .finish_reason
            .as_ref()
            .is_some_and(|it| finish::is_failure(&it.0));
        if is_failure || error.is_some() {
            return Err(finish::failure(error.as_ref()));
        }
        let at = self.place(choice.index.unwrap_or(0))?;
        let Self {
            read_logprobs,
            choices,
            budget,
            id,
            ..
        } = self;
        let state = &mut choices[at];
        if let Some(delta) = choice.delta.or(choice.message.map(|message| *message)) {
            on_delta(state, delta, id, budget, sink)?;
        }
        if let Some(text) = choice.text {
            state.on_content(&Content::Text(text.0), sink);
        }
        if let Some(entries) = choice.logprobs.and_then(value).filter(|v| !v.is_null()) {
            let entries = read_logprobs.map_or_else(|| entries.clone(), |read| read(&entries));
            sink.event(Event::Logprobs {
                choice: state.index,
                entries: &entries,
            });
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.0.is_empty()) {
            state.on_finish_reason(&reason.0);
        }
        Ok(())
    }

    fn place(&mut self, index: u32) -> Result<usize, Failure> {
        if let Some(at) = self.choices.iter().position(|choice| choice.index == index) {
            return Ok(at);
        }
        if self.choices.len() == MAX_CHOICES {
            return Err(Failure::upstream(
                "The upstream's answer has too many choices.",
            ));
        }
        self.choices.push(ChoiceState::new(index));
        Ok(self.choices.len() - 1)
    }

    /// `[DONE]`, or the upstream has closed: complete only if each choice has its finish.
    fn finish(&mut self, sink: &mut dyn EventSink) {
        let complete = self.choices.iter().all(ChoiceState::has_finish);
        if self.choices.is_empty() || !complete {
            let failure = Failure::upstream("The upstream's stream ended before its answer did.");
            self.fail(&failure, sink);
            return;
        }
        self.ended = true;
        self.choices.sort_by_key(|choice| choice.index);
        for choice in &mut self.choices {
            choice.finish(&self.id, sink);
        }
        sink.event(Event::End);
    }

    fn fail(&mut self, failure: &Failure, sink: &mut dyn EventSink) {
        self.ended = true;
        self.choices.clear();
        sink.event(Event::Error(failure));
    }
}

/// A piece may say several things at once: they are told in the order thinking, text, calls.
fn on_delta(
    state: &mut ChoiceState,
    delta: Delta<'_>,
    reply_id: &str,
    budget: &mut Budget,
    sink: &mut dyn EventSink,
) -> Result<(), Failure> {
    let thought = match delta.reasoning_content.as_text() {
        "" => delta.reasoning.as_text(),
        text => text,
    };
    state.on_thinking(thought, sink);
    state.on_content(&delta.content, sink);
    if let Some(refusal) = &delta.refusal {
        state.on_refusal(&refusal.0, sink);
    }
    if let Some(list) = delta.annotations.and_then(value) {
        state.on_annotations(list, budget, sink)?;
    }
    if let Some(list) = delta.images.and_then(value) {
        state.on_images(&list, sink);
    }
    if let Some(audio) = delta.audio {
        state.on_audio(&audio, budget)?;
    }
    for (at, call) in delta.tool_calls.into_iter().flatten().enumerate() {
        state.on_call(&call, at, reply_id, budget, sink)?;
    }
    if let Some(call) = delta.function_call {
        state.on_function_call(&call, reply_id, budget, sink)?;
    }
    Ok(())
}

fn value(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(raw.get()).ok()
}

/// The failure that a frame tells.
fn told_failure(data: &[u8]) -> Failure {
    error_body::for_client(error_body::read_error(200, data))
}

fn is_error(raw: &RawValue) -> bool {
    value(raw).is_some_and(|value| reply_read::is_truthy(&value))
}

/// Unix seconds; some vendors send a float or a string.
pub fn seconds(raw: &RawValue) -> Option<u64> {
    let text = raw.get().trim_matches('"');
    text.split('.').next()?.parse().ok()
}
