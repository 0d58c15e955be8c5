//! What limits need beside calls: giving back and correcting on Redis, renewing the slots of long
//! calls, and knowing how many nodes share the limits.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use store::nodes::{self, Node};
use store::shared::{MAX_RENEWALS, SlotHold};
use store::{Store, StoreError};
use tokio::time::MissedTickBehavior;

use super::limiter::{Aftermath, Held, LEASE_MS, Limiter};
use crate::app::App;

/// Three chances to renew before a slot is lost.
const RENEWED_EVERY: Duration = Duration::from_secs(20);
/// How often a node shows that it runs, and looks who else does.
const SEEN_EVERY: Duration = Duration::from_secs(10);
/// How often a stopping node looks whether calls are left.
const LOOKED_EVERY: Duration = Duration::from_millis(20);
/// How much is under way to Redis at once: it shares a round trip, and leaves the connection to calls.
pub(super) const AT_ONCE: usize = 64;
/// A node that was not seen for so long does not run.
pub const GONE_AFTER_MS: i64 = 35_000;

/// Runs until the stop is asked for, and then until what running calls still hold is given back.
pub async fn keep_limits(app: Arc<App>) {
    let limiter = app.limiter().clone();
    let started_at = app.clock().now_ms();
    let mut renewals = every(RENEWED_EVERY);
    let mut sightings = every(SEEN_EVERY);
    loop {
        tokio::select! {
            () = limiter.0.leftovers.some() => limiter.work_off(app.clock().now_ms()).await,
            _ = renewals.tick() => limiter.renew(app.clock().now_ms()).await,
            _ = sightings.tick() => {
                if let Err(error) = sight(app.store(), &limiter, started_at).await {
                    tracing::debug!(%error, "nodes could not be counted; trying again");
                }
            }
            () = end(&app, &limiter) => {
                limiter.work_off(app.clock().now_ms()).await;
                return;
            }
        }
    }
}

/// Waits for the stop, and then for the calls that hold slots.
async fn end(app: &App, limiter: &Limiter) {
    app.stop().asked().await;
    while limiter.running() > 0 {
        tokio::time::sleep(LOOKED_EVERY).await;
    }
}

fn every(period: Duration) -> tokio::time::Interval {
    let mut ticks = tokio::time::interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Gives back or corrects. What Redis does not hear, it forgets by itself.
async fn work(aftermath: Aftermath, now_ms: i64) {
    match aftermath {
        Aftermath::Release(state, held) => {
            for key in held.keys.iter().flatten() {
                if let Err(error) = state.release_slot(key, &held.owner).await {
                    tracing::debug!(%error, "a slot was not given back; it ends by itself");
                }
            }
        }
        Aftermath::Correct(state, correction) => {
            let (key, limit) = (&correction.key, correction.limit);
            let charged_at = correction.charged_at_ms;
            let done = state
                .correct(key, limit, correction.delta, charged_at, now_ms)
                .await;
            if let Err(error) = done {
                tracing::debug!(%error, "a limit was not corrected");
            }
        }
    }
}

/// Shows that this node runs, and counts those that do.
async fn sight(store: &Store, limiter: &Limiter, started_at: i64) -> Result<(), StoreError> {
    let now = limiter.0.clock.now_ms();
    let node = Node {
        id: limiter.0.node.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at,
        heartbeat_at: now,
        has_journal: false,
        stopped_at: None,
    };
    let transaction = store.write().await?;
    nodes::heartbeat(&transaction, &node).await?;
    transaction.commit().await?;
    let running = nodes::count_since(store.read(), now - GONE_AFTER_MS).await?;
    limiter.set_nodes(u32::try_from(running).unwrap_or(1));
    Ok(())
}

impl Limiter {
    /// Does what is left of calls so far. Corrections go first, as calls make them: whoever gets a slot
    /// that was given back finds the limits as they are.
    pub(super) async fn work_off(&self, now_ms: i64) {
        let is_correction = |aftermath: &Aftermath| matches!(aftermath, Aftermath::Correct(..));
        let left = self.0.leftovers.take().into_iter();
        let (corrections, releases): (Vec<_>, Vec<_>) = left.partition(is_correction);
        for part in [corrections, releases] {
            let part = stream::iter(part);
            part.for_each_concurrent(AT_ONCE, |aftermath| work(aftermath, now_ms))
                .await;
        }
    }

    /// Renews the slots of all running calls that hold some on Redis.
    pub(super) async fn renew(&self, now_ms: i64) {
        let held: Vec<Held> = self.0.held.lock().values().cloned().collect();
        let slots: Vec<SlotHold> = held.iter().flat_map(Held::slots).collect();
        for slots in slots.chunks(MAX_RENEWALS) {
            let renewed = self.0.shared.renew_slots(slots, LEASE_MS, now_ms);
            if let Err(error) = renewed.await {
                tracing::debug!(%error, "slots were not renewed; trying again");
            }
        }
    }
}
