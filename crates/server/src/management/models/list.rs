//! Reading models: made from the channels and the price book in memory.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use billing::pricing::Multiplier;
use dialects::{Capabilities, DialectId, ThinkingStyle};
use providers::Operation;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::groups;

use crate::accounts::DEFAULT_GROUP;
use crate::app::App;
use crate::channels::Channel;
use crate::management::frame::{ApiError, Identity, Reply, Search};
use crate::management::group_choice::GroupSearch;

/// A model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Model")]
pub struct ModelView {
    /// The name that clients ask for.
    model: String,
    /// Ids of the providers that serve it, the first choice first.
    providers: Vec<String>,
    /// What can be done with it, by the names of operations.
    operations: Vec<&'static str>,
    /// What it takes and does, where it generates text.
    capabilities: Option<CapabilitiesView>,
    /// What it costs at list price; `null`: it has no price and is refused.
    prices: Option<Value>,
    /// What one's group multiplies prices by.
    multiplier: String,
    /// Names of the channels that serve it; for administrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<String>>,
}

/// What a model takes and does, as far as its name tells.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a table of independent yes and no answers"
)]
pub struct CapabilitiesView {
    /// Looks at images.
    vision: bool,
    /// Listens to audio.
    audio: bool,
    /// Reads documents.
    documents: bool,
    /// Reasons before it answers, where asked to.
    reasoning: bool,
    /// Answers in the form of a schema.
    structured_output: bool,
    /// Takes temperature and the like.
    sampling: bool,
    /// The most tokens it generates, where known.
    max_output: Option<u64>,
}

/// Names of the models that the caller can use.
pub(super) async fn names(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(search): Search<GroupSearch>,
) -> Result<Reply<Vec<String>>, ApiError> {
    let group = search.group(app.store().read(), &actor.user).await?;
    let snapshot = app.channels().snapshot();
    let others = snapshot.priced_by_pattern(&app.prices().book(), app.clock().now_ms());
    let models = snapshot.models(&group, &others).into_iter();
    Ok(Reply::of(
        models.map(|(model, _)| model.to_owned()).collect(),
    ))
}

/// Models with what they do and cost.
pub(super) async fn meta(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(search): Search<GroupSearch>,
) -> Result<Reply<Vec<ModelView>>, ApiError> {
    let group = search.group(app.store().read(), &actor.user).await?;
    let models = describe(&app, &group, actor.is_administrator()).await?;
    Ok(Reply::of(models))
}

/// The same for visitors: what somebody who registers would have.
pub(super) async fn catalogue(
    State(app): State<Arc<App>>,
) -> Result<Reply<Vec<ModelView>>, ApiError> {
    if !app.config().console.catalogue {
        return Err(ApiError::forbidden("The catalogue is not public here."));
    }
    Ok(Reply::of(describe(&app, DEFAULT_GROUP, false).await?))
}

async fn describe(
    app: &App,
    group_name: &str,
    is_administrator: bool,
) -> Result<Vec<ModelView>, ApiError> {
    let group = groups::get(app.store().read(), group_name).await?;
    let multiplier = group.and_then(|group| Multiplier::of_millionths(group.multiplier_ppm));
    let multiplier = multiplier.unwrap_or(Multiplier::ONE).to_string();
    let snapshot = app.channels().snapshot();
    let (book, now) = (app.prices().book(), app.clock().now_ms());
    let mut models = Vec::new();
    let others = snapshot.priced_by_pattern(&book, now);
    let mut names: Vec<&str> = snapshot.all_models().collect();
    names.extend(others.iter().map(String::as_str));
    names.sort_unstable();
    for model in names {
        let mut serving: Vec<(&Arc<Channel>, Arc<str>)> = snapshot
            .channels()
            .filter(|channel| is_administrator || channel.serves(group_name))
            .filter_map(|channel| Some((channel, channel.upstream_model(model)?)))
            .collect();
        if serving.is_empty() {
            continue;
        }
        serving.sort_by_key(|(channel, _)| (-channel.priority, channel.id));
        let price = book.find(model, None, now);
        let of_upstream = || {
            serving
                .iter()
                .find_map(|(_, name)| book.find(model, Some(name), now))
        };
        let price = price.or_else(of_upstream);
        let channels = serving.iter().map(|(channel, _)| channel.name.to_string());
        models.push(ModelView {
            model: model.to_owned(),
            providers: distinct(serving.iter().map(|(channel, _)| &*channel.provider)),
            operations: operations(&serving),
            capabilities: capabilities(&serving),
            prices: price.and_then(|price| serde_json::to_value(&*price.sheet).ok()),
            multiplier: multiplier.clone(),
            channels: is_administrator.then(|| channels.collect()),
        });
    }
    Ok(models)
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names
        .filter(|name| seen.insert(*name))
        .map(str::to_owned)
        .collect()
}

fn operations(serving: &[(&Arc<Channel>, Arc<str>)]) -> Vec<&'static str> {
    let offers = |operation: &Operation| {
        let mut ways = serving.iter();
        *operation != Operation::ListModels
            && ways.any(|(channel, name)| !channel.formats(*operation, name).is_empty())
    };
    let all = Operation::ALL.into_iter().filter(offers);
    all.map(Operation::name).collect()
}

fn capabilities(serving: &[(&Arc<Channel>, Arc<str>)]) -> Option<CapabilitiesView> {
    let spoken = serving.iter().find_map(|(channel, name)| {
        let formats = channel.formats(Operation::Generate, name);
        let format = formats.first()?;
        let dialect = format.dialect().unwrap_or(DialectId::ChatCompletions);
        Some((dialect, &**name))
    });
    let (dialect, name) = spoken?;
    let can = Capabilities::of(dialect, name);
    Some(CapabilitiesView {
        vision: can.image,
        audio: can.audio,
        documents: can.document,
        reasoning: can.thinking != ThinkingStyle::None,
        structured_output: can.structured_output,
        sampling: can.sampling,
        max_output: can.max_output,
    })
}
