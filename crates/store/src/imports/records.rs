//! Imports themselves: one row for each, from its beginning until it was undone.

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EntityTrait, EnumIter, QueryOrder};

use crate::database::Transaction;
use crate::document::Document;
use crate::error::Result;
use crate::ids::{ImportId, UserId};
use crate::page::{Page, Paged, fetch};
use crate::sql;

pub use row::Model as Import;

/// What has become of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum ImportState {
    /// Somebody works on it.
    #[sea_orm(string_value = "running")]
    Running,
    /// Everything that can be carried over was.
    #[sea_orm(string_value = "done")]
    Done,
    /// It broke off.
    #[sea_orm(string_value = "failed")]
    Failed,
    /// Somebody asked for its end.
    #[sea_orm(string_value = "cancelled")]
    Cancelled,
    /// Somebody takes it out again.
    #[sea_orm(string_value = "undoing")]
    Undoing,
    /// Nothing of it is left.
    #[sea_orm(string_value = "undone")]
    Undone,
    /// What was used since is left, and only that.
    #[sea_orm(string_value = "partly_undone")]
    PartlyUndone,
}

mod row {
    use sea_orm::entity::prelude::*;

    use super::ImportState;
    use crate::document::Document;
    use crate::ids::{ImportId, UserId};

    /// An import as stored.
    #[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
    #[sea_orm(table_name = "imports")]
    pub struct Model {
        /// The import's id.
        #[sea_orm(primary_key)]
        pub id: ImportId,
        /// From what kind of gateway.
        pub kind: String,
        /// Which one of that kind.
        pub source: String,
        /// In what form it came.
        pub format: String,
        /// What has become of it.
        pub state: ImportState,
        /// Who began it; none from the command line.
        pub created_by: Option<UserId>,
        /// When it began.
        pub created_at: i64,
        /// When somebody last worked on it.
        pub updated_at: i64,
        /// When it ended.
        pub finished_at: Option<i64>,
        /// When it was undone.
        pub undone_at: Option<i64>,
        /// What was carried over, and what was not.
        pub report: Option<Document<serde_json::Value>>,
        /// What was taken out, and what was not.
        pub undo_report: Option<Document<serde_json::Value>>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What it takes to begin an import.
#[derive(Clone, Debug)]
pub struct NewImport {
    /// From what kind of gateway.
    pub kind: String,
    /// Which one of that kind.
    pub source: String,
    /// In what form it comes.
    pub format: String,
    /// Who begins it.
    pub created_by: Option<UserId>,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// Begins an import.
pub async fn begin(transaction: &Transaction, new: NewImport) -> Result<ImportId> {
    let text = "INSERT INTO imports (kind, source, format, created_by, created_at, updated_at) \
                VALUES ($1, $2, $3, $4, $5, $5) RETURNING id";
    let values = [
        new.kind.into(),
        new.source.into(),
        new.format.into(),
        new.created_by.into(),
        new.now.into(),
    ];
    sql::returned(sql::value(transaction, text, values).await?)
}

/// Whether somebody imports or undoes and has said so since a time.
pub async fn is_anybody_at_it(connection: &impl ConnectionTrait, since: i64) -> Result<bool> {
    let text = "SELECT count(*) FROM imports WHERE state IN ('running', 'undoing') \
                AND updated_at >= $1";
    let count: Option<i64> = sql::value(connection, text, [since.into()]).await?;
    Ok(count.unwrap_or(0) > 0)
}

/// Says that somebody works on it.
pub async fn touch(transaction: &Transaction, id: ImportId, now: i64) -> Result<()> {
    let text = "UPDATE imports SET updated_at = $2 WHERE id = $1";
    sql::execute(transaction, text, [id.into(), now.into()]).await?;
    Ok(())
}

/// Ends an import.
pub async fn finish(
    transaction: &Transaction,
    id: ImportId,
    state: ImportState,
    report: serde_json::Value,
    now: i64,
) -> Result<()> {
    let text = "UPDATE imports SET state = $2, report = $3, finished_at = $4, updated_at = $4 \
                WHERE id = $1";
    end(transaction, text, id, state, report, now).await
}

/// Begins to undo; false where there is nothing to undo.
pub async fn begin_undo(transaction: &Transaction, id: ImportId, now: i64) -> Result<bool> {
    let text = "UPDATE imports SET state = 'undoing', updated_at = $2 \
                WHERE id = $1 AND state <> 'undone'";
    Ok(sql::execute(transaction, text, [id.into(), now.into()]).await? > 0)
}

/// Ends the undoing.
pub async fn finish_undo(
    transaction: &Transaction,
    id: ImportId,
    state: ImportState,
    report: serde_json::Value,
    now: i64,
) -> Result<()> {
    let text = "UPDATE imports SET state = $2, undo_report = $3, undone_at = $4, updated_at = $4 \
                WHERE id = $1";
    end(transaction, text, id, state, report, now).await
}

async fn end(
    transaction: &Transaction,
    text: &str,
    id: ImportId,
    state: ImportState,
    report: serde_json::Value,
    now: i64,
) -> Result<()> {
    let values = [id.into(), state.into(), Document(report).into(), now.into()];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// The import of this id.
pub async fn get(connection: &impl ConnectionTrait, id: ImportId) -> Result<Option<Import>> {
    Ok(row::Entity::find_by_id(id).one(connection).await?)
}

/// One page of imports, newest first.
pub async fn list(connection: &impl ConnectionTrait, page: Page) -> Result<Paged<Import>> {
    let select = row::Entity::find().order_by_desc(row::Column::Id);
    fetch(connection, select, page).await
}
