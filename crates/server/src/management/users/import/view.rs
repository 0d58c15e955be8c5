//! What came of a file, row by row.

use billing::pricing::format_dollars;
use schemars::JsonSchema;
use serde::Serialize;

use crate::tasks::TaskNote;

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum UserImportOutcome {
    /// The user was made.
    Made,
    /// The user would be made.
    WouldMake,
    /// No user, for the reason beside it.
    Refused,
}

/// A row of the file.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserImportRow {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// The login name that it gives, cut at 64 characters.
    pub username: String,
    /// What becomes of it.
    pub outcome: UserImportOutcome,
    /// Why it is refused.
    pub reason: Option<String>,
}

/// What comes of a file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UserImportReport {
    /// Whether nothing was written.
    dry_run: bool,
    /// How many users were made.
    made: usize,
    /// How many would be made.
    would_make: usize,
    /// How many rows are refused.
    refused: usize,
    /// What the wallets of those users begin with, in dollars.
    balance_usd: String,
    /// The rows that were looked at, in the file's order; after a task was cancelled not all.
    rows: Vec<UserImportRow>,
}

impl UserImportReport {
    /// A report of these rows and what their users begin with.
    pub(super) fn of(dry_run: bool, nanos: i64, rows: Vec<UserImportRow>) -> Self {
        let count = |outcome| rows.iter().filter(|row| row.outcome == outcome).count();
        Self {
            dry_run,
            made: count(UserImportOutcome::Made),
            would_make: count(UserImportOutcome::WouldMake),
            refused: count(UserImportOutcome::Refused),
            balance_usd: format_dollars(nanos),
            rows,
        }
    }

    /// How many were made and how many refused, in words.
    pub(super) fn note(&self) -> TaskNote {
        TaskNote::UsersMade {
            count: self.made,
            refused: self.refused,
        }
    }
}

/// A dry run's report, or the task that makes the users.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UserImport {
    /// Of a dry run.
    pub report: Option<UserImportReport>,
    /// The task to watch, at `/api/task/{task_id}`; its `result` is the report.
    pub task_id: Option<String>,
}
