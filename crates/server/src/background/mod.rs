//! Work that no request asks for.

mod upkeep;

pub use upkeep::keep_up;
