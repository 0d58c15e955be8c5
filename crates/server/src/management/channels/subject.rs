//! The channel that is tried out: a stored one, one that is not saved yet, or a stored one with
//! changes that are not saved yet. Stored secrets go no other way than they were given for.

use store::channel_keys::{self, ChannelKey};
use store::channels::{self, Channel as Row, ChannelChanges, ChannelState};
use store::{ChannelId, ChannelKeyId, Document};

use super::fields::{self, with_settings};
use super::keys::Address;
use super::pinning::{Given, Pinned};
use crate::app::App;
use crate::channels::{Channel, open_once};
use crate::management::frame::ApiError;
use crate::model_pattern::beginning;

with_settings!(
    /// A channel to try out: `id` of a stored one, or the settings of one, or both.
    Trial {
        /// A stored channel.
        id: Option<i64>,
        /// The provider's id, where no channel is named.
        r#type: Option<String>,
        /// The model to ask; absent: the first that the channel names.
        model: Option<String>,
    }
);

impl Trial {
    /// A stored channel with one model.
    pub fn of(channel_id: i64, model: &str) -> Self {
        Self {
            id: Some(channel_id),
            model: Some(model.to_owned()),
            ..Self::default()
        }
    }
}

/// What is tried out.
pub struct Subject {
    /// The channel, opened.
    pub channel: Channel,
    /// The model to ask.
    pub model: Option<String>,
    /// What the upstream calls it.
    pub upstream_model: Option<String>,
}

impl Subject {
    /// Opens what a trial names.
    pub async fn open(app: &App, mut trial: Trial) -> Result<Self, ApiError> {
        let records = app.store().read();
        let mut given = trial.take_settings();
        let new_keys = given.take_keys()?;
        let (mut row, mut keys) = if let Some(id) = trial.id {
            let row = channels::get(records, ChannelId(id)).await?;
            let row = row.ok_or_else(|| ApiError::not_found("The channel"))?;
            (row, channel_keys::list(records, ChannelId(id)).await?)
        } else {
            let provider = trial.r#type.as_deref();
            let provider = provider.ok_or_else(|| {
                ApiError::bad_request("id: is required, or type with the settings to try")
            })?;
            (unsaved(fields::provider(provider)?), Vec::new())
        };
        let keeps_headers = given.keeps_secret_headers(&row);
        let changes = given.check(records, Some(&row)).await?;
        let pinned = Pinned {
            channel: &row,
            keys: &keys,
        };
        let given = Given {
            keys: &new_keys,
            keeps_headers,
        };
        pinned.check(app, &changes, given)?;
        apply(&mut row, changes);
        if !new_keys.is_empty() {
            let address = Address::of(&row);
            keys = Vec::new();
            for key in &new_keys {
                let sealed = address.seal(app, row.id, key)?;
                keys.push(ChannelKey {
                    id: ChannelKeyId(0),
                    channel_id: row.id,
                    position: 0,
                    secret_encrypted: sealed.secret_encrypted,
                    pinned_host: sealed.pinned_host,
                    rpm: None,
                    tpm: None,
                    concurrency: None,
                    created_at: 0,
                });
            }
        }
        let channel = open_once(app.keys(), &row, &keys).map_err(ApiError::bad_request)?;
        // A pattern is nothing that an upstream could be asked for.
        let is_name = |model: &String| !model.is_empty() && beginning(model).is_none();
        let model = trial.model.filter(is_name);
        let model = model.or_else(|| row.models.0.iter().find(|one| is_name(one)).cloned());
        let mapped = model.as_ref().and_then(|model| {
            let upstream = channel.upstream_model(model)?;
            Some(upstream.to_string())
        });
        Ok(Self {
            channel,
            upstream_model: mapped.or_else(|| model.clone()),
            model,
        })
    }
}

fn unsaved(provider: String) -> Row {
    Row {
        id: ChannelId(0),
        name: String::new(),
        provider,
        base_url: String::new(),
        models: Document::default(),
        model_mapping: Document::default(),
        groups: Document::default(),
        tags: Document::default(),
        dialects: None,
        priority: 0,
        weight: 1,
        state: ChannelState::On,
        state_reason: None,
        rpm: None,
        tpm: None,
        concurrency: None,
        connect_timeout_ms: None,
        first_byte_timeout_ms: None,
        idle_timeout_ms: None,
        overrides: None,
        proxy: None,
        is_declared: false,
        created_at: 0,
        updated_at: 0,
    }
}

/// What matters to a trial; who may use a channel and how often does not.
fn apply(row: &mut Row, changes: ChannelChanges) {
    fn set<T>(place: &mut T, value: Option<T>) {
        if let Some(value) = value {
            *place = value;
        }
    }
    set(&mut row.base_url, changes.base_url);
    set(&mut row.models.0, changes.models);
    set(&mut row.model_mapping.0, changes.model_mapping);
    set(
        &mut row.dialects,
        changes.dialects.map(|list| list.map(Document)),
    );
    set(
        &mut row.overrides,
        changes.overrides.map(|value| value.map(Document)),
    );
    set(&mut row.proxy, changes.proxy);
    set(&mut row.connect_timeout_ms, changes.connect_timeout_ms);
    set(
        &mut row.first_byte_timeout_ms,
        changes.first_byte_timeout_ms,
    );
    set(&mut row.idle_timeout_ms, changes.idle_timeout_ms);
}
