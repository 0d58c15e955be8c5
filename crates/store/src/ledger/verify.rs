//! Recomputes what the ledger's balances must be. Changes nothing; works beside a running server,
//! since each of its two questions is one statement and so sees one moment.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// What `verify` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// Accounts that were recomputed.
    pub accounts: u64,
    /// Accounts whose balance is not what it must be.
    pub differences: Vec<Difference>,
}

/// One account that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Difference {
    /// The kind of account.
    pub kind: String,
    /// Whose, unless it is the house's.
    pub user_id: Option<UserId>,
    /// The balance that is stored.
    pub balance_nanos: i64,
    /// The balance that follows from the entries, or, for held money, from open leases and
    /// reservations.
    pub expected_nanos: i64,
}

const FROM_ENTRIES: &str = "
SELECT account.kind, account.user_id, account.balance_nanos,
    COALESCE(incoming.total, 0) - COALESCE(outgoing.total, 0) AS expected_nanos
FROM ledger_accounts account
LEFT JOIN (SELECT to_account AS id, CAST(SUM(amount_nanos) AS BIGINT) AS total
    FROM ledger_entries GROUP BY to_account) incoming ON incoming.id = account.id
LEFT JOIN (SELECT from_account AS id, CAST(SUM(amount_nanos) AS BIGINT) AS total
    FROM ledger_entries GROUP BY from_account) outgoing ON outgoing.id = account.id
ORDER BY account.id";

const HELD: &str = "
SELECT account.kind, account.user_id, account.balance_nanos,
    COALESCE(leased.total, 0) + COALESCE(reserved.total, 0) AS expected_nanos
FROM ledger_accounts account
LEFT JOIN (SELECT user_id, CAST(SUM(amount_nanos - spent_nanos) AS BIGINT) AS total
    FROM leases WHERE state = 'open' GROUP BY user_id) leased
    ON leased.user_id = account.user_id
LEFT JOIN (SELECT user_id, CAST(SUM(amount_nanos) AS BIGINT) AS total
    FROM reservations WHERE settled_at IS NULL GROUP BY user_id) reserved
    ON reserved.user_id = account.user_id
WHERE account.kind = 'held'
ORDER BY account.id";

/// Recomputes every balance from the entries, and held money also from what is open.
pub async fn verify(connection: &impl ConnectionTrait) -> Result<Verification> {
    let mut accounts = 0;
    let mut differences = Vec::new();
    for (text, counts) in [(FROM_ENTRIES, true), (HELD, false)] {
        for row in sql::all::<Difference>(connection, text, []).await? {
            accounts += u64::from(counts);
            if row.balance_nanos != row.expected_nanos {
                differences.push(row);
            }
        }
    }
    Ok(Verification {
        accounts,
        differences,
    })
}
