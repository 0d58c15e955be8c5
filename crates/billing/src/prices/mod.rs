//! Which price counts: the operator's, the configuration's or the shipped catalogue's, at any
//! moment of the past or the future.

mod book;
mod catalogue;
mod declared;

pub use book::{PriceBook, Priced, Source, UnreadablePrice};
pub use catalogue::Catalogue;
pub use declared::record_declared;
