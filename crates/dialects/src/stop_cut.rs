//! Stop sequences for an upstream that cannot be told of them (responses): the gateway watches the
//! text and ends the answer there itself. What the model says after that is not shown, but its
//! usage is still read, because it was generated and is paid for.

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::nfa::noncontiguous::NFA;

use crate::canonical::{At, Event, EventSink, Finish, FinishReason, PartHead, PartKind, Reply};

/// Cuts one answer at its first stop sequence, each of its choices for itself.
#[derive(Debug)]
pub struct StopCut {
    stops: Stops,
    choices: Vec<(u32, Progress)>,
}

/// How far one choice has come.
#[derive(Debug, Default)]
struct Progress {
    /// The text that is open.
    text: Option<u32>,
    /// The end of it that may be the beginning of a stop sequence, from `held_from` on.
    held: String,
    held_from: usize,
    /// State of the search behind it; absent at the start.
    state: Option<StateID>,
    /// The stop sequence that was met, and the part that was cut there.
    met: Option<(String, u32)>,
    /// Whether a tool was called before that.
    called: bool,
}

impl StopCut {
    /// A cut at any of these; `None` where there are none.
    pub fn new(stop: &[String]) -> Option<Self> {
        let stop: Vec<String> = stop.iter().filter(|s| !s.is_empty()).cloned().collect();
        (!stop.is_empty()).then(|| Self {
            stops: Stops::new(&stop),
            choices: Vec::new(),
        })
    }

    /// Cuts a whole answer.
    pub fn reply(&self, reply: &mut Reply) {
        for choice in &mut reply.choices {
            let Some((index, at, met)) = choice.parts.iter().enumerate().find_map(|(i, part)| {
                let text = part.as_text()?;
                let (end, met) = self.stops.follow(self.stops.start, text).err()?;
                Some((i, end - met.len(), met))
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
        self.choices[place].1.event(&self.stops, event, sink);
    }
}

impl Progress {
    fn event(&mut self, stops: &Stops, event: Event<'_>, sink: &mut dyn EventSink) {
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
                self.on_text(stops, at, text, sink);
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
        let text = &self.held[self.held_from..];
        if let Some(part) = self.text
            && !text.is_empty()
        {
            let at = At { choice, part };
            sink.event(Event::Text { at, text });
        }
        self.held.clear();
        (self.held_from, self.state) = (0, None);
    }

    /// Hands on what is surely before any stop sequence.
    fn on_text(&mut self, stops: &Stops, at: At, text: &str, sink: &mut dyn EventSink) {
        let held = self.held.len() - self.held_from;
        let met = match stops.follow(self.state.unwrap_or(stops.start), text) {
            Ok(state) => {
                self.state = Some(state);
                self.hand_on(held + text.len() - stops.depth(state), at, text, sink);
                return;
            }
            Err((end, met)) => {
                self.hand_on(held + end - met.len(), at, &text[..end], sink);
                met
            }
        };
        sink.event(Event::PartEnd { at });
        self.held = String::new();
        self.held_from = 0;
        self.met = Some((met, at.part));
    }

    /// Hands on the first bytes of what is held with this text behind it, and holds the others.
    fn hand_on(&mut self, sure: usize, at: At, text: &str, sink: &mut dyn EventSink) {
        if self.held.is_empty() {
            let (text, rest) = text.split_at(sure);
            if !text.is_empty() {
                sink.event(Event::Text { at, text });
            }
            self.held.push_str(rest);
            return;
        }
        self.held.push_str(text);
        let end = self.held_from + sure;
        if sure > 0 {
            let text = &self.held[self.held_from..end];
            sink.event(Event::Text { at, text });
        }
        self.held_from = end;
        // Most is moved at most once for each byte that was handed on.
        if end > self.held.len() / 2 {
            self.held.drain(..end);
            self.held_from = 0;
        }
    }
}

/// The stop sequences of an answer, which are all looked for at once.
#[derive(Debug)]
struct Stops {
    search: NFA,
    start: StateID,
    /// How many bytes of a stop sequence lead to each state.
    depths: Vec<usize>,
    words: Vec<String>,
}

impl Stops {
    fn new(words: &[String]) -> Self {
        let search = NFA::new(words).expect("the length of all stop sequences is limited");
        let start = search.start_state(Anchored::No);
        let start = start.expect("every search can begin anywhere");
        let mut depths = Vec::new();
        for word in words {
            let mut state = start;
            for (depth, byte) in (1..).zip(word.bytes()) {
                state = search.next_state(Anchored::No, state, byte);
                let place = state.as_usize();
                if depths.len() <= place {
                    depths.resize(place + 1, 0);
                }
                depths[place] = depth;
            }
        }
        Self {
            search,
            start,
            depths,
            words: words.to_vec(),
        }
    }

    /// Goes through a text. Returns the state behind it, or the first stop sequence that it completes
    /// and where that ends.
    fn follow(&self, mut state: StateID, text: &str) -> Result<StateID, (usize, String)> {
        for (end, byte) in (1..).zip(text.bytes()) {
            state = self.search.next_state(Anchored::No, state, byte);
            if self.search.is_match(state) {
                // Of those that end here the first one is the longest.
                let met = self.search.match_pattern(state, 0);
                return Err((end, self.words[met.as_usize()].clone()));
            }
        }
        Ok(state)
    }

    /// How many bytes before this state begin a stop sequence.
    fn depth(&self, state: StateID) -> usize {
        self.depths.get(state.as_usize()).copied().unwrap_or(0)
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

/// Why a choice ends that was cut; one that has called a tool waits for its result all the same.
fn cut_finish(met: String, called: bool) -> Finish {
    let mut finish = Finish::new(FinishReason::StopSequence(met), "stop");
    finish.settle(called);
    finish
}

#[cfg(test)]
#[path = "stop_cut_tests.rs"]
mod tests;
