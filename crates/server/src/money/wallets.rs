//! This node's share of all wallets, as the configuration wants it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use billing::wallet::{Durability, JournalSettings, Settings, Wallets};
use store::{Engine, Store};

use crate::clock::Clock;
use crate::config::{self, BillingConfig};

/// How often a node among others looks whether they ask for what it holds.
const RECALL_POLL: Duration = Duration::from_millis(100);

/// The name that commands go by; they lease nothing.
const COMMAND: &str = "command";

/// Wallets of a process that serves no calls: it leases nothing, keeps no journal and is no node.
pub async fn unused_wallets(store: &Store, clock: Arc<dyn Clock>) -> store::Result<Wallets> {
    let now = Arc::new(move || clock.now_ms());
    Wallets::start(store.clone(), now, Settings::of_node(COMMAND)).await
}

/// Starts leasing and writing; what an earlier run of this node left open is given back first.
pub async fn open_wallets(
    store: &Store,
    clock: Arc<dyn Clock>,
    node: &str,
    config: &BillingConfig,
    data: &Path,
) -> store::Result<Wallets> {
    let is_shared = store.database().engine() == Engine::Postgres;
    let settings = Settings {
        lease_ms: i64::from(config.lease_s) * 1000,
        recall_poll: is_shared.then_some(RECALL_POLL),
        // A database in the same folder is away only when the folder is.
        journal: is_shared.then(|| JournalSettings::at(data.join(format!("journal-{node}")))),
        spool: store.database().spool().cloned(),
        durability: match config.durability {
            config::Durability::Strict => Durability::Strict,
            config::Durability::Relaxed => Durability::Relaxed,
        },
        ..Settings::of_node(node)
    };
    let now = Arc::new(move || clock.now_ms());
    Wallets::start(store.clone(), now, settings).await
}
