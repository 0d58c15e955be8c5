//! Sums of the request log for charts and tiles, per minute, hour and day, by user, token,
//! channel, model and endpoint; with latency histograms, so that percentiles can be answered for
//! any range. Beside them are sums of the whole service, and narrow ones by who pays, so that many
//! users make no question slow. They follow the log: each node adds what it wrote ([`Pending`]), and [`update`]
//! what a dead node did not; every call is counted exactly once.

mod gathered;
mod histogram;
mod measures;
mod payers;
mod pending;
mod query;
mod tables;
mod update;
mod write;

pub use histogram::{BOUNDS_MS, Histogram};
pub use measures::{ChannelAttempts, Measures, UsageRow};
pub use payers::largest_payers;
pub use pending::Pending;
pub use query::{
    Dimension, Grain, RankBy, RollupFilter, breakdown, breakdown_of, channel_attempts, series,
    totals,
};
pub use update::{BatchBounds, update};
