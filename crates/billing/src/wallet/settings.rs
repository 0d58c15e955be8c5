//! How a node leases and writes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Tells the time in unix milliseconds; passed in, so that tests can set it.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// When a settlement counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// When it is on disk.
    Strict,
    /// At once; the group commit follows.
    Relaxed,
}

/// How a node leases and writes.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The node's own name, kept over restarts.
    pub node_id: String,
    /// How long a lease lives unless it is renewed, in milliseconds; at most 60,000.
    pub lease_ms: i64,
    /// After how long without a call a purse is given back, in milliseconds.
    pub idle_ms: i64,
    /// The largest slice that is taken beyond what a call needs, in nano-dollars.
    pub slice_nanos: i64,
    /// A slice is at most this part (one n-th) of what a wallet has, but at least what the call
    /// needs: so slices shrink as the wallet empties.
    pub share: i64,
    /// How many calls may run or wait to be written; more have to wait.
    pub queue: usize,
    /// How many settlements one commit takes at most.
    pub batch: usize,
    /// How long a call near the end of a wallet waits for other nodes to give back.
    pub patience: Duration,
    /// How often a node looks whether others ask for what it holds. None: only at every upkeep.
    pub recall_poll: Option<Duration>,
    /// When a settlement counts as done.
    pub durability: Durability,
    /// Where settlements go while the database is away. None: they wait in memory, which is right
    /// for a database in the same folder.
    pub journal: Option<JournalSettings>,
    /// Files for charges that are on disk before the database has them, where durability is strict. None: they wait
    /// for the database, which is right for one on another machine.
    pub spool: Option<[PathBuf; 2]>,
}

/// The journal of a node.
#[derive(Clone, Debug)]
pub struct JournalSettings {
    /// The file; its folder is made.
    pub path: PathBuf,
    /// It never grows beyond this.
    pub most_bytes: u64,
    /// How long the database may take for a commit before it counts as away.
    pub patience: Duration,
}

impl JournalSettings {
    /// The usual values: about half a million calls.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            most_bytes: 512 * 1024 * 1024,
            patience: Duration::from_secs(2),
        }
    }
}

impl Settings {
    /// The usual values for a node.
    pub fn of_node(node_id: impl Into<String>) -> Self {
        Self {
            node_id: node_id.into(),
            lease_ms: 60_000,
            idle_ms: 10_000,
            slice_nanos: 10_000_000_000,
            share: 8,
            queue: 65_536,
            batch: 8_192,
            patience: Duration::from_secs(2),
            recall_poll: None,
            durability: Durability::Strict,
            journal: None,
            spool: None,
        }
    }
}
