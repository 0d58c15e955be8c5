//! Budgets of tokens and users: how much of each window of time is taken. Leases take from them
//! and give back what was not spent, so a budget is never exceeded, however many nodes race.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sea_orm::{
    ConnectionTrait, DbErr, DeriveActiveEnum, EnumIter, FromQueryResult, QueryResult, Value,
};

use crate::database::{Transaction, for_update, placeholders};
use crate::error::Result;
use crate::ids::{LeaseId, TokenId, UserId};
use crate::sql;

/// Whose budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// One token's.
    Token(TokenId),
    /// A user's, over all tokens.
    User(UserId),
}

/// How long a budget lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum Period {
    /// For ever.
    #[sea_orm(string_value = "total")]
    Total,
    /// A day.
    #[sea_orm(string_value = "daily")]
    Daily,
    /// A week.
    #[sea_orm(string_value = "weekly")]
    Weekly,
    /// A month.
    #[sea_orm(string_value = "monthly")]
    Monthly,
}

/// One window of time of one budget. Whoever changes several does so in their order, so that two transactions do not
/// wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Window {
    /// Whose.
    pub scope: Scope,
    /// How long.
    pub period: Period,
    /// When it began, in unix milliseconds; zero for a total.
    pub starts_at: i64,
}

/// A limit on what may be spent in a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The window.
    pub window: Window,
    /// The most that may be spent in it.
    pub limit_nanos: i64,
}

impl Budget {
    /// What it still allows where this much of its window is taken.
    pub(crate) fn left(&self, taken_nanos: i64) -> i64 {
        self.limit_nanos.saturating_sub(taken_nanos).max(0)
    }
}

impl Window {
    pub(crate) fn values(self) -> [Value; 4] {
        let (scope, id) = match self.scope {
            Scope::Token(id) => ("token", id.0),
            Scope::User(id) => ("user", id.0),
        };
        [
            scope.into(),
            id.into(),
            self.period.into(),
            self.starts_at.into(),
        ]
    }
}

impl FromQueryResult for Window {
    fn from_query_result(row: &QueryResult, prefix: &str) -> std::result::Result<Self, DbErr> {
        let scope: String = row.try_get(prefix, "scope")?;
        let id = row.try_get(prefix, "scope_id")?;
        Ok(Self {
            scope: match scope.as_str() {
                "token" => Scope::Token(TokenId(id)),
                _ => Scope::User(UserId(id)),
            },
            period: row.try_get(prefix, "period")?,
            starts_at: row.try_get(prefix, "starts_at")?,
        })
    }
}

const IS_WINDOW: &str = "scope = $1 AND scope_id = $2 AND period = $3 AND starts_at = $4";

/// What was taken in each of these windows, spent or held by leases; a window that nobody has taken from
/// yet is not in the answer.
pub async fn taken_in(
    connection: &impl ConnectionTrait,
    windows: &[Window],
) -> Result<HashMap<Window, i64>> {
    #[derive(FromQueryResult)]
    struct Row {
        #[sea_orm(nested)]
        window: Window,
        taken_nanos: i64,
    }
    let mut found = HashMap::new();
    for windows in windows.chunks(200) {
        let places = (0..windows.len()).map(|at| format!("({})", placeholders(at * 4 + 1, 4)));
        let places: Vec<String> = places.collect();
        let text = format!(
            "SELECT scope, scope_id, period, starts_at, taken_nanos FROM budget_windows \
             WHERE (scope, scope_id, period, starts_at) IN (VALUES {})",
            places.join(", "),
        );
        let values = windows.iter().flat_map(|window| window.values());
        let rows = sql::all::<Row>(connection, &text, values).await?;
        found.extend(rows.into_iter().map(|row| (row.window, row.taken_nanos)));
    }
    Ok(found)
}

/// What all these budgets still allow, with their windows locked until the transaction ends.
pub(crate) async fn room(transaction: &Transaction, budgets: &[Budget]) -> Result<i64> {
    let mut sorted = budgets.to_vec();
    sorted.sort_unstable_by_key(|budget| budget.window);
    let mut room = i64::MAX;
    for budget in sorted {
        let taken = lock(transaction, budget.window).await?;
        room = room.min(budget.left(taken));
        // The caller may have read the budget before it was lowered.
        if let Some(limit_nanos) = limit(transaction, budget.window).await? {
            let now = Budget {
                limit_nanos,
                ..budget
            };
            room = room.min(now.left(taken));
        }
    }
    Ok(room)
}

/// The limit that a token or user has now for windows of this kind; none without one.
async fn limit(transaction: &Transaction, window: Window) -> Result<Option<i64>> {
    let (table, id) = match window.scope {
        Scope::Token(id) => ("tokens", id.0),
        Scope::User(id) => ("users", id.0),
    };
    let column = match window.period {
        Period::Total => "budget_total_nanos",
        Period::Daily => "budget_daily_nanos",
        Period::Weekly => "budget_weekly_nanos",
        Period::Monthly => "budget_monthly_nanos",
    };
    let text = format!("SELECT {column} FROM {table} WHERE id = $1");
    let limit: Option<Option<i64>> = sql::value(transaction, &text, [id.into()]).await?;
    Ok(limit.flatten())
}

/// What is left of the budgets that leases were taken from, by lease and window, with the windows locked until the
/// transaction ends. A window without a limit by now is left out.
pub(crate) async fn left_of_leases(
    transaction: &Transaction,
    leases: &[LeaseId],
) -> Result<Vec<(LeaseId, Window, i64)>> {
    let mut rows = windows_of(transaction, leases).await?;
    rows.sort_unstable_by_key(|row| (row.window, row.lease_id));
    let mut found = Vec::with_capacity(rows.len());
    let mut last: Option<(Window, Option<i64>)> = None;
    for LeaseWindow { lease_id, window } in rows {
        let left = match last {
            Some((known, left)) if known == window => left,
            _ => {
                let taken = locked(transaction, window).await?.unwrap_or(0);
                let limit = limit(transaction, window).await?;
                limit.map(|limit| limit.saturating_sub(taken).max(0))
            }
        };
        last = Some((window, left));
        found.extend(left.map(|left| (lease_id, window, left)));
    }
    Ok(found)
}

async fn lock(transaction: &Transaction, window: Window) -> Result<i64> {
    if let Some(taken) = locked(transaction, window).await? {
        return Ok(taken);
    }
    let before = count(transaction, window).await?;
    let insert = "INSERT INTO budget_windows (scope, scope_id, period, starts_at, taken_nanos) \
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    let values = window.values().into_iter().chain([before.into()]);
    sql::execute(transaction, insert, values).await?;
    let taken = locked(transaction, window).await?;
    Ok(taken.unwrap_or(before))
}

/// What was taken in a window, locked; none where nobody took from it yet.
async fn locked(transaction: &Transaction, window: Window) -> Result<Option<i64>> {
    let text = format!(
        "SELECT taken_nanos FROM budget_windows WHERE {IS_WINDOW}{}",
        for_update(transaction),
    );
    sql::value(transaction, &text, window.values()).await
}

/// What was spent in a window, with a budget or without, and what open leases hold of it: what counts where nobody took
/// from it yet. One statement: a charge that is written meanwhile is either spent or held.
pub async fn count(connection: &impl ConnectionTrait, window: Window) -> Result<i64> {
    let (totals, column, owner) = match window.scope {
        Scope::Token(_) => (
            "tokens",
            "token_id",
            "(SELECT user_id FROM tokens WHERE id = $2)",
        ),
        Scope::User(_) => ("users", "user_id", "$2"),
    };
    let spent = if window.period == Period::Total {
        // What is in the log and not yet counted is spent too.
        format!(
            "SELECT used_nanos AS nanos FROM {totals} WHERE id = $2 \
             UNION ALL SELECT charge_nanos FROM request_log WHERE {column} = $2 \
             AND created_at >= (SELECT MIN(first_created_at) FROM request_batches) \
             AND batch_id IN (SELECT id FROM request_batches)"
        )
    } else {
        format!(
            "SELECT charge_nanos AS nanos FROM request_log \
             WHERE {column} = $2 AND created_at >= $4"
        )
    };
    let text = format!(
        "SELECT CAST(COALESCE(SUM(nanos), 0) AS BIGINT) FROM ({spent} \
         UNION ALL SELECT amount_nanos - spent_nanos FROM leases \
         JOIN lease_budgets ON lease_id = leases.id \
         WHERE user_id = {owner} AND state = 'open' AND {IS_WINDOW}) AS counted"
    );
    let counted = sql::value(connection, &text, window.values()).await?;
    Ok(counted.unwrap_or(0))
}

/// Counts anew the windows of budgets that a token or user has and had not before: what was spent without them was not
/// taken from any. A window that nobody took from yet is counted by the first who does. Windows whose limit has changed are
/// locked until the transaction ends: a slice that is taken then is taken within the new limit.
///
/// Windows come before accounts: a transaction that also moves money does this first.
pub async fn recount(transaction: &Transaction, had: &[Budget], has: &[Budget]) -> Result<()> {
    let known: BTreeSet<Window> = had.iter().map(|budget| budget.window).collect();
    let changed = has.iter().filter(|budget| !had.contains(budget));
    let changed: BTreeSet<Window> = changed.map(|budget| budget.window).collect();
    for window in changed {
        // Locked before it is counted: leases that take or give back meanwhile do so before or after both.
        let taken = locked(transaction, window).await?;
        if let Some(taken) = taken.filter(|_| !known.contains(&window)) {
            // Never less than is known: the log forgets.
            let missing = count(transaction, window).await? - taken;
            add(transaction, window, missing.max(0)).await?;
        }
    }
    Ok(())
}

async fn add(transaction: &Transaction, window: Window, nanos: i64) -> Result<()> {
    let text =
        format!("UPDATE budget_windows SET taken_nanos = taken_nanos + $5 WHERE {IS_WINDOW}");
    let values = window.values().into_iter().chain([nanos.into()]);
    sql::execute(transaction, &text, values).await?;
    Ok(())
}

/// Takes an amount for a lease; the windows are locked by [`room`].
pub(crate) async fn take(
    transaction: &Transaction,
    lease: LeaseId,
    budgets: &[Budget],
    nanos: i64,
) -> Result<()> {
    for budget in budgets {
        add(transaction, budget.window, nanos).await?;
        let text = "INSERT INTO lease_budgets (scope, scope_id, period, starts_at, lease_id) \
                   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
        let values = budget.window.values().into_iter().chain([lease.into()]);
        sql::execute(transaction, text, values).await?;
    }
    Ok(())
}

/// Gives back what leases did not spend.
pub(crate) async fn give_back(transaction: &Transaction, rests: &[(LeaseId, i64)]) -> Result<()> {
    let less: Vec<_> = rests.iter().map(|(lease, rest)| (*lease, -rest)).collect();
    add_of_leases(transaction, &less).await
}

/// Adds amounts of leases to the windows that they were taken from.
pub(crate) async fn add_of_leases(
    transaction: &Transaction,
    amounts: &[(LeaseId, i64)],
) -> Result<()> {
    let mut of_leases: BTreeMap<LeaseId, i64> = BTreeMap::new();
    for (lease, nanos) in amounts {
        *of_leases.entry(*lease).or_default() += nanos;
    }
    let leases: Vec<LeaseId> = of_leases.keys().copied().collect();
    let mut nets: BTreeMap<Window, i64> = BTreeMap::new();
    for row in windows_of(transaction, &leases).await? {
        *nets.entry(row.window).or_default() += of_leases[&row.lease_id];
    }
    for (window, nanos) in nets {
        add(transaction, window, nanos).await?;
    }
    Ok(())
}

/// A window that a lease was taken from.
#[derive(FromQueryResult)]
struct LeaseWindow {
    lease_id: LeaseId,
    #[sea_orm(nested)]
    window: Window,
}

async fn windows_of(transaction: &Transaction, leases: &[LeaseId]) -> Result<Vec<LeaseWindow>> {
    let mut found = Vec::new();
    for leases in leases.chunks(1000) {
        let text = format!(
            "SELECT lease_id, scope, scope_id, period, starts_at FROM lease_budgets \
             WHERE lease_id IN ({})",
            placeholders(1, leases.len()),
        );
        let values = leases.iter().map(|lease| (*lease).into());
        found.extend(sql::all::<LeaseWindow>(transaction, &text, values).await?);
    }
    Ok(found)
}
