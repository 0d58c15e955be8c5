//! Posting: the only code that writes ledger entries and balances.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sea_orm::{FromQueryResult, Value};

use super::account::Account;
use crate::database::{Transaction, insert_rows, placeholders};
use crate::error::{Result, StoreError};
use crate::ids::UserId;
use crate::sql;

/// Rows of one INSERT: eight parameters each must stay below SQLite's limit of 32,766.
const ROWS_AT_ONCE: usize = 500;

/// One movement of money, before it is posted.
#[derive(Clone, Debug)]
pub struct Movement {
    /// Names this movement for ever: posting the same key again has no second effect.
    pub key: String,
    /// Where the money comes from.
    pub from: Account,
    /// Where it goes.
    pub to: Account,
    /// How much; above zero.
    pub amount_nanos: i64,
    /// What kind of thing caused it: `call`, `order`, `lease`, …
    pub reference_kind: &'static str,
    /// Which one.
    pub reference_id: String,
    /// What an administrator gave as the reason.
    pub reason: Option<String>,
    /// Now, in unix milliseconds.
    pub at: i64,
}

/// What became of one movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was posted now.
    Posted,
    /// Its key was posted before, with the same accounts and amount; nothing was done.
    Duplicate,
}

/// Posts all movements or, on an error, none (the transaction must then be dropped). The answer
/// has one outcome a movement, in their order. Balances are checked for the batch as a whole:
/// what must not go below zero may do so between two movements of one batch.
pub async fn post(transaction: &Transaction, movements: &[Movement]) -> Result<Vec<Outcome>> {
    if movements.is_empty() {
        return Ok(Vec::new());
    }
    let accounts = account_ids(transaction, movements).await?;
    // Keys go in sorted, so that two batches with common keys do not wait for each other.
    let mut sorted: Vec<&Movement> = movements.iter().collect();
    sorted.sort_by(|one, other| one.key.cmp(&other.key));
    sorted.dedup_by(|later, first| later.key == first.key);
    let mut fresh = HashSet::new();
    for rows in sorted.chunks(ROWS_AT_ONCE) {
        fresh.extend(insert(transaction, rows, &accounts).await?);
    }
    let old: Vec<&Movement> = movements
        .iter()
        .filter(|one| !fresh.contains(&one.key))
        .collect();
    confirm_same(transaction, &old, &accounts).await?;
    let new = sorted.iter().filter(|one| fresh.contains(&one.key));
    change_balances(transaction, new.copied(), &accounts).await?;
    // Of several movements with one key in the batch, the first one is the posted one.
    Ok(movements
        .iter()
        .map(|one| {
            if fresh.remove(&one.key) {
                Outcome::Posted
            } else {
                Outcome::Duplicate
            }
        })
        .collect())
}

type AccountIds = HashMap<Account, i64>;

async fn account_ids(transaction: &Transaction, movements: &[Movement]) -> Result<AccountIds> {
    let wanted: HashSet<Account> = movements
        .iter()
        .flat_map(|one| [one.from, one.to])
        .collect();
    let mut found = find_accounts(transaction, &wanted).await?;
    let mut missing: Vec<Account> = wanted
        .iter()
        .filter(|account| !found.contains_key(account))
        .copied()
        .collect();
    if missing.is_empty() {
        return Ok(found);
    }
    // In one order, so that two batches that need the same accounts do not wait for each other.
    missing.sort_unstable();
    for account in missing {
        let text = "INSERT INTO ledger_accounts (kind, user_id) VALUES ($1, $2) \
                   ON CONFLICT DO NOTHING";
        let values = [account.kind().into(), account.user().into()];
        sql::execute(transaction, text, values).await?;
    }
    found.extend(find_accounts(transaction, &wanted).await?);
    Ok(found)
}

async fn find_accounts(transaction: &Transaction, wanted: &HashSet<Account>) -> Result<AccountIds> {
    #[derive(FromQueryResult)]
    struct Row {
        id: i64,
        kind: String,
        user_id: Option<UserId>,
    }
    let by_name: HashMap<_, _> = wanted
        .iter()
        .map(|account| ((account.kind(), account.user()), *account))
        .collect();
    let kinds: BTreeSet<&str> = wanted.iter().map(|account| account.kind()).collect();
    let users: BTreeSet<UserId> = wanted.iter().filter_map(|account| account.user()).collect();
    let users: Vec<UserId> = users.into_iter().collect();
    let mut found = AccountIds::new();
    let mut batches: Vec<&[UserId]> = users.chunks(1000).collect();
    if batches.is_empty() {
        batches.push(&[]);
    }
    for users in batches {
        let of_kinds = placeholders(1, kinds.len());
        let of_users = match users.len() {
            0 => String::new(),
            count => format!(
                " UNION ALL SELECT id, kind, user_id FROM ledger_accounts \
                 WHERE user_id IN ({}) AND kind IN ({of_kinds})",
                placeholders(kinds.len() + 1, count),
            ),
        };
        let text = format!(
            "SELECT id, kind, user_id FROM ledger_accounts \
             WHERE user_id IS NULL AND kind IN ({of_kinds}){of_users}"
        );
        let kinds = kinds.iter().map(|kind| (*kind).into());
        let values = kinds.chain(users.iter().map(|user| (*user).into()));
        for row in sql::all::<Row>(transaction, &text, values).await? {
            if let Some(account) = by_name.get(&(row.kind.as_str(), row.user_id)) {
                found.insert(*account, row.id);
            }
        }
    }
    Ok(found)
}

const COLUMNS: [&str; 8] = [
    "idempotency_key",
    "from_account",
    "to_account",
    "amount_nanos",
    "reference_kind",
    "reference_id",
    "reason",
    "created_at",
];

/// Inserts what is not there yet and returns the keys that were new.
async fn insert(
    transaction: &Transaction,
    movements: &[&Movement],
    accounts: &AccountIds,
) -> Result<Vec<String>> {
    let text = insert_rows(transaction, "ledger_entries", &COLUMNS, movements.len())
        + " ON CONFLICT (idempotency_key) DO NOTHING RETURNING idempotency_key";
    let values = movements.iter().flat_map(|one| -> [Value; 8] {
        [
            one.key.as_str().into(),
            accounts[&one.from].into(),
            accounts[&one.to].into(),
            one.amount_nanos.into(),
            one.reference_kind.into(),
            one.reference_id.as_str().into(),
            one.reason.clone().into(),
            one.at.into(),
        ]
    });
    sql::values(transaction, &text, values).await
}

/// A key that comes again must mean the same movement: anything else is a mistake of the caller.
async fn confirm_same(
    transaction: &Transaction,
    movements: &[&Movement],
    accounts: &AccountIds,
) -> Result<()> {
    #[derive(FromQueryResult)]
    struct Row {
        idempotency_key: String,
        from_account: i64,
        to_account: i64,
        amount_nanos: i64,
    }
    let mut kept = HashMap::new();
    for movements in movements.chunks(1000) {
        let text = format!(
            "SELECT idempotency_key, from_account, to_account, amount_nanos FROM ledger_entries \
             WHERE idempotency_key IN ({})",
            placeholders(1, movements.len()),
        );
        let values = movements.iter().map(|one| one.key.as_str().into());
        for row in sql::all::<Row>(transaction, &text, values).await? {
            kept.insert(
                row.idempotency_key,
                (row.from_account, row.to_account, row.amount_nanos),
            );
        }
    }
    for one in movements {
        let ours = (accounts[&one.from], accounts[&one.to], one.amount_nanos);
        if kept.get(&one.key) != Some(&ours) {
            return Err(StoreError::KeyReused(one.key.clone()));
        }
    }
    Ok(())
}

/// Applies the net of all movements, one conditional update an account: users' accounts first and
/// by id, the house's busy ones last, so that they are locked as briefly as can be.
async fn change_balances(
    transaction: &Transaction,
    movements: impl Iterator<Item = &Movement>,
    accounts: &AccountIds,
) -> Result<()> {
    let mut net: BTreeMap<(bool, i64), (Account, i128)> = BTreeMap::new();
    for one in movements {
        let amount = i128::from(one.amount_nanos);
        for (account, change) in [(one.from, -amount), (one.to, amount)] {
            let place = (account.user().is_none(), accounts[&account]);
            net.entry(place).or_insert((account, 0)).1 += change;
        }
    }
    net.retain(|_, (_, change)| *change != 0);
    let mut rows = Vec::with_capacity(net.len());
    for ((_, id), (account, change)) in &net {
        let change = i64::try_from(*change)
            .map_err(|_| StoreError::InsufficientFunds(account.to_string()))?;
        rows.push([*id, change, 0]);
    }
    let change = sql::Addition {
        table: "ledger_accounts",
        set: "balance_nanos = balance_nanos + added.nanos",
        only: "(kind NOT IN ('wallet', 'referral', 'held') OR balance_nanos + added.nanos >= 0) \
               AND (kind <> 'owed' OR balance_nanos + added.nanos <= 0)",
        // Users' before those that all share: whoever has locked a user's then waits for nobody who waits for those.
        order: "(user_id IS NULL), id",
    };
    let changed = change.add(transaction, &rows).await?;
    match net.iter().find(|((_, id), _)| !changed.contains(id)) {
        Some((_, (account, _))) => Err(StoreError::InsufficientFunds(account.to_string())),
        None => Ok(()),
    }
}
