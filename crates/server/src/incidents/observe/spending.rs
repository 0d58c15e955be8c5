//! An hour that cost far more than those of the day before: a token that leaked, a loop, a wrong
//! price. From the sums of calls.

use billing::pricing::format_dollars;
use serde_json::json;
use store::Result;
use store::incidents::Severity;
use store::rollups::{self, Dimension, Grain, RankBy, RollupFilter};

use super::super::finding::Finding;
use super::super::rule::Rule;
use crate::app::App;
use crate::config::IncidentsConfig;

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Looks at the last hour, to the minute, and at the day before it.
pub(in crate::incidents) async fn spending(
    app: &App,
    config: &IncidentsConfig,
    now: i64,
) -> Result<Option<Finding>> {
    let until = now - now.rem_euclid(60_000) + 60_000;
    let from = until - HOUR_MS;
    let records = app.store().read();
    let last = RollupFilter::range(Grain::Minute, from, until);
    let spent = rollups::totals(records, &last).await?.charge_nanos;
    if spent < config.spend_usd.nanos() {
        return Ok(None);
    }
    let before = RollupFilter::range(Grain::Minute, from - DAY_MS, from);
    let usual = rollups::totals(records, &before).await?.charge_nanos / 24;
    if spent < usual.saturating_mul(i64::from(config.spend_times)) {
        return Ok(None);
    }
    let users = rollups::breakdown(records, &last, Dimension::User, RankBy::Charge, 5).await?;
    let users: Vec<_> = users
        .iter()
        .map(|row| json!({"user_id": row.key, "spent_usd": format_dollars(row.measures.charge_nanos)}))
        .collect();
    let title = "Calls cost far more than usual";
    let summary = format!(
        "The last hour cost {} dollars; the mean hour of the day before cost {}.",
        format_dollars(spent),
        format_dollars(usual)
    );
    let facts = json!({
        "spent_usd": format_dollars(spent),
        "usual_usd": format_dollars(usual),
        "users": users,
    });
    Ok(Some(Finding::of_service(
        Rule::SpendAnomaly,
        Severity::Warning,
        (title, summary),
        facts,
    )))
}
