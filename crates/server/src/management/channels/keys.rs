//! A channel's keys: checked against the provider, pinned to the origin that they were given for, and
//! encrypted. A stored key is never sent anywhere else ([`super::pinning`]).

use std::sync::Arc;

use axum::extract::State;
use providers::Upstream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::ChannelId;
use store::channel_keys::{self, ChannelKey, NewChannelKey};
use store::channels::{self, Channel, ChannelChanges};
use store::shared::Change;

use super::update::editable;
use super::view::{ChannelView, KeyHealth, key_health, view_of};
use crate::app::App;
use crate::background::announce;
use crate::channels::seal_key;
use crate::config::Secret;
use crate::demo;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Moment, Reply, require_fresh_session,
};

/// Where a channel's calls go: what its keys are checked against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// The provider's id.
    pub provider: &'a str,
    /// The base URL; empty: the provider's own.
    pub base_url: &'a str,
}

impl<'a> Address<'a> {
    /// Where a stored channel's calls go.
    pub fn of(channel: &'a Channel) -> Self {
        Self {
            provider: &channel.provider,
            base_url: &channel.base_url,
        }
    }

    /// The origin that a key is sent to; refused where key and address do not fit.
    pub fn origin_of(&self, key: &str) -> Result<String, ApiError> {
        if self.provider == demo::PROVIDER {
            return Ok(String::new());
        }
        let provider = providers::provider(self.provider)
            .ok_or_else(|| ApiError::bad_field("type", "is not a provider"))?;
        match Upstream::open(provider, self.base_url, key) {
            Ok(upstream) => Ok(upstream.base.origin().to_string()),
            Err(providers::BadUpstream::BaseUrl(error)) => {
                Err(ApiError::bad_field("base_url", &error.to_string()))
            }
            Err(providers::BadUpstream::Credential(error)) => {
                Err(ApiError::bad_field("key", &error.to_string()))
            }
        }
    }

    /// A key for the records.
    pub fn seal(
        &self,
        app: &App,
        channel: ChannelId,
        key: &Secret,
    ) -> Result<NewChannelKey, ApiError> {
        let key = Secret::new(key.expose().trim());
        let origin = self.origin_of(key.expose())?;
        Ok(seal_key(
            app.keys(),
            app.randomness(),
            channel,
            &origin,
            &key,
        ))
    }
}

/// A key of a channel, without the key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeyView {
    /// Its position, from 0; the log names it by this.
    index: usize,
    /// The origin that it is sent to.
    origin: String,
    /// Calls a minute.
    rpm: Option<i64>,
    /// Model tokens a minute.
    tpm: Option<i64>,
    /// Calls at once.
    concurrency: Option<i64>,
    /// When it was given.
    created_at: Moment,
    /// How it is doing on this node.
    health: Option<KeyHealth>,
}

/// Lists a channel's keys.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    At(id): At<i64>,
) -> Result<Reply<Vec<KeyView>>, ApiError> {
    let id = ChannelId(id);
    let records = app.store().read();
    if channels::get(records, id).await?.is_none() {
        return Err(ApiError::not_found("The channel"));
    }
    let mut health = app
        .channels()
        .status(id)
        .map_or(Vec::new(), |status| status.keys);
    let stored = channel_keys::list(records, id).await?;
    let show = |(index, key): (usize, ChannelKey)| {
        let found = health.iter().position(|health| health.index == index);
        KeyView {
            index,
            origin: key.pinned_host,
            rpm: key.rpm,
            tpm: key.tpm,
            concurrency: key.concurrency,
            created_at: Moment(key.created_at),
            health: found.map(|found| key_health(health.swap_remove(found))),
        }
    };
    Ok(Reply::of(
        stored.into_iter().enumerate().map(show).collect(),
    ))
}

/// A key in the place of another.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Replacement {
    /// Which one, from 0.
    index: usize,
    /// The new key.
    #[schemars(with = "String")]
    key: Secret,
}

/// How much one key may be used.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct KeyLimits {
    /// Which one, from 0, before keys are removed.
    index: usize,
    /// Calls a minute; absent: no limit.
    rpm: Option<i64>,
    /// Model tokens a minute.
    tpm: Option<i64>,
    /// Calls at once.
    concurrency: Option<i64>,
}

/// What to change of a channel's keys; positions are those before the change.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeyChange {
    /// Keys to put in the place of others.
    replace: Vec<Replacement>,
    /// Limits to set.
    limits: Vec<KeyLimits>,
    /// Keys to remove.
    remove: Vec<usize>,
    /// Keys to add at the end.
    #[schemars(with = "Vec<String>")]
    add: Vec<Secret>,
}

/// Changes a channel's keys one by one.
pub(super) async fn change(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
    Input(input): Input<KeyChange>,
) -> Result<Reply<ChannelView>, ApiError> {
    require_fresh_session(&app, &actor)?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let channel = editable(&transaction, id).await?;
    let address = Address::of(&channel);
    let stored = channel_keys::list(&transaction, channel.id).await?;
    let count = stored.len();
    let keys = changed(&app, channel.id, address, stored, &input)?;
    let changes = json!({
        "key_count": {"from": count, "to": keys.len()},
        "replaced": {"to": input.replace.iter().map(|one| one.index).collect::<Vec<_>>()},
        "removed": {"to": input.remove},
    });
    channel_keys::replace(&transaction, channel.id, keys, now).await?;
    let touched =
        channels::update(&transaction, channel.id, ChannelChanges::default(), now).await?;
    let act = Act {
        action: "channel.keys",
        object_kind: "channel",
        object_id: id.to_string(),
        changes,
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Channel(channel.id)).await;
    Ok(Reply::of(view_of(&app, touched.unwrap_or(channel)).await?))
}

fn changed(
    app: &App,
    channel: ChannelId,
    address: Address<'_>,
    stored: Vec<ChannelKey>,
    input: &KeyChange,
) -> Result<Vec<NewChannelKey>, ApiError> {
    let missing =
        |field: &str, index: usize| ApiError::bad_field(field, &format!("there is no key {index}"));
    let kept = |key: ChannelKey| NewChannelKey {
        secret_encrypted: key.secret_encrypted,
        pinned_host: key.pinned_host,
        rpm: key.rpm,
        tpm: key.tpm,
        concurrency: key.concurrency,
    };
    let mut keys: Vec<Option<NewChannelKey>> =
        stored.into_iter().map(|key| Some(kept(key))).collect();
    for replacement in &input.replace {
        let place = keys.get_mut(replacement.index).and_then(Option::as_mut);
        let place = place.ok_or_else(|| missing("replace", replacement.index))?;
        let sealed = address.seal(app, channel, &replacement.key)?;
        place.secret_encrypted = sealed.secret_encrypted;
        place.pinned_host = sealed.pinned_host;
    }
    for limits in &input.limits {
        let place = keys.get_mut(limits.index).and_then(Option::as_mut);
        let place = place.ok_or_else(|| missing("limits", limits.index))?;
        let positive = |limit: Option<i64>| limit.filter(|limit| *limit > 0);
        place.rpm = positive(limits.rpm);
        place.tpm = positive(limits.tpm);
        place.concurrency = positive(limits.concurrency);
    }
    for index in &input.remove {
        let place = keys
            .get_mut(*index)
            .ok_or_else(|| missing("remove", *index))?;
        *place = None;
    }
    let mut keys: Vec<NewChannelKey> = keys.into_iter().flatten().collect();
    for key in &input.add {
        keys.push(address.seal(app, channel, key)?);
    }
    if keys.is_empty() {
        // Some providers take calls without a key; the others say what is missing.
        address.origin_of("")?;
    }
    Ok(keys)
}
