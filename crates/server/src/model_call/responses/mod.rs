//! What the responses format has beyond a text call: answers that are kept, gone on from, made in
//! the background, looked at, cancelled and deleted, whatever the upstream speaks.

mod background;
mod earlier;
mod endpoints;
mod keeping;
mod read;
mod renamed;

pub use endpoints::{cancel, compact, delete, get, input_items};
pub use keeping::{Keeping, KeptAnswer};
pub use read::{read, resumed};
