//! Calls that cost more than was set aside for them: the wallet pays what it can, the rest is a loss of the operator.
//! Rare, so these calls are written in a transaction of their own, and the others have no part in it.

use std::collections::{BTreeMap, BTreeSet};

use parking_lot::Mutex;
use store::leases::{self, Excess, LeaseCharge};
use store::request_log::{self, LoggedCall};
use store::{ChannelId, LeaseId, StoreError, Text, UserId};

use super::inner::{Inner, Wallets};
use super::row::{Row, charge_of};
use crate::pricing::set_not_covered;

/// What calls through one channel cost beyond their reservations and nobody paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The channel; none where it is not known.
    pub channel_id: Option<ChannelId>,
    /// The model of the last such call, as the upstream was asked for it.
    pub model: Text,
    /// The id of that call.
    pub request_id: Text,
    /// How many calls there were.
    pub calls: u64,
    /// What they cost beyond their reservations, in nano-dollars.
    pub excess_nanos: i64,
    /// The part of it that nobody paid.
    pub loss_nanos: i64,
    /// When the last one was written.
    pub last_at: i64,
}

/// Recent losses of this node, one entry for each channel.
#[derive(Debug, Default)]
pub(super) struct Losses(Mutex<BTreeMap<Option<ChannelId>, Loss>>);

impl Wallets {
    /// The losses of channels that had one since then, each with all losses since the channel had none for as long.
    pub fn losses_since(&self, since_ms: i64) -> Vec<Loss> {
        let mut losses = self.inner.losses.0.lock();
        losses.retain(|_, loss| loss.last_at >= since_ms);
        losses.values().cloned().collect()
    }
}

impl Losses {
    fn add(&self, call: &LoggedCall, excess_nanos: i64, now: i64) {
        let Some(loss_nanos) = call.loss_nanos else {
            return;
        };
        let (channel_id, request_id) = (call.channel_id, &call.request_id);
        let model = call.upstream_model.as_ref().unwrap_or(&call.model);
        tracing::warn!(
            charged = %request_id,
            channel = channel_id.map(|id| id.0),
            %model,
            excess_nanos,
            loss_nanos,
            "usage exceeded its reservation and could not be charged in full",
        );
        let mut losses = self.0.lock();
        let loss = losses.entry(channel_id).or_insert_with(|| Loss {
            channel_id,
            model: model.clone(),
            request_id: request_id.clone(),
            calls: 0,
            excess_nanos: 0,
            loss_nanos: 0,
            last_at: now,
        });
        loss.model.clone_from(model);
        loss.request_id.clone_from(request_id);
        loss.calls += 1;
        loss.excess_nanos = loss.excess_nanos.saturating_add(excess_nanos);
        loss.loss_nanos = loss.loss_nanos.saturating_add(loss_nanos);
        loss.last_at = now;
    }
}

impl Inner {
    /// Writes rows whose cost exceeds their reservation in one transaction, once. A single row whose lease was taken
    /// away meanwhile is paid from the wallet altogether.
    pub(super) async fn persist_exceeding(&self, rows: &[&Row]) -> store::Result<()> {
        self.gather_slack(rows).await?;
        match self.try_exceeding(rows, false).await {
            Err(StoreError::Stale(_)) if rows.len() == 1 => self.try_exceeding(rows, true).await,
            other => other,
        }
    }

    async fn try_exceeding(&self, rows: &[&Row], is_late: bool) -> store::Result<()> {
        let transaction = self.write().await?;
        let calls: Vec<&LoggedCall> = rows.iter().map(|row| &row.call).collect();
        let appended = request_log::append(&transaction, &calls).await?;
        let Some(batch_id) = appended.batch_id else {
            return Ok(());
        };
        let new: Vec<&&Row> = rows
            .iter()
            .filter(|row| appended.is_new(&row.call))
            .collect();
        let charges: Vec<LeaseCharge> = new.iter().filter_map(|row| charge_of(row)).collect();
        let excesses: Vec<Excess> = new.iter().map(|row| excess_of(row)).collect();
        if is_late {
            leases::settle_late(&transaction, &charges).await?;
        } else {
            let ids: Vec<LeaseId> = new.iter().filter_map(|row| row.lease).collect();
            leases::lock(&transaction, &ids).await?;
        }
        let paid = leases::charge_excess(&transaction, batch_id, &excesses).await?;
        if !is_late {
            leases::settle(&transaction, batch_id, &charges).await?;
        }
        let pairs = new.iter().zip(&paid);
        let written: Vec<LoggedCall> = pairs.map(|(row, paid)| paid_call(row, *paid)).collect();
        for call in &written {
            request_log::set_charge(&transaction, call).await?;
        }
        transaction.commit().await?;
        self.store.pending_sums().add(&appended, written.iter());
        for (call, excess) in written.iter().zip(&excesses) {
            self.losses.add(call, excess.amount_nanos, self.now());
        }
        Ok(())
    }

    /// Gives back what this node's purses of these users have to spare, so that their wallets pay as much as they can.
    async fn gather_slack(&self, rows: &[&Row]) -> store::Result<()> {
        let users: BTreeSet<UserId> = rows.iter().map(|row| row.call.user_id).collect();
        for user in users {
            for purse in self.all_purses(Some(user)) {
                let spare = purse.state.lock().spare();
                if let Some(lease) = spare {
                    self.give_slack_back(lease, Some(&purse)).await?;
                }
            }
        }
        Ok(())
    }
}

fn excess_of(row: &Row) -> Excess {
    Excess {
        lease_id: row.lease,
        request_id: row.call.request_id.clone(),
        user_id: row.call.user_id,
        amount_nanos: row.call.loss_nanos.unwrap_or(0),
        at: row.call.created_at,
    }
}

/// The row as the log keeps it, once the wallet has paid this much of the excess.
fn paid_call(row: &Row, paid_nanos: i64) -> LoggedCall {
    let mut call = row.call.clone();
    let loss = call.loss_nanos.unwrap_or(0) - paid_nanos;
    call.charge_nanos += paid_nanos;
    call.loss_nanos = (loss > 0).then_some(loss);
    set_not_covered(&mut call.price_lines.0, loss);
    call
}
