//! Sums over time, and by what calls have in common.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::names::{Named, names};
use store::rollups::{self, Dimension, RankBy, RollupFilter, UsageRow};
use store::{ConnectionTrait, StoreError};

use super::fresh::freshen;
use super::ranking;
use super::search::{RangeQuery, SumSearch};
use super::view::SumsView;
use crate::app::App;
use crate::management::frame::{ApiError, Identity, Moment, Reply, Search};
use crate::management::scope::ScopeQuery;

/// Points of a series, unless another step is asked for.
const POINTS: i64 = 100;
/// Points of a series at most, for each key.
const MOST_POINTS: i64 = 1_500;
/// Keys of a breakdown at most.
const MOST_KEYS: u32 = 1_000;

/// How a series is cut.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SeriesQuery {
    /// Seconds between two points; about a hundred points where it is not given.
    step_s: Option<i64>,
    /// Also by `model`, `token`, `endpoint` or, for administrators, `user` or `channel`; such points
    /// have no percentiles.
    group_by: Option<String>,
}

/// Sums over time.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Timeseries")]
pub struct SeriesView {
    /// Where the range begins, in whole buckets.
    from: Moment,
    /// Where it ends.
    to: Moment,
    /// Seconds between two points.
    step_s: i64,
    /// The points with calls, by time and key.
    points: Vec<PointView>,
}

/// Sums of one step.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TimeseriesPoint")]
pub struct PointView {
    /// Where the step begins.
    at: Moment,
    /// What it is grouped by; empty where it is not.
    key: String,
    /// Its name, where it has one.
    name: Option<String>,
    /// The sums.
    sums: SumsView,
}

/// What a breakdown is by.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BreakdownQuery {
    /// `model` (the default), `token`, `endpoint` or, for administrators, `user` or `channel`.
    by: Option<String>,
    /// Largest first by `charge` (the default), `requests` or `errors`.
    rank: Option<String>,
    /// Keys at most: 20, at most 1000.
    limit: Option<u32>,
}

/// A breakdown, largest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Breakdown")]
pub struct BreakdownView {
    /// What it is by.
    by: String,
    /// The keys.
    items: Vec<KeyView>,
}

/// Sums of one key.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BreakdownItem")]
pub struct KeyView {
    /// The model, the endpoint, or an id; `0` where a call had none.
    key: String,
    /// Its name, where it has one.
    name: Option<String>,
    /// The sums.
    sums: SumsView,
}

/// Sums over time.
pub(super) async fn timeseries(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(range): Search<RangeQuery>,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<SumSearch>,
    Search(query): Search<SeriesQuery>,
) -> Result<Reply<SeriesView>, ApiError> {
    freshen(&app).await?;
    let asked_ms = query.step_s.map(|seconds| seconds.saturating_mul(1000));
    let range = range.range_in_steps(&app, asked_ms)?;
    let group_by = query.group_by.as_deref().filter(|text| !text.is_empty());
    let group_by = group_by
        .map(|name| dimension("group_by", name, &identity))
        .transpose()?;
    let filter = search.filter(range, &scope, &identity)?;
    let length = range.until_ms - range.from_ms;
    let step_ms = step(query.step_s, length, range.grain.span_ms())?;
    let records = app.store().read();
    let rows = rollups::series(records, &filter, step_ms, group_by).await?;
    let known = names_of(records, group_by, &rows).await?;
    let point = |row: UsageRow| PointView {
        at: Moment(row.bucket_start),
        name: known.get(&row.key).cloned(),
        key: row.key,
        sums: SumsView::of(&row.measures),
    };
    Ok(Reply::of(SeriesView {
        from: Moment(range.from_ms),
        to: Moment(range.until_ms),
        step_s: step_ms / 1000,
        points: rows.into_iter().map(point).collect(),
    }))
}

/// The step in milliseconds: whole buckets, and not too many.
fn step(asked_s: Option<i64>, length_ms: i64, bucket_ms: i64) -> Result<i64, ApiError> {
    let wanted = match asked_s {
        // Rounded up: a little fewer points than that.
        None => (length_ms / POINTS).saturating_add(bucket_ms - 1),
        Some(seconds) if seconds > 0 => seconds.saturating_mul(1000),
        Some(_) => return Err(ApiError::bad_field("step_s", "must be above zero")),
    };
    let buckets = wanted.max(length_ms / MOST_POINTS) / bucket_ms;
    Ok(buckets.max(1).saturating_mul(bucket_ms))
}

/// Sums by key.
pub(super) async fn breakdown(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(range): Search<RangeQuery>,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<SumSearch>,
    Search(query): Search<BreakdownQuery>,
) -> Result<Reply<BreakdownView>, ApiError> {
    let filter = search.filter(range.range(&app)?, &scope, &identity)?;
    largest(&app, &identity, &filter, query, 20).await
}

/// The five largest keys.
pub(super) async fn top(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(range): Search<RangeQuery>,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<SumSearch>,
    Search(query): Search<BreakdownQuery>,
) -> Result<Reply<BreakdownView>, ApiError> {
    let filter = search.filter(range.range(&app)?, &scope, &identity)?;
    largest(&app, &identity, &filter, query, 5).await
}

async fn largest(
    app: &App,
    identity: &Identity,
    filter: &RollupFilter,
    query: BreakdownQuery,
    usual: u32,
) -> Result<Reply<BreakdownView>, ApiError> {
    freshen(app).await?;
    let by = query.by.filter(|text| !text.is_empty());
    let by = by.unwrap_or_else(|| "model".to_owned());
    let dimension = dimension("by", &by, identity)?;
    let rank = match query.rank.as_deref() {
        None | Some("" | "charge") => RankBy::Charge,
        Some("requests") => RankBy::Requests,
        Some("errors") => RankBy::Errors,
        Some(_) => {
            let text = "must be charge, requests or errors";
            return Err(ApiError::bad_field("rank", text));
        }
    };
    let limit = query.limit.unwrap_or(usual).clamp(1, MOST_KEYS);
    let records = app.store().read();
    let rows = ranking::breakdown(app, filter, dimension, rank, limit).await?;
    let known = names_of(records, Some(dimension), &rows).await?;
    let item = |row: UsageRow| KeyView {
        name: known.get(&row.key).cloned(),
        key: row.key,
        sums: SumsView::of(&row.measures),
    };
    Ok(Reply::of(BreakdownView {
        by,
        items: rows.into_iter().map(item).collect(),
    }))
}

fn dimension(field: &str, name: &str, identity: &Identity) -> Result<Dimension, ApiError> {
    match name {
        "model" => Ok(Dimension::Model),
        "token" => Ok(Dimension::Token),
        "endpoint" => Ok(Dimension::Endpoint),
        "user" | "channel" if !identity.is_administrator() => Err(ApiError::forbidden(
            "Only administrators see sums by user or channel.",
        )),
        "user" => Ok(Dimension::User),
        "channel" => Ok(Dimension::Channel),
        _ => Err(ApiError::bad_field(
            field,
            "must be model, token, endpoint, user or channel",
        )),
    }
}

/// What people call the keys, by the keys.
async fn names_of(
    records: &impl ConnectionTrait,
    dimension: Option<Dimension>,
    rows: &[UsageRow],
) -> Result<HashMap<String, String>, StoreError> {
    let named = match dimension {
        Some(Dimension::User) => Named::Users,
        Some(Dimension::Token) => Named::Tokens,
        Some(Dimension::Channel) => Named::Channels,
        _ => return Ok(HashMap::new()),
    };
    let ids = rows.iter().filter_map(|row| row.key.parse::<i64>().ok());
    let found = names(records, named, ids).await?;
    Ok(found
        .into_iter()
        .map(|(id, name)| (id.to_string(), name))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: i64 = 60_000;

    #[test]
    fn steps_are_whole_buckets_and_not_too_many() {
        let day = 86_400_000;
        assert_eq!(step(None, day, MINUTE_MS).unwrap(), 15 * MINUTE_MS);
        assert_eq!(step(Some(3600), day, MINUTE_MS).unwrap(), 60 * MINUTE_MS);
        assert_eq!(step(Some(90), day, MINUTE_MS).unwrap(), MINUTE_MS);
        assert_eq!(step(Some(1), 30 * day, MINUTE_MS).unwrap(), 28 * MINUTE_MS);
        assert!(step(Some(0), day, MINUTE_MS).is_err());
        assert!(step(Some(i64::MAX), day, MINUTE_MS).is_ok());
    }
}
