//! Answers of the responses format that clients asked to keep: encrypted, their owner's alone, until
//! their time is over. An answer is found from the moment that its client has it, written or not.

mod document;
mod shelf;

pub use document::Kept;
pub use shelf::Shelf;
