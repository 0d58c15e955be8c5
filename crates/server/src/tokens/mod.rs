//! Tokens as model calls know them: looked up by their keyed hash, remembered in memory, and
//! forgotten as soon as somebody changes them.

mod directory;
mod holder;
mod issue;
mod last_holder;

pub use directory::{NotLookedUp, Tokens};
pub use holder::Holder;
pub use issue::{Issued, issue};
pub use last_holder::LastHolder;
