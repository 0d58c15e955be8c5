//! Groups of users: a price multiplier and, through channels, what they may reach.

use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set,
    Unchanged,
};

use crate::changes::changed;
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::GroupId;

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
        ..Default::default()
    };
    crate::changes::found(row.update(transaction).await)
}

/// Deletes a group; one that users or tokens are in is a `Reference` error.
pub async fn delete(transaction: &Transaction, id: GroupId) -> Result<bool> {
    let done = row::Entity::delete_by_id(id).exec(transaction).await?;
    Ok(done.rows_affected > 0)
}
