//! The handle on the Redis backend: options, opening, and the task that lives as long as it does.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use super::keeper;
use super::link::Link;
use crate::shared::changes::Notice;
use crate::shared::error::SharedError;

/// Whose clock decides when limits refill and leases end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedisClock {
    /// The Redis server's: one clock for all nodes, however theirs differ.
    Server,
    /// The caller's `now_ms`, as in the in-process twin; for tests with a frozen clock.
    Caller,
}

/// How to reach Redis.
#[derive(Clone)]
pub struct RedisOptions {
    /// `redis://[user:password@]host:port[/database]`. Never printed.
    pub url: String,
    /// Put before every key and channel name, so that instances can share one Redis.
    pub prefix: String,
    /// Name of this node, unique among those that share the prefix.
    pub node: String,
    /// How long one attempt to connect may take.
    pub connect_timeout: Duration,
    /// How long one call may take before it counts as unanswered.
    pub response_timeout: Duration,
    /// How often an idle connection is checked.
    pub check_every: Duration,
    /// Whose clock decides.
    pub clock: RedisClock,
}

impl RedisOptions {
    /// The defaults for a Redis nearby.
    pub fn new(url: impl Into<String>, prefix: impl Into<String>, node: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            prefix: prefix.into(),
            node: node.into(),
            connect_timeout: Duration::from_secs(1),
            response_timeout: Duration::from_millis(250),
            check_every: Duration::from_secs(1),
            clock: RedisClock::Server,
        }
    }
}

impl fmt::Debug for RedisOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("RedisOptions")
            .field("prefix", &self.prefix)
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

/// Shared state in Redis; clones share the connection. The last one dropped closes it.
#[derive(Clone)]
pub struct Redis(Arc<Open>);

struct Open {
    link: Arc<Link>,
    keeper: JoinHandle<()>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.keeper.abort();
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Redis")
            .field("options", self.0.link.options())
            .field("connected", &self.is_connected())
            .finish()
    }
}

impl Redis {
    /// Connects, or, where Redis is away, goes on trying in the background.
    pub async fn open(options: RedisOptions) -> Result<Self, SharedError> {
        let link = Arc::new(Link::new(options)?);
        let session = keeper::first_session(&link).await;
        let keeper = tokio::spawn(keeper::keep(Arc::clone(&link), session));
        Ok(Self(Arc::new(Open { link, keeper })))
    }

    /// Whether the last thing known of Redis is that it answers.
    pub fn is_connected(&self) -> bool {
        self.0.link.is_connected()
    }

    pub(super) fn link(&self) -> &Link {
        &self.0.link
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Notice> {
        self.0.link.notices().subscribe()
    }
}
