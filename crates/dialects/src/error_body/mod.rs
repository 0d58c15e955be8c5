//! Any vendor's error, whatever it looks like: its body, and its hint when to try again.

mod kind;
mod mask;
mod read;
mod retry;

pub use mask::mask;
pub use read::{for_client, read_error};
pub use retry::retry_after_ms;
