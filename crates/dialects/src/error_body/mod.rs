//! Any vendor's error, whatever it looks like: its body, and its hint when to try again; and the
//! body that most of our own paths answer with.

mod kind;
mod mask;
mod read;
mod refused_signature;
mod retry;
mod write;

pub use mask::mask;
pub use read::{for_client, read_error, unusable};
pub use refused_signature::refuses_signature;
pub use retry::retry_after_ms;
pub use write::{write, write_frame};
