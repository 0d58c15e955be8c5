//! What people call the records that logs and charts know by their ids. Records that are gone have
//! no name any more.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::placeholders;
use crate::error::Result;
use crate::sql;

/// Whose names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// Users, by their login names; deleted ones too.
    Users,
    /// Tokens.
    Tokens,
    /// Channels.
    Channels,
}

impl Named {
    fn source(self) -> (&'static str, &'static str) {
        match self {
            Self::Users => ("users", "username"),
            Self::Tokens => ("tokens", "name"),
            Self::Channels => ("channels", "name"),
        }
    }
}

/// The names of these ids, as far as there are any.
pub async fn names(
    connection: &impl ConnectionTrait,
    named: Named,
    ids: impl IntoIterator<Item = i64>,
) -> Result<HashMap<i64, String>> {
    #[derive(FromQueryResult)]
    struct Row {
        id: i64,
        name: String,
    }
    let ids: Vec<i64> = ids
        .into_iter()
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let (table, column) = named.source();
    let mut found = HashMap::new();
    for ids in ids.chunks(1000) {
        let text = format!(
            "SELECT id, {column} AS name FROM {table} WHERE id IN ({})",
            placeholders(1, ids.len()),
        );
        let values = ids.iter().map(|id| (*id).into());
        let rows: Vec<Row> = sql::all(connection, &text, values).await?;
        found.extend(rows.into_iter().map(|row| (row.id, row.name)));
    }
    Ok(found)
}
