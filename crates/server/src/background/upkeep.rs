//! Looks after the records: gives back what dead calls had reserved, counts calls that a dead
//! node left uncounted, ends answers that it left unfinished, makes partitions ahead of time, and forgets what is past its time. One node does it at a time; the
//! lock only saves double work, the store counts nothing twice.

use std::sync::Arc;
use std::time::Duration;

use store::retention::{RetentionBounds, RetentionRules};
use store::rollups::BatchBounds;
use store::{StoreError, login_flows, reservations, responses, retention, rollups, sessions};

use super::turn;
use crate::app::App;
use crate::config::RetentionConfig;
use crate::kept_responses::{SILENCE_MS, fail_silent};

const EVERY: Duration = Duration::from_secs(30);
const RETENTION_EVERY_MS: i64 = 3_600_000;
const GIVEN_BACK_AT_ONCE: u32 = 100;
/// A write to the log that is younger is counted by the node that wrote it.
const COUNTED_BY_ITS_WRITER_MS: i64 = 60_000;
const LOCK: &str = "upkeep";
const LOCK_MS: u64 = 120_000;

/// What one round leaves to the next.
#[derive(Default)]
struct Rounds {
    next_retention: i64,
    /// Since when every round was this node's and went well.
    well_since: Option<i64>,
}

impl Rounds {
    /// Whether others could have said something for as long as they may be silent: while the records
    /// are away, and a moment longer, nobody says anything.
    fn knows_silence(&self, now: i64) -> bool {
        self.well_since
            .is_some_and(|since| now - since >= SILENCE_MS)
    }

    /// Notes how a round went.
    fn note(&mut self, is_well: bool, now: i64) {
        self.well_since = is_well.then(|| self.well_since.unwrap_or(now));
    }
}

/// Runs until the stop is asked for.
pub async fn keep_up(app: Arc<App>) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut rounds = Rounds::default();
    loop {
        tokio::select! {
            () = app.stop().asked() => return,
            _ = ticks.tick() => {}
        }
        let now = app.clock().now_ms();
        if !turn::is_ours(&app, LOCK, LOCK_MS, now).await {
            rounds.note(false, now);
            continue;
        }
        let done = round(&app, now, &mut rounds).await;
        rounds.note(done.is_ok(), now);
        if let Err(error) = done {
            tracing::warn!(%error, "the logs could not be looked after; trying again");
        }
    }
}

/// Gives back what calls held that never came to an end: their node died under them.
async fn give_back(app: &App, now: i64) -> Result<(), StoreError> {
    loop {
        let transaction = app.store().write().await?;
        let given_back = reservations::expire(&transaction, now, GIVEN_BACK_AT_ONCE).await?;
        transaction.commit().await?;
        if given_back.is_empty() {
            return Ok(());
        }
        let calls = given_back.join(", ");
        tracing::warn!(calls, "what these calls had reserved was given back");
    }
}

/// Removes login sessions and half-made logins that are over.
async fn forget_logins(app: &App, now: i64) -> Result<(), StoreError> {
    let transaction = app.store().write().await?;
    sessions::delete_expired(&transaction, now).await?;
    login_flows::delete_expired(&transaction, now).await?;
    transaction.commit().await?;
    Ok(())
}

/// Forgets answers that were kept long enough.
async fn forget_responses(app: &App, now: i64) -> Result<(), StoreError> {
    let transaction = app.store().write().await?;
    responses::delete_expired(&transaction, now).await?;
    transaction.commit().await
}

async fn round(app: &App, now: i64, rounds: &mut Rounds) -> Result<(), StoreError> {
    give_back(app, now).await?;
    if rounds.knows_silence(now) {
        fail_silent(app, now).await?;
    }
    forget_responses(app, now).await?;
    forget_logins(app, now).await?;
    let database = app.store().database();
    let bounds = BatchBounds {
        until_ms: now - COUNTED_BY_ITS_WRITER_MS,
        ..BatchBounds::default()
    };
    while !app.is_stopping() && rollups::update(database, bounds, now).await? > 0 {}
    if now < rounds.next_retention {
        return Ok(());
    }
    let rules = rules(&app.config().retention);
    let done = retention::run(database, &rules, RetentionBounds::default(), now).await?;
    if done.rows > 0 || done.partitions > 0 {
        tracing::info!(
            rows = done.rows,
            partitions = done.partitions,
            "forgot old log entries"
        );
    }
    if !done.has_more {
        rounds.next_retention = now + RETENTION_EVERY_MS;
    }
    Ok(())
}

fn rules(config: &RetentionConfig) -> RetentionRules {
    let days = |days: u32| (days > 0).then_some(days);
    RetentionRules {
        log_days: days(config.request_log_days),
        audit_days: days(config.audit_log_days),
        ..RetentionRules::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_counts_only_where_the_records_were_there_all_the_time() {
        let mut rounds = Rounds::default();
        assert!(!rounds.knows_silence(1_000_000), "nobody has looked yet");
        rounds.note(true, 1_000_000);
        rounds.note(true, 1_030_000);
        assert!(!rounds.knows_silence(1_059_999));
        assert!(rounds.knows_silence(1_060_000));
        rounds.note(false, 1_060_000);
        assert!(!rounds.knows_silence(1_090_000), "they were away");
        rounds.note(true, 1_090_000);
        assert!(rounds.knows_silence(1_150_000));
    }
}
