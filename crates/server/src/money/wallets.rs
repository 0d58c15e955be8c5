//! This node's share of all wallets, as the configuration wants it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use billing::wallet::{Durability, JournalSettings, Settings, Wallets};
use store::{Engine, Store, UserId};

use crate::app::App;
use crate::clock::Clock;
use crate::config::{self, BillingConfig};

/// How often a node looks whether others ask for what it holds: other nodes, and commands beside a server.
const RECALL_POLL: Duration = Duration::from_millis(100);
const RECALL_POLL_ALONE: Duration = Duration::from_millis(250);

/// How long charges may take to be written before a balance is changed without them.
const WRITTEN_WITHIN: Duration = Duration::from_secs(1);

/// The name that commands go by; they lease nothing.
const COMMAND: &str = "command";

/// Wallets of a process that serves no calls: it leases nothing, keeps no journal and is no node.
pub async fn unused_wallets(store: &Store, clock: Arc<dyn Clock>) -> store::Result<Wallets> {
    let now = Arc::new(move || clock.now_ms());
    Wallets::start(store.clone(), now, Settings::of_node(COMMAND)).await
}

/// Waits until this node's charges for calls that have ended are in the database, so that nothing that is spent counts as
/// a part of a balance; for a second at most.
pub async fn write_charges(app: &App) {
    // What is not written by then is still held, and is charged later.
    let _ = tokio::time::timeout(WRITTEN_WITHIN, app.wallets().flush()).await;
}

/// Takes back what all nodes hold of a user's wallet and no call has reserved: its balance or a budget was lowered, or
/// it may not call any more. In a task of its own, so that it goes on if the caller's client hangs up. A failure is not one
/// of the change, which is in the database: the leases are marked there, or end by themselves.
pub async fn revoke_leases(app: &App, user: UserId) {
    let wallets = app.wallets().clone();
    let revoking = app.stop().running().spawn(async move {
        if let Err(error) = wallets.revoke(user).await {
            tracing::warn!(%error, user = user.0, "leases not revoked; they will expire");
        }
    });
    // The task has reported its own failure.
    let _ = revoking.await;
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
        recall_poll: Some(if is_shared {
            RECALL_POLL
        } else {
            RECALL_POLL_ALONE
        }),
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
