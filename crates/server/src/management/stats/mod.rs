//! Statistics from the roll-ups: sums, series over time, breakdowns, percentiles; one's own, and
//! everybody's for administrators.

mod channels;
mod errors;
mod fresh;
mod memory;
mod ranking;
mod routes;
mod search;
mod series;
mod summary;
mod view;

pub use fresh::freshen;
pub use routes::routes;
