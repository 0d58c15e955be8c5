//! Stop sequences for an upstream that cannot be told of them (responses): the gateway watches the
//! text and ends the answer there itself. What the model says after that is not shown, but its
//! usage is still read, because it was generated and is paid for.

use crate::canonical::{At, Event, EventSink, Finish, FinishReason, PartHead, PartKind, Reply};

/// Cuts one answer at its first stop sequence, each of its choices for itself.
#[derive(Debug)]
pub struct StopCut {
    stop: Vec<String>,
    choices: Vec<(u32, Progress)>,
}

/// How far one choice has come.
#[derive(Debug, Default)]
struct Progress {
    /// The text that is open.
    text: Option<u32>,
    /// The end of it that may be the beginning of a stop sequence.
    held: String,
    /// The stop sequence that was met, and the part that was cut there.
    met: Option<(String, u32)>,
    /// Whether a tool was called before that.
    called: bool,
}

impl StopCut {
    /// A cut at any of these; `None` where there are none.
    pub fn new(stop: &[String]) -> Option<Self> {
        let stop: Vec<String> = stop.iter().filter(|s| !s.is_empty()).cloned().collect();
        (!stop.is_empty()).then_some(Self {
            stop,
            choices: Vec::new(),
        })
    }

    /// Cuts a whole answer.
    pub fn reply(&self, reply: &mut Reply) {
        for choice in &mut reply.choices {
            let Some((index, at, met)) = choice.parts.iter().enumerate().find_map(|(i, part)| {
                let (at, met) = first_in(&self.stop, part.as_text()?)?;
                Some((i, at, met.to_owned()))
            }) else {
                continue;
            };
            if let PartKind::Text { text, .. } = &mut choice.parts[index].kind {
                text.truncate(at);
            }
            choice.parts.truncate(index + 1);
            let mut calls = choice.parts.iter();
            let called = calls.any(|part| matches!(part.kind, PartKind::ToolCall(_)));
            choice.finish = cut_finish(met, called);
        }
    }

    /// Hands an event on, as long as no stop sequence was met.
    pub fn event(&mut self, event: Event<'_>, sink: &mut dyn EventSink) {
        // What is generated is still counted, and the end is still the end.
        let is_of_all = matches!(
            event,
            Event::Start { .. }
                | Event::Usage(_)
                | Event::Tier(_)
                | Event::End
                | Event::Error(_)
                | Event::Ping
        );
        if is_of_all {
            return sink.event(event);
        }
        let index = event.choice();
        let place = self.choices.iter().position(|(choice, _)| *choice == index);
        let place = place.unwrap_or_else(|| {
            self.choices.push((index, Progress::default()));
            self.choices.len() - 1
        });
        self.choices[place].1.event(&self.stop, event, sink);
    }
}

impl Progress {
    fn event(&mut self, stop: &[String], event: Event<'_>, sink: &mut dyn EventSink) {
        if let Some((met, cut)) = &self.met {
            return match event {
                Event::Finish { choice, .. } => {
                    let finish = &cut_finish(met.clone(), self.called);
                    sink.event(Event::Finish { choice, finish });
                }
                // A call that began before the cut still comes to its end.
                event if part_of(&event).is_some_and(|part| part < *cut) => sink.event(event),
                _ => {}
            };
        }
        match event {
            Event::PartStart { at, head } => {
                self.called |= matches!(head, PartHead::ToolCall { .. });
                if head == PartHead::Text {
                    self.release(at.choice, sink);
                    self.text = Some(at.part);
                }
                sink.event(Event::PartStart { at, head });
            }
            Event::Text { at, text } if self.text == Some(at.part) => {
                self.on_text(stop, at, text, sink);
            }
            Event::PartEnd { at } => {
                if self.text == Some(at.part) {
                    self.release(at.choice, sink);
                    self.text = None;
                }
                sink.event(Event::PartEnd { at });
            }
            event => sink.event(event),
        }
    }

    /// Hands on what was held of the open text: no stop sequence comes of it.
    fn release(&mut self, choice: u32, sink: &mut dyn EventSink) {
        if let Some(part) = self.text
            && !self.held.is_empty()
        {
            let at = At { choice, part };
            let text = &self.held;
            sink.event(Event::Text { at, text });
            self.held.clear();
        }
    }

    /// Hands on what is surely before any stop sequence.
    fn on_text(&mut self, stop: &[String], at: At, text: &str, sink: &mut dyn EventSink) {
        self.held.push_str(text);
        let met = first_in(stop, &self.held);
        let met = met.map(|(end, met)| (end, met.to_owned()));
        let sure = match &met {
            Some((end, _)) => *end,
            None => self.held.len() - longest_beginning(stop, &self.held),
        };
        if sure > 0 {
            let text = &self.held[..sure];
            sink.event(Event::Text { at, text });
            self.held.drain(..sure);
        }
        if let Some((_, met)) = met {
            sink.event(Event::PartEnd { at });
            self.met = Some((met, at.part));
        }
    }
}

/// The part that an event belongs to.
fn part_of(event: &Event<'_>) -> Option<u32> {
    match event {
        Event::Text { at, .. }
        | Event::Arguments { at, .. }
        | Event::Signature { at, .. }
        | Event::Note { at, .. }
        | Event::PartEnd { at } => Some(at.part),
        _ => None,
    }
}

/// The first stop sequence in a text, and where it begins.
fn first_in<'a>(stop: &'a [String], text: &str) -> Option<(usize, &'a str)> {
    let found = stop
        .iter()
        .filter_map(|stop| Some((text.find(stop.as_str())?, stop.as_str())));
    found.min_by_key(|(at, _)| *at)
}

/// How many bytes at the end of a text begin a stop sequence.
fn longest_beginning(stop: &[String], text: &str) -> usize {
    let beginnings = stop.iter().flat_map(|stop| {
        stop.char_indices()
            .map(move |(at, _)| &stop[..at])
            .filter(|s| !s.is_empty())
    });
    beginnings
        .filter(|start| text.ends_with(start))
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// Why a choice ends that was cut; one that has called a tool waits for its result all the same.
fn cut_finish(met: String, called: bool) -> Finish {
    let mut finish = Finish::new(FinishReason::StopSequence(met), "stop");
    finish.settle(called);
    finish
}

#[cfg(test)]
#[path = "stop_cut_tests.rs"]
mod tests;
