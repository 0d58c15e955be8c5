//! Change notices: an edit on one node makes every node drop what it cached about it.
//!
//! Notices carry no data, only what to read again. They are allowed to get lost, but never
//! silently: whoever may have missed one is told so ([`Notice::Missed`]) and reloads everything.

use serde::{Deserialize, Serialize};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::Shared;
use super::error::SharedError;
use crate::ids::{ChannelId, TokenId, UserId};

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// A user's role, state, group or balance rule.
    User(UserId),
    /// A token.
    Token(TokenId),
    /// A channel or one of its keys.
    Channel(ChannelId),
    /// The login sessions of a user.
    Sessions(UserId),
    /// The price table.
    Prices,
    /// Groups and their multipliers.
    Groups,
    /// Settings that apply while running.
    Settings,
    /// More than can be listed (imports, restored backups).
    Everything,
}

/// What a subscriber learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// This was changed.
    Changed(Change),
    /// Notices may have been lost: reload everything.
    Missed,
}

/// The receiving end of the notices; each one sees every notice since it was made.
#[derive(Debug)]
pub struct Subscription {
    receiver: broadcast::Receiver<Notice>,
}

impl Subscription {
    pub(super) fn new(receiver: broadcast::Receiver<Notice>) -> Self {
        Self { receiver }
    }

    /// The next notice; `None` once the shared state is gone. Falling too far behind gives
    /// [`Notice::Missed`] in place of what was lost. May be cancelled without losing a notice.
    pub async fn next(&mut self) -> Option<Notice> {
        match self.receiver.recv().await {
            Ok(notice) => Some(notice),
            Err(RecvError::Lagged(_)) => Some(Notice::Missed),
            Err(RecvError::Closed) => None,
        }
    }
}

impl Shared {
    /// Tells every node, this one included. This node learns it even while Redis is away; the
    /// others are then told to reload everything as soon as Redis is back.
    pub async fn publish(&self, change: Change) -> Result<(), SharedError> {
        match self {
            Self::Memory(memory) => {
                memory.publish(change);
                Ok(())
            }
            Self::Redis(redis) => redis.publish(change).await,
        }
    }

    /// Listens from now on.
    pub fn subscribe(&self) -> Subscription {
        Subscription::new(match self {
            Self::Memory(memory) => memory.subscribe(),
            Self::Redis(redis) => redis.subscribe(),
        })
    }
}
