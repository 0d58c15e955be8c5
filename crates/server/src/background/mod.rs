//! Work that no request asks for.

mod notices;
mod upkeep;

pub use notices::{announce, heed_notices};
pub use upkeep::keep_up;
