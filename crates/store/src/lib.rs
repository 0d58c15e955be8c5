#![doc = include_str!("../README.md")]

pub mod access_tokens;
pub mod announcements;
pub mod audit_log;
pub mod backup;
pub mod budgets;
mod changes;
pub mod channel_keys;
pub mod channels;
mod conditions;
mod cursor;
mod database;
mod document;
mod error;
pub mod files;
pub mod foreign;
pub mod groups;
pub mod identities;
mod ids;
pub mod imports;
pub mod incidents;
pub mod leases;
pub mod ledger;
mod list;
mod location;
pub mod login_flows;
pub mod low_balances;
mod migrations;
pub mod names;
pub mod nodes;
pub mod order_claims;
mod page;
pub mod partitions;
pub mod passkeys;
pub mod payment_flags;
pub mod prices;
pub mod redemption_codes;
pub mod referrals;
pub mod request_log;
pub mod reservations;
pub mod responses;
pub mod retention;
pub mod rollups;
mod row_values;
pub mod sessions;
pub mod settings;
pub mod shared;
mod sql;
mod stop_mark;
pub mod tasks;
mod text;
pub mod tokens;
mod told;
pub mod top_ups;
mod transaction;
pub mod two_factor;
pub mod users;
pub mod webhook_events;

use std::sync::Arc;

pub use cursor::{Cursor, CursorPage};
pub use database::{
    Alone, Database, DatabaseFacts, Engine, PoolFacts, alone, for_update, for_update_skipping,
    statement,
};
pub use document::Document;
pub use error::{Result, StoreError};
pub use ids::*;
pub use location::{Location, OpenOptions};
pub use migrations::newest as newest_schema;
pub use page::{MOST_COUNTED, Page, Paged, Sorted};
pub use sea_orm::{ConnectionTrait, DatabaseConnection};
pub use text::Text;
pub use told::Told;
pub use transaction::Transaction;

/// The records, open and with a current schema. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    database: Database,
    pending: Arc<rollups::Pending>,
}

impl Store {
    /// Opens the records at `location` and brings their schema up to date.
    pub async fn open(location: &Location, options: &OpenOptions) -> Result<Self> {
        let database = Database::connect(location, options).await?;
        if options.migrate {
            migrations::run(&database, migrations::MIGRATIONS).await?;
        } else {
            migrations::check(&database, migrations::MIGRATIONS).await?;
        }
        Ok(Self {
            database,
            pending: Arc::default(),
        })
    }

    /// The connections behind the store.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Connections for reading; see [`Database::read`].
    pub fn read(&self) -> &DatabaseConnection {
        self.database.read()
    }

    /// Begins a write transaction; see [`Database::write`].
    pub async fn write(&self) -> Result<Transaction> {
        self.database.write().await
    }

    /// Sums of what this node wrote to the log, on their way to the tables.
    pub fn pending_sums(&self) -> &rollups::Pending {
        &self.pending
    }

    /// Adds them to the tables. What fails is counted from the log later.
    pub async fn write_sums(&self, now_ms: i64) -> Result<()> {
        self.pending.write(&self.database, now_ms).await
    }

    /// Closes every connection; a stop without this counts as unclean on SQLite.
    pub async fn close(self) -> Result<()> {
        self.database.close().await
    }
}
