//! What is summed, and how a row of sums is read.

use std::ops::AddAssign;

use sea_orm::{DbErr, FromQueryResult, QueryResult};

use super::histogram::{BUCKETS, Histogram};
use crate::request_log::LoggedCall;

/// Columns that are plain sums, in the order of the table.
pub(super) const SUMS: [&str; 8] = [
    "requests",
    "errors",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "charge_nanos",
];

/// The two histograms, named like the columns of the log without `_ms`.
pub(super) const HISTOGRAMS: [&str; 2] = ["total", "first_byte"];

/// Sums over some calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Calls.
    pub requests: i64,
    /// Calls answered with status 400 or above.
    pub errors: i64,
    /// Input tokens not read from a cache.
    pub input_tokens: i64,
    /// Output tokens, reasoning included.
    pub output_tokens: i64,
    /// Input tokens read from a cache.
    pub cache_read_tokens: i64,
    /// Input tokens written to a cache.
    pub cache_write_tokens: i64,
    /// Output tokens that were reasoning.
    pub reasoning_tokens: i64,
    /// What the calls cost.
    pub charge_nanos: i64,
    /// How long the calls took.
    pub total: Histogram,
    /// How long their first bytes took, where there was one.
    pub first_byte: Histogram,
}

impl Measures {
    /// Adds one call.
    pub(super) fn count(&mut self, call: &LoggedCall) {
        self.requests += 1;
        self.errors += i64::from(call.status >= 400);
        self.input_tokens += call.input_tokens;
        self.output_tokens += call.output_tokens;
        self.cache_read_tokens += call.cache_read_tokens;
        self.cache_write_tokens += call.cache_write_tokens;
        self.reasoning_tokens += call.reasoning_tokens;
        self.charge_nanos += call.charge_nanos;
        self.total.count(call.total_ms);
        if let Some(time_ms) = call.first_byte_ms {
            self.first_byte.count(time_ms);
        }
    }

    /// The sums, in the order of [`columns`].
    pub(super) fn in_order(&self) -> impl Iterator<Item = i64> {
        let sums = [
            self.requests,
            self.errors,
            self.input_tokens,
            self.output_tokens,
            self.cache_read_tokens,
            self.cache_write_tokens,
            self.reasoning_tokens,
            self.charge_nanos,
        ];
        let histograms = self.total.counts.into_iter().chain(self.first_byte.counts);
        sums.into_iter().chain(histograms)
    }
}

impl AddAssign for Measures {
    fn add_assign(&mut self, other: Self) {
        self.requests += other.requests;
        self.errors += other.errors;
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cache_read_tokens += other.cache_read_tokens;
        self.cache_write_tokens += other.cache_write_tokens;
        self.reasoning_tokens += other.reasoning_tokens;
        self.charge_nanos += other.charge_nanos;
        self.total += other.total;
        self.first_byte += other.first_byte;
    }
}

/// One row of an answer: sums for one place in time, one key, or both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageRow {
    /// Where the bucket begins; 0 in answers that are not cut by time.
    pub bucket_start: i64,
    /// What was grouped by, as text; empty in answers that are not grouped.
    pub key: String,
    /// The sums.
    pub measures: Measures,
}

/// Tries of one channel in one bucket.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct ChannelAttempts {
    /// Where the bucket begins.
    pub bucket_start: i64,
    /// The channel.
    pub channel_id: crate::ids::ChannelId,
    /// Tries.
    pub attempts: i64,
    /// Tries that failed.
    pub failures: i64,
}

/// Every measure's column, in the order of the table.
pub(super) fn columns() -> Vec<String> {
    let histograms = HISTOGRAMS
        .iter()
        .flat_map(|name| (0..BUCKETS).map(move |bucket| format!("{name}_{bucket}")));
    SUMS.iter()
        .map(|&name| name.to_owned())
        .chain(histograms)
        .collect()
}

impl FromQueryResult for UsageRow {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let histogram = |name: &str| -> Result<Histogram, DbErr> {
            let mut histogram = Histogram::default();
            for (bucket, count) in histogram.counts.iter_mut().enumerate() {
                *count = row.try_get(prefix, &format!("{name}_{bucket}"))?;
            }
            Ok(histogram)
        };
        let WithoutTimes(mut usage) = WithoutTimes::from_query_result(row, prefix)?;
        usage.measures.total = histogram("total")?;
        usage.measures.first_byte = histogram("first_byte")?;
        Ok(usage)
    }
}

/// A row whose histograms were not asked for.
pub(super) struct WithoutTimes(pub UsageRow);

impl FromQueryResult for WithoutTimes {
    fn from_query_result(row: &QueryResult, prefix: &str) -> Result<Self, DbErr> {
        let sum = |name: &str| row.try_get::<i64>(prefix, name);
        Ok(Self(UsageRow {
            bucket_start: sum("bucket")?,
            key: row.try_get(prefix, "key")?,
            measures: Measures {
                requests: sum("requests")?,
                errors: sum("errors")?,
                input_tokens: sum("input_tokens")?,
                output_tokens: sum("output_tokens")?,
                cache_read_tokens: sum("cache_read_tokens")?,
                cache_write_tokens: sum("cache_write_tokens")?,
                reasoning_tokens: sum("reasoning_tokens")?,
                charge_nanos: sum("charge_nanos")?,
                ..Measures::default()
            },
        }))
    }
}
