//! Accounts of users and of the house, and what they hold.

use std::collections::HashMap;
use std::fmt;

use sea_orm::{ConnectionTrait, FromQueryResult, Value};

use crate::database::{Transaction, for_update, placeholders};
use crate::error::Result;
use crate::ids::UserId;
use crate::sql;

/// An account of the ledger. A wallet, referral or held account never goes below zero, an owed
/// account never above; the accounts of the house may do both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Account {
    /// What a user can spend.
    Wallet(UserId),
    /// What a user earned by inviting others.
    Referral(UserId),
    /// What is set aside for leases and reservations.
    Held(UserId),
    /// What a user owes, as a negative balance.
    Owed(UserId),
    /// What calls brought in.
    Revenue,
    /// Money that came from or went back to payment providers.
    Payments,
    /// Gifts: set-up grants, redemption codes, referral rewards.
    Grants,
    /// Corrections by administrators.
    Adjustments,
    /// What calls cost beyond their reservations and beyond what wallets could pay, as a negative
    /// balance: a loss of the operator.
    OperatorLoss,
}

impl Account {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Wallet(_) => "wallet",
            Self::Referral(_) => "referral",
            Self::Held(_) => "held",
            Self::Owed(_) => "owed",
            Self::Revenue => "revenue",
            Self::Payments => "payments",
            Self::Grants => "grants",
            Self::Adjustments => "adjustments",
            Self::OperatorLoss => "operator_loss",
        }
    }

    pub(crate) fn user(self) -> Option<UserId> {
        match self {
            Self::Wallet(user) | Self::Referral(user) | Self::Held(user) | Self::Owed(user) => {
                Some(user)
            }
            _ => None,
        }
    }
}

impl fmt::Display for Account {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.user() {
            Some(user) => write!(formatter, "{} of user {user}", self.kind()),
            None => formatter.write_str(self.kind()),
        }
    }
}

/// What a user has, in nano-dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    /// What can be spent.
    pub wallet_nanos: i64,
    /// What was earned by inviting others.
    pub referral_nanos: i64,
    /// What is set aside for running calls.
    pub held_nanos: i64,
    /// What is owed, as a positive number.
    pub owed_nanos: i64,
}

#[derive(FromQueryResult)]
struct Row {
    user_id: UserId,
    kind: String,
    balance_nanos: i64,
}

impl Balances {
    /// What the wallet and running calls hold, less what is owed. Money that comes back from running
    /// calls pays debts first, so this is what will be there when they have ended.
    pub fn left_nanos(self) -> i64 {
        let held = self.wallet_nanos.saturating_add(self.held_nanos);
        held.saturating_sub(self.owed_nanos)
    }

    fn add(&mut self, row: &Row) {
        match row.kind.as_str() {
            "wallet" => self.wallet_nanos = row.balance_nanos,
            "referral" => self.referral_nanos = row.balance_nanos,
            "held" => self.held_nanos = row.balance_nanos,
            _ => self.owed_nanos = -row.balance_nanos,
        }
    }
}

/// The balance of one account; an account that was never used is empty.
pub async fn balance(connection: &impl ConnectionTrait, account: Account) -> Result<i64> {
    let (text, values): (_, Vec<Value>) = match account.user() {
        Some(user) => (
            "SELECT balance_nanos FROM ledger_accounts WHERE kind = $1 AND user_id = $2",
            vec![account.kind().into(), user.into()],
        ),
        None => (
            "SELECT balance_nanos FROM ledger_accounts WHERE kind = $1 AND user_id IS NULL",
            vec![account.kind().into()],
        ),
    };
    Ok(sql::value(connection, text, values).await?.unwrap_or(0))
}

/// What each of these users has, in one query; every user asked for is in the answer.
pub async fn balances(
    connection: &impl ConnectionTrait,
    users: &[UserId],
) -> Result<HashMap<UserId, Balances>> {
    let mut found: HashMap<_, _> = users
        .iter()
        .map(|user| (*user, Balances::default()))
        .collect();
    for users in users.chunks(1000) {
        let text = format!(
            "SELECT user_id, kind, balance_nanos FROM ledger_accounts WHERE user_id IN ({})",
            placeholders(1, users.len()),
        );
        let values = users.iter().map(|user| (*user).into());
        for row in sql::all::<Row>(connection, &text, values).await? {
            found.entry(row.user_id).or_default().add(&row);
        }
    }
    Ok(found)
}

/// What users have, with their accounts locked until the transaction ends. Always by ascending
/// id, the order in which `post` changes accounts, so that two transactions never wait for each
/// other; whoever needs several users must therefore lock them in one call.
pub(crate) async fn lock_users(
    transaction: &Transaction,
    users: &[UserId],
) -> Result<HashMap<UserId, Balances>> {
    let text = format!(
        "SELECT user_id, kind, balance_nanos FROM ledger_accounts WHERE user_id IN ({}) \
         ORDER BY id{}",
        placeholders(1, users.len()),
        for_update(transaction),
    );
    let values = users.iter().map(|user| (*user).into());
    let mut found: HashMap<_, _> = users
        .iter()
        .map(|user| (*user, Balances::default()))
        .collect();
    for row in sql::all::<Row>(transaction, &text, values).await? {
        found.entry(row.user_id).or_default().add(&row);
    }
    Ok(found)
}

/// What one user has, locked likewise.
pub(crate) async fn lock_user(transaction: &Transaction, user: UserId) -> Result<Balances> {
    let found = lock_users(transaction, &[user]).await?;
    Ok(found.get(&user).copied().unwrap_or_default())
}
