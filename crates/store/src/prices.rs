//! Prices of models over time. A row is never edited: a new one takes over from its time on. What
//! a sheet says and which source wins is the server's business.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::document::Document;
use crate::error::Result;
use crate::ids::{PriceId, UserId};
use crate::sql;

/// A price as stored.
#[derive(Clone, Debug, PartialEq, FromQueryResult)]
pub struct Price {
    /// The price's id.
    pub id: PriceId,
    /// The model that the client asks for.
    pub model: String,
    /// From when on it counts.
    pub effective_from: i64,
    /// The price sheet: exact integers or decimal text, never floating point.
    pub sheet: Document<serde_json::Value>,
    /// `catalogue`, `administrator` or `declared`.
    pub source: String,
    /// Who set it.
    pub created_by: Option<UserId>,
    /// When it was set.
    pub created_at: i64,
}

/// What it takes to set a price.
#[derive(Clone, Debug)]
pub struct NewPrice {
    /// The model that the client asks for.
    pub model: String,
    /// From when on it counts.
    pub effective_from: i64,
    /// The price sheet.
    pub sheet: serde_json::Value,
    /// `catalogue`, `administrator` or `declared`.
    pub source: &'static str,
    /// Who sets it.
    pub created_by: Option<UserId>,
    /// Now, in unix milliseconds.
    pub now: i64,
}

const COLUMNS: &str = "id, model, effective_from, sheet, source, created_by, created_at";

/// Sets a price; one of the same model, source and time is a `Conflict`.
pub async fn insert(transaction: &Transaction, new: NewPrice) -> Result<Price> {
    let text = format!(
        "INSERT INTO prices (model, effective_from, sheet, source, created_by, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING {COLUMNS}"
    );
    let values = [
        new.model.into(),
        new.effective_from.into(),
        Document(new.sheet).into(),
        new.source.into(),
        new.created_by.into(),
        new.now.into(),
    ];
    sql::returned(sql::one(transaction, &text, values).await?)
}

/// The price of each model and source that counts at a time, by model.
pub async fn current(connection: &impl ConnectionTrait, at: i64) -> Result<Vec<Price>> {
    let text = format!(
        "SELECT {COLUMNS} FROM prices WHERE effective_from <= $1 AND NOT EXISTS (\
         SELECT 1 FROM prices later WHERE later.model = prices.model \
         AND later.source = prices.source AND later.effective_from <= $1 \
         AND later.effective_from > prices.effective_from) ORDER BY model, source"
    );
    sql::all(connection, &text, [at.into()]).await
}

/// Every price of every model, past and future, by model, source and time.
pub async fn all(connection: &impl ConnectionTrait) -> Result<Vec<Price>> {
    let text = format!("SELECT {COLUMNS} FROM prices ORDER BY model, source, effective_from");
    sql::all(connection, &text, []).await
}

/// Every price that a model had or will have, latest first.
pub async fn history(connection: &impl ConnectionTrait, model: &str) -> Result<Vec<Price>> {
    let text = format!(
        "SELECT {COLUMNS} FROM prices WHERE model = $1 ORDER BY effective_from DESC, source"
    );
    sql::all(connection, &text, [model.into()]).await
}

/// Removes a price; false where there is no such one.
pub async fn delete(transaction: &Transaction, id: PriceId) -> Result<bool> {
    let text = "DELETE FROM prices WHERE id = $1";
    Ok(sql::execute(transaction, text, [id.into()]).await? > 0)
}
