//! The keys of channels: encrypted, and each pinned to the one host that it may be sent to.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{ChannelId, ChannelKeyId};
use crate::sql;

/// A key as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct ChannelKey {
    /// The key's id.
    pub id: ChannelKeyId,
    /// Whose.
    pub channel_id: ChannelId,
    /// Its place among the channel's keys, from 0; the log names it by this.
    pub position: i64,
    /// The key, encrypted.
    pub secret_encrypted: Vec<u8>,
    /// The only host it is sent to.
    pub pinned_host: String,
    /// Requests a minute.
    pub rpm: Option<i64>,
    /// Tokens (of text) a minute.
    pub tpm: Option<i64>,
    /// Calls at once.
    pub concurrency: Option<i64>,
    /// When it was added.
    pub created_at: i64,
}

/// What it takes to add a key.
#[derive(Clone, Debug, Default)]
pub struct NewChannelKey {
    /// The key, encrypted.
    pub secret_encrypted: Vec<u8>,
    /// The only host it is sent to.
    pub pinned_host: String,
    /// Requests a minute.
    pub rpm: Option<i64>,
    /// Tokens (of text) a minute.
    pub tpm: Option<i64>,
    /// Calls at once.
    pub concurrency: Option<i64>,
}

const COLUMNS: &str = "id, channel_id, position, secret_encrypted, pinned_host, rpm, tpm, \
                       concurrency, created_at";

/// Replaces all keys of a channel by these, in their order.
pub async fn replace(
    transaction: &Transaction,
    channel_id: ChannelId,
    keys: Vec<NewChannelKey>,
    now: i64,
) -> Result<()> {
    let text = "DELETE FROM channel_keys WHERE channel_id = $1";
    sql::execute(transaction, text, [channel_id.into()]).await?;
    for (position, key) in (0_i64..).zip(keys) {
        let text = "INSERT INTO channel_keys (channel_id, position, secret_encrypted, \
                    pinned_host, rpm, tpm, concurrency, created_at) \
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let values = [
            channel_id.into(),
            position.into(),
            key.secret_encrypted.into(),
            key.pinned_host.into(),
            key.rpm.into(),
            key.tpm.into(),
            key.concurrency.into(),
            now.into(),
        ];
        sql::execute(transaction, text, values).await?;
    }
    Ok(())
}

/// The keys of one channel, in order.
pub async fn list(
    connection: &impl ConnectionTrait,
    channel_id: ChannelId,
) -> Result<Vec<ChannelKey>> {
    let text =
        format!("SELECT {COLUMNS} FROM channel_keys WHERE channel_id = $1 ORDER BY position");
    sql::all(connection, &text, [channel_id.into()]).await
}

/// Every key of every channel: what a node keeps in memory.
pub async fn all(connection: &impl ConnectionTrait) -> Result<Vec<ChannelKey>> {
    let text = format!("SELECT {COLUMNS} FROM channel_keys ORDER BY channel_id, position");
    sql::all(connection, &text, []).await
}

/// How many keys each channel has; one without keys is not in the answer.
pub async fn counts(connection: &impl ConnectionTrait) -> Result<HashMap<ChannelId, i64>> {
    #[derive(FromQueryResult)]
    struct Row {
        channel_id: ChannelId,
        keys: i64,
    }
    let text = "SELECT channel_id, count(*) AS keys FROM channel_keys GROUP BY channel_id";
    let rows = sql::all::<Row>(connection, text, []).await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.channel_id, row.keys))
        .collect())
}
