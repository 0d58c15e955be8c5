//! Leases that grow and shrink while a node spends from them, and that nodes ask each other for.

use sea_orm::{ConnectionTrait, FromQueryResult};

use super::lease::{LeaseCharge, closed, get, give_back, movement};
use super::reach::reach;
use crate::budgets::{self, Budget};
use crate::database::{Transaction, for_update, placeholders};
use crate::error::Result;
use crate::ids::{LeaseId, UserId};
use crate::ledger::{Account, Balances, Movement, Outcome, lock_user, pay_in, post};
use crate::sql;

/// What a node asks for, for a new lease or one that it has.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The node that asks.
    pub node_id: &'a str,
    /// Whose wallet.
    pub user_id: UserId,
    /// The lease to add to; none: a new one.
    pub lease: Option<LeaseId>,
    /// How much it needs at least.
    pub minimum_nanos: i64,
    /// How much it would like at most.
    pub most_nanos: i64,
    /// It gets at most one part in so many of what there is, unless it needs more.
    pub share: i64,
    /// Budgets that it counts in; a lease always counts in the same windows.
    pub budgets: &'a [Budget],
    /// Now, in unix milliseconds.
    pub now: i64,
    /// When the lease ends unless it is renewed.
    pub expires_at: i64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obtained {
    /// More.
    Lease {
        /// The lease.
        id: LeaseId,
        /// How much was added to it.
        added_nanos: i64,
    },
    /// Less than the minimum is there; nothing was taken.
    Short {
        /// What wallet and budgets allow.
        available_nanos: i64,
        /// The same if other nodes gave back all that they hold, spent on calls or not, and what
        /// is owed was paid from it.
        reachable_nanos: i64,
        /// What the user owes; nothing is available before it is paid.
        owed_nanos: i64,
        /// Whether a budget allows less than the wallet holds.
        is_bound_by_budget: bool,
    },
}

/// Takes a slice of a wallet and of budgets, or says how much there is. `Stale` where the lease
/// to add to is closed.
pub async fn obtain(transaction: &Transaction, ask: &Ask<'_>) -> Result<Obtained> {
    if let Some(id) = ask.lease {
        lock(transaction, &[id]).await?;
    }
    let room = budgets::room(transaction, ask.budgets).await?;
    let has = lock_user(transaction, ask.user_id).await?;
    let available = spendable(has).min(room);
    let minimum = ask.minimum_nanos.max(1);
    if available < minimum {
        let reach = reach(transaction, ask.user_id, ask.budgets, ask.node_id).await?;
        return Ok(Obtained::Short {
            available_nanos: available,
            reachable_nanos: reach.most_nanos,
            owed_nanos: has.owed_nanos,
            is_bound_by_budget: room < spendable(has),
        });
    }
    let fair = available / ask.share.max(1);
    let amount = fair.min(ask.most_nanos).max(minimum);
    let (id, act) = match ask.lease {
        Some(id) => (id, grow(transaction, id, amount, ask.expires_at).await?),
        None => (insert(transaction, ask, amount).await?, "take".to_owned()),
    };
    budgets::take(transaction, id, ask.budgets, amount).await?;
    let (wallet, held) = (Account::Wallet(ask.user_id), Account::Held(ask.user_id));
    let taken = movement(id, &act, wallet, held, amount, ask.now);
    post(transaction, &[taken]).await?;
    Ok(Obtained::Lease {
        id,
        added_nanos: amount,
    })
}

fn spendable(has: Balances) -> i64 {
    if has.owed_nanos > 0 {
        0
    } else {
        has.wallet_nanos
    }
}

/// Locks leases in one order; whoever changes several does this first.
pub async fn lock(transaction: &Transaction, ids: &[LeaseId]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let text = format!(
        "SELECT id FROM leases WHERE id IN ({}) ORDER BY id{}",
        placeholders(1, ids.len()),
        for_update(transaction),
    );
    sql::values::<LeaseId>(transaction, &text, ids.iter().map(|id| (*id).into())).await?;
    Ok(())
}

/// Gives a part of a lease back and answers who asked for it; zero only answers. False where the
/// lease is closed, `Stale` where it has less.
pub async fn shrink(transaction: &Transaction, id: LeaseId, nanos: i64, now: i64) -> Result<bool> {
    let text = "UPDATE leases SET amount_nanos = amount_nanos - $2, moves = moves + 1, \
               recalled_at = NULL WHERE id = $1 AND state = 'open' \
               AND amount_nanos - spent_nanos >= $2 AND amount_nanos > $2 RETURNING moves";
    let values = [id.into(), nanos.into()];
    let Some(move_number) = sql::value::<i64>(transaction, text, values).await? else {
        return close_whole(transaction, id, nanos, now).await;
    };
    if nanos > 0 {
        let Some(lease) = get(transaction, id).await? else {
            return Ok(false);
        };
        budgets::give_back(transaction, &[(id, nanos)]).await?;
        let (held, wallet) = (Account::Held(lease.user_id), Account::Wallet(lease.user_id));
        let act = format!("less:{move_number}");
        pay_in(transaction, &[movement(id, &act, held, wallet, nanos, now)]).await?;
    }
    Ok(true)
}

/// A lease that gives back all it ever took is closed: none is empty.
async fn close_whole(transaction: &Transaction, id: LeaseId, nanos: i64, now: i64) -> Result<bool> {
    let lease = get(transaction, id).await?;
    let Some(lease) = lease.filter(|lease| lease.state == "open") else {
        return Ok(false);
    };
    if lease.amount_nanos != nanos || lease.spent_nanos != 0 {
        return Err(closed(id));
    }
    give_back(transaction, id, now).await?;
    Ok(true)
}

/// Asks all nodes but this one (none: the empty name) for what they hold of a wallet and do not
/// need; one that was asked before and did not answer keeps the time of that. Says how many leases
/// that is.
pub async fn recall(
    transaction: &Transaction,
    user_id: UserId,
    node_id: &str,
    now: i64,
) -> Result<u64> {
    let text = format!(
        "SELECT id FROM leases WHERE user_id = $1 AND state = 'open' AND node_id <> $2 \
         ORDER BY id{}",
        for_update(transaction),
    );
    let ids: Vec<LeaseId> =
        sql::values(transaction, &text, [user_id.into(), node_id.into()]).await?;
    let mut asked = 0;
    for id in ids {
        let text = "UPDATE leases SET recalled_at = COALESCE(recalled_at, $2) \
                   WHERE id = $1 AND state = 'open'";
        asked += sql::execute(transaction, text, [id.into(), now.into()]).await?;
    }
    Ok(asked)
}

/// Whether another node that was asked since then has not answered yet.
pub async fn is_recall_open(
    connection: &impl ConnectionTrait,
    user_id: UserId,
    node_id: &str,
    asked_since: i64,
) -> Result<bool> {
    let text = "SELECT count(*) FROM leases WHERE user_id = $1 AND state = 'open' \
               AND node_id <> $2 AND recalled_at >= $3";
    let values = [user_id.into(), node_id.into(), asked_since.into()];
    let open: Option<i64> = sql::value(connection, text, values).await?;
    Ok(open.is_some_and(|count| count > 0))
}

/// The leases of a node that others ask for.
pub async fn recalled(connection: &impl ConnectionTrait, node_id: &str) -> Result<Vec<LeaseId>> {
    let text = "SELECT id FROM leases WHERE node_id = $1 AND state = 'open' \
               AND recalled_at IS NOT NULL ORDER BY id";
    sql::values(connection, text, [node_id.into()]).await
}

/// The open leases of a node.
pub async fn open_of_node(
    connection: &impl ConnectionTrait,
    node_id: &str,
) -> Result<Vec<LeaseId>> {
    let text = "SELECT id FROM leases WHERE node_id = $1 AND state = 'open' ORDER BY id";
    sql::values(connection, text, [node_id.into()]).await
}

/// What the open leases of a node hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromQueryResult)]
pub struct HeldByNode {
    /// How many there are.
    pub leases: i64,
    /// What was taken and is not settled.
    pub nanos: i64,
}

/// What a node holds of all wallets.
pub async fn held_by(connection: &impl ConnectionTrait, node_id: &str) -> Result<HeldByNode> {
    let text = "SELECT COUNT(*) AS leases, \
               CAST(COALESCE(SUM(amount_nanos - spent_nanos), 0) AS BIGINT) AS nanos \
               FROM leases WHERE node_id = $1 AND state = 'open'";
    sql::returned(sql::one(connection, text, [node_id.into()]).await?)
}

/// Writes charges whose lease is closed, each once: out of the wallet as far as it goes, the rest
/// as owed. They count in the budgets of their lease, which gave back to them what it had not spent.
pub async fn settle_late(
    transaction: &Transaction,
    charges: &[LeaseCharge],
) -> Result<Vec<Outcome>> {
    let amount = |charge: &LeaseCharge| (charge.lease_id, charge.amount_nanos);
    let amounts: Vec<_> = charges.iter().map(amount).collect();
    // Windows before accounts, as when taking; what turns out to be a repetition is given back.
    budgets::add_of_leases(transaction, &amounts).await?;
    let mut outcomes = Vec::with_capacity(charges.len());
    let mut repeated = Vec::new();
    for charge in charges {
        let outcome = pay_late(transaction, charge).await?;
        if outcome == Outcome::Duplicate {
            repeated.push(amount(charge));
        }
        outcomes.push(outcome);
    }
    budgets::give_back(transaction, &repeated).await?;
    Ok(outcomes)
}

async fn pay_late(transaction: &Transaction, charge: &LeaseCharge) -> Result<Outcome> {
    let (user, key) = (charge.user_id, format!("call:{}", charge.request_id));
    let has = lock_user(transaction, user).await?.wallet_nanos;
    let entry = |key: String, from, to, amount_nanos| Movement {
        key,
        from,
        to,
        amount_nanos,
        reference_kind: "call",
        reference_id: charge.request_id.to_string(),
        reason: None,
        at: charge.at,
    };
    let (wallet, owed) = (Account::Wallet(user), Account::Owed(user));
    // As when money is taken back: the whole is owed under the call's key, whatever the
    // wallet holds at a repetition; then the wallet pays what it can.
    let debt = entry(key.clone(), owed, Account::Revenue, charge.amount_nanos);
    let outcome = post(transaction, &[debt]).await?[0];
    let payment = has.min(charge.amount_nanos);
    if outcome == Outcome::Posted && payment > 0 {
        let payment = entry(format!("{key}:wallet"), wallet, owed, payment);
        post(transaction, &[payment]).await?;
    }
    Ok(outcome)
}

async fn insert(transaction: &Transaction, ask: &Ask<'_>, amount: i64) -> Result<LeaseId> {
    let text = "INSERT INTO leases (node_id, user_id, amount_nanos, taken_at, expires_at) \
               VALUES ($1, $2, $3, $4, $5) RETURNING id";
    let values = [
        ask.node_id.into(),
        ask.user_id.into(),
        amount.into(),
        ask.now.into(),
        ask.expires_at.into(),
    ];
    sql::returned(sql::value(transaction, text, values).await?)
}

async fn grow(
    transaction: &Transaction,
    id: LeaseId,
    amount: i64,
    expires_at: i64,
) -> Result<String> {
    let text = "UPDATE leases SET amount_nanos = amount_nanos + $2, moves = moves + 1, \
               expires_at = $3 WHERE id = $1 AND state = 'open' RETURNING moves";
    let values = [id.into(), amount.into(), expires_at.into()];
    let move_number: Option<i64> = sql::value(transaction, text, values).await?;
    let move_number = move_number.ok_or_else(|| closed(id))?;
    Ok(format!("more:{move_number}"))
}
