//! Why calls go where they go: which channels a call would try now, and how well models are served.

use std::sync::Arc;

use axum::extract::State;
use providers::Operation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{TokenId, UserId, groups, tokens, users};

use super::view::{KeyHealth, key_health};
use crate::app::App;
use crate::channels::{self, Candidate, Excluded, Reason};
use crate::management::frame::{ApiError, Input, Moment, Reply, Search};
use crate::model_pattern;

/// Whose call, for which model.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct ExplainQuery {
    /// The model that the client would ask for, or a pattern: any model that it stands for and no channel lists.
    model: String,
    /// The group that would ask; absent: that of `token_id` or `user_id`, else `default`.
    #[serde(default)]
    group: Option<String>,
    /// The token that would ask.
    #[serde(default)]
    token_id: Option<i64>,
    /// The user who would ask.
    #[serde(default)]
    user_id: Option<i64>,
    /// What would be asked, for example `generate` or `embed`; absent: `generate`.
    #[serde(default)]
    operation: Option<String>,
}

/// Which channels a call would try now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExplanationView {
    /// The model.
    model: String,
    /// The group.
    group: String,
    /// What would be asked.
    operation: String,
    /// Who is tried: tier after tier.
    tiers: Vec<TierView>,
    /// Everybody else, with the reason.
    excluded: Vec<ExcludedView>,
}

/// Channels of one priority.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TierView {
    /// The priority.
    priority: i64,
    /// The likeliest first.
    candidates: Vec<CandidateView>,
}

/// A channel that would take the call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CandidateView {
    /// The channel.
    channel_id: i64,
    /// Its name.
    name: String,
    /// The provider's id.
    #[serde(rename = "type")]
    provider: String,
    /// What the upstream calls the model.
    upstream_model: String,
    /// Its weight.
    weight: u32,
    /// How likely it is the first of its tier, from 0 to 1.
    share: f64,
    /// Whether the call would be the probe of a channel that failed.
    is_probe: bool,
    /// The moving average to the first byte.
    latency_ms: Option<f64>,
    /// Calls under way on this node.
    in_flight: u32,
    /// Dialects whose paths the upstream did not know of late: calls in them are converted.
    lacks_dialects: Vec<String>,
    /// Its keys.
    keys: Vec<KeyHealth>,
}

/// A channel that would not.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExcludedView {
    /// The channel.
    channel_id: i64,
    /// Its name.
    name: String,
    /// The provider's id.
    #[serde(rename = "type")]
    provider: String,
    /// Its priority.
    priority: i64,
    /// Why not.
    reason: Reason,
    /// More of it.
    detail: Option<String>,
    /// When that ends, where it ends by itself.
    until: Option<Moment>,
}

/// How well a model is served for a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CoverageView {
    /// The model, or a pattern of channels.
    model: String,
    /// The group.
    group: String,
    /// Channels that serve it and are switched on.
    channels: usize,
    /// Those that would take a call now and have not failed before it. None left is an incident.
    healthy: usize,
    /// Those that failed and would be tried with the next call, to see whether they are back.
    on_trial: usize,
    /// Whether the model has a price; of a pattern, some model that it stands for.
    has_price: bool,
}

/// Explains a call that is named by the query.
pub(super) async fn explain_by_query(
    State(app): State<Arc<App>>,
    Search(query): Search<ExplainQuery>,
) -> Result<Reply<ExplanationView>, ApiError> {
    explain(&app, query).await
}

/// Explains a call that is named by the body.
pub(super) async fn explain_by_body(
    State(app): State<Arc<App>>,
    Input(query): Input<ExplainQuery>,
) -> Result<Reply<ExplanationView>, ApiError> {
    explain(&app, query).await
}

async fn explain(app: &App, query: ExplainQuery) -> Result<Reply<ExplanationView>, ApiError> {
    let group = group_of(app, &query).await?;
    let wanted = query.operation.as_deref().unwrap_or("generate");
    let operation = Operation::ALL.into_iter().find(|one| one.name() == wanted);
    let operation = operation.ok_or_else(|| {
        let names: Vec<&str> = Operation::ALL.iter().map(|one| one.name()).collect();
        ApiError::bad_field("operation", &format!("must be one of {}", names.join(", ")))
    })?;
    let snapshot = app.channels().snapshot();
    let now = app.clock().now_ms();
    let explained = channels::explain(&snapshot, (&group, &query.model), operation, now);
    let tier = |tier: channels::ExplainedTier| TierView {
        priority: tier.priority,
        candidates: tier.candidates.into_iter().map(candidate).collect(),
    };
    Ok(Reply::of(ExplanationView {
        model: explained.model,
        group: explained.group,
        operation: explained.operation.to_owned(),
        tiers: explained.tiers.into_iter().map(tier).collect(),
        excluded: explained.excluded.into_iter().map(excluded).collect(),
    }))
}

async fn group_of(app: &App, query: &ExplainQuery) -> Result<String, ApiError> {
    if let Some(group) = &query.group {
        return Ok(group.clone());
    }
    let records = app.store().read();
    let mut user_id = query.user_id.map(UserId);
    if let Some(id) = query.token_id {
        let token = tokens::get(records, TokenId(id)).await?;
        let token = token.ok_or_else(|| ApiError::not_found("The token"))?;
        if let Some(group) = token.group_name {
            return Ok(group);
        }
        user_id = Some(token.user_id);
    }
    let Some(id) = user_id else {
        return Ok(crate::accounts::DEFAULT_GROUP.to_owned());
    };
    let user = users::get(records, id).await?;
    let user = user.ok_or_else(|| ApiError::not_found("The user"))?;
    Ok(user.group_name)
}

/// How well every model is served for every group.
pub(super) async fn coverage(
    State(app): State<Arc<App>>,
) -> Result<Reply<Vec<CoverageView>>, ApiError> {
    let groups = groups::list(app.store().read()).await?;
    let names: Vec<String> = groups.into_iter().map(|group| group.name).collect();
    let (snapshot, now) = (app.channels().snapshot(), app.clock().now_ms());
    let book = app.prices().book();
    let has_price = |model: &str| {
        let serving = snapshot.channels();
        let upstreams = serving.filter_map(|channel| channel.upstream_model(model));
        let mut names = std::iter::once(model.into()).chain(upstreams);
        match model_pattern::beginning(model) {
            Some(_) => names.any(|name: Arc<str>| {
                let mut priced = book.models(now);
                priced.any(|priced| model_pattern::covers(&name, priced))
            }),
            None => names.any(|name| book.find(model, Some(&name), now).is_some()),
        }
    };
    let show = |one: channels::Coverage| CoverageView {
        has_price: has_price(&one.model),
        model: one.model,
        group: one.group,
        channels: one.channels,
        healthy: one.healthy,
        on_trial: one.on_trial,
    };
    let covered = channels::coverage(&snapshot, &names, now);
    Ok(Reply::of(covered.into_iter().map(show).collect()))
}

fn candidate(one: Candidate) -> CandidateView {
    CandidateView {
        channel_id: one.channel_id.0,
        name: one.name,
        provider: one.provider,
        upstream_model: one.upstream_model,
        weight: one.weight,
        share: one.share,
        is_probe: one.is_probe,
        latency_ms: one.latency_ms,
        in_flight: one.in_flight,
        lacks_dialects: one.lacks_dialects.into_iter().map(str::to_owned).collect(),
        keys: one.keys.into_iter().map(key_health).collect(),
    }
}

fn excluded(one: Excluded) -> ExcludedView {
    ExcludedView {
        channel_id: one.channel_id.0,
        name: one.name,
        provider: one.provider,
        priority: one.priority,
        reason: one.reason,
        detail: one.detail,
        until: one.until_ms.map(Moment),
    }
}
