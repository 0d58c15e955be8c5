//! Prices beside those of the shipped catalogue or of an uploaded list: what differs, line by line,
//! and taking over the lines that somebody chose. Nothing is fetched from anywhere.

mod accept;
mod preview;
mod view;

pub(super) use accept::{AcceptedLines, accept};
pub(super) use preview::{ComparisonSearch, preview};
pub(super) use view::{PriceComparison, PricesAccepted};
