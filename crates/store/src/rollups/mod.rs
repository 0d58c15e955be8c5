//! Sums of the request log for charts and tiles, per minute, hour and day, by user, token,
//! channel, model and endpoint; with latency histograms, so that percentiles can be answered for
//! any range. Beside them are sums of the whole service, and narrow ones by who pays, so that many
//! users make no question slow. They follow the log by [`update`], which counts every call exactly once.

mod histogram;
mod measures;
mod payers;
mod query;
mod tables;
mod update;

pub use histogram::{BOUNDS_MS, Histogram};
pub use measures::{ChannelAttempts, Measures, UsageRow};
pub use payers::largest_payers;
pub use query::{
    Dimension, Grain, RankBy, RollupFilter, breakdown, breakdown_of, channel_attempts, series,
    totals,
};
pub use update::{BatchBounds, update};
