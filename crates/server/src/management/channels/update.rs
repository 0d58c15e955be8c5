//! Changing and deleting a channel.

use std::sync::Arc;

use axum::extract::State;
use store::channels::{self, Channel, ChannelChanges};
use store::shared::Change;
use store::{ChannelId, ConnectionTrait, Transaction, channel_keys};

use super::create::taken;
use super::fields::{name, provider, with_settings};
use super::keys::Address;
use super::pinning::{Given, Pinned, detour};
use super::view::{ChannelView, settings, view_of};
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{
    Act, ApiError, At, Identity, Input, Nothing, Patch, Reply, changes_between,
    require_fresh_session,
};
use crate::management::users::rules::never_null;

with_settings!(
    /// What to change of a channel; what is absent stays.
    ChannelUpdate {
        /// Which one.
        id: i64,
        /// Another name.
        #[serde(default)]
        name: Patch<String>,
        /// Another provider.
        #[serde(default)]
        r#type: Patch<String>,
    }
);

/// Changes a channel.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<ChannelUpdate>,
) -> Result<Reply<ChannelView>, ApiError> {
    let mut given = input.take_settings();
    let keys = given.take_keys()?;
    let new_name = never_null("name", input.name)?
        .map(|text| name(&text))
        .transpose()?;
    let new_provider = never_null("type", input.r#type)?
        .map(|id| provider(&id))
        .transpose()?;
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = editable(&transaction, input.id).await?;
    let keeps_headers = given.keeps_secret_headers(&before);
    let changes = ChannelChanges {
        name: new_name,
        provider: new_provider,
        ..given.check(&transaction, Some(&before)).await?
    };
    if !keys.is_empty() || detour(&before, &changes).is_some() {
        require_fresh_session(&app, &actor)?;
    }
    let stored = channel_keys::list(&transaction, before.id).await?;
    let pinned = Pinned {
        channel: &before,
        keys: &stored,
    };
    let given = Given {
        keys: &keys,
        keeps_headers,
    };
    pinned.check(&app, &changes, given)?;
    let address = pinned.address(&changes);
    let former_keys = stored.len();
    let key_count = if keys.is_empty() {
        if stored.is_empty() && address != Address::of(&before) {
            // Some providers take calls without a key; the others say what is missing.
            address.origin_of("")?;
        }
        former_keys
    } else {
        let sealed = keys.iter().map(|key| address.seal(&app, before.id, key));
        let sealed = sealed.collect::<Result<Vec<_>, _>>()?;
        channel_keys::replace(&transaction, before.id, sealed, now).await?;
        keys.len()
    };
    let after = channels::update(&transaction, before.id, changes, now).await;
    let after = after
        .map_err(taken)?
        .ok_or_else(|| ApiError::not_found("The channel"))?;
    let count = |keys: usize| i64::try_from(keys).unwrap_or(i64::MAX);
    let shown_before = settings(before, count(former_keys));
    let mut differences =
        changes_between(&shown_before, &settings(after.clone(), count(key_count)));
    if let (Some(fields), false) = (differences.as_object_mut(), keys.is_empty()) {
        fields.insert("keys".to_owned(), serde_json::json!({"to": "replaced"}));
    }
    let act = Act {
        action: "channel.update",
        object_kind: "channel",
        object_id: after.id.to_string(),
        changes: differences,
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Channel(after.id)).await;
    Ok(Reply::of(view_of(&app, after).await?))
}

/// Deletes a channel.
pub(super) async fn delete(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<Nothing>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let channel = editable(&transaction, id).await?;
    channels::delete(&transaction, channel.id).await?;
    let act = Act {
        action: "channel.delete",
        object_kind: "channel",
        object_id: id.to_string(),
        changes: changes_between(&settings(channel, 0), &()),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Channel(ChannelId(id))).await;
    Ok(Reply::done())
}

/// Changes what needs no look at keys and addresses, and notes who did it.
pub(super) async fn apply(
    transaction: &Transaction,
    actor: &Identity,
    (action, before, changes): (&'static str, Channel, ChannelChanges),
    now: i64,
) -> Result<Channel, ApiError> {
    let after = channels::update(transaction, before.id, changes, now).await?;
    let after = after.ok_or_else(|| ApiError::not_found("The channel"))?;
    let act = Act {
        action,
        object_kind: "channel",
        object_id: after.id.to_string(),
        changes: changes_between(&settings(before, 0), &settings(after.clone(), 0)),
    };
    act.note(transaction, actor, now).await?;
    Ok(after)
}

/// A channel, which may be switched here whether it is declared or not: its state is nowhere declared.
pub(in crate::management) async fn switchable(
    records: &impl ConnectionTrait,
    id: i64,
) -> Result<Channel, ApiError> {
    let channel = channels::get(records, ChannelId(id)).await?;
    channel.ok_or_else(|| ApiError::not_found("The channel"))
}

/// A channel that may be changed here.
pub(in crate::management) async fn editable(
    records: &impl ConnectionTrait,
    id: i64,
) -> Result<Channel, ApiError> {
    let channel = switchable(records, id).await?;
    if channel.is_declared {
        let text = "The configuration file declares this channel; change it there.";
        return Err(ApiError::conflict(text).with_code("declared"));
    }
    Ok(channel)
}
