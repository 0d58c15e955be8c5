//! What can be changed while the service runs: one typed document with a version number. The type
//! belongs to the server; here it is anything that reads and writes JSON.

use sea_orm::{ConnectionTrait, FromQueryResult};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::database::Transaction;
use crate::error::{Result, StoreError};
use crate::ids::UserId;
use crate::sql;

/// The settings and which version they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    /// Rises by one with each save.
    pub version: i64,
    /// The settings.
    pub document: T,
}

/// The settings; none before the first save.
pub async fn load<T: DeserializeOwned>(
    connection: &impl ConnectionTrait,
) -> Result<Option<Versioned<T>>> {
    #[derive(FromQueryResult)]
    struct Row {
        version: i64,
        document: String,
    }
    let text = "SELECT version, document FROM settings WHERE id = 1";
    let Some(row) = sql::one::<Row>(connection, text, []).await? else {
        return Ok(None);
    };
    let document = serde_json::from_str(&row.document)?;
    Ok(Some(Versioned {
        version: row.version,
        document,
    }))
}

/// Saves over the version that was read (0: there was none) and returns the new one; `Stale` where
/// somebody else saved meanwhile.
pub async fn save<T: Serialize>(
    transaction: &Transaction,
    read: i64,
    document: &T,
    by: Option<UserId>,
    now: i64,
) -> Result<i64> {
    let text = if read == 0 {
        "INSERT INTO settings (id, version, document, updated_by, updated_at) \
         VALUES (1, $1 + 1, $2, $3, $4) ON CONFLICT (id) DO NOTHING"
    } else {
        "UPDATE settings SET version = $1 + 1, document = $2, updated_by = $3, updated_at = $4 \
         WHERE id = 1 AND version = $1"
    };
    let values = [
        read.into(),
        serde_json::to_string(document)?.into(),
        by.into(),
        now.into(),
    ];
    if sql::execute(transaction, text, values).await? == 0 {
        return Err(StoreError::Stale("the settings".to_owned()));
    }
    Ok(read + 1)
}
