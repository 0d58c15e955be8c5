//! Sums as the interface shows them.

use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::Serialize;
use store::rollups::{Histogram, Measures};

/// Sums over some calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Sums")]
pub struct SumsView {
    /// Calls.
    requests: i64,
    /// Calls answered with status 400 or above.
    errors: i64,
    /// Input tokens not read from a cache.
    input_tokens: i64,
    /// Output tokens, reasoning included.
    output_tokens: i64,
    /// Input tokens read from a cache.
    cache_read_tokens: i64,
    /// Input tokens written to a cache.
    cache_write_tokens: i64,
    /// Output tokens that were reasoning.
    reasoning_tokens: i64,
    /// What the calls cost, in dollars.
    charge_usd: String,
    /// What the calls cost, in quota units.
    quota: i64,
    /// How long the calls took.
    total_ms: PercentileView,
    /// How long their first bytes took.
    first_byte_ms: PercentileView,
}

/// Percentiles of a time in milliseconds; `null` without calls.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Percentiles")]
pub struct PercentileView {
    /// Half of the calls took no longer.
    p50: Option<i64>,
    /// Nine in ten took no longer.
    p90: Option<i64>,
    /// 95 in 100 took no longer.
    p95: Option<i64>,
    /// 99 in 100 took no longer.
    p99: Option<i64>,
}

impl PercentileView {
    /// The percentiles of a histogram.
    pub fn of(histogram: &Histogram) -> Self {
        Self {
            p50: histogram.percentile(50),
            p90: histogram.percentile(90),
            p95: histogram.percentile(95),
            p99: histogram.percentile(99),
        }
    }
}

impl SumsView {
    /// Sums as the interface shows them.
    pub fn of(measures: &Measures) -> Self {
        Self {
            requests: measures.requests,
            errors: measures.errors,
            input_tokens: measures.input_tokens,
            output_tokens: measures.output_tokens,
            cache_read_tokens: measures.cache_read_tokens,
            cache_write_tokens: measures.cache_write_tokens,
            reasoning_tokens: measures.reasoning_tokens,
            charge_usd: format_dollars(measures.charge_nanos),
            quota: quota_of_nanos(measures.charge_nanos),
            total_ms: PercentileView::of(&measures.total),
            first_byte_ms: PercentileView::of(&measures.first_byte),
        }
    }
}
