//! The vendor's streamed answer: each frame is a whole answer that holds only what is new.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::parts_read::{self, Author};
use super::searches::Searches;
use super::usage::UsageMetadata;
use super::{HERE, finish, grounding, logprobs};
use crate::canonical::{
    At, Event, EventSink, Failure, Finish, FinishReason, PartHead, PartKind, ThinkingForm,
};
use crate::frame_wire::{Few, Text};
use crate::mend::mended;
use crate::{Frame, Signature, StreamReader, error_body, frame_wire, ids};

/// No model offers more.
const MAX_CHOICES: u32 = 128;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow, default)]
    candidates: Option<Few<Candidate<'a>>>,
    #[serde(borrow, default)]
    prompt_feedback: Option<Feedback<'a>>,
    #[serde(borrow, default)]
    usage_metadata: Option<UsageMetadata<'a>>,
    #[serde(borrow, default)]
    model_version: Option<Text<'a>>,
    #[serde(borrow, default)]
    response_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(default)]
    index: Option<u32>,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(borrow, default)]
    finish_reason: Option<Text<'a>>,
    #[serde(borrow, default)]
    grounding_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    citation_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    logprobs_result: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    parts: Option<Few<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow, default)]
    block_reason: Option<Text<'a>>,
}

/// The part of nearly every frame.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TextPart<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(borrow, default)]
    thought_signature: Option<Text<'a>>,
}

/// Reads one streamed answer.
#[derive(Debug, Default)]
pub(super) struct Reader {
    began: bool,
    ended: bool,
    id: String,
    model: String,
    choices: Vec<Progress>,
    searches: Searches,
}

/// How far one candidate has come.
#[derive(Debug, Default)]
struct Progress {
    open: Option<Open>,
    parts: u32,
    calls: u32,
    finish: Option<Finish>,
    words: grounding::Words,
}

/// The text or thought that is being continued.
#[derive(Debug, Clone, Copy)]
struct Open {
    part: u32,
    is_thought: bool,
    is_signed: bool,
}

impl StreamReader for Reader {
    fn frame(&mut self, frame: Frame<'_>, sink: &mut dyn EventSink) {
        if self.ended || frame.data == b"[DONE]" {
            return;
        }
        let Ok(chunk) = frame_wire::read::<Chunk<'_>>(frame.data) else {
            let text = "The upstream sent a frame that is no JSON.";
            return self.fail(&error_body::unusable(text, frame.data), sink);
        };
        let is_nothing = chunk.candidates.is_none()
            && chunk.prompt_feedback.is_none()
            && chunk.usage_metadata.is_none();
        let is_error = frame.event == Some("error") || (is_nothing && chunk.message.is_some());
        if is_error || chunk.error.is_some() {
            let failure = error_body::for_client(error_body::read_error(200, frame.data));
            return self.fail(&failure, sink);
        }
        self.on_start(&chunk, sink);
        let mut has_searched = false;
        for candidate in chunk.candidates.into_iter().flatten() {
            let grounding = candidate.grounding_metadata.map(RawValue::get);
            has_searched |= grounding.is_some_and(|told| self.searches.note_text(told));
            self.on_candidate(candidate, sink);
        }
        if let Some(reason) = chunk
            .prompt_feedback
            .and_then(|feedback| feedback.block_reason)
        {
            let finish = Finish::new(FinishReason::Filter, reason.0);
            self.progress(0).finish.get_or_insert(finish);
        }
        if has_searched || chunk.usage_metadata.is_some() {
            let told = chunk.usage_metadata.map(|usage| usage.read());
            let mut usage = told.unwrap_or_default();
            self.searches.tell(&self.model, &mut usage);
            sink.event(Event::Usage(&usage));
        }
    }

    fn close(&mut self, sink: &mut dyn EventSink) {
        if self.ended {
            return;
        }
        let complete = self.choices.iter().all(|choice| choice.finish.is_some());
        if self.choices.is_empty() || !complete {
            return self.fail(
                &Failure::upstream("The upstream's stream ended before its end."),
                sink,
            );
        }
        self.ended = true;
        for (choice, progress) in (0..).zip(&mut self.choices) {
            progress.close_part(choice, sink);
            if let Some(mut finish) = progress.finish.take() {
                finish.settle(progress.calls > 0);
                sink.event(Event::Finish {
                    choice,
                    finish: &finish,
                });
            }
        }
        sink.event(Event::End);
    }
}

impl Reader {
    fn fail(&mut self, failure: &Failure, sink: &mut dyn EventSink) {
        self.ended = true;
        sink.event(Event::Error(failure));
    }

    fn progress(&mut self, choice: u32) -> &mut Progress {
        let index = choice.min(MAX_CHOICES - 1) as usize;
        while self.choices.len() <= index {
            self.choices.push(Progress::default());
        }
        &mut self.choices[index]
    }

    fn on_start(&mut self, chunk: &Chunk<'_>, sink: &mut dyn EventSink) {
        if std::mem::replace(&mut self.began, true) {
            return;
        }
        let id = chunk.response_id.as_ref().map_or("", |id| &id.0);
        id.clone_into(&mut self.id);
        let model = chunk.model_version.as_ref().map_or("", |model| &model.0);
        model.clone_into(&mut self.model);
        sink.event(Event::Start {
            id: &self.id,
            model,
            created: None,
        });
    }

    fn on_candidate(&mut self, candidate: Candidate<'_>, sink: &mut dyn EventSink) {
        let choice = candidate.index.unwrap_or(0).min(MAX_CHOICES - 1);
        let id = std::mem::take(&mut self.id);
        let progress = self.progress(choice);
        for part in candidate
            .content
            .and_then(|content| content.parts)
            .into_iter()
            .flatten()
        {
            progress.on_part(choice, part, &id, sink);
        }
        if let Some(raw) = candidate.logprobs_result
            && let Ok(result) = serde_json::from_str::<Value>(raw.get())
            && let Some(entries) = logprobs::read(&result)
        {
            sink.event(Event::Logprobs {
                choice,
                entries: &entries,
            });
        }
        progress.on_sources(
            choice,
            candidate.grounding_metadata,
            candidate.citation_metadata,
            sink,
        );
        if let Some(word) = candidate.finish_reason.filter(|word| !word.0.is_empty()) {
            progress.finish = Some(finish::read(&word.0));
        }
        self.id = id;
    }
}

impl Progress {
    fn on_part(&mut self, choice: u32, raw: &RawValue, id: &str, sink: &mut dyn EventSink) {
        let mended = mended(raw.get().as_bytes());
        match serde_json::from_slice::<TextPart<'_>>(&mended) {
            Ok(part) => self.on_text(choice, &part, sink),
            Err(_) => self.on_whole(choice, &mended, id, sink),
        }
    }

    fn on_text(&mut self, choice: u32, part: &TextPart<'_>, sink: &mut dyn EventSink) {
        let is_thought = part.thought == Some(true);
        if part.text.is_empty() && part.thought_signature.is_none() {
            return;
        }
        let open = self.open.filter(|open| {
            // A signature ends its part; only nothing may follow it there.
            open.is_thought == is_thought && (!open.is_signed || part.text.is_empty())
        });
        let at = match open {
            Some(open) => At {
                choice,
                part: open.part,
            },
            None => self.open_part(choice, is_thought, sink),
        };
        if !part.text.is_empty() {
            sink.event(Event::Text {
                at,
                text: &part.text,
            });
            if !is_thought {
                self.words.push(&part.text);
            }
        }
        if let Some(data) = &part.thought_signature {
            let signature = Signature::native(HERE, data.0.as_ref());
            sink.event(Event::Signature {
                at,
                signature: &signature,
            });
            self.open = self.open.map(|open| Open {
                is_signed: true,
                ..open
            });
        }
    }

    fn open_part(&mut self, choice: u32, is_thought: bool, sink: &mut dyn EventSink) -> At {
        self.close_part(choice, sink);
        let at = self.next(choice);
        let head = if is_thought {
            PartHead::Thinking(ThinkingForm::Summary)
        } else {
            PartHead::Text
        };
        sink.event(Event::PartStart { at, head });
        if !is_thought {
            self.words.begin(at.part);
        }
        self.open = Some(Open {
            part: at.part,
            is_thought,
            is_signed: false,
        });
        at
    }

    fn next(&mut self, choice: u32) -> At {
        let part = self.parts;
        self.parts += 1;
        At { choice, part }
    }

    fn close_part(&mut self, choice: u32, sink: &mut dyn EventSink) {
        if let Some(open) = self.open.take() {
            sink.event(Event::PartEnd {
                at: At {
                    choice,
                    part: open.part,
                },
            });
        }
    }

    /// A part that comes whole: a call, media, or a block of the vendor's own.
    fn on_whole(&mut self, choice: u32, raw: &[u8], id: &str, sink: &mut dyn EventSink) {
        let Ok(value) = serde_json::from_slice::<Value>(raw) else {
            return;
        };
        let part = parts_read::read(value, Author::Upstream);
        self.close_part(choice, sink);
        let at = self.next(choice);
        match &part.kind {
            PartKind::ToolCall(call) => {
                let made_up = ids::call_id(id, choice, self.calls);
                let id = if call.id.is_empty() {
                    &made_up
                } else {
                    &call.id
                };
                self.calls += 1;
                let head = PartHead::ToolCall {
                    id,
                    name: &call.name,
                    namespace: None,
                    is_free: false,
                };
                sink.event(Event::PartStart { at, head });
                sink.event(Event::Arguments {
                    at,
                    text: call.arguments.text(),
                });
            }
            PartKind::Media(media) => {
                sink.event(Event::PartStart {
                    at,
                    head: PartHead::Media(media),
                });
            }
            PartKind::Hosted(hosted) => {
                sink.event(Event::PartStart {
                    at,
                    head: PartHead::Hosted(hosted),
                });
            }
            _ => sink.event(Event::PartStart {
                at,
                head: PartHead::Text,
            }),
        }
        if let Some(signature) = &part.signature {
            sink.event(Event::Signature { at, signature });
        }
        sink.event(Event::PartEnd { at });
    }

    fn on_sources(
        &mut self,
        choice: u32,
        grounding: Option<&RawValue>,
        citations: Option<&RawValue>,
        sink: &mut dyn EventSink,
    ) {
        if grounding.is_none() && citations.is_none() {
            return;
        }
        let mut metadata = Map::new();
        for (key, raw) in [
            ("groundingMetadata", grounding),
            ("citationMetadata", citations),
        ] {
            if let Some(Ok(value)) = raw.map(|raw| serde_json::from_str::<Value>(raw.get())) {
                metadata.insert(key.to_owned(), value);
            }
        }
        for (part, annotation) in &grounding::read(&metadata, &self.words) {
            let at = At {
                choice,
                part: *part,
            };
            sink.event(Event::Note { at, annotation });
        }
    }
}
