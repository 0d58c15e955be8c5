//! Budgets of tokens and users: how much of each window of time is taken. Leases take from them
//! and give back what was not spent, so a budget is never exceeded, however many nodes race.

use std::collections::{BTreeMap, HashMap};

use sea_orm::{ConnectionTrait, FromQueryResult, Value};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Period {
    /// For ever.
    Total,
    /// A day.
    Daily,
    /// A week.
    Weekly,
    /// A month.
    Monthly,
}

/// One window of time of one budget.
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

impl Window {
    pub(crate) fn values(self) -> [Value; 4] {
        let (scope, id) = match self.scope {
            Scope::Token(id) => ("token", id.0),
            Scope::User(id) => ("user", id.0),
        };
        let period = match self.period {
            Period::Total => "total",
            Period::Daily => "daily",
            Period::Weekly => "weekly",
            Period::Monthly => "monthly",
        };
        [
            scope.into(),
            id.into(),
            period.into(),
            self.starts_at.into(),
        ]
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
        scope: String,
        scope_id: i64,
        period: String,
        starts_at: i64,
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
        for window in windows {
            let is_it = |row: &&Row| {
                let values = [
                    Value::from(row.scope.as_str()),
                    row.scope_id.into(),
                    row.period.as_str().into(),
                    row.starts_at.into(),
                ];
                values == window.values()
            };
            if let Some(row) = rows.iter().find(is_it) {
                found.insert(*window, row.taken_nanos);
            }
        }
    }
    Ok(found)
}

/// What all these budgets still allow, with their windows locked until the transaction ends; in
/// one order, so that two transactions do not wait for each other.
pub(crate) async fn room(transaction: &Transaction, budgets: &[Budget]) -> Result<i64> {
    let mut sorted = budgets.to_vec();
    sorted.sort_unstable_by_key(|budget| budget.window);
    let mut room = i64::MAX;
    for budget in sorted {
        let taken = lock(transaction, budget.window).await?;
        room = room.min(budget.limit_nanos.saturating_sub(taken));
    }
    Ok(room.max(0))
}

async fn lock(transaction: &Transaction, window: Window) -> Result<i64> {
    let text = format!(
        "SELECT taken_nanos FROM budget_windows WHERE {IS_WINDOW}{}",
        for_update(transaction),
    );
    if let Some(taken) = sql::value(transaction, &text, window.values()).await? {
        return Ok(taken);
    }
    let before = spent_before(transaction, window).await?;
    let insert = "INSERT INTO budget_windows (scope, scope_id, period, starts_at, taken_nanos) \
                 VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
    let values = window.values().into_iter().chain([before.into()]);
    sql::execute(transaction, insert, values).await?;
    let taken = sql::value(transaction, &text, window.values()).await?;
    Ok(taken.unwrap_or(before))
}

/// What was spent in a window before somebody set a budget for it.
async fn spent_before(transaction: &Transaction, window: Window) -> Result<i64> {
    let (totals, column, id) = match window.scope {
        Scope::Token(id) => ("tokens", "token_id", id.0),
        Scope::User(id) => ("users", "user_id", id.0),
    };
    let found = if window.period == Period::Total {
        // What is in the log and not yet counted is spent too.
        let text = format!(
            "SELECT CAST(used_nanos + COALESCE((SELECT SUM(charge_nanos) FROM request_log \
             WHERE {column} = $1 \
             AND created_at >= (SELECT MIN(first_created_at) FROM request_batches) \
             AND batch_id IN (SELECT id FROM request_batches)), 0) AS BIGINT) \
             FROM {totals} WHERE id = $1"
        );
        sql::value(transaction, &text, [id.into()]).await?
    } else {
        let text = format!(
            "SELECT CAST(COALESCE(SUM(charge_nanos), 0) AS BIGINT) FROM request_log \
             WHERE {column} = $1 AND created_at >= $2"
        );
        sql::value(transaction, &text, [id.into(), window.starts_at.into()]).await?
    };
    Ok(found.unwrap_or(0))
}

/// Takes an amount for a lease; the windows are locked by [`room`].
pub(crate) async fn take(
    transaction: &Transaction,
    lease: LeaseId,
    budgets: &[Budget],
    nanos: i64,
) -> Result<()> {
    for budget in budgets {
        let text =
            format!("UPDATE budget_windows SET taken_nanos = taken_nanos + $5 WHERE {IS_WINDOW}");
        let values = budget.window.values().into_iter().chain([nanos.into()]);
        sql::execute(transaction, &text, values).await?;
        let text = "INSERT INTO lease_budgets (scope, scope_id, period, starts_at, lease_id) \
                   VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";
        let values = budget.window.values().into_iter().chain([lease.into()]);
        sql::execute(transaction, text, values).await?;
    }
    Ok(())
}

/// Gives back what leases did not spend.
pub(crate) async fn give_back(transaction: &Transaction, rests: &[(LeaseId, i64)]) -> Result<()> {
    #[derive(FromQueryResult)]
    struct Row {
        lease_id: LeaseId,
        scope: String,
        scope_id: i64,
        period: String,
        starts_at: i64,
    }
    let mut nets: BTreeMap<(String, i64, String, i64), i64> = BTreeMap::new();
    for rests in rests.chunks(1000) {
        let text = format!(
            "SELECT lease_id, scope, scope_id, period, starts_at FROM lease_budgets \
             WHERE lease_id IN ({})",
            placeholders(1, rests.len()),
        );
        let values = rests.iter().map(|(lease, _)| (*lease).into());
        for row in sql::all::<Row>(transaction, &text, values).await? {
            let rest = rests.iter().find(|(lease, _)| *lease == row.lease_id);
            let window = (row.scope, row.scope_id, row.period, row.starts_at);
            *nets.entry(window).or_default() += rest.map_or(0, |(_, nanos)| *nanos);
        }
    }
    for ((scope, id, period, starts_at), nanos) in nets {
        let text =
            format!("UPDATE budget_windows SET taken_nanos = taken_nanos - $5 WHERE {IS_WINDOW}");
        let values = [
            scope.into(),
            id.into(),
            period.into(),
            starts_at.into(),
            nanos.into(),
        ];
        sql::execute(transaction, &text, values).await?;
    }
    Ok(())
}
