//! Forgetting what is old: one bounded run of it. When to run, and how often, is the caller's.

use crate::database::{Database, Engine};
use crate::error::Result;
use crate::leases;
use crate::partitions::{self, AUDIT_LOG, Partitioned, REQUEST_LOG};
use crate::rollups::Grain;
use crate::sql;

const DAY_MS: i64 = 86_400_000;
/// No window of a budget that ends is longer, wherever its midnight is.
const LONGEST_WINDOW_DAYS: u32 = 32;
const ROLLUPS: [&str; 5] = [
    "usage_rollups",
    "service_rollups",
    "total_rollups",
    "payer_rollups",
    "attempt_rollups",
];

/// How long things are kept; `None`: for ever.
#[derive(Clone, Copy, Debug)]
pub struct RetentionRules {
    /// The request log.
    pub log_days: Option<u32>,
    /// The audit log.
    pub audit_days: Option<u32>,
    /// Roll-ups by the minute and by the quarter of an hour.
    pub minute_rollup_days: Option<u32>,
    /// Roll-ups by the hour.
    pub hour_rollup_days: Option<u32>,
    /// Leases after they were closed, and windows of budgets after they ended. Charges that come later still count in the
    /// books, but in no budget.
    pub lease_days: Option<u32>,
}

impl Default for RetentionRules {
    fn default() -> Self {
        Self {
            log_days: Some(90),
            audit_days: Some(730),
            minute_rollup_days: Some(7),
            hour_rollup_days: Some(400),
            lease_days: Some(35),
        }
    }
}

/// How much one run may do.
#[derive(Clone, Copy, Debug)]
pub struct RetentionBounds {
    /// Rows deleted in one transaction; others can write between two of them.
    pub rows: u32,
    /// Transactions per table.
    pub transactions: u32,
    /// Partitions dropped per table.
    pub partitions: u32,
}

impl Default for RetentionBounds {
    fn default() -> Self {
        Self {
            rows: 5_000,
            transactions: 100,
            partitions: 31,
        }
    }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetentionOutcome {
    /// Rows deleted.
    pub rows: u64,
    /// Partitions dropped.
    pub partitions: u64,
    /// Whether a bound was reached, so that another run has work left.
    pub has_more: bool,
}

/// Makes the partitions of the coming days and forgets what is past its time. Calls that are not
/// in the roll-ups yet are kept, however old they are.
pub async fn run(
    database: &Database,
    rules: &RetentionRules,
    bounds: RetentionBounds,
    now_ms: i64,
) -> Result<RetentionOutcome> {
    partitions::prepare(database, now_ms).await?;
    let mut run = Run {
        database,
        bounds,
        outcome: RetentionOutcome::default(),
    };
    if let Some(days) = rules.log_days {
        let before_ms = horizon(now_ms, days).min(oldest_uncounted(database).await?);
        run.forget(REQUEST_LOG, before_ms).await?;
    }
    if let Some(days) = rules.audit_days {
        run.forget(AUDIT_LOG, horizon(now_ms, days)).await?;
    }
    let grains = [
        (Grain::Minute, rules.minute_rollup_days),
        (Grain::Quarter, rules.minute_rollup_days),
        (Grain::Hour, rules.hour_rollup_days),
    ];
    for (grain, days) in grains {
        if let Some(days) = days {
            run.forget_rollups(grain, horizon(now_ms, days)).await?;
        }
    }
    if let Some(days) = rules.lease_days {
        run.forget_leases(horizon(now_ms, days)).await?;
        let ended = horizon(now_ms, days + LONGEST_WINDOW_DAYS);
        run.forget_windows(ended).await?;
    }
    Ok(run.outcome)
}

struct Run<'a> {
    database: &'a Database,
    bounds: RetentionBounds,
    outcome: RetentionOutcome,
}

impl Run<'_> {
    async fn forget(&mut self, partitioned: Partitioned, before_ms: i64) -> Result<()> {
        match self.database.engine() {
            Engine::Postgres => {
                let limit = self.bounds.partitions.into();
                let dropped =
                    partitions::drop_ended(self.database, partitioned, before_ms, limit).await?;
                self.outcome.partitions += dropped;
                self.outcome.has_more |= dropped == limit;
                Ok(())
            }
            Engine::Sqlite => {
                let text = format!(
                    "DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table}
                        WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
                    table = partitioned.table()
                );
                let rows = self.bounds.rows;
                self.delete(&text, before_ms, rows).await
            }
        }
    }

    /// Roll-ups go by whole buckets, which both engines can find through the primary key.
    async fn forget_rollups(&mut self, grain: Grain, before_ms: i64) -> Result<()> {
        for table in ROLLUPS {
            let text = format!(
                "DELETE FROM {table} WHERE span_ms = {span} AND bucket_start IN (
                    SELECT DISTINCT bucket_start FROM {table}
                    WHERE span_ms = {span} AND bucket_start < $1
                    ORDER BY bucket_start LIMIT $2)",
                span = grain.span_ms()
            );
            self.delete(&text, before_ms, 60).await?;
        }
        Ok(())
    }

    /// Leases that were closed before then.
    async fn forget_leases(&mut self, before_ms: i64) -> Result<()> {
        for _ in 0..self.bounds.transactions {
            let transaction = self.database.write().await?;
            let deleted = leases::forget(&transaction, before_ms, self.bounds.rows).await?;
            transaction.commit().await?;
            self.outcome.rows += deleted;
            if deleted == 0 {
                return Ok(());
            }
        }
        self.outcome.has_more = true;
        Ok(())
    }

    /// Windows of budgets that began before then. A total has no end, and counts for as long as there is a budget.
    async fn forget_windows(&mut self, before_ms: i64) -> Result<()> {
        let text = "DELETE FROM budget_windows WHERE (scope, scope_id, period, starts_at) IN (
                SELECT scope, scope_id, period, starts_at FROM budget_windows
                WHERE starts_at < $1 AND period <> 'total' ORDER BY starts_at LIMIT $2)";
        let rows = self.bounds.rows;
        self.delete(text, before_ms, rows).await
    }

    async fn delete(&mut self, text: &str, before_ms: i64, limit: u32) -> Result<()> {
        for _ in 0..self.bounds.transactions {
            let transaction = self.database.write().await?;
            let values = [before_ms.into(), i64::from(limit).into()];
            let deleted = sql::execute(&transaction, text, values).await?;
            transaction.commit().await?;
            self.outcome.rows += deleted;
            if deleted == 0 {
                return Ok(());
            }
        }
        self.outcome.has_more = true;
        Ok(())
    }
}

fn horizon(now_ms: i64, days: u32) -> i64 {
    now_ms - i64::from(days) * DAY_MS
}

/// The time of the oldest call that may be missing in the roll-ups.
async fn oldest_uncounted(database: &Database) -> Result<i64> {
    let text = "SELECT MIN(first_created_at) FROM request_batches";
    let oldest: Option<Option<i64>> = sql::value(database.read(), text, []).await?;
    Ok(oldest.flatten().unwrap_or(i64::MAX))
}
