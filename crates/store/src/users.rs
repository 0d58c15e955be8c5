//! Users. Balances are the ledger's business, passwords arrive hashed.

use std::collections::HashSet;

use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DeriveActiveEnum, EntityTrait,
    EnumIter, QueryFilter, QueryOrder, QuerySelect, Set, Unchanged,
};

use crate::changes::changed;
use crate::database::{Transaction, for_update};
use crate::error::Result;
use crate::ids::UserId;
use crate::page::{Page, Paged, Sorted, containing, contains, fetch, sort};
use crate::sql;

pub use row::Model as User;

/// Names that one question asks about: engines bound how many values it may have.
const NAMES_AT_ONCE: usize = 500;

/// What a user may do in the management interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "i64", db_type = "BigInteger")]
pub enum Role {
    /// Holds tokens and a wallet.
    #[sea_orm(num_value = 1)]
    User,
    /// Manages users, channels and prices.
    #[sea_orm(num_value = 10)]
    Administrator,
    /// May do everything.
    #[sea_orm(num_value = 100)]
    Root,
}

/// Whether a user or a token works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "i64", db_type = "BigInteger")]
pub enum Status {
    /// Works.
    #[sea_orm(num_value = 1)]
    Enabled,
    /// Switched off by somebody.
    #[sea_orm(num_value = 2)]
    Disabled,
}

mod row {
    use sea_orm::entity::prelude::*;

    use super::{Role, Status};
    use crate::ids::UserId;

    /// A user as stored.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "users")]
    pub struct Model {
        /// The user's id.
        #[sea_orm(primary_key)]
        pub id: UserId,
        /// The login name as it was typed.
        pub username: String,
        /// The login name in lower case; unique among users that are not deleted.
        pub username_key: String,
        /// The e-mail address as it was typed.
        pub email: Option<String>,
        /// The e-mail address in lower case; unique among users that are not deleted.
        pub email_key: Option<String>,
        /// The name to show.
        pub display_name: String,
        /// What administrators noted.
        pub remark: String,
        /// The argon2id string, or bcrypt's of an imported user; none where only another identity
        /// provider logs the user in.
        pub password_hash: Option<String>,
        /// What the user may do.
        pub role: Role,
        /// Whether the account works.
        pub status: Status,
        /// The group that decides prices and channels.
        pub group_name: String,
        /// Requests a minute, over all the user's tokens.
        pub rpm: Option<i64>,
        /// Tokens (of text) a minute, over all the user's tokens.
        pub tpm: Option<i64>,
        /// Calls at once, over all the user's tokens.
        pub concurrency: Option<i64>,
        /// Raised by whatever must end other sessions and pending logins.
        pub auth_version: i64,
        /// What all calls of this user cost so far.
        pub used_nanos: i64,
        /// How many calls this user made.
        pub request_count: i64,
        /// The invite code of this user.
        pub aff_code: String,
        /// Who invited this user.
        pub inviter_id: Option<UserId>,
        /// When the account was made.
        pub created_at: i64,
        /// When the user last logged in.
        pub last_login_at: Option<i64>,
        /// When the account was deleted.
        pub deleted_at: Option<i64>,
        /// The most that all calls may cost, ever.
        pub budget_total_nanos: Option<i64>,
        /// The most that the calls of a day may cost.
        pub budget_daily_nanos: Option<i64>,
        /// The most that the calls of a week may cost.
        pub budget_weekly_nanos: Option<i64>,
        /// The most that the calls of a month may cost.
        pub budget_monthly_nanos: Option<i64>,
        /// Below which balance the user wants a mail; none: the service's default, zero: never.
        pub low_balance_nanos: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What it takes to make a user.
#[derive(Clone, Debug)]
pub struct NewUser {
    /// The login name.
    pub username: String,
    /// The e-mail address.
    pub email: Option<String>,
    /// The name to show.
    pub display_name: String,
    /// The argon2id string.
    pub password_hash: Option<String>,
    /// What the user may do.
    pub role: Role,
    /// An existing group.
    pub group_name: String,
    /// A unique invite code.
    pub aff_code: String,
    /// Who invited this user.
    pub inviter_id: Option<UserId>,
    /// Now, in unix milliseconds.
    pub created_at: i64,
}

/// A partial update: `None` leaves a field as it is, `Some(None)` clears it.
#[derive(Clone, Debug, Default)]
pub struct UserChanges {
    /// A new login name.
    pub username: Option<String>,
    /// A new e-mail address.
    pub email: Option<Option<String>>,
    /// A new name to show.
    pub display_name: Option<String>,
    /// A new note.
    pub remark: Option<String>,
    /// A new argon2id string.
    pub password_hash: Option<Option<String>>,
    /// A new role.
    pub role: Option<Role>,
    /// Enable or disable.
    pub status: Option<Status>,
    /// Another group.
    pub group_name: Option<String>,
    /// Requests a minute.
    pub rpm: Option<Option<i64>>,
    /// Tokens (of text) a minute.
    pub tpm: Option<Option<i64>>,
    /// Calls at once.
    pub concurrency: Option<Option<i64>>,
    /// The time of a login.
    pub last_login_at: Option<Option<i64>>,
    /// Another limit on what all calls may cost, ever.
    pub budget_total_nanos: Option<Option<i64>>,
    /// Another limit on the calls of a day.
    pub budget_daily_nanos: Option<Option<i64>>,
    /// Another limit on the calls of a week.
    pub budget_weekly_nanos: Option<Option<i64>>,
    /// Another limit on the calls of a month.
    pub budget_monthly_nanos: Option<Option<i64>>,
    /// Another balance below which a mail is wanted.
    pub low_balance_nanos: Option<Option<i64>>,
}

/// What users can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserSort {
    /// The login name.
    Username,
    /// When the account was made.
    CreatedAt,
    /// When the user last logged in.
    LastLoginAt,
    /// What all calls cost so far.
    Used,
}

impl UserSort {
    fn column(self) -> row::Column {
        match self {
            Self::Username => row::Column::UsernameKey,
            Self::CreatedAt => row::Column::CreatedAt,
            Self::LastLoginAt => row::Column::LastLoginAt,
            Self::Used => row::Column::UsedNanos,
        }
    }
}

/// Which users to list; the default lists all.
#[derive(Clone, Debug, Default)]
pub struct UserFilter {
    /// In this order; the newest first where none is given.
    pub sort: Option<Sorted<UserSort>>,
    /// A part of the name, the e-mail address or the name to show.
    pub search: Option<String>,
    /// Only this group.
    pub group_name: Option<String>,
    /// Only this role.
    pub role: Option<Role>,
    /// Only enabled or only disabled ones.
    pub status: Option<Status>,
}

/// Adds a user. A taken name, e-mail address or invite code is a `Conflict`.
pub async fn insert(transaction: &Transaction, new: NewUser) -> Result<User> {
    let row = row::ActiveModel {
        username_key: Set(key(&new.username)),
        username: Set(new.username),
        email_key: Set(new.email.as_deref().map(key)),
        email: Set(new.email),
        display_name: Set(new.display_name),
        remark: Set(String::new()),
        password_hash: Set(new.password_hash),
        role: Set(new.role),
        status: Set(Status::Enabled),
        group_name: Set(new.group_name),
        auth_version: Set(0),
        used_nanos: Set(0),
        request_count: Set(0),
        aff_code: Set(new.aff_code),
        inviter_id: Set(new.inviter_id),
        created_at: Set(new.created_at),
        ..Default::default()
    };
    Ok(row.insert(transaction).await?)
}

/// The user of this id, unless deleted.
pub async fn get(connection: &impl ConnectionTrait, id: UserId) -> Result<Option<User>> {
    let select = row::Entity::find_by_id(id).filter(row::Column::DeletedAt.is_null());
    Ok(select.one(connection).await?)
}

/// The user with this login name or e-mail address, in any case of letters; the name wins.
pub async fn find_by_login(connection: &impl ConnectionTrait, login: &str) -> Result<Option<User>> {
    let login = key(login);
    let found = row::Entity::find()
        .filter(row::Column::DeletedAt.is_null())
        .filter(
            Condition::any()
                .add(row::Column::UsernameKey.eq(login.as_str()))
                .add(row::Column::EmailKey.eq(login.as_str())),
        )
        .all(connection)
        .await?;
    let by_name = found.iter().position(|user| user.username_key == login);
    Ok(found.into_iter().nth(by_name.unwrap_or(0)))
}

/// Which of these login names and e-mail addresses somebody has, as [`name_key`] writes them.
pub async fn taken_among(
    connection: &impl ConnectionTrait,
    names: &[&str],
) -> Result<HashSet<String>> {
    let mut taken = HashSet::new();
    for some in names.chunks(NAMES_AT_ONCE) {
        let keys: HashSet<String> = some.iter().map(|name| key(name)).collect();
        let is_one = Condition::any()
            .add(row::Column::UsernameKey.is_in(&keys))
            .add(row::Column::EmailKey.is_in(&keys));
        let found: Vec<(String, Option<String>)> = row::Entity::find()
            .select_only()
            .columns([row::Column::UsernameKey, row::Column::EmailKey])
            .filter(row::Column::DeletedAt.is_null())
            .filter(is_one)
            .into_tuple()
            .all(connection)
            .await?;
        let found = found
            .into_iter()
            .flat_map(|(name, email)| [Some(name), email]);
        taken.extend(found.flatten().filter(|name| keys.contains(name)));
    }
    Ok(taken)
}

/// The root user who was there first; none before set-up.
pub async fn first_root(connection: &impl ConnectionTrait) -> Result<Option<User>> {
    let select = row::Entity::find()
        .filter(row::Column::Role.eq(Role::Root))
        .filter(row::Column::DeletedAt.is_null())
        .order_by_asc(row::Column::Id);
    Ok(select.one(connection).await?)
}

/// The user whose invite code this is.
pub async fn find_by_aff_code(
    connection: &impl ConnectionTrait,
    code: &str,
) -> Result<Option<User>> {
    let select = row::Entity::find()
        .filter(row::Column::AffCode.eq(code))
        .filter(row::Column::DeletedAt.is_null());
    Ok(select.one(connection).await?)
}

/// Whether an invite code was ever given; those of deleted users are not given again.
pub async fn has_aff_code(connection: &impl ConnectionTrait, code: &str) -> Result<bool> {
    let text = "SELECT count(*) FROM users WHERE aff_code = $1";
    let count: Option<i64> = sql::value(connection, text, [code.into()]).await?;
    Ok(count.unwrap_or(0) > 0)
}

/// Puts a better hash of the same password in place of one, unless the password was changed
/// meanwhile.
pub async fn rehash_password(
    transaction: &Transaction,
    id: UserId,
    former: &str,
    hash: &str,
) -> Result<bool> {
    let text = "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2";
    let values = [id.into(), former.into(), hash.into()];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// One page of users.
pub async fn list(
    connection: &impl ConnectionTrait,
    filter: &UserFilter,
    page: Page,
) -> Result<Paged<User>> {
    let mut select = row::Entity::find().filter(row::Column::DeletedAt.is_null());
    if let Some(text) = &filter.search {
        select = select.filter(
            Condition::any()
                .add(row::Column::UsernameKey.like(containing(&key(text))))
                .add(row::Column::EmailKey.like(containing(&key(text))))
                .add(contains(connection, row::Column::DisplayName, text)),
        );
    }
    if let Some(group) = &filter.group_name {
        select = select.filter(row::Column::GroupName.eq(group.as_str()));
    }
    if let Some(role) = filter.role {
        select = select.filter(row::Column::Role.eq(role));
    }
    if let Some(status) = filter.status {
        select = select.filter(row::Column::Status.eq(status));
    }
    let id = row::Column::Id;
    let select = match filter.sort {
        Some(sorted) => sort(select, sorted.by.column(), sorted.is_descending, id),
        None => select.order_by_desc(id),
    };
    fetch(connection, select, page).await
}

/// Changes what is given; none where there is no such user.
pub async fn update(
    transaction: &Transaction,
    id: UserId,
    changes: UserChanges,
) -> Result<Option<User>> {
    if get(transaction, id).await?.is_none() {
        return Ok(None);
    }
    let row = row::ActiveModel {
        id: Unchanged(id),
        username_key: changed(changes.username.as_deref().map(key)),
        username: changed(changes.username),
        email_key: changed(
            changes
                .email
                .as_ref()
                .map(|email| email.as_deref().map(key)),
        ),
        email: changed(changes.email),
        display_name: changed(changes.display_name),
        remark: changed(changes.remark),
        password_hash: changed(changes.password_hash),
        role: changed(changes.role),
        status: changed(changes.status),
        group_name: changed(changes.group_name),
        rpm: changed(changes.rpm),
        tpm: changed(changes.tpm),
        concurrency: changed(changes.concurrency),
        last_login_at: changed(changes.last_login_at),
        budget_total_nanos: changed(changes.budget_total_nanos),
        budget_daily_nanos: changed(changes.budget_daily_nanos),
        budget_weekly_nanos: changed(changes.budget_weekly_nanos),
        budget_monthly_nanos: changed(changes.budget_monthly_nanos),
        low_balance_nanos: changed(changes.low_balance_nanos),
        ..Default::default()
    };
    Ok(Some(row.update(transaction).await?))
}

/// How many enabled roots there are beside this user. In a transaction they all stay so until it ends:
/// two that each count the other would else both go.
pub async fn other_roots(connection: &impl ConnectionTrait, id: UserId) -> Result<usize> {
    let lock = for_update(connection);
    let text = format!(
        "SELECT id FROM users WHERE role = 100 AND status = 1 AND deleted_at IS NULL \
         ORDER BY id{lock}"
    );
    let roots: Vec<i64> = sql::values(connection, &text, []).await?;
    Ok(roots.iter().filter(|root| **root != id.0).count())
}

/// Holds a user until the transaction ends: whoever else wants to do so waits.
pub async fn lock(transaction: &Transaction, id: UserId) -> Result<()> {
    let lock = for_update(transaction);
    let text = format!("SELECT id FROM users WHERE id = $1{lock}");
    sql::value::<i64>(transaction, &text, [id.into()]).await?;
    Ok(())
}

/// Ends every other session and pending login of the user: they carry the former number.
pub async fn raise_auth_version(transaction: &Transaction, id: UserId) -> Result<Option<i64>> {
    let text = "UPDATE users SET auth_version = auth_version + 1 \
               WHERE id = $1 AND deleted_at IS NULL RETURNING auth_version";
    sql::value(transaction, text, [id.into()]).await
}

/// What calls add to a user.
#[derive(Clone, Copy, Debug)]
pub struct UserUsage {
    /// Whose calls.
    pub id: UserId,
    /// What they cost.
    pub nanos: i64,
    /// How many they are.
    pub requests: i64,
}

/// Adds to what users spent and called.
pub async fn add_usage(
    transaction: &Transaction,
    usage: impl IntoIterator<Item = UserUsage>,
) -> Result<()> {
    let rows = usage.into_iter();
    let rows = rows.map(|one| [one.id.0, one.nanos, one.requests]);
    let set = "used_nanos = used_nanos + added.nanos, request_count = request_count + added.other";
    sql::add_to(transaction, "users", set, rows).await
}

/// Deletes a user: the row stays for the ledger and the log, without the address and what was kept for the user; the
/// names become free, and nothing can log in or call with it any more. False where there is no such user.
pub async fn delete(transaction: &Transaction, id: UserId, now: i64) -> Result<bool> {
    let text = "UPDATE users SET deleted_at = $2, status = 2, password_hash = NULL, \
               email = NULL, email_key = NULL, remark = '', \
               auth_version = auth_version + 1 WHERE id = $1 AND deleted_at IS NULL";
    let done = sql::execute(transaction, text, [id.into(), now.into()]).await?;
    if done == 0 {
        return Ok(false);
    }
    for table in [
        "sessions",
        "login_flows",
        "second_factors",
        "backup_codes",
        "passkeys",
        "identities",
        "tokens",
        "personal_access_tokens",
        "low_balance_notices",
        "responses",
    ] {
        let text = format!("DELETE FROM {table} WHERE user_id = $1");
        sql::execute(transaction, &text, [id.into()]).await?;
    }
    Ok(true)
}

/// How a login name or an e-mail address is compared with others.
pub fn name_key(name: &str) -> String {
    key(name)
}

/// How names are compared: the engines disagree about letters beyond ASCII, so not by them.
fn key(name: &str) -> String {
    name.trim().to_lowercase()
}
