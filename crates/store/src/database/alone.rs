//! Work that one transaction among all nodes does at a time. SQLite has one writer, which is enough;
//! PostgreSQL has advisory locks.

use sea_orm::{ConnectionTrait, DbBackend};

use super::words::statement;
use crate::error::Result;
use crate::transaction::Transaction;

/// The advisory lock that PostgreSQL nodes take around migrations ("modelgat" in ASCII).
pub(super) const MIGRATION_LOCK: i64 = 0x6d6f_6465_6c67_6174;
/// The same for declarations.
const DECLARATIONS_LOCK: i64 = 0x4d47_4445_434c;
/// The same for beginnings of imports.
const IMPORTS_LOCK: i64 = 0x4d47_494d_5054;

/// Work that only one transaction among all nodes does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// Applying what the configuration file declares.
    Declarations,
    /// Beginning to import something, or to undo it.
    Imports,
}

/// Waits until no other transaction does this work; ends with the transaction. SQLite has one writer,
/// so there is nothing to wait for.
pub async fn alone(transaction: &Transaction, work: Alone) -> Result<()> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        let key = match work {
            Alone::Declarations => DECLARATIONS_LOCK,
            Alone::Imports => IMPORTS_LOCK,
        };
        take_lock(transaction, key).await?;
    }
    Ok(())
}

/// Waits for an advisory lock of PostgreSQL; it ends with the transaction.
pub(super) async fn take_lock(transaction: &Transaction, key: i64) -> Result<()> {
    let text = "SELECT pg_advisory_xact_lock($1)";
    let lock = statement(transaction, text, [key.into()]);
    transaction.execute_raw(lock).await?;
    Ok(())
}
