//! A streamed answer that goes through: events of tens of megabytes are only seen from afar.

use super::{ImageOperation, usage};
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

#[derive(Debug, Clone)]
struct State {
    operation: ImageOperation,
    units: Units,
    completed: u64,
    partial: u64,
    failure: Option<Failure>,
}

impl StreamTap {
    /// A tap for an answer to this operation.
    pub fn new(operation: ImageOperation) -> Self {
        Self {
            events: EventOutline::new(WANTED),
            state: State {
                operation,
                units: Units::default(),
                completed: 0,
                partial: 0,
                failure: None,
            },
        }
    }

    /// Listens to the next bytes, which go to the client as they are.
    pub fn push(&mut self, chunk: &[u8]) {
        let state = &mut self.state;
        self.events.push(chunk, &mut |seen| state.note(&seen));
    }

    /// The upstream has closed. A stream without a finished image is a failure.
    pub fn close(&mut self) -> Result<Units, Failure> {
        let state = &mut self.state;
        self.events.close(&mut |seen| state.note(&seen));
        match &state.failure {
            Some(failure) => Err(failure.clone()),
            None if state.completed == 0 => Err(Failure::upstream(
                "The upstream's stream ended without a finished image.",
            )),
            None => Ok(self.units()),
        }
    }

    /// What was used so far: finished images, and the tokens that came with them.
    pub fn units(&self) -> Units {
        let mut units = self.state.units.clone();
        units.images = Some(self.state.completed);
        units
    }

    /// How many unfinished images were shown.
    pub fn partial_images(&self) -> u64 {
        self.state.partial
    }

    /// The failure that the stream told.
    pub fn failure(&self) -> Option<&Failure> {
        self.state.failure.as_ref()
    }
}

impl State {
    fn note(&mut self, seen: &Seen<'_>) {
        let Seen::Object(event) = seen else { return };
        let kind = event.text("type").unwrap_or_default();
        if let Some(failure) = failure_of(event) {
            self.failure.get_or_insert(failure);
        } else if kind.ends_with(".completed") {
            self.completed += 1;
            self.units.add(&Units {
                tokens: usage::read(event.member("usage"), self.operation),
                ..Units::default()
            });
        } else if kind.ends_with(".partial_image") {
            self.partial += 1;
        }
    }
}
