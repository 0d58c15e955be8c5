//! Redemption codes: gifts that are credited to the first who enters them. Known by their hash.

use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, Set};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{RedemptionCodeId, UserId};
use crate::ledger::{self, Account, Credit};
use crate::page::{Page, Paged, contains, fetch};
use crate::sql;

pub use row::Model as RedemptionCode;

mod row {
    use sea_orm::entity::prelude::*;

    use crate::ids::{RedemptionCodeId, UserId};

    /// A redemption code as stored.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "redemption_codes")]
    pub struct Model {
        /// The code's id.
        #[sea_orm(primary_key)]
        pub id: RedemptionCodeId,
        /// What the batch is called.
        pub name: String,
        /// The keyed hash of the code.
        pub code_hash: Vec<u8>,
        /// What it is worth.
        pub credit_nanos: i64,
        /// Who made it.
        pub created_by: Option<UserId>,
        /// When it was made.
        pub created_at: i64,
        /// When it ends, if ever.
        pub expires_at: Option<i64>,
        /// Who redeemed it.
        pub redeemed_by: Option<UserId>,
        /// When it was redeemed.
        pub redeemed_at: Option<i64>,
        /// When it was switched off.
        pub disabled_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// A batch of codes of the same worth.
#[derive(Clone, Debug)]
pub struct NewRedemptionCodes {
    /// What the batch is called.
    pub name: String,
    /// The keyed hash of each code.
    pub code_hashes: Vec<Vec<u8>>,
    /// What each is worth.
    pub credit_nanos: i64,
    /// Who makes them.
    pub created_by: Option<UserId>,
    /// When they end, if ever.
    pub expires_at: Option<i64>,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// Adds a batch of codes.
pub async fn insert(transaction: &Transaction, new: NewRedemptionCodes) -> Result<()> {
    let rows: Vec<row::ActiveModel> = new
        .code_hashes
        .into_iter()
        .map(|code_hash| row::ActiveModel {
            name: Set(new.name.clone()),
            code_hash: Set(code_hash),
            credit_nanos: Set(new.credit_nanos),
            created_by: Set(new.created_by),
            created_at: Set(new.now),
            expires_at: Set(new.expires_at),
            ..Default::default()
        })
        .collect();
    for rows in rows.chunks(1000) {
        row::Entity::insert_many(rows.iter().cloned())
            .exec(transaction)
            .await?;
    }
    Ok(())
}

/// What has become of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeState {
    /// It can be redeemed.
    Active,
    /// Somebody redeemed it.
    Redeemed,
    /// It was switched off before.
    Disabled,
    /// Its time was over before.
    Expired,
}

impl CodeState {
    fn condition(self, now: i64) -> Condition {
        use row::Column::{DisabledAt, ExpiresAt, RedeemedAt};
        let open = Condition::all().add(RedeemedAt.is_null());
        let usable = || open.clone().add(DisabledAt.is_null());
        match self {
            Self::Redeemed => Condition::all().add(RedeemedAt.is_not_null()),
            Self::Disabled => open.clone().add(DisabledAt.is_not_null()),
            Self::Expired => usable().add(ExpiresAt.lte(now)),
            Self::Active => {
                let lasts = Condition::any()
                    .add(ExpiresAt.is_null())
                    .add(ExpiresAt.gt(now));
                usable().add(lasts)
            }
        }
    }
}

/// Which codes to list.
#[derive(Clone, Debug, Default)]
pub struct CodeFilter {
    /// Only of this batch.
    pub name: Option<String>,
    /// A part of the batch's name.
    pub search: Option<String>,
    /// Only in this state.
    pub state: Option<CodeState>,
}

/// One page of codes, newest first.
pub async fn list(
    connection: &impl ConnectionTrait,
    filter: &CodeFilter,
    page: Page,
    now: i64,
) -> Result<Paged<RedemptionCode>> {
    let mut select = row::Entity::find();
    if let Some(name) = &filter.name {
        select = select.filter(row::Column::Name.eq(name.as_str()));
    }
    if let Some(text) = &filter.search {
        select = select.filter(contains(connection, row::Column::Name, text));
    }
    if let Some(state) = filter.state {
        select = select.filter(state.condition(now));
    }
    fetch(connection, select.order_by_desc(row::Column::Id), page).await
}

/// The code with this hash.
pub async fn find(
    connection: &impl ConnectionTrait,
    code_hash: &[u8],
) -> Result<Option<RedemptionCode>> {
    let select = row::Entity::find().filter(row::Column::CodeHash.eq(code_hash.to_vec()));
    Ok(select.one(connection).await?)
}

/// The code of this id.
pub async fn get(
    connection: &impl ConnectionTrait,
    id: RedemptionCodeId,
) -> Result<Option<RedemptionCode>> {
    Ok(row::Entity::find_by_id(id).one(connection).await?)
}

/// Switches a code off or on again; false where there is no such one or it was redeemed.
pub async fn set_disabled(
    transaction: &Transaction,
    id: RedemptionCodeId,
    disabled_at: Option<i64>,
) -> Result<bool> {
    let text = "UPDATE redemption_codes SET disabled_at = $2 \
                WHERE id = $1 AND redeemed_at IS NULL";
    Ok(sql::execute(transaction, text, [id.into(), disabled_at.into()]).await? > 0)
}

/// Credits a code to a user, once: none where it is unknown, over, switched off, or redeemed
/// already.
pub async fn redeem(
    transaction: &Transaction,
    code_hash: &[u8],
    user_id: UserId,
    now: i64,
) -> Result<Option<RedemptionCode>> {
    let text = "UPDATE redemption_codes SET redeemed_by = $2, redeemed_at = $3 \
                WHERE code_hash = $1 AND redeemed_at IS NULL AND disabled_at IS NULL \
                AND (expires_at IS NULL OR expires_at > $3) RETURNING *";
    let values = [code_hash.to_vec().into(), user_id.into(), now.into()];
    let Some(code) = sql::one::<RedemptionCode>(transaction, text, values).await? else {
        return Ok(None);
    };
    let credit = Credit {
        key: format!("redemption:{}", code.id),
        user: user_id,
        counterpart: Account::Grants,
        amount_nanos: code.credit_nanos,
        reference_kind: "redemption_code",
        reference_id: code.id.to_string(),
        reason: None,
        at: now,
    };
    ledger::credit(transaction, &credit).await?;
    Ok(Some(code))
}

/// Removes a code that nobody redeemed; false where there is no such one.
pub async fn delete(transaction: &Transaction, id: RedemptionCodeId) -> Result<bool> {
    let text = "DELETE FROM redemption_codes WHERE id = $1 AND redeemed_at IS NULL";
    Ok(sql::execute(transaction, text, [id.into()]).await? > 0)
}
