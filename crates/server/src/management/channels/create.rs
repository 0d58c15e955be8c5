//! Making a channel.

use std::sync::Arc;

use axum::extract::State;
use store::channels::{self, ChannelChanges, NewChannel};
use store::shared::Change;
use store::{StoreError, channel_keys};

use super::fields::{name, provider, with_settings};
use super::keys::Address;
use super::view::{ChannelView, settings, view_of};
use crate::accounts::DEFAULT_GROUP;
use crate::app::App;
use crate::background::announce;
use crate::management::frame::{Act, ApiError, Identity, Input, Reply, changes_between};

with_settings!(
    /// A channel to make.
    NewChannelInput {
        /// Its unique name.
        name: String,
        /// The provider's id.
        r#type: String,
    }
);

/// Makes a channel.
pub(super) async fn create(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(mut input): Input<NewChannelInput>,
) -> Result<Reply<ChannelView>, ApiError> {
    let name = name(&input.name)?;
    let provider = provider(&input.r#type)?;
    let mut given = input.take_settings();
    let keys = given.take_keys()?;

    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let mut rest = given.check(&transaction, None).await?;
    let base_url = rest.base_url.take().unwrap_or_default();
    let address = Address {
        provider: &provider,
        base_url: &base_url,
    };
    if keys.is_empty() {
        address.origin_of("")?;
    }
    let rest = ChannelChanges {
        groups: Some(
            rest.groups
                .unwrap_or_else(|| vec![DEFAULT_GROUP.to_owned()]),
        ),
        ..rest
    };
    let new = NewChannel {
        name,
        provider: provider.clone(),
        base_url: base_url.clone(),
        is_declared: false,
    };
    let channel = channels::insert(&transaction, new, rest, now)
        .await
        .map_err(taken)?;
    let sealed = keys.iter().map(|key| address.seal(&app, channel.id, key));
    let sealed = sealed.collect::<Result<Vec<_>, _>>()?;
    channel_keys::replace(&transaction, channel.id, sealed, now).await?;
    let key_count = i64::try_from(keys.len()).unwrap_or(i64::MAX);
    let act = Act {
        action: "channel.create",
        object_kind: "channel",
        object_id: channel.id.to_string(),
        changes: changes_between(&(), &settings(channel.clone(), key_count)),
    };
    act.note(&transaction, &actor, now).await?;
    transaction.commit().await?;
    announce(&app, Change::Channel(channel.id)).await;
    Ok(Reply::of(view_of(&app, channel).await?))
}

/// Names are unique.
pub(super) fn taken(error: StoreError) -> ApiError {
    match error {
        StoreError::Conflict(_) => ApiError::conflict("A channel of that name exists already."),
        other => other.into(),
    }
}
