//! Tokens: what clients call with. The secret is known here only as its keyed hash; rights and
//! limits are stored, not judged.

use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{
    ActiveEnum as _, ActiveModelTrait, ColumnTrait, Condition, ConnectionTrait, DbBackend,
    DeriveActiveEnum, EntityTrait, EnumIter, QueryFilter, QueryOrder, Set, Unchanged,
};

use crate::changes::{changed, found};
use crate::database::Transaction;
use crate::document::Document;
use crate::error::Result;
use crate::ids::{ChannelId, TokenId, UserId};
use crate::page::{
    MOST_COUNTED, MOST_FOUND, Page, Paged, Sorted, fetch_counting, pattern_of, sort,
};
use crate::request_log::LoggedCall;
use crate::sql;
use crate::users::{Role, Status};

pub use row::Model as Token;

/// What a token was made for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum Purpose {
    /// A client's own; its user sees and edits it.
    #[default]
    #[sea_orm(string_value = "api")]
    Api,
    /// The console's playground; it is short-lived and in no list.
    #[sea_orm(string_value = "playground")]
    Playground,
}

mod row {
    use sea_orm::entity::prelude::*;

    use crate::document::Document;
    use crate::ids::{ChannelId, TokenId, UserId};
    use crate::users::Status;

    use super::Purpose;

    /// A token as stored.
    #[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
    #[sea_orm(table_name = "tokens")]
    pub struct Model {
        /// The token's id.
        #[sea_orm(primary_key)]
        pub id: TokenId,
        /// Whose.
        pub user_id: UserId,
        /// What the user calls it.
        pub name: String,
        /// The first characters of the secret, to tell tokens apart.
        pub prefix: String,
        /// The keyed hash of the secret.
        pub secret_hash: Vec<u8>,
        /// The keyed hash of the former secret, after a rotation with an overlap.
        pub previous_hash: Option<Vec<u8>>,
        /// Until when the former secret works.
        pub previous_expires_at: Option<i64>,
        /// Whether it works.
        pub status: Status,
        /// The group it calls as; none: the user's.
        pub group_name: Option<String>,
        /// Models it may use; empty: all.
        pub models: Document<Vec<String>>,
        /// Endpoints it may call; empty: all.
        pub endpoints: Document<Vec<String>>,
        /// Networks it may be used from; empty: all.
        pub cidrs: Document<Vec<String>>,
        /// Requests a minute.
        pub rpm: Option<i64>,
        /// Tokens (of text) a minute.
        pub tpm: Option<i64>,
        /// Calls at once.
        pub concurrency: Option<i64>,
        /// What it may ever spend.
        pub budget_total_nanos: Option<i64>,
        /// What it may spend a day.
        pub budget_daily_nanos: Option<i64>,
        /// What it may spend a week.
        pub budget_weekly_nanos: Option<i64>,
        /// What it may spend a month.
        pub budget_monthly_nanos: Option<i64>,
        /// What it spent so far.
        pub used_nanos: i64,
        /// It comes from the configuration file and is not edited here.
        pub is_declared: bool,
        /// What it was made for.
        pub purpose: Purpose,
        /// The one channel that its calls may go through; none: whichever serves the model.
        pub channel_id: Option<ChannelId>,
        /// When it ends, if ever.
        pub expires_at: Option<i64>,
        /// When it was made.
        pub created_at: i64,
        /// When it was last used.
        pub last_used_at: Option<i64>,
    }

    #[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
    pub enum Relation {}

    impl ActiveModelBehavior for ActiveModel {}
}

/// What it takes to make a token; rights and limits are set by the changes that go with it.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Whose.
    pub user_id: UserId,
    /// What the user calls it.
    pub name: String,
    /// The first characters of the secret.
    pub prefix: String,
    /// The keyed hash of the secret.
    pub secret_hash: Vec<u8>,
    /// It comes from the configuration file.
    pub is_declared: bool,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// A partial update: `None` leaves a field as it is, `Some(None)` clears it.
#[derive(Clone, Debug, Default)]
pub struct TokenChanges {
    /// A new name.
    pub name: Option<String>,
    /// Enable or disable.
    pub status: Option<Status>,
    /// Another group.
    pub group_name: Option<Option<String>>,
    /// Other models.
    pub models: Option<Vec<String>>,
    /// Other endpoints.
    pub endpoints: Option<Vec<String>>,
    /// Other networks.
    pub cidrs: Option<Vec<String>>,
    /// Requests a minute.
    pub rpm: Option<Option<i64>>,
    /// Tokens (of text) a minute.
    pub tpm: Option<Option<i64>>,
    /// Calls at once.
    pub concurrency: Option<Option<i64>>,
    /// What it may ever spend.
    pub budget_total_nanos: Option<Option<i64>>,
    /// What it may spend a day.
    pub budget_daily_nanos: Option<Option<i64>>,
    /// What it may spend a week.
    pub budget_weekly_nanos: Option<Option<i64>>,
    /// What it may spend a month.
    pub budget_monthly_nanos: Option<Option<i64>>,
    /// Another end.
    pub expires_at: Option<Option<i64>>,
    /// What it is made for.
    pub purpose: Option<Purpose>,
    /// The one channel that its calls may go through.
    pub channel_id: Option<Option<ChannelId>>,
}

impl TokenChanges {
    fn into_row(self) -> row::ActiveModel {
        row::ActiveModel {
            name: changed(self.name),
            status: changed(self.status),
            group_name: changed(self.group_name),
            models: changed(self.models.map(Document)),
            endpoints: changed(self.endpoints.map(Document)),
            cidrs: changed(self.cidrs.map(Document)),
            rpm: changed(self.rpm),
            tpm: changed(self.tpm),
            concurrency: changed(self.concurrency),
            budget_total_nanos: changed(self.budget_total_nanos),
            budget_daily_nanos: changed(self.budget_daily_nanos),
            budget_weekly_nanos: changed(self.budget_weekly_nanos),
            budget_monthly_nanos: changed(self.budget_monthly_nanos),
            expires_at: changed(self.expires_at),
            purpose: changed(self.purpose),
            channel_id: changed(self.channel_id),
            ..Default::default()
        }
    }
}

/// What tokens can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSort {
    /// What the user calls it.
    Name,
    /// When it was made.
    CreatedAt,
    /// When it was last used.
    LastUsedAt,
    /// When it ends.
    ExpiresAt,
    /// What it spent so far.
    Used,
}

impl TokenSort {
    fn column(self) -> row::Column {
        match self {
            Self::Name => row::Column::Name,
            Self::CreatedAt => row::Column::CreatedAt,
            Self::LastUsedAt => row::Column::LastUsedAt,
            Self::ExpiresAt => row::Column::ExpiresAt,
            Self::Used => row::Column::UsedNanos,
        }
    }
}

/// Which tokens to list; the default lists all that users made.
#[derive(Clone, Debug, Default)]
pub struct TokenFilter {
    /// Only of this user.
    pub user_id: Option<UserId>,
    /// A part of the name, or the beginning of the secret.
    pub search: Option<String>,
    /// Only enabled or only disabled ones.
    pub status: Option<Status>,
    /// In this order; the newest first where none is given.
    pub sort: Option<Sorted<TokenSort>>,
}

/// Adds a token with its rights and limits; a known secret is a `Conflict`.
pub async fn insert(
    transaction: &Transaction,
    new: NewToken,
    rights: TokenChanges,
) -> Result<Token> {
    let mut row = rights.into_row();
    if row.name.is_not_set() {
        row.name = Set(new.name);
    }
    row.user_id = Set(new.user_id);
    row.prefix = Set(new.prefix);
    row.secret_hash = Set(new.secret_hash);
    row.is_declared = Set(new.is_declared);
    row.created_at = Set(new.now);
    Ok(row.insert(transaction).await?)
}

/// The token of this id.
pub async fn get(connection: &impl ConnectionTrait, id: TokenId) -> Result<Option<Token>> {
    Ok(row::Entity::find_by_id(id).one(connection).await?)
}

/// The token of this secret, or of this former secret while the overlap lasts. It may be disabled
/// or over.
pub async fn find(
    connection: &impl ConnectionTrait,
    secret_hash: &[u8],
    now: i64,
) -> Result<Option<Token>> {
    find_by_either(connection, secret_hash, secret_hash, now).await
}

/// The same for a secret that may be known by one of two hashes.
pub async fn find_by_either(
    connection: &impl ConnectionTrait,
    one: &[u8],
    other: &[u8],
    now: i64,
) -> Result<Option<Token>> {
    let text = "SELECT * FROM tokens WHERE secret_hash IN ($1, $2) \
                UNION ALL SELECT * FROM tokens WHERE previous_hash IN ($1, $2) \
                AND previous_expires_at > $3";
    let values = [one.to_vec().into(), other.to_vec().into(), now.into()];
    sql::one(connection, text, values).await
}

/// One page of tokens.
pub async fn list(
    connection: &impl ConnectionTrait,
    filter: &TokenFilter,
    page: Page,
) -> Result<Paged<Token>> {
    let mut select = row::Entity::find().filter(row::Column::Purpose.eq(Purpose::Api));
    if let Some(user) = filter.user_id {
        select = select.filter(row::Column::UserId.eq(user));
    }
    if let Some(text) = &filter.search {
        let by_name = named_like(connection, text).await?;
        let by_prefix = row::Column::Prefix.eq(text.as_str());
        select = select.filter(Condition::any().add(by_name).add(by_prefix));
    }
    if let Some(status) = filter.status {
        select = select.filter(row::Column::Status.eq(status));
    }
    let id = row::Column::Id;
    let select = match filter.sort {
        Some(sorted) => sort(select, sorted.by.column(), sorted.is_descending, id),
        None => select.order_by_desc(id),
    };
    let most = if filter.search.is_some() {
        MOST_FOUND
    } else {
        MOST_COUNTED
    };
    fetch_counting(connection, select, page, most).await
}

/// The condition that a part of the name is this text. What few tokens have is looked for once, in the names
/// alone and where it can be by their trigrams; what many have is soon found among the tokens themselves.
async fn named_like(connection: &impl ConnectionTrait, text: &str) -> Result<SimpleExpr> {
    let is_sqlite = connection.get_database_backend() == DbBackend::Sqlite;
    let has_trigrams = text.chars().nth(2).is_some() && !text.contains('\0');
    // Upper and lower case are the same; SQLite has no other LIKE. PostgreSQL would look at all of its trigrams
    // for less than one, so it is told to leave them, by another collation than theirs.
    let condition = match (is_sqlite, has_trigrams) {
        (true, _) => "name LIKE ? ESCAPE '\\'",
        (false, true) => "name_key LIKE lower($1) ESCAPE '\\'",
        (false, false) => "name_key COLLATE \"C\" LIKE lower($1) ESCAPE '\\'",
    };
    let (names, wanted) = if is_sqlite && has_trigrams {
        let phrase = format!("\"{}\"", text.replace('"', "\"\""));
        let names = "SELECT rowid FROM token_names WHERE name MATCH ?";
        (names.to_owned(), phrase)
    } else {
        let names = format!("SELECT id FROM tokens WHERE {condition}");
        (names, pattern_of(text))
    };
    let question = format!("{names} LIMIT {}", MOST_FOUND + 1);
    let ids: Vec<i64> = sql::values(connection, &question, [wanted.into()]).await?;
    if ids.len() as u64 > MOST_FOUND {
        return Ok(Expr::cust_with_values(condition, [pattern_of(text)]));
    }
    let ids: Vec<String> = ids.iter().map(i64::to_string).collect();
    let ids = ids.join(",");
    Ok(if is_sqlite {
        let among = "tokens.id IN (SELECT value FROM json_each(?))";
        Expr::cust_with_values(among, [format!("[{ids}]")])
    } else {
        let among = "tokens.id = ANY (CAST($1 AS BIGINT[]))";
        Expr::cust_with_values(among, [format!("{{{ids}}}")])
    })
}

/// Every token that the configuration file declares.
pub async fn declared(connection: &impl ConnectionTrait) -> Result<Vec<Token>> {
    Ok(row::Entity::find()
        .filter(row::Column::IsDeclared.eq(true))
        .order_by_asc(row::Column::Id)
        .all(connection)
        .await?)
}

/// Changes what is given; none where there is no such token.
pub async fn update(
    transaction: &Transaction,
    id: TokenId,
    changes: TokenChanges,
) -> Result<Option<Token>> {
    let mut row = changes.into_row();
    row.id = Unchanged(id);
    found(row.update(transaction).await)
}

/// Gives a token a new secret; with an overlap the former one works until then. False where there
/// is no such token.
pub async fn rotate(
    transaction: &Transaction,
    id: TokenId,
    prefix: &str,
    secret_hash: &[u8],
    former_works_until: Option<i64>,
) -> Result<bool> {
    let text = "UPDATE tokens SET previous_hash = CASE WHEN $4 IS NULL THEN NULL \
                ELSE secret_hash END, previous_expires_at = $4, secret_hash = $2, prefix = $3 \
                WHERE id = $1";
    let values = [
        id.into(),
        secret_hash.to_vec().into(),
        prefix.into(),
        former_works_until.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// What calls add to a token.
#[derive(Clone, Copy, Debug)]
pub struct TokenUsage {
    /// Which token.
    pub id: TokenId,
    /// What the calls cost.
    pub nanos: i64,
    /// When the last of them was made.
    pub last_used_at: i64,
}

impl TokenUsage {
    pub(crate) fn none(id: TokenId) -> Self {
        Self {
            id,
            nanos: 0,
            last_used_at: 0,
        }
    }

    pub(crate) fn count(&mut self, call: &LoggedCall) {
        self.nanos += call.charge_nanos;
        self.last_used_at = self.last_used_at.max(call.created_at);
    }
}

/// Adds to what tokens spent and notes the time, to the minute: an index is sorted by it.
pub async fn add_usage(
    transaction: &Transaction,
    usage: impl IntoIterator<Item = TokenUsage>,
) -> Result<()> {
    let rows = usage.into_iter();
    let rows = rows.map(|one| [one.id.0, one.nanos, one.last_used_at]);
    let set = "used_nanos = used_nanos + added.nanos, last_used_at = CASE \
               WHEN last_used_at > added.other - 60000 THEN last_used_at ELSE added.other END";
    sql::add_to(transaction, "tokens", set, rows).await
}

/// Lets a user's tokens of any other group than this one and those that everybody may choose call as
/// their owner's again; what the configuration file declares stays as it says.
pub async fn keep_to_group(transaction: &Transaction, user: UserId, group: &str) -> Result<()> {
    let text = "UPDATE tokens SET group_name = NULL WHERE user_id = $1 AND group_name <> $2 \
                AND NOT is_declared \
                AND group_name NOT IN (SELECT name FROM groups WHERE is_selectable)";
    sql::execute(transaction, text, [user.into(), group.into()]).await?;
    Ok(())
}

/// Lets the tokens of a group whose owners are neither in it nor administrators call as their owner's
/// again; what the configuration file declares stays as it says.
pub async fn leave_group(transaction: &Transaction, group: &str) -> Result<()> {
    let text = "UPDATE tokens SET group_name = NULL WHERE group_name = $1 AND NOT is_declared \
                AND user_id IN (SELECT id FROM users WHERE group_name <> $1 AND role < $2)";
    let administrator = Role::Administrator.to_value();
    sql::execute(transaction, text, [group.into(), administrator.into()]).await?;
    Ok(())
}

/// Removes the playground tokens of a user that are over, and says how many are left.
pub async fn sweep_playground(transaction: &Transaction, user: UserId, now: i64) -> Result<i64> {
    let text = "DELETE FROM tokens WHERE user_id = $1 AND purpose = 'playground' \
                AND expires_at <= $2";
    sql::execute(transaction, text, [user.into(), now.into()]).await?;
    let text = "SELECT count(*) FROM tokens WHERE user_id = $1 AND purpose = 'playground'";
    Ok(sql::value(transaction, text, [user.into()])
        .await?
        .unwrap_or(0))
}

/// Removes a token; false where there is no such one. The log keeps its id.
pub async fn delete(transaction: &Transaction, id: TokenId) -> Result<bool> {
    let done = row::Entity::delete_by_id(id).exec(transaction).await?;
    Ok(done.rows_affected > 0)
}
