//! Channels: configured upstreams. Their keys are in `channel_keys`; choosing one is the server's
//! business.

use std::collections::BTreeMap;

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DeriveActiveEnum, EntityTrait, EnumIter,
    QueryFilter, QueryOrder, Set, Unchanged,
};

use crate::changes::{changed, found};
use crate::database::Transaction;
use crate::document::Document;
use crate::error::Result;
use crate::ids::ChannelId;
use crate::page::{Page, Paged, containing, contains, fetch};

pub use row::Model as Channel;

/// Whether a channel takes calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum ChannelState {
    /// Takes calls.
    #[sea_orm(string_value = "on")]
    On,
    /// Finishes what runs, takes nothing new.
    #[sea_orm(string_value = "draining")]
    Draining,
    /// Stopped by the gateway for a reason; tried again by itself.
    #[sea_orm(string_value = "paused")]
    Paused,
    /// Switched off by somebody.
    #[sea_orm(string_value = "off")]
    Off,
}

mod row {
    use std::collections::BTreeMap;

    use sea_orm::entity::prelude::*;

    use super::ChannelState;
    use crate::document::Document;
    use crate::ids::ChannelId;

    /// A channel as stored.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "channels")]
    pub struct Model {
        /// The channel's id.
        #[sea_orm(primary_key)]
        pub id: ChannelId,
        /// Its unique name.
        pub name: String,
        /// The provider's id.
        pub provider: String,
        /// Where the provider is reached.
        pub base_url: String,
        /// Names that clients may ask for.
        pub models: Document<Vec<String>>,
        /// Which of them the upstream calls otherwise.
        pub model_mapping: Document<BTreeMap<String, String>>,
        /// Groups that may use it; empty: all.
        pub groups: Document<Vec<String>>,
        /// Words to find it by.
        pub tags: Document<Vec<String>>,
        /// Narrows what the provider speaks; none: all of it.
        pub dialects: Option<Document<Vec<String>>>,
        /// Higher tiers are tried first.
        pub priority: i64,
        /// The share within its tier.
        pub weight: i64,
        /// Whether it takes calls.
        pub state: ChannelState,
        /// Why it does not.
        pub state_reason: Option<String>,
        /// Requests a minute.
        pub rpm: Option<i64>,
        /// Tokens (of text) a minute.
        pub tpm: Option<i64>,
        /// Calls at once.
        pub concurrency: Option<i64>,
        /// How long connecting may take.
        pub connect_timeout_ms: Option<i64>,
        /// How long the first byte may take.
        pub first_byte_timeout_ms: Option<i64>,
        /// How long a stream may be silent.
        pub idle_timeout_ms: Option<i64>,
        /// Headers and body fields to set or drop.
        pub overrides: Option<Document<serde_json::Value>>,
        /// The proxy to go through.
        pub proxy: Option<String>,
        /// It comes from the configuration file and is not edited here.
        pub is_declared: bool,
        /// When it was made.
        pub created_at: i64,
        /// When it was last changed.
        pub updated_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What it takes to make a channel; everything else is set by the changes that go with it.
#[derive(Clone, Debug)]
pub struct NewChannel {
    /// Its unique name.
    pub name: String,
    /// The provider's id.
    pub provider: String,
    /// Where the provider is reached.
    pub base_url: String,
    /// It comes from the configuration file.
    pub is_declared: bool,
}

/// A partial update: `None` leaves a field as it is, `Some(None)` clears it.
#[derive(Clone, Debug, Default)]
pub struct ChannelChanges {
    /// A new name.
    pub name: Option<String>,
    /// Another provider.
    pub provider: Option<String>,
    /// Another address.
    pub base_url: Option<String>,
    /// Other models.
    pub models: Option<Vec<String>>,
    /// Another mapping.
    pub model_mapping: Option<BTreeMap<String, String>>,
    /// Other groups.
    pub groups: Option<Vec<String>>,
    /// Other tags.
    pub tags: Option<Vec<String>>,
    /// Other dialects.
    pub dialects: Option<Option<Vec<String>>>,
    /// Another tier.
    pub priority: Option<i64>,
    /// Another share.
    pub weight: Option<i64>,
    /// Another state.
    pub state: Option<ChannelState>,
    /// Why.
    pub state_reason: Option<Option<String>>,
    /// Requests a minute.
    pub rpm: Option<Option<i64>>,
    /// Tokens (of text) a minute.
    pub tpm: Option<Option<i64>>,
    /// Calls at once.
    pub concurrency: Option<Option<i64>>,
    /// How long connecting may take.
    pub connect_timeout_ms: Option<Option<i64>>,
    /// How long the first byte may take.
    pub first_byte_timeout_ms: Option<Option<i64>>,
    /// How long a stream may be silent.
    pub idle_timeout_ms: Option<Option<i64>>,
    /// Headers and body fields to set or drop.
    pub overrides: Option<Option<serde_json::Value>>,
    /// Another proxy.
    pub proxy: Option<Option<String>>,
}

impl ChannelChanges {
    fn into_row(self, now: i64) -> row::ActiveModel {
        row::ActiveModel {
            name: changed(self.name),
            provider: changed(self.provider),
            base_url: changed(self.base_url),
            models: changed(self.models.map(Document)),
            model_mapping: changed(self.model_mapping.map(Document)),
            groups: changed(self.groups.map(Document)),
            tags: changed(self.tags.map(Document)),
            dialects: changed(self.dialects.map(|dialects| dialects.map(Document))),
            priority: changed(self.priority),
            weight: changed(self.weight),
            state: changed(self.state),
            state_reason: changed(self.state_reason),
            rpm: changed(self.rpm),
            tpm: changed(self.tpm),
            concurrency: changed(self.concurrency),
            connect_timeout_ms: changed(self.connect_timeout_ms),
            first_byte_timeout_ms: changed(self.first_byte_timeout_ms),
            idle_timeout_ms: changed(self.idle_timeout_ms),
            overrides: changed(self.overrides.map(|overrides| overrides.map(Document))),
            proxy: changed(self.proxy),
            updated_at: Set(now),
            ..Default::default()
        }
    }
}

/// Which channels to list; the default lists all.
#[derive(Clone, Debug, Default)]
pub struct ChannelFilter {
    /// A part of the name.
    pub search: Option<String>,
    /// Only this provider.
    pub provider: Option<String>,
    /// Only this state.
    pub state: Option<ChannelState>,
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only those that serve this model.
    pub model: Option<String>,
    /// Only those that name this group.
    pub group: Option<String>,
}

/// Adds a channel; a taken name is a `Conflict`.
pub async fn insert(
    transaction: &Transaction,
    new: NewChannel,
    rest: ChannelChanges,
    now: i64,
) -> Result<Channel> {
    let mut row = rest.into_row(now);
    row.name = Set(new.name);
    row.provider = Set(new.provider);
    row.base_url = Set(new.base_url);
    row.is_declared = Set(new.is_declared);
    row.created_at = Set(now);
    Ok(row.insert(transaction).await?)
}

/// The channel of this id.
pub async fn get(connection: &impl ConnectionTrait, id: ChannelId) -> Result<Option<Channel>> {
    Ok(row::Entity::find_by_id(id).one(connection).await?)
}

/// Every channel by id: what a node keeps in memory.
pub async fn all(connection: &impl ConnectionTrait) -> Result<Vec<Channel>> {
    Ok(row::Entity::find()
        .order_by_asc(row::Column::Id)
        .all(connection)
        .await?)
}

/// One page of channels, newest first.
pub async fn list(
    connection: &impl ConnectionTrait,
    filter: &ChannelFilter,
    page: Page,
) -> Result<Paged<Channel>> {
    let mut select = row::Entity::find();
    if let Some(text) = &filter.search {
        select = select.filter(contains(connection, row::Column::Name, text));
    }
    if let Some(provider) = &filter.provider {
        select = select.filter(row::Column::Provider.eq(provider.as_str()));
    }
    if let Some(state) = filter.state {
        select = select.filter(row::Column::State.eq(state));
    }
    for (column, wanted) in [
        (row::Column::Tags, &filter.tag),
        (row::Column::Models, &filter.model),
        (row::Column::Groups, &filter.group),
    ] {
        if let Some(word) = wanted {
            select = select.filter(column.like(containing(&listed(word))));
        }
    }
    fetch(connection, select.order_by_desc(row::Column::Id), page).await
}

/// A word as it stands in a stored list.
fn listed(word: &str) -> String {
    serde_json::Value::from(word).to_string()
}

/// Changes what is given; none where there is no such channel.
pub async fn update(
    transaction: &Transaction,
    id: ChannelId,
    changes: ChannelChanges,
    now: i64,
) -> Result<Option<Channel>> {
    let mut row = changes.into_row(now);
    row.id = Unchanged(id);
    found(row.update(transaction).await)
}

/// Removes a channel and its keys; false where there is no such one.
pub async fn delete(transaction: &Transaction, id: ChannelId) -> Result<bool> {
    let done = row::Entity::delete_by_id(id).exec(transaction).await?;
    Ok(done.rows_affected > 0)
}
