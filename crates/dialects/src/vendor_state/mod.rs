//! References to what a vendor keeps: files, containers, prompts, conversations, caches. It is kept under the key of a
//! channel, which many people call through, and an id of it is all that it takes to read it.
//!
//! Names and values are compared as they are meant, whatever their spelling. The table is data (`table.json`); a test
//! compares it with the request types of the vendors' official SDKs.

mod look;
mod table;

#[cfg(test)]
mod tests;

pub use look::{Found, Rejected, look};
pub use table::Surface;

use crate::{Sighted, Word};

/// Whether a body with these words may hold such a reference. False is certain.
pub fn is_suspected(surface: Surface, sighted: &Sighted) -> bool {
    let has = |word| sighted.has(word);
    surface == Surface::Responses
        || sighted.pointers > 0
        || has(Word::VendorState)
        || has(Word::Audio)
        || has(Word::Escaped)
}
