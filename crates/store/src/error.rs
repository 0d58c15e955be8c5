//! The one error type of this crate: what a caller can act on has its own variant, the rest is
//! `Database`. Nothing here chooses an HTTP status.

use std::borrow::Cow;
use std::path::PathBuf;

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

/// What can go wrong between a caller and its records.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database cannot be reached or cannot do it now (gone, no connection free in time, a
    /// lock that was not freed in time); nothing was done, and trying again later may succeed.
    #[error("the database is unavailable: {0}")]
    Unavailable(#[source] DbErr),
    /// A unique key is taken.
    #[error("already exists: {0}")]
    Conflict(String),
    /// A row refers to one that does not exist, or that others still refer to.
    #[error("broken reference: {0}")]
    Reference(String),
    /// A record was changed by somebody else since it was read.
    #[error("changed meanwhile: {0}")]
    Stale(String),
    /// An account does not hold enough for what was asked.
    #[error("insufficient funds in {0}")]
    InsufficientFunds(String),
    /// The same idempotency key was used before for a different movement.
    #[error("idempotency key {0} was used for something else")]
    KeyReused(String),
    /// A stored document cannot be read as the type it should be.
    #[error("unreadable document: {0}")]
    Document(#[from] serde_json::Error),
    /// The address or path given to `open` cannot be used.
    #[error("{location}: {reason}")]
    Location {
        /// The path, or the address without its password.
        location: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// The schema was written by a newer version of this program.
    #[error(
        "the database has schema version {found}, this program knows up to {known}: run the newer program, or restore \
         a copy of before"
    )]
    NewerThanBinary {
        /// The newest version found in the database.
        found: i64,
        /// The newest version that this program carries.
        known: i64,
    },
    /// A migration that was applied differs from the one that this program carries.
    #[error(
        "migration {0} was applied by another build than this one: run that, or restore a copy"
    )]
    MigrationChanged(i64),
    /// SQLite's check after an unclean stop found damage.
    #[error("{path}: the database is damaged: {detail}")]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// The first complaint of the check.
        detail: String,
    },
    /// Anything else that the database refused.
    #[error("database error: {0}")]
    Database(#[source] DbErr),
}

impl StoreError {
    /// Whether the disk has no room, or does not take what is written: trouble that may last for hours.
    pub fn is_of_the_disk(&self) -> bool {
        matches!(self, Self::Unavailable(error) if code_of(error).is_some_and(|code| is_of_the_disk(&code)))
    }

    /// `Unavailable`, for a caller that waited long enough.
    pub fn no_answer() -> Self {
        let reason = "no answer in time".to_owned();
        Self::Unavailable(DbErr::Conn(RuntimeErr::Internal(reason)))
    }
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(text)) => return Self::Conflict(text),
            Some(SqlErr::ForeignKeyConstraintViolation(text)) => return Self::Reference(text),
            _ => {}
        }
        if is_trouble_that_passes(&error) {
            Self::Unavailable(error)
        } else {
            Self::Database(error)
        }
    }
}

/// Codes of trouble that passes. PostgreSQL: connection exceptions, shutting down or starting up,
/// time limits, deadlocks and too many connections. SQLite: busy. Both: the disk.
fn is_passing(code: &str) -> bool {
    const CODES: [&str; 9] = [
        "40001", "40P01", "55P03", "57014", "53300", "5", "261", "517", "773",
    ];
    let is_of_the_server = code.starts_with("08") || code.starts_with("57P0");
    is_of_the_server || CODES.contains(&code) || is_of_the_disk(code)
}

/// A full disk, or one that fails. SQLite's codes are numbers whose lowest byte is the kind.
fn is_of_the_disk(code: &str) -> bool {
    const IO_ERROR: u32 = 10;
    const FULL: u32 = 13;
    let is_postgres = code.len() == "53100".len();
    if is_postgres {
        return matches!(code, "53100" | "58030");
    }
    let kind = code.parse::<u32>().ok().map(|code| code & 0xff);
    matches!(kind, Some(IO_ERROR | FULL))
}

/// What the engine calls the trouble.
fn code_of(error: &DbErr) -> Option<Cow<'_, str>> {
    match error {
        DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause)) => {
            cause.as_database_error()?.code()
        }
        _ => None,
    }
}

fn is_trouble_that_passes(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(_) | DbErr::Conn(_) => true,
        DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause)) => {
            match cause.as_ref() {
                sqlx::Error::Io(_)
                | sqlx::Error::PoolTimedOut
                | sqlx::Error::PoolClosed
                | sqlx::Error::WorkerCrashed
                // A connection that has not yet undone what a full disk broke off.
                | sqlx::Error::InvalidSavePointStatement
                | sqlx::Error::BeginFailed => true,
                _ => code_of(error).is_some_and(|code| is_passing(&code)),
            }
        }
        _ => false,
    }
}
