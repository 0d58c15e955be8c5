//! What an import made: which record of ours came from which of theirs.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EnumIter, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::ImportId;
use crate::sql;

/// What kind of record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum Entity {
    /// A group of users.
    #[sea_orm(string_value = "group")]
    Group,
    /// A user.
    #[sea_orm(string_value = "user")]
    User,
    /// A token.
    #[sea_orm(string_value = "token")]
    Token,
    /// A channel.
    #[sea_orm(string_value = "channel")]
    Channel,
    /// A redemption code.
    #[sea_orm(string_value = "code")]
    Code,
    /// A price.
    #[sea_orm(string_value = "price")]
    Price,
}

/// A record that an import made.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct ImportItem {
    /// The row's id.
    pub id: i64,
    /// By which import.
    pub import_id: ImportId,
    /// From which source.
    pub source: String,
    /// What kind.
    pub entity: Entity,
    /// What the source calls it.
    pub foreign_id: String,
    /// Our record's id.
    pub our_id: i64,
    /// Something of theirs that does not change.
    pub mark: String,
    /// What was booked to the wallet for it.
    pub wallet_nanos: i64,
    /// What was booked to the referral account for it.
    pub referral_nanos: i64,
}

/// What it takes to note a record.
#[derive(Clone, Debug)]
pub struct NewItem<'a> {
    /// By which import.
    pub import_id: ImportId,
    /// From which source.
    pub source: &'a str,
    /// What kind.
    pub entity: Entity,
    /// What the source calls it.
    pub foreign_id: &'a str,
    /// Our record's id.
    pub our_id: i64,
    /// Something of theirs that does not change.
    pub mark: &'a str,
    /// What was booked to the wallet for it.
    pub wallet_nanos: i64,
    /// What was booked to the referral account for it.
    pub referral_nanos: i64,
}

/// Notes a record; one of theirs that was noted before is a `Conflict`.
pub async fn add_item(transaction: &Transaction, new: NewItem<'_>) -> Result<()> {
    let text = "INSERT INTO import_items (import_id, source, entity, foreign_id, our_id, mark, \
                wallet_nanos, referral_nanos) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = [
        new.import_id.into(),
        new.source.into(),
        new.entity.into(),
        new.foreign_id.into(),
        new.our_id.into(),
        new.mark.into(),
        new.wallet_nanos.into(),
        new.referral_nanos.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Everything of one kind that a source gave before, by what the source calls it.
pub async fn known(
    connection: &impl ConnectionTrait,
    source: &str,
    entity: Entity,
) -> Result<HashMap<String, ImportItem>> {
    let text = "SELECT * FROM import_items WHERE source = $1 AND entity = $2";
    let rows = sql::all::<ImportItem>(connection, text, [source.into(), entity.into()]).await?;
    Ok(rows
        .into_iter()
        .map(|item| (item.foreign_id.clone(), item))
        .collect())
}

/// What an import made of one kind, in the order in which it was made.
pub async fn items(
    connection: &impl ConnectionTrait,
    import_id: ImportId,
    entity: Entity,
) -> Result<Vec<ImportItem>> {
    let text = "SELECT * FROM import_items WHERE import_id = $1 AND entity = $2 ORDER BY id";
    sql::all(connection, text, [import_id.into(), entity.into()]).await
}

/// How many records of an import are left.
pub async fn items_of(connection: &impl ConnectionTrait, import_id: ImportId) -> Result<i64> {
    let text = "SELECT count(*) FROM import_items WHERE import_id = $1";
    let count = sql::value(connection, text, [import_id.into()]).await?;
    Ok(count.unwrap_or(0))
}

/// Forgets a record; false where it was forgotten before.
pub async fn delete_item(transaction: &Transaction, id: i64) -> Result<bool> {
    let text = "DELETE FROM import_items WHERE id = $1";
    Ok(sql::execute(transaction, text, [id.into()]).await? > 0)
}
