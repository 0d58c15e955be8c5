//! Sums of a whole range.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use store::rollups;

use super::fresh::freshen;
use super::search::{RangeQuery, SumSearch};
use super::view::{PercentileView, SumsView};
use crate::app::App;
use crate::management::frame::{ApiError, Identity, Moment, Reply, Search};
use crate::management::scope::ScopeQuery;

/// Sums of a range, beside those of the one before.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Summary")]
pub struct SummaryView {
    /// Where the range begins, in whole buckets.
    from: Moment,
    /// Where it ends.
    to: Moment,
    /// The sums.
    current: SumsView,
    /// The sums of the period of the same length before.
    previous: SumsView,
}

/// How long calls took.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Latency")]
pub struct PercentilesView {
    /// From the beginning to the end of calls.
    total_ms: PercentileView,
    /// From the beginning of calls to the first byte.
    first_byte_ms: PercentileView,
    /// Of how many calls.
    requests: i64,
}

/// Sums a range up.
pub(super) async fn summary(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(range): Search<RangeQuery>,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<SumSearch>,
) -> Result<Reply<SummaryView>, ApiError> {
    freshen(&app).await?;
    let range = range.range(&app)?;
    let records = app.store().read();
    let filter = search.clone().filter(range, &scope, &identity)?;
    let current = rollups::totals(records, &filter).await?;
    let filter = search.filter(range.before(), &scope, &identity)?;
    let previous = rollups::totals(records, &filter).await?;
    Ok(Reply::of(SummaryView {
        from: Moment(range.from_ms),
        to: Moment(range.until_ms),
        current: SumsView::of(&current),
        previous: SumsView::of(&previous),
    }))
}

/// Says how long calls took.
pub(super) async fn percentiles(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(range): Search<RangeQuery>,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<SumSearch>,
) -> Result<Reply<PercentilesView>, ApiError> {
    freshen(&app).await?;
    let filter = search.filter(range.range(&app)?, &scope, &identity)?;
    let sums = rollups::totals(app.store().read(), &filter).await?;
    Ok(Reply::of(PercentilesView {
        total_ms: PercentileView::of(&sums.total),
        first_byte_ms: PercentileView::of(&sums.first_byte),
        requests: sums.requests,
    }))
}
