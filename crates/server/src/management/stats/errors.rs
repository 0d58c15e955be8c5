//! Why calls failed.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;
use store::request_log::{CauseCount, error_causes};

use super::memory::{About, remembered};
use super::search::RangeQuery;
use crate::app::App;
use crate::management::frame::{ApiError, Moment, Reply, Search};

const MOST: u32 = 100;

/// A cause and how often it struck.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ErrorCause")]
pub struct CauseView {
    /// A short word for what went wrong.
    error_cause: String,
    /// How many calls failed for it.
    calls: i64,
    /// When it struck last.
    last_at: Moment,
}

/// Says why calls failed.
pub(super) async fn errors(
    State(app): State<Arc<App>>,
    Search(range): Search<RangeQuery>,
) -> Result<Reply<Vec<CauseView>>, ApiError> {
    let range = range.range(&app)?;
    let records = app.store().read();
    let about = About {
        name: "causes".to_owned(),
        from_ms: range.from_ms,
        until_ms: range.until_ms,
    };
    let counting = error_causes(records, range.from_ms, range.until_ms, MOST);
    let causes: Vec<CauseCount> = remembered(&app, about, counting).await?;
    let show = |cause: CauseCount| CauseView {
        error_cause: cause.error_cause,
        calls: cause.calls,
        last_at: Moment(cause.last_at),
    };
    Ok(Reply::of(causes.into_iter().map(show).collect()))
}
