//! Answers of the responses format that clients asked to keep: encrypted, their owner's alone, until
//! their time is over. An answer is found from the moment that its client has it, written or not.

mod document;
mod items;
mod left;
mod shelf;

pub use document::Kept;
pub use items::find_items;
pub use left::{SILENCE_MS, fail_own, fail_silent};
pub use shelf::Shelf;
