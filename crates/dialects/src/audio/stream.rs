//! Streams of transcripts and of speech that go through: usage comes with the last event. Whether an
//! `event:` line names an event differs between servers, so the data's own `type` counts.

use super::reply::used;
use crate::canonical::Failure;
use crate::event_outline::{EventOutline, Seen, failure_of};
use crate::units::Units;

const WANTED: &[&str] = &["type", "usage", "error", "message", "code"];

/// Listens to one stream.
#[derive(Debug, Clone)]
pub struct StreamTap {
    events: EventOutline,
    state: State,
}

#[derive(Debug, Clone, Default)]
struct State {
    units: Units,
    has_content: bool,
    is_done: bool,
    failure: Option<Failure>,
}

impl Default for StreamTap {
    fn default() -> Self {
        Self {
            events: EventOutline::new(WANTED),
            state: State::default(),
        }
    }
}

impl StreamTap {
    /// Listens to the next bytes, which go to the client as they are.
    pub fn push(&mut self, chunk: &[u8]) {
        let state = &mut self.state;
        self.events.push(chunk, &mut |seen| state.note(&seen));
    }

    /// The upstream has closed. A stream without its last event is a failure; what it used until then
    /// is the server's to measure.
    pub fn close(&mut self) -> Result<Units, Failure> {
        let state = &mut self.state;
        self.events.close(&mut |seen| state.note(&seen));
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None if state.is_done => Ok(state.units.clone()),
            None => Err(Failure::upstream("The upstream's stream was cut off.")),
        }
    }

    /// The failure that the stream told.
    pub fn failure(&self) -> Option<&Failure> {
        self.state.failure.as_ref()
    }

    /// Whether anything of the answer has come.
    pub fn has_content(&self) -> bool {
        self.state.has_content
    }
}

impl State {
    fn note(&mut self, seen: &Seen<'_>) {
        let Seen::Object(event) = seen else { return };
        if let Some(failure) = failure_of(event) {
            self.failure.get_or_insert(failure);
            return;
        }
        let kind = event.text("type").unwrap_or_default();
        self.has_content = true;
        match kind.as_str() {
            "transcript.text.done" => {
                self.is_done = true;
                self.units = used(event.member("usage"));
            }
            "speech.audio.done" => {
                self.is_done = true;
                self.units = used(event.member("usage"));
                // What a speech model puts out is audio.
                self.units.tokens.output_audio = self.units.tokens.output;
            }
            _ => {}
        }
    }
}
