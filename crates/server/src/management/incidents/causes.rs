//! What upstreams said while an incident lasted: tries that failed, grouped, with a sample of each. From the
//! newest calls of its time, those that another channel saved among them.

use std::collections::{BTreeSet, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use store::incidents::Incident;
use store::names::{Named, names};
use store::request_log::{self, Attempt, LogFilter, LoggedCall, PageBounds, StatusClass};

use crate::app::App;
use crate::management::frame::{ApiError, Moment};

/// Calls that are looked at, whatever became of them…
const CALLS: u32 = 500;
/// …and those that failed at the channel.
const FAILED: u32 = 200;
/// Causes that are shown.
const MOST: usize = 20;

/// Tries that failed alike.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentCause")]
pub struct CauseView {
    /// The channel's id.
    channel_id: i64,
    /// Its name, while it exists.
    channel: Option<String>,
    /// The kind of failure, for example `server_error`.
    kind: String,
    /// The upstream's status, where it gave one.
    status: Option<i64>,
    /// Tries that failed so.
    tries: i64,
    /// Positions of the keys that they used, from 0.
    key_indexes: Vec<i64>,
    /// What was said last; secrets are masked.
    sample: String,
    /// The call that it was said to.
    request_id: String,
    /// When that call ended.
    last_at: Moment,
}

/// What tells causes apart.
type Alike = (i64, Option<i64>, String);

/// The causes of an incident, the most frequent first.
pub(super) async fn causes(app: &App, incident: &Incident) -> Result<Vec<CauseView>, ApiError> {
    let mut found: HashMap<Alike, CauseView> = HashMap::new();
    for call in calls(app, incident).await? {
        let failed = call.attempts.0.iter().filter(|one| one.error.is_some());
        let is_about = |one: &&Attempt| incident.channel_id.is_none_or(|id| one.channel_id == id);
        for attempt in failed.filter(is_about) {
            add(&mut found, &call, attempt);
        }
    }
    let mut causes: Vec<CauseView> = found.into_values().collect();
    causes.sort_by_key(|cause| (std::cmp::Reverse(cause.tries), cause.channel_id));
    causes.truncate(MOST);
    let ids = causes.iter().map(|cause| cause.channel_id);
    let known = names(app.store().read(), Named::Channels, ids).await?;
    for cause in &mut causes {
        cause.channel = known.get(&cause.channel_id).cloned();
    }
    Ok(causes)
}

/// Calls of its time, newest first, each once. What led to it was before it opened.
async fn calls(app: &App, incident: &Incident) -> Result<Vec<LoggedCall>, ApiError> {
    let before_ms = i64::from(app.config().incidents.window_s) * 1000;
    let filter = LogFilter {
        from_ms: Some(incident.opened_at - before_ms),
        until_ms: incident.closed_at,
        model: incident.model.clone(),
        ..LogFilter::default()
    };
    let records = app.store().read();
    let all = request_log::page(records, &filter, None, PageBounds::rows(CALLS)).await?;
    let mut calls = all.items;
    if incident.channel_id.is_some() {
        let filter = LogFilter {
            channel_id: incident.channel_id,
            status_class: Some(StatusClass::ServerError),
            ..filter
        };
        let bounds = PageBounds::rows(FAILED);
        calls.extend(
            request_log::page(records, &filter, None, bounds)
                .await?
                .items,
        );
    }
    let mut seen = HashSet::new();
    calls.retain(|call| seen.insert(call.request_id.to_string()));
    calls.sort_by_key(|call| std::cmp::Reverse(call.created_at));
    Ok(calls)
}

fn add(found: &mut HashMap<Alike, CauseView>, call: &LoggedCall, attempt: &Attempt) {
    let said = attempt.error.as_deref().unwrap_or_default();
    let kind = said.split_once(": ").map_or(said, |(kind, _)| kind);
    let alike = (attempt.channel_id.0, attempt.status, kind.to_owned());
    // The first that is seen is the newest.
    let cause = found.entry(alike).or_insert_with(|| CauseView {
        channel_id: attempt.channel_id.0,
        channel: None,
        kind: kind.to_owned(),
        status: attempt.status,
        tries: 0,
        key_indexes: Vec::new(),
        sample: said.to_owned(),
        request_id: call.request_id.to_string(),
        last_at: Moment(call.created_at),
    });
    cause.tries += 1;
    let keys = cause.key_indexes.iter().copied().chain(attempt.key_index);
    cause.key_indexes = keys.collect::<BTreeSet<i64>>().into_iter().collect();
}
