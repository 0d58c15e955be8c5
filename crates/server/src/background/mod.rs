//! Work that no request asks for.

mod channels;
mod notices;
mod upkeep;

pub use channels::keep_channels;
pub use notices::{announce, heed_notices};
pub use upkeep::keep_up;
