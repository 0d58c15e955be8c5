//! How tries on channels went: a channel that fails and is saved by another shows here only.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::ChannelId;
use store::names::{Named, names};
use store::rollups::{ChannelAttempts, channel_attempts};

use super::fresh::freshen;
use super::search::RangeQuery;
use crate::app::App;
use crate::management::frame::{ApiError, Moment, Reply, Search};

/// Which channel.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChannelQuery {
    /// Only this one.
    channel_id: Option<i64>,
}

/// Tries of one channel in one stretch of time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ChannelHealth")]
pub struct ChannelHealthView {
    /// Where the stretch begins.
    at: Moment,
    /// The channel.
    channel_id: i64,
    /// Its name, while it exists.
    channel: Option<String>,
    /// Tries.
    attempts: i64,
    /// Tries that failed.
    failures: i64,
}

/// Says how tries on channels went.
pub(super) async fn channel_health(
    State(app): State<Arc<App>>,
    Search(range): Search<RangeQuery>,
    Search(query): Search<ChannelQuery>,
) -> Result<Reply<Vec<ChannelHealthView>>, ApiError> {
    freshen(&app).await?;
    let range = range.range(&app)?;
    let records = app.store().read();
    let channel = query.channel_id.map(ChannelId);
    let rows =
        channel_attempts(records, range.grain, range.from_ms, range.until_ms, channel).await?;
    let ids = rows.iter().map(|row| row.channel_id.0);
    let known = names(records, Named::Channels, ids).await?;
    let show = |row: ChannelAttempts| ChannelHealthView {
        at: Moment(row.bucket_start),
        channel_id: row.channel_id.0,
        channel: known.get(&row.channel_id.0).cloned(),
        attempts: row.attempts,
        failures: row.failures,
    };
    Ok(Reply::of(rows.into_iter().map(show).collect()))
}
