//! Events in few words, all of the first choice.

use crate::Signature;
use crate::canonical::{Annotation, At, Event, Finish, PartHead};

pub(crate) fn at(part: u32) -> At {
    At { choice: 0, part }
}

/// A part begins.
pub(crate) fn begun(part: u32, head: PartHead<'_>) -> Event<'_> {
    Event::PartStart { at: at(part), head }
}

/// A part has more words.
pub(crate) fn words(part: u32, text: &str) -> Event<'_> {
    Event::Text { at: at(part), text }
}

/// A call has more arguments.
pub(crate) fn arguments(part: u32, text: &str) -> Event<'_> {
    Event::Arguments { at: at(part), text }
}

/// A part is signed.
pub(crate) fn signed(part: u32, signature: &Signature) -> Event<'_> {
    Event::Signature {
        at: at(part),
        signature,
    }
}

/// A text is annotated.
pub(crate) fn noted(part: u32, annotation: &Annotation) -> Event<'_> {
    Event::Note {
        at: at(part),
        annotation,
    }
}

/// A part is complete.
pub(crate) fn ended(part: u32) -> Event<'static> {
    Event::PartEnd { at: at(part) }
}

/// The choice is complete.
pub(crate) fn finished(finish: &Finish) -> Event<'_> {
    Event::Finish { choice: 0, finish }
}

/// What begins a call of this function.
pub(crate) fn call_head<'a>(id: &'a str, name: &'a str) -> PartHead<'a> {
    PartHead::ToolCall {
        id,
        name,
        namespace: None,
        is_free: false,
    }
}
