//! Reservations: the hold of one call that no lease covers (a wallet near empty, work that runs
//! long). Settled exactly once, to at most what was held; the rest goes back.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::{Transaction, for_update_skipping};
use crate::error::Result;
use crate::ids::UserId;
use crate::ledger::{Account, Movement, pay_in, post};
use crate::sql;

/// A reservation as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Reservation {
    /// The request id of the call.
    pub id: String,
    /// Whose call.
    pub user_id: UserId,
    /// How much is held.
    pub amount_nanos: i64,
    /// What was charged; none while the call runs.
    pub charged_nanos: Option<i64>,
    /// When it was made.
    pub created_at: i64,
    /// When it is given back unless it was settled.
    pub expires_at: i64,
    /// When it was settled.
    pub settled_at: Option<i64>,
}

const COLUMNS: &str =
    "id, user_id, amount_nanos, charged_nanos, created_at, expires_at, settled_at";

/// Holds an amount for a call. `InsufficientFunds` where the wallet has less, `Conflict` where the
/// call has a reservation already.
pub async fn open(
    transaction: &Transaction,
    id: &str,
    user_id: UserId,
    amount_nanos: i64,
    now: i64,
    expires_at: i64,
) -> Result<()> {
    let text = "INSERT INTO reservations (id, user_id, amount_nanos, created_at, expires_at) \
               VALUES ($1, $2, $3, $4, $5)";
    let values = [
        id.into(),
        user_id.into(),
        amount_nanos.into(),
        now.into(),
        expires_at.into(),
    ];
    sql::execute(transaction, text, values).await?;
    let (wallet, held) = (Account::Wallet(user_id), Account::Held(user_id));
    let key = format!("reservation:{id}:hold");
    post(
        transaction,
        &[movement(key, id, wallet, held, amount_nanos, now)],
    )
    .await?;
    Ok(())
}

/// A reservation by its call.
pub async fn get(connection: &impl ConnectionTrait, id: &str) -> Result<Option<Reservation>> {
    let text = format!("SELECT {COLUMNS} FROM reservations WHERE id = $1");
    sql::one(connection, &text, [id.into()]).await
}

/// Charges the call (zero gives all back) and ends the reservation. False where it is unknown or
/// was settled before; charging more than was held breaks a constraint.
pub async fn settle(
    transaction: &Transaction,
    id: &str,
    charged_nanos: i64,
    now: i64,
) -> Result<bool> {
    let movements = close(transaction, id, charged_nanos, now).await?;
    pay_in(transaction, movements.as_deref().unwrap_or_default()).await?;
    Ok(movements.is_some())
}

/// Gives back what calls left behind that never came to an end, at most `limit` of them.
pub async fn expire(transaction: &Transaction, now: i64, limit: u32) -> Result<Vec<String>> {
    let text = format!(
        "SELECT id FROM reservations WHERE settled_at IS NULL AND expires_at <= $1 \
         ORDER BY expires_at, id LIMIT $2{}",
        for_update_skipping(transaction),
    );
    let values = [now.into(), i64::from(limit).into()];
    let due = sql::values::<String>(transaction, &text, values).await?;
    let mut expired = Vec::new();
    let mut movements = Vec::new();
    for id in due {
        if let Some(rest) = close(transaction, &id, 0, now).await? {
            movements.extend(rest);
            expired.push(id);
        }
    }
    pay_in(transaction, &movements).await?;
    Ok(expired)
}

/// Ends an open reservation and says what has to move; none where there is no open one.
async fn close(
    transaction: &Transaction,
    id: &str,
    charged_nanos: i64,
    now: i64,
) -> Result<Option<Vec<Movement>>> {
    let text = format!(
        "UPDATE reservations SET charged_nanos = $2, settled_at = $3 \
         WHERE id = $1 AND settled_at IS NULL RETURNING {COLUMNS}",
    );
    let values = [id.into(), charged_nanos.into(), now.into()];
    let Some(row) = sql::one::<Reservation>(transaction, &text, values).await? else {
        return Ok(None);
    };
    let (held, wallet) = (Account::Held(row.user_id), Account::Wallet(row.user_id));
    let rest = row.amount_nanos - charged_nanos;
    let charge = movement(
        format!("call:{id}"),
        id,
        held,
        Account::Revenue,
        charged_nanos,
        now,
    );
    let back = movement(
        format!("reservation:{id}:rest"),
        id,
        held,
        wallet,
        rest,
        now,
    );
    Ok(Some(
        [charge, back]
            .into_iter()
            .filter(|one| one.amount_nanos > 0)
            .collect(),
    ))
}

fn movement(
    key: String,
    id: &str,
    from: Account,
    to: Account,
    amount_nanos: i64,
    at: i64,
) -> Movement {
    Movement {
        key,
        from,
        to,
        amount_nanos,
        reference_kind: "call",
        reference_id: id.to_owned(),
        reason: None,
        at,
    }
}
