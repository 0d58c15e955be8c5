//! A streamed answer, event by event. Events borrow from the frame that they were read from, so
//! that a piece of text crosses from one dialect to another without being copied.

use serde_json::Value;

use super::{Annotation, Failure, Finish, Hosted, Media, ThinkingForm, Usage};
use crate::Signature;

/// Where an event belongs: a choice, and a part of it. Parts are numbered densely from 0 in each
/// choice; at most one text or thinking part is open at a time, tool calls may overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At {
    /// The choice's index.
    pub choice: u32,
    /// The part's number in that choice.
    pub part: u32,
}

/// One step of a streamed answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    /// The answer begins. Comes once, first.
    Start {
        /// The vendor's id of the answer.
        id: &'a str,
        /// The model's name as the upstream gave it.
        model: &'a str,
        /// When it was made, unix seconds, where the vendor says it.
        created: Option<u64>,
    },
    /// A part begins.
    PartStart {
        /// Where.
        at: At,
        /// What it is.
        head: PartHead<'a>,
    },
    /// More words of a text, refusal or thinking part.
    Text {
        /// Where.
        at: At,
        /// The words.
        text: &'a str,
    },
    /// More of a call's arguments: JSON text, or free text where the call takes free text.
    Arguments {
        /// Where.
        at: At,
        /// The piece.
        text: &'a str,
    },
    /// The part's signature; a later one replaces an earlier one.
    Signature {
        /// Where.
        at: At,
        /// The signature.
        signature: &'a Signature,
    },
    /// A citation for a text part.
    Note {
        /// Where.
        at: At,
        /// The citation.
        annotation: &'a Annotation,
    },
    /// Log probabilities in the words of chat completions (`{content: […], refusal: […]}`).
    Logprobs {
        /// The choice.
        choice: u32,
        /// The entries for the words that came with them.
        entries: &'a Value,
    },
    /// A part is complete.
    PartEnd {
        /// Where.
        at: At,
    },
    /// A choice is complete, all of its parts ended. Already settled against what was generated.
    Finish {
        /// The choice.
        choice: u32,
        /// Why.
        finish: &'a Finish,
    },
    /// Usage so far; cumulative, to be merged field by field.
    Usage(&'a Usage),
    /// A fact about the whole answer that came late or is not part of the core: the service tier.
    Tier(&'a str),
    /// The answer is complete. Comes once, last, after every `Finish`.
    End,
    /// The answer failed. Nothing comes after it.
    Error(&'a Failure),
    /// The upstream is alive.
    Ping,
}

impl Event<'_> {
    /// The choice that the event belongs to; what concerns the whole answer is with the first.
    pub fn choice(&self) -> u32 {
        match self {
            Self::PartStart { at, .. }
            | Self::Text { at, .. }
            | Self::Arguments { at, .. }
            | Self::Signature { at, .. }
            | Self::Note { at, .. }
            | Self::PartEnd { at } => at.choice,
            Self::Logprobs { choice, .. } | Self::Finish { choice, .. } => *choice,
            _ => 0,
        }
    }

    /// The same event elsewhere: `place` says where a place is now.
    #[must_use]
    pub fn moved(self, place: impl Fn(At) -> At) -> Self {
        let moved = |choice| place(At { choice, part: 0 }).choice;
        match self {
            Self::PartStart { at, head } => Self::PartStart {
                at: place(at),
                head,
            },
            Self::Text { at, text } => Self::Text {
                at: place(at),
                text,
            },
            Self::Arguments { at, text } => Self::Arguments {
                at: place(at),
                text,
            },
            Self::Signature { at, signature } => Self::Signature {
                at: place(at),
                signature,
            },
            Self::Note { at, annotation } => Self::Note {
                at: place(at),
                annotation,
            },
            Self::PartEnd { at } => Self::PartEnd { at: place(at) },
            Self::Logprobs { choice, entries } => Self::Logprobs {
                choice: moved(choice),
                entries,
            },
            Self::Finish { choice, finish } => Self::Finish {
                choice: moved(choice),
                finish,
            },
            whole => whole,
        }
    }
}

/// What a part is, when it begins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PartHead<'a> {
    /// Text.
    Text,
    /// A refusal in words.
    Refusal,
    /// Reasoning.
    Thinking(ThinkingForm),
    /// A call of a client's tool.
    ToolCall {
        /// Its id; never empty here, readers make one up where the vendor gave none.
        id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// The tool's namespace (responses).
        namespace: Option<&'a str>,
        /// Whether it takes free text.
        is_free: bool,
    },
    /// Generated media, whole.
    Media(&'a Media),
    /// A block that only its own dialect understands, whole.
    Hosted(&'a Hosted),
}

/// Takes events.
pub trait EventSink {
    /// Takes one event.
    fn event(&mut self, event: Event<'_>);
}

impl<F: FnMut(Event<'_>)> EventSink for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}
