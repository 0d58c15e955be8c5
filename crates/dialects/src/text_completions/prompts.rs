//! Several prompts in one call: each is generated on its own, and the client gets one answer. Sample
//! `s` of prompt `p` has the index `p * n + s` there.

use crate::canonical::{At, Choice, Event, EventSink, Part, PartHead, Reply, Usage};

/// The answer to one of several prompts.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The answer.
    pub reply: Reply,
    /// The prompt, where the client asked for its echo. The writer must not be told of it again.
    pub echoed_prompt: Option<String>,
}

/// Puts the answers to several prompts together, in the order of the prompts; `per_prompt` is the
/// request's `n`. The first answer gives its id, usages are added up. Without an answer: nothing.
pub fn join_replies(answers: Vec<Answered>, per_prompt: u32) -> Option<Reply> {
    let mut whole: Option<Reply> = None;
    for (prompt, answered) in (0..).zip(answers) {
        let mut reply = answered.reply;
        for choice in &mut reply.choices {
            choice.index = place(prompt, per_prompt, choice.index);
            echo(choice, answered.echoed_prompt.as_deref());
        }
        match &mut whole {
            None => whole = Some(reply),
            Some(whole) => {
                whole.choices.append(&mut reply.choices);
                if let Some(usage) = &reply.usage {
                    whole.usage.get_or_insert_default().add(usage);
                }
                // Its spelling was the first answer's alone.
                whole.extra.shift_remove("usage");
            }
        }
    }
    whole
}

fn place(prompt: u32, per_prompt: u32, sample: u32) -> u32 {
    prompt.saturating_mul(per_prompt).saturating_add(sample)
}

fn echo(choice: &mut Choice, prompt: Option<&str>) {
    if let Some(prompt) = prompt.filter(|prompt| !prompt.is_empty()) {
        choice.parts.insert(0, Part::text(prompt));
    }
}

/// Puts the streamed answers to several prompts together, as they come, for one writer.
pub struct Join {
    per_prompt: u32,
    prompts: Vec<Prompt>,
    started: bool,
    ended: bool,
}

#[derive(Default)]
struct Prompt {
    echoed: Option<String>,
    /// Choices whose prompt was echoed already.
    begun: Vec<u32>,
    usage: Option<Usage>,
    ended: bool,
}

impl Join {
    /// A join of as many prompts as are given, each with its text where the client asked for its
    /// echo; `per_prompt` is the request's `n`.
    pub fn new(echoed_prompts: Vec<Option<String>>, per_prompt: u32) -> Self {
        let prompts = echoed_prompts.into_iter().map(|echoed| Prompt {
            echoed: echoed.filter(|text| !text.is_empty()),
            ..Prompt::default()
        });
        Self {
            per_prompt,
            prompts: prompts.collect(),
            started: false,
            ended: false,
        }
    }

    /// Takes an event of the answer to this prompt. One failure fails all; the end comes after the
    /// last prompt's end, and with it the usage of all.
    pub fn event(&mut self, prompt: u32, event: Event<'_>, sink: &mut dyn EventSink) {
        let Some(state) = self.prompts.get_mut(prompt as usize) else {
            return;
        };
        if self.ended || state.ended {
            return;
        }
        let (shift, per_prompt) = (u32::from(state.echoed.is_some()), self.per_prompt);
        let moved = event.moved(|at| At {
            choice: place(prompt, per_prompt, at.choice),
            part: at.part.saturating_add(shift),
        });
        match event {
            Event::Start { .. } if std::mem::replace(&mut self.started, true) => {}
            Event::PartStart { .. } | Event::Finish { .. } => {
                state.begin(event.choice(), moved.choice(), sink);
                sink.event(moved);
            }
            Event::Usage(usage) => state.usage.get_or_insert_default().merge(usage),
            Event::End => {
                state.ended = true;
                self.end(sink);
            }
            Event::Error(_) => {
                self.ended = true;
                sink.event(event);
            }
            _ => sink.event(moved),
        }
    }

    fn end(&mut self, sink: &mut dyn EventSink) {
        if !self.prompts.iter().all(|prompt| prompt.ended) {
            return;
        }
        self.ended = true;
        let mut whole: Option<Usage> = None;
        for usage in self
            .prompts
            .iter()
            .filter_map(|prompt| prompt.usage.as_ref())
        {
            whole.get_or_insert_default().add(usage);
        }
        if let Some(usage) = &whole {
            sink.event(Event::Usage(usage));
        }
        sink.event(Event::End);
    }
}

impl Prompt {
    /// Echoes the prompt as the first part of a choice.
    fn begin(&mut self, choice: u32, placed: u32, sink: &mut dyn EventSink) {
        if self.begun.contains(&choice) {
            return;
        }
        self.begun.push(choice);
        if let Some(text) = &self.echoed {
            let at = At {
                choice: placed,
                part: 0,
            };
            sink.event(Event::PartStart {
                at,
                head: PartHead::Text,
            });
            sink.event(Event::Text { at, text });
            sink.event(Event::PartEnd { at });
        }
    }
}
