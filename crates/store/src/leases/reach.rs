//! How far a wallet reaches: what can be taken from it now, and what it could give if every lease
//! gave back all it holds. Reads only and locks nothing, so that a refusal is cheap.

use sea_orm::{ConnectionTrait, FromQueryResult, Value};

use crate::budgets::{Budget, Window, count};
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// What a user's calls within some budgets could have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// What wallet and budgets give at once; nothing while the user owes.
    pub available_nanos: i64,
    /// What there would be if all leases gave back what they hold, spent on running calls or not:
    /// what is beyond this cannot be had from anybody.
    pub most_nanos: i64,
    /// What the user owes.
    pub owed_nanos: i64,
    /// Whether a budget gives less than the wallet would.
    pub is_bound_by_budget: bool,
}

/// How far a wallet reaches within these budgets, the leases of one node (none: the empty name)
/// left out. Each limit is read in one statement, so that what moves meanwhile is seen on one side.
pub async fn reach(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    budgets: &[Budget],
    except_node: &str,
) -> Result<Reach> {
    let mut reach = of_wallet(connection, user_id, except_node).await?;
    let within = within(connection, user_id, budgets, except_node).await?;
    reach.is_bound_by_budget = within.available_nanos < reach.available_nanos;
    reach.available_nanos = reach.available_nanos.min(within.available_nanos);
    reach.most_nanos = reach.most_nanos.min(within.most_nanos);
    Ok(reach)
}

/// What these budgets leave a user's calls, with what leases took and have not spent; without budgets, no bound.
pub async fn left_of_budgets(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    budgets: &[Budget],
) -> Result<i64> {
    let mut left = i64::MAX;
    for budget in budgets {
        let taken = match of_window(connection, user_id, budget.window, "").await? {
            Some(row) => row.taken_nanos - row.leased_nanos,
            // Nobody took from it yet; what was spent before there was a budget counts.
            None => count(connection, budget.window).await?,
        };
        left = left.min(budget.left(taken));
    }
    Ok(left)
}

/// What budgets give: at once, and if all leases gave back what they hold.
struct Within {
    available_nanos: i64,
    most_nanos: i64,
}

async fn within(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    budgets: &[Budget],
    except_node: &str,
) -> Result<Within> {
    let mut within = Within {
        available_nanos: i64::MAX,
        most_nanos: i64::MAX,
    };
    for budget in budgets {
        // Nobody took from a window that is not there; what was spent before it had a budget is not known, and
        // counting is not cheap.
        let row = of_window(connection, user_id, budget.window, except_node).await?;
        let row = row.unwrap_or_default();
        let available = budget.left(row.taken_nanos);
        let most = budget.left(row.taken_nanos - row.leased_nanos);
        within.available_nanos = within.available_nanos.min(available);
        within.most_nanos = within.most_nanos.min(most);
    }
    Ok(within)
}

async fn of_wallet(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    except_node: &str,
) -> Result<Reach> {
    #[derive(FromQueryResult)]
    struct Row {
        wallet: i64,
        owed: i64,
        leased: i64,
    }
    let text = "SELECT \
        CAST(COALESCE(SUM(CASE WHEN kind = 'wallet' THEN balance_nanos END), 0) AS BIGINT) \
            AS wallet, \
        CAST(COALESCE(SUM(CASE WHEN kind = 'owed' THEN -balance_nanos END), 0) AS BIGINT) \
            AS owed, \
        (SELECT CAST(COALESCE(SUM(amount_nanos - spent_nanos), 0) AS BIGINT) FROM leases \
            WHERE user_id = $1 AND state = 'open' AND node_id <> $2) AS leased \
        FROM ledger_accounts WHERE user_id = $1";
    let row: Row =
        sql::returned(sql::one(connection, text, [user_id.into(), except_node.into()]).await?)?;
    Ok(Reach {
        available_nanos: if row.owed > 0 { 0 } else { row.wallet },
        most_nanos: row.wallet + row.leased - row.owed,
        owed_nanos: row.owed,
        is_bound_by_budget: false,
    })
}

#[derive(Default, FromQueryResult)]
struct WindowRow {
    taken_nanos: i64,
    leased_nanos: i64,
}

async fn of_window(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    window: Window,
    except_node: &str,
) -> Result<Option<WindowRow>> {
    let text = "SELECT taken_nanos, \
        (SELECT CAST(COALESCE(SUM(leases.amount_nanos - leases.spent_nanos), 0) AS BIGINT) \
            FROM leases JOIN lease_budgets ON lease_budgets.lease_id = leases.id \
            WHERE leases.user_id = $5 AND leases.state = 'open' AND leases.node_id <> $6 \
            AND lease_budgets.scope = $1 AND lease_budgets.scope_id = $2 \
            AND lease_budgets.period = $3 AND lease_budgets.starts_at = $4) AS leased_nanos \
        FROM budget_windows \
        WHERE scope = $1 AND scope_id = $2 AND period = $3 AND starts_at = $4";
    let others: [Value; 2] = [user_id.into(), except_node.into()];
    let values = window.values().into_iter().chain(others);
    sql::one(connection, text, values).await
}
