//! Between a streamed answer and a whole one. Folding gathers events into a reply; unfolding plays
//! a reply as events. Both ways meet in the same canonical parts, which is why a stream and a whole
//! answer mean the same to a client.

use serde_json::{Map, Value};

use crate::canonical::{
    Arguments, At, Choice, Event, EventSink, Extra, Failure, Finish, FinishReason, Part, PartHead,
    PartKind, Reply, Thinking, ToolCall, Usage,
};
use crate::{DialectId, json};

/// More text than this in one answer is an upstream's fault.
const MAX_FOLDED_BYTES: usize = 64 << 20;
/// No dialect offers more choices; a larger index counts as the last.
const MAX_CHOICES: u32 = 128;

/// Gathers events into a reply.
#[derive(Debug)]
pub struct Fold {
    reply: Reply,
    open: Vec<ChoiceState>,
    usage: Option<Usage>,
    bytes: usize,
    end: Option<Result<(), Failure>>,
}

#[derive(Debug, Default)]
struct ChoiceState {
    parts: Vec<Part>,
    finish: Option<Finish>,
    logprobs: Option<Value>,
}

impl Fold {
    /// An empty fold for an answer that comes in this dialect.
    pub fn new(source: DialectId) -> Self {
        let reply = Reply {
            source,
            id: String::new(),
            model: String::new(),
            created: None,
            choices: Vec::new(),
            usage: None,
            tier: None,
            extra: Extra::new(),
        };
        Self {
            reply,
            open: Vec::new(),
            usage: None,
            bytes: 0,
            end: None,
        }
    }

    /// The whole answer, or why there is none.
    pub fn finish(mut self) -> Result<Reply, Failure> {
        match self.end {
            Some(Ok(())) => {}
            Some(Err(failure)) => return Err(failure),
            None => {
                return Err(Failure::upstream(
                    "The upstream's stream ended before its end.",
                ));
            }
        }
        self.reply.usage = self.usage;
        for (index, state) in (0..).zip(self.open) {
            self.reply.choices.push(Choice {
                index,
                parts: state.parts,
                finish: state
                    .finish
                    .unwrap_or_else(|| Finish::new(FinishReason::Other, "")),
                logprobs: state.logprobs,
                extra: Extra::new(),
            });
        }
        Ok(self.reply)
    }

    fn choice(&mut self, choice: u32) -> &mut ChoiceState {
        let index = choice.min(MAX_CHOICES - 1) as usize;
        while self.open.len() <= index {
            self.open.push(ChoiceState::default());
        }
        &mut self.open[index]
    }

    fn part(&mut self, at: At) -> Option<&mut Part> {
        self.choice(at.choice).parts.get_mut(at.part as usize)
    }

    fn on_text(&mut self, at: At, piece: &str) {
        self.bytes = self.bytes.saturating_add(piece.len());
        if self.bytes > MAX_FOLDED_BYTES {
            self.end = Some(Err(Failure::upstream("The upstream's answer is too long.")));
            return;
        }
        let Some(part) = self.part(at) else { return };
        match &mut part.kind {
            PartKind::Text { text, .. } | PartKind::Refusal(text) => text.push_str(piece),
            PartKind::Thinking(thinking) => thinking.text.push_str(piece),
            PartKind::ToolCall(call) => match &mut call.arguments {
                Arguments::Json(text) | Arguments::Broken(text) | Arguments::Free(text) => {
                    text.push_str(piece);
                }
            },
            _ => {}
        }
    }

    fn on_part_end(&mut self, at: At) {
        let Some(part) = self.part(at) else { return };
        if let PartKind::ToolCall(call) = &mut part.kind
            && let Arguments::Json(text) = &call.arguments
        {
            call.arguments = json::arguments(text);
        }
    }

    fn on_logprobs(&mut self, choice: u32, entries: &Value) {
        let Value::Object(entries) = entries else {
            return;
        };
        let gathered = self
            .choice(choice)
            .logprobs
            .get_or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(gathered) = gathered else {
            return;
        };
        for (key, value) in entries {
            match (gathered.get_mut(key), value) {
                (Some(Value::Array(list)), Value::Array(more)) => list.extend(more.iter().cloned()),
                (Some(_), Value::Null) => {}
                _ => {
                    gathered.insert(key.clone(), value.clone());
                }
            }
        }
    }
}

impl EventSink for Fold {
    fn event(&mut self, event: Event<'_>) {
        if self.end.is_some() {
            return;
        }
        match event {
            Event::Start { id, model, created } => {
                id.clone_into(&mut self.reply.id);
                model.clone_into(&mut self.reply.model);
                self.reply.created = created;
            }
            Event::PartStart { at, head } => self.choice(at.choice).parts.push(begun(&head)),
            Event::Text { at, text } | Event::Arguments { at, text } => self.on_text(at, text),
            Event::Signature { at, signature } => {
                if let Some(part) = self.part(at) {
                    part.signature = Some(signature.clone());
                }
            }
            Event::Note { at, annotation } => {
                if let Some(Part {
                    kind: PartKind::Text { annotations, .. },
                    ..
                }) = self.part(at)
                {
                    annotations.push(annotation.clone());
                }
            }
            Event::Logprobs { choice, entries } => self.on_logprobs(choice, entries),
            Event::PartEnd { at } => self.on_part_end(at),
            Event::Finish { choice, finish } => self.choice(choice).finish = Some(finish.clone()),
            Event::Usage(usage) => self.usage.get_or_insert_default().merge(usage),
            Event::Tier(tier) => self.reply.tier = Some(tier.to_owned()),
            Event::End => self.end = Some(Ok(())),
            Event::Error(failure) => self.end = Some(Err(failure.clone())),
            Event::Ping => {}
        }
    }
}

/// A part that has just begun.
fn begun(head: &PartHead<'_>) -> Part {
    Part::new(match head {
        PartHead::Text => PartKind::Text {
            text: String::new(),
            annotations: Vec::new(),
        },
        PartHead::Refusal => PartKind::Refusal(String::new()),
        PartHead::Thinking(form) => PartKind::Thinking(Thinking {
            text: String::new(),
            form: *form,
        }),
        PartHead::ToolCall {
            id,
            name,
            namespace,
            is_free,
        } => PartKind::ToolCall(ToolCall {
            id: (*id).to_owned(),
            name: (*name).to_owned(),
            namespace: namespace.map(str::to_owned),
            arguments: if *is_free {
                Arguments::Free(String::new())
            } else {
                Arguments::Json(String::new())
            },
        }),
        PartHead::Media(media) => PartKind::Media((*media).clone()),
        PartHead::Hosted(hosted) => PartKind::Hosted((*hosted).clone()),
    })
}

/// Plays a whole answer as events, for a client that asked for a stream.
pub fn unfold(reply: &Reply, sink: &mut dyn EventSink) {
    sink.event(Event::Start {
        id: &reply.id,
        model: &reply.model,
        created: reply.created,
    });
    if let Some(tier) = &reply.tier {
        sink.event(Event::Tier(tier));
    }
    for choice in &reply.choices {
        for (number, part) in (0..).zip(&choice.parts) {
            unfold_part(
                At {
                    choice: choice.index,
                    part: number,
                },
                part,
                sink,
            );
        }
        if let Some(entries) = &choice.logprobs {
            sink.event(Event::Logprobs {
                choice: choice.index,
                entries,
            });
        }
        sink.event(Event::Finish {
            choice: choice.index,
            finish: &choice.finish,
        });
    }
    if let Some(usage) = &reply.usage {
        sink.event(Event::Usage(usage));
    }
    sink.event(Event::End);
}

fn unfold_part(at: At, part: &Part, sink: &mut dyn EventSink) {
    let (head, text) = match &part.kind {
        PartKind::Text { text, .. } => (PartHead::Text, text.as_str()),
        PartKind::Refusal(text) => (PartHead::Refusal, text.as_str()),
        PartKind::Thinking(thinking) => (PartHead::Thinking(thinking.form), thinking.text.as_str()),
        PartKind::Media(media) => (PartHead::Media(media), ""),
        PartKind::Hosted(hosted) => (PartHead::Hosted(hosted), ""),
        PartKind::ToolCall(call) => (
            PartHead::ToolCall {
                id: &call.id,
                name: &call.name,
                namespace: call.namespace.as_deref(),
                is_free: matches!(call.arguments, Arguments::Free(_)),
            },
            "",
        ),
        // An answer holds no results of client tools; a part still stands for its number.
        PartKind::ToolResult(_) => (PartHead::Text, ""),
    };
    sink.event(Event::PartStart { at, head });
    if let PartKind::Text { annotations, .. } = &part.kind {
        for annotation in annotations {
            sink.event(Event::Note { at, annotation });
        }
    }
    if !text.is_empty() {
        sink.event(Event::Text { at, text });
    }
    if let PartKind::ToolCall(call) = &part.kind {
        sink.event(Event::Arguments {
            at,
            text: call.arguments.text(),
        });
    }
    if let Some(signature) = &part.signature {
        sink.event(Event::Signature { at, signature });
    }
    sink.event(Event::PartEnd { at });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signature;
    use crate::canonical::ThinkingForm;

    fn sample() -> Reply {
        let mut thought = Part::new(PartKind::Thinking(Thinking {
            text: "hm".into(),
            form: ThinkingForm::Raw,
        }));
        thought.signature = Some(Signature::native(DialectId::Messages, "S"));
        let call = Part::new(PartKind::ToolCall(ToolCall {
            id: "toolu_9".into(),
            name: "now".into(),
            namespace: None,
            arguments: Arguments::Json("{}".into()),
        }));
        Reply {
            source: DialectId::Messages,
            id: "msg_1".into(),
            model: "m".into(),
            created: None,
            choices: vec![Choice {
                index: 0,
                parts: vec![thought, Part::text("Ok"), call],
                finish: Finish::new(FinishReason::ToolCalls, "tool_use"),
                logprobs: None,
                extra: Extra::new(),
            }],
            usage: Some(Usage {
                input: Some(100),
                output: Some(30),
                ..Usage::default()
            }),
            tier: None,
            extra: Extra::new(),
        }
    }

    #[test]
    fn folding_what_was_unfolded_gives_the_same_reply() {
        let mut fold = Fold::new(DialectId::Messages);
        unfold(&sample(), &mut fold);
        assert_eq!(fold.finish(), Ok(sample()));
    }

    #[test]
    fn a_stream_without_its_end_is_a_failure() {
        let mut fold = Fold::new(DialectId::Messages);
        fold.event(Event::Start {
            id: "x",
            model: "m",
            created: None,
        });
        assert!(fold.finish().is_err());
    }

    #[test]
    fn a_call_without_arguments_folds_to_an_empty_object() {
        let mut fold = Fold::new(DialectId::Messages);
        let at = At { choice: 0, part: 0 };
        let head = PartHead::ToolCall {
            id: "a",
            name: "b",
            namespace: None,
            is_free: false,
        };
        fold.event(Event::PartStart { at, head });
        fold.event(Event::PartEnd { at });
        fold.event(Event::End);
        let reply = fold.finish().unwrap();
        let PartKind::ToolCall(call) = &reply.choices[0].parts[0].kind else {
            panic!("a call")
        };
        assert_eq!(call.arguments, Arguments::Json("{}".into()));
    }
}
