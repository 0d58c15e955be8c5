//! What calls cost beyond their reservations: paid from the wallet as far as it and the budgets reach; the rest is a
//! loss of the operator.

use std::collections::HashMap;

use crate::budgets::{self, Window};
use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{LeaseId, UserId};
use crate::ledger::{Account, Balances, Movement, lock_users, post};
use crate::text::Text;

/// What one call cost beyond what was set aside for it.
#[derive(Clone, Debug)]
pub struct Excess {
    /// The lease that the call reserved from; its budgets count the excess too.
    pub lease_id: Option<LeaseId>,
    /// The call's request id.
    pub request_id: Text,
    /// Whose call it was.
    pub user_id: UserId,
    /// How much; above zero.
    pub amount_nanos: i64,
    /// When the call was charged; tells parts of one call apart.
    pub at: i64,
}

/// Charges calls that are new in the log with what they cost beyond their reservations, and returns how much of each
/// its user paid; the rest is posted as the operator's loss. Their leases must be locked, and nothing of these users
/// may be locked yet: windows of budgets come before accounts.
pub async fn charge_excess(
    transaction: &Transaction,
    batch_id: i64,
    excesses: &[Excess],
) -> Result<Vec<i64>> {
    let mut funds = Funds::lock(transaction, excesses).await?;
    let paid: Vec<i64> = excesses.iter().map(|one| funds.take(one)).collect();
    let mut of_leases = Vec::new();
    let mut movements = Vec::new();
    for (excess, paid) in excesses.iter().zip(&paid) {
        let (wallet, loss) = (Account::Wallet(excess.user_id), Account::OperatorLoss);
        of_leases.extend(excess.lease_id.map(|lease| (lease, *paid)));
        // A part of what the calls of this write were charged, like what came from their leases.
        movements.push(Movement {
            reference_kind: "calls",
            reference_id: batch_id.to_string(),
            ..excess.movement("excess", wallet, *paid)
        });
        movements.push(excess.movement("loss", loss, excess.amount_nanos - paid));
    }
    movements.retain(|movement| movement.amount_nanos > 0);
    budgets::add_of_leases(transaction, &of_leases).await?;
    post(transaction, &movements).await?;
    Ok(paid)
}

impl Excess {
    fn movement(&self, kind: &str, from: Account, amount_nanos: i64) -> Movement {
        Movement {
            key: format!("call:{}:{}:{kind}", self.request_id, self.at),
            from,
            to: Account::Revenue,
            amount_nanos,
            reference_kind: "call",
            reference_id: self.request_id.to_string(),
            reason: None,
            at: self.at,
        }
    }
}

/// What can still be taken from wallets and budgets, all of them locked.
struct Funds {
    wallets: HashMap<UserId, Balances>,
    budgets: HashMap<Window, i64>,
    windows: HashMap<LeaseId, Vec<Window>>,
}

impl Funds {
    async fn lock(transaction: &Transaction, excesses: &[Excess]) -> Result<Self> {
        let mut leases: Vec<LeaseId> = excesses.iter().filter_map(|one| one.lease_id).collect();
        leases.sort_unstable();
        leases.dedup();
        let mut users: Vec<UserId> = excesses.iter().map(|one| one.user_id).collect();
        users.sort_unstable();
        users.dedup();
        let (mut budgets, mut windows) = (HashMap::new(), HashMap::<_, Vec<_>>::new());
        for (lease, window, left) in budgets::left_of_leases(transaction, &leases).await? {
            budgets.insert(window, left);
            windows.entry(lease).or_default().push(window);
        }
        let mut wallets = HashMap::new();
        for users in users.chunks(1000) {
            wallets.extend(lock_users(transaction, users).await?);
        }
        Ok(Self {
            wallets,
            budgets,
            windows,
        })
    }

    /// Takes as much of an excess as there is.
    fn take(&mut self, excess: &Excess) -> i64 {
        let windows = excess.lease_id.and_then(|lease| self.windows.get(&lease));
        let windows = windows.map_or(&[][..], Vec::as_slice);
        let has = self.wallets.entry(excess.user_id).or_default();
        let left = windows.iter().map(|window| self.budgets[window]);
        let room = left.min().unwrap_or(i64::MAX);
        let paid = excess.amount_nanos.min(has.wallet_nanos).min(room).max(0);
        has.wallet_nanos -= paid;
        for window in windows {
            *self.budgets.entry(*window).or_default() -= paid;
        }
        paid
    }
}
