//! Which price counts: the operator's, the configuration's or the shipped catalogue's, at any
//! moment of the past or the future. And how lists of others differ from it.

mod book;
mod catalogue;
mod compare;
mod components;
mod declared;
mod price_list;

pub use book::{PriceBook, Priced, Source, UnreadablePrice};
pub use catalogue::Catalogue;
pub use compare::{Comparison, Difference, DifferenceKind, compare};
pub use components::{Component, ComponentError, components_of, with_components};
pub use declared::record_declared;
pub use price_list::{LeftOut, PriceList, PriceListError};
