//! Work that no request asks for.

mod channels;
mod notices;
mod orders;
mod upkeep;

pub use channels::keep_channels;
pub use notices::{announce, heed_notices};
pub use orders::look_after_orders;
pub use upkeep::keep_up;
