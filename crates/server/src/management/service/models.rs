//! `GET /api/status/models`: how the models are doing, for visitors. It tells shares and times, never
//! how many calls there are: that is nobody else's business.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use store::rollups::{self, Dimension, Grain, Measures, RankBy, RollupFilter};

use crate::accounts::DEFAULT_GROUP;
use crate::app::App;
use crate::channels;
use crate::management::frame::{ApiError, Reply};

const DAY_MS: i64 = 86_400_000;
/// Models that are looked at, the most used first.
const MOST_MODELS: u32 = 1_000;

/// How a model is doing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelStatus {
    /// The model.
    model: String,
    /// Whether a call would be taken now.
    is_available: bool,
    /// Failed calls of the last day in a thousand; `null` without calls.
    failed_per_mille: Option<i64>,
    /// How long the first byte took in the last day, in milliseconds, for 95 of 100 calls; `null`
    /// without calls.
    first_byte_p95_ms: Option<i64>,
}

/// Shows how the models are doing.
pub(super) async fn show(State(app): State<Arc<App>>) -> Result<Reply<Vec<ModelStatus>>, ApiError> {
    if !app.config().console.status_page {
        return Err(ApiError::forbidden("The status page is not public here."));
    }
    let now = app.clock().now_ms();
    let filter = RollupFilter::range(Grain::Hour, now - DAY_MS, now);
    let records = app.store().read();
    let (by, rank) = (Dimension::Model, RankBy::Requests);
    let rows = rollups::breakdown(records, &filter, by, rank, MOST_MODELS).await?;
    let past: HashMap<String, Measures> = rows
        .into_iter()
        .map(|row| (row.key, row.measures))
        .collect();
    let snapshot = app.channels().snapshot();
    let groups = [DEFAULT_GROUP.to_owned()];
    let covered = channels::coverage(&snapshot, &groups, now);
    let served = covered.into_iter().filter(|one| one.channels > 0);
    let status = served.map(|one| {
        let past = past.get(&one.model).filter(|past| past.requests > 0);
        ModelStatus {
            is_available: one.healthy > 0,
            failed_per_mille: past.map(|past| past.errors * 1000 / past.requests),
            first_byte_p95_ms: past.and_then(|past| past.first_byte.percentile(95)),
            model: one.model,
        }
    });
    Ok(Reply::of(status.collect()))
}
