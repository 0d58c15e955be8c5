//! Groups of users: a price multiplier and, through channels, what they may reach.

use std::collections::HashMap;

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter,
    QueryOrder, Set, Unchanged,
};

use crate::changes::changed;
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::GroupId;
use crate::sql;

pub use row::Model as Group;

mod row {
    use sea_orm::entity::prelude::*;

    use crate::ids::GroupId;

    /// A group as stored.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "groups")]
    pub struct Model {
        /// The group's id.
        #[sea_orm(primary_key)]
        pub id: GroupId,
        /// Its unique name, by which users, tokens and channels refer to it; never changed.
        pub name: String,
        /// What it is for.
        pub description: String,
        /// Price multiplier in millionths: 1,000,000 charges the list price.
        pub multiplier_ppm: i64,
        /// Requests a minute, over all its members.
        pub rpm: Option<i64>,
        /// Tokens (of text) a minute, over all its members.
        pub tpm: Option<i64>,
        /// Calls at once, over all its members.
        pub concurrency: Option<i64>,
        /// Whether users who are not in it may choose it for their tokens.
        pub is_selectable: bool,
        /// Whether its members may use hosted tools whose vendor gives no bound.
        pub allows_hosted_tools: bool,
        /// When it was made.
        pub created_at: i64,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A partial update.
#[derive(Clone, Debug, Default)]
pub struct GroupChanges {
    /// A new description.
    pub description: Option<String>,
    /// A new multiplier.
    pub multiplier_ppm: Option<i64>,
    /// Requests a minute.
    pub rpm: Option<Option<i64>>,
    /// Tokens (of text) a minute.
    pub tpm: Option<Option<i64>>,
    /// Calls at once.
    pub concurrency: Option<Option<i64>>,
    /// Whether users who are not in it may choose it for their tokens.
    pub is_selectable: Option<bool>,
    /// Whether its members may use hosted tools whose vendor gives no bound.
    pub allows_hosted_tools: Option<bool>,
}

/// Adds a group; a taken name is a `Conflict`.
pub async fn insert(
    transaction: &Transaction,
    name: &str,
    description: &str,
    multiplier_ppm: i64,
    now: i64,
) -> Result<Group> {
    let row = row::ActiveModel {
        name: Set(name.to_owned()),
        description: Set(description.to_owned()),
        multiplier_ppm: Set(multiplier_ppm),
        created_at: Set(now),
        ..Default::default()
    };
    Ok(row.insert(transaction).await?)
}

/// The group of this name.
pub async fn get(connection: &impl ConnectionTrait, name: &str) -> Result<Option<Group>> {
    Ok(row::Entity::find()
        .filter(row::Column::Name.eq(name))
        .one(connection)
        .await?)
}

/// All groups by name; there are few.
pub async fn list(connection: &impl ConnectionTrait) -> Result<Vec<Group>> {
    Ok(row::Entity::find()
        .order_by_asc(row::Column::Name)
        .all(connection)
        .await?)
}

/// How many users and tokens are in a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Users that are not deleted.
    pub users: i64,
    /// Tokens that call as this group whatever their user's group is.
    pub tokens: i64,
}

/// Who is in which group; a group without anybody is not in the answer.
pub async fn members(connection: &impl ConnectionTrait) -> Result<HashMap<String, Members>> {
    #[derive(FromQueryResult)]
    struct Row {
        group_name: String,
        members: i64,
    }
    let mut found: HashMap<String, Members> = HashMap::new();
    let text = "SELECT group_name, count(*) AS members FROM users WHERE deleted_at IS NULL \
                GROUP BY group_name";
    for row in sql::all::<Row>(connection, text, []).await? {
        found.entry(row.group_name).or_default().users = row.members;
    }
    let text = "SELECT group_name, count(*) AS members FROM tokens WHERE group_name IS NOT NULL \
                GROUP BY group_name";
    for row in sql::all::<Row>(connection, text, []).await? {
        found.entry(row.group_name).or_default().tokens = row.members;
    }
    Ok(found)
}

/// Changes what is given; none where there is no such group.
pub async fn update(
    transaction: &Transaction,
    id: GroupId,
    changes: GroupChanges,
) -> Result<Option<Group>> {
    let row = row::ActiveModel {
        id: Unchanged(id),
        description: changed(changes.description),
        multiplier_ppm: changed(changes.multiplier_ppm),
        rpm: changed(changes.rpm),
        tpm: changed(changes.tpm),
        concurrency: changed(changes.concurrency),
        is_selectable: changed(changes.is_selectable),
        allows_hosted_tools: changed(changes.allows_hosted_tools),
        ..Default::default()
    };
    crate::changes::found(row.update(transaction).await)
}

/// Moves users that were deleted out of a group: their rows stay for the ledger, and must not keep
/// the group alive.
pub async fn leave_behind(transaction: &Transaction, from: &str, to: &str) -> Result<()> {
    let text = "UPDATE users SET group_name = $2 WHERE group_name = $1 AND deleted_at IS NOT NULL";
    sql::execute(transaction, text, [from.into(), to.into()]).await?;
    Ok(())
}

/// Deletes a group; one that users or tokens are in is a `Reference` error.
pub async fn delete(transaction: &Transaction, id: GroupId) -> Result<bool> {
    let done = row::Entity::delete_by_id(id).exec(transaction).await?;
    Ok(done.rows_affected > 0)
}
