//! What an incident touches: calls from its beginning to its end, from the sums behind the charts.
//! Where it is about a channel or a model, only calls of that.

use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::Serialize;
use store::incidents::Incident;
use store::names::{Named, names};
use store::rollups::{self, Dimension, Grain, RankBy, RollupFilter, UsageRow};

use crate::app::App;
use crate::management::frame::{ApiError, Moment};
use crate::management::stats::freshen;

/// So many of each kind are shown.
const MOST: u32 = 20;
/// Sums are kept by the minute for so long; older incidents are counted by the hour.
const MINUTES_MS: i64 = 2 * 86_400_000;

/// What an incident touches.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentAffected")]
pub struct AffectedView {
    /// From when on calls are counted: the minute, or the hour, in which it began.
    from: Moment,
    /// Until when.
    to: Moment,
    /// Calls.
    requests: i64,
    /// Of them: those that were answered with status 400 or above.
    errors: i64,
    /// What they cost, in dollars.
    charge_usd: String,
    /// What they cost, in quota units.
    quota: i64,
    /// Models with failed calls, most failures first.
    models: Vec<AffectedCalls>,
    /// Channels with failed calls.
    channels: Vec<AffectedCalls>,
    /// Users with failed calls.
    users: Vec<AffectedCalls>,
    /// Tokens with failed calls.
    tokens: Vec<AffectedCalls>,
}

/// Calls of one model, channel, user or token.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentCalls")]
pub struct AffectedCalls {
    /// The id of the channel, user or token; `null` for models.
    id: Option<i64>,
    /// Its name; `null` where it does not exist any more.
    name: Option<String>,
    /// Calls.
    requests: i64,
    /// Of them: those that failed.
    errors: i64,
}

/// Sums up what an incident touches.
pub(super) async fn affected(app: &App, incident: &Incident) -> Result<AffectedView, ApiError> {
    freshen(app).await?;
    let now = app.clock().now_ms();
    let grain = if now - incident.opened_at < MINUTES_MS {
        Grain::Minute
    } else {
        Grain::Hour
    };
    let span_ms = grain.span_ms();
    let from = incident.opened_at - incident.opened_at.rem_euclid(span_ms);
    let end = incident.closed_at.unwrap_or(now);
    let until = end - end.rem_euclid(span_ms) + span_ms;
    let filter = RollupFilter {
        channel_id: incident.channel_id,
        model: incident.model.clone(),
        ..RollupFilter::range(grain, from, until)
    };
    let records = app.store().read();
    let sums = rollups::totals(records, &filter).await?;
    let by = async |dimension| {
        let rows = rollups::breakdown(records, &filter, dimension, RankBy::Errors, MOST).await?;
        let failed = rows.into_iter().filter(|row| row.measures.errors > 0);
        Ok::<Vec<UsageRow>, store::StoreError>(failed.collect())
    };
    let models = by(Dimension::Model).await?.into_iter().map(|row| {
        let name = Some(row.key.clone()).filter(|name| !name.is_empty());
        calls(&row, None, name)
    });
    Ok(AffectedView {
        from: Moment(from),
        to: Moment(end),
        requests: sums.requests,
        errors: sums.errors,
        charge_usd: format_dollars(sums.charge_nanos),
        quota: quota_of_nanos(sums.charge_nanos),
        models: models.collect(),
        channels: named(app, by(Dimension::Channel).await?, Named::Channels).await?,
        users: named(app, by(Dimension::User).await?, Named::Users).await?,
        tokens: named(app, by(Dimension::Token).await?, Named::Tokens).await?,
    })
}

async fn named(
    app: &App,
    rows: Vec<UsageRow>,
    what: Named,
) -> Result<Vec<AffectedCalls>, ApiError> {
    let ids = |row: &UsageRow| row.key.parse::<i64>().ok().filter(|id| *id > 0);
    let known = names(app.store().read(), what, rows.iter().filter_map(ids)).await?;
    let rows = rows.iter().filter_map(|row| {
        let id = ids(row)?;
        Some(calls(row, Some(id), known.get(&id).cloned()))
    });
    Ok(rows.collect())
}

fn calls(row: &UsageRow, id: Option<i64>, name: Option<String>) -> AffectedCalls {
    AffectedCalls {
        id,
        name,
        requests: row.measures.requests,
        errors: row.measures.errors,
    }
}
