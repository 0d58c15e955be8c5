//! The life of a lease: taken, renewed, settled, closed.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::budgets;
use crate::database::{Transaction, for_update_skipping, server_started_at};
use crate::error::{Result, StoreError};
use crate::ids::{LeaseId, UserId};
use crate::ledger::{Account, Movement, Outcome, lock_user, pay_in, post};
use crate::sql;
use crate::text::Text;

/// A lease as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Lease {
    /// The lease's id.
    pub id: LeaseId,
    /// The node that spends from it.
    pub node_id: String,
    /// Whose wallet it was taken from.
    pub user_id: UserId,
    /// How much was taken.
    pub amount_nanos: i64,
    /// How much of it was settled.
    pub spent_nanos: i64,
    /// `open`, `returned` or `expired`.
    pub state: String,
    /// When it was taken.
    pub taken_at: i64,
    /// When others may close it.
    pub expires_at: i64,
    /// When it was closed.
    pub closed_at: Option<i64>,
}

/// What a node asks for.
#[derive(Clone, Debug)]
pub struct LeaseRequest {
    /// The node that asks.
    pub node_id: String,
    /// Whose wallet.
    pub user_id: UserId,
    /// How much it would like.
    pub wanted_nanos: i64,
    /// How much it needs at least.
    pub minimum_nanos: i64,
    /// Now, in unix milliseconds.
    pub now: i64,
    /// When the lease ends unless it is renewed.
    pub expires_at: i64,
}

/// The charge of one call that was reserved from a lease.
#[derive(Clone, Debug)]
pub struct LeaseCharge {
    /// The lease that the call reserved from.
    pub lease_id: LeaseId,
    /// The call's request id; a call is charged once.
    pub request_id: Text,
    /// Whose call it was.
    pub user_id: UserId,
    /// What it cost; above zero.
    pub amount_nanos: i64,
    /// When it was charged.
    pub at: i64,
}

const COLUMNS: &str = "id, node_id, user_id, amount_nanos, spent_nanos, state, taken_at, \
                       expires_at, closed_at";

/// Takes a slice: what is wanted, or what the wallet has, or `InsufficientFunds` where that is
/// less than the minimum.
pub async fn take(transaction: &Transaction, request: &LeaseRequest) -> Result<Lease> {
    let wallet = Account::Wallet(request.user_id);
    let has = lock_user(transaction, request.user_id).await?.wallet_nanos;
    let amount = request.wanted_nanos.min(has);
    if amount < request.minimum_nanos.max(1) {
        return Err(StoreError::InsufficientFunds(wallet.to_string()));
    }
    let text = format!(
        "INSERT INTO leases (node_id, user_id, amount_nanos, taken_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5) RETURNING {COLUMNS}",
    );
    let values = [
        request.node_id.as_str().into(),
        request.user_id.into(),
        amount.into(),
        request.now.into(),
        request.expires_at.into(),
    ];
    let lease: Lease = sql::returned(sql::one(transaction, &text, values).await?)?;
    let held = Account::Held(request.user_id);
    post(
        transaction,
        &[movement(
            lease.id,
            "take",
            wallet,
            held,
            amount,
            request.now,
        )],
    )
    .await?;
    Ok(lease)
}

/// A lease by its id.
pub async fn get(connection: &impl ConnectionTrait, id: LeaseId) -> Result<Option<Lease>> {
    let text = format!("SELECT {COLUMNS} FROM leases WHERE id = $1");
    sql::one(connection, &text, [id.into()]).await
}

/// Moves the end of an open lease; false where it is closed already.
pub async fn renew(transaction: &Transaction, id: LeaseId, expires_at: i64) -> Result<bool> {
    let text = "UPDATE leases SET expires_at = $2 WHERE id = $1 AND state = 'open'";
    let values = [id.into(), expires_at.into()];
    let done = sql::execute(transaction, text, values).await?;
    Ok(done > 0)
}

/// Writes the charges of calls that are new in the log, one movement a lease: the log says which calls
/// it is the sum of. A lease that is closed or too small is `Stale`; the transaction must then be dropped.
pub async fn settle(
    transaction: &Transaction,
    batch_id: i64,
    charges: &[LeaseCharge],
) -> Result<()> {
    let mut spent: BTreeMap<LeaseId, Movement> = BTreeMap::new();
    for charge in charges {
        let id = charge.lease_id;
        let movement = spent.entry(id).or_insert_with(|| Movement {
            key: format!("calls:{batch_id}:{id}"),
            from: Account::Held(charge.user_id),
            to: Account::Revenue,
            amount_nanos: 0,
            reference_kind: "calls",
            reference_id: batch_id.to_string(),
            reason: None,
            at: charge.at,
        });
        let sum = movement.amount_nanos.checked_add(charge.amount_nanos);
        movement.amount_nanos = sum
            .filter(|_| movement.from == Account::Held(charge.user_id))
            .ok_or_else(|| closed(id))?;
    }
    // Leases before accounts, as when closing, so that settling and closing do not deadlock.
    spend(transaction, &spent).await?;
    let movements: Vec<Movement> = spent.into_values().collect();
    let outcomes = post(transaction, &movements).await?;
    match outcomes.iter().position(|one| *one != Outcome::Posted) {
        Some(place) => Err(StoreError::KeyReused(movements[place].key.clone())),
        None => Ok(()),
    }
}

/// Gives back what was not spent; none where the lease is closed already.
pub async fn give_back(transaction: &Transaction, id: LeaseId, now: i64) -> Result<Option<i64>> {
    let Some(lease) = close(transaction, id, "returned", now).await? else {
        return Ok(None);
    };
    let unspent = lease.amount_nanos - lease.spent_nanos;
    budgets::give_back(transaction, &[(id, unspent)]).await?;
    pay_in(transaction, &rest(&lease, now)).await?;
    Ok(Some(unspent))
}

/// Closes leases that nobody renewed, at most `limit` of them, and gives their rest back. Several
/// nodes may do this at once. A node whose journal is not replayed yet, or may have been begun
/// while the database was away, keeps its leases: they may be spent already.
pub async fn expire(transaction: &Transaction, now: i64, limit: u32) -> Result<Vec<LeaseId>> {
    let text = format!(
        "SELECT id FROM leases WHERE state = 'open' AND expires_at <= $1 \
         AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = leases.node_id \
         AND (nodes.has_journal OR nodes.journal_told_at < {})) \
         ORDER BY expires_at, id LIMIT $2{}",
        server_started_at(transaction),
        for_update_skipping(transaction),
    );
    let values = [now.into(), i64::from(limit).into()];
    let due = sql::values(transaction, &text, values).await?;
    let mut expired = Vec::new();
    let mut movements = Vec::new();
    let mut unspent = Vec::new();
    for id in due {
        if let Some(lease) = close(transaction, id, "expired", now).await? {
            movements.extend(rest(&lease, now));
            unspent.push((id, lease.amount_nanos - lease.spent_nanos));
            expired.push(id);
        }
    }
    budgets::give_back(transaction, &unspent).await?;
    // In one batch, which takes the accounts in an order that cannot deadlock.
    pay_in(transaction, &movements).await?;
    Ok(expired)
}

async fn close(
    transaction: &Transaction,
    id: LeaseId,
    state: &str,
    now: i64,
) -> Result<Option<Lease>> {
    let text = format!(
        "UPDATE leases SET state = $2, closed_at = $3 WHERE id = $1 AND state = 'open' \
         RETURNING {COLUMNS}",
    );
    let values = [id.into(), state.into(), now.into()];
    sql::one(transaction, &text, values).await
}

/// What goes back to the wallet when a lease is closed: one movement or none.
fn rest(lease: &Lease, now: i64) -> Vec<Movement> {
    let rest = lease.amount_nanos - lease.spent_nanos;
    let (held, wallet) = (Account::Held(lease.user_id), Account::Wallet(lease.user_id));
    let movement = movement(lease.id, "close", held, wallet, rest, now);
    if rest > 0 { vec![movement] } else { Vec::new() }
}

/// Counts what was spent of leases, each by whom it belongs to.
async fn spend(transaction: &Transaction, spent: &BTreeMap<LeaseId, Movement>) -> Result<()> {
    let spending = sql::Addition {
        table: "leases",
        set: "spent_nanos = spent_nanos + added.nanos",
        only: "state = 'open' AND user_id = added.other AND spent_nanos + added.nanos <= amount_nanos",
        order: "id",
    };
    let row = |(id, movement): (&LeaseId, &Movement)| {
        let user = movement.from.user().map_or(0, |user| user.0);
        [id.0, movement.amount_nanos, user]
    };
    let rows: Vec<[i64; 3]> = spent.iter().map(row).collect();
    let changed = spending.add(transaction, &rows).await?;
    match spent.keys().find(|id| !changed.contains(&id.0)) {
        Some(id) => Err(closed(*id)),
        None => Ok(()),
    }
}

pub(super) fn closed(id: LeaseId) -> StoreError {
    StoreError::Stale(format!("lease {id} is closed or too small"))
}

pub(super) fn movement(
    id: LeaseId,
    act: &str,
    from: Account,
    to: Account,
    amount_nanos: i64,
    at: i64,
) -> Movement {
    Movement {
        key: format!("lease:{id}:{act}"),
        from,
        to,
        amount_nanos,
        reference_kind: "lease",
        reference_id: id.to_string(),
        reason: None,
        at,
    }
}
