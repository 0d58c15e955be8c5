//! Sums of the request log for charts and tiles, per minute, hour and day, by user, token,
//! channel, model and endpoint; with latency histograms, so that percentiles can be answered for
//! any range. They follow the log by [`update`], which counts every call exactly once.

mod histogram;
mod measures;
mod query;
mod update;

pub use histogram::{BOUNDS_MS, Histogram};
pub use measures::{ChannelAttempts, Measures, UsageRow};
pub use query::{
    Dimension, Grain, RankBy, RollupFilter, breakdown, channel_attempts, series, totals,
};
pub use update::{BatchBounds, update};
