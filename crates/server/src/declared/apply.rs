//! Applies all declarations in one transaction, and tells every node what has changed.

use std::fmt;

use store::shared::Change;
use store::{Alone, Store, StoreError, alone};

use super::{channels, tokens};
use crate::app::App;
use crate::background::announce;
use crate::clock::Clock;
use crate::config::Config;
use crate::randomness::Randomness;
use crate::secrets::KeyRing;

/// More changes than this are told as one.
const TOLD_SINGLY: usize = 8;

/// A declaration that cannot be applied.
#[derive(Debug, thiserror::Error)]
pub enum DeclareError {
    /// Something about it is wrong; the text names the declaration.
    #[error("{0}")]
    Refused(String),
    /// The records could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl DeclareError {
    /// A declaration of a list is wrong.
    pub(super) fn refused(list: &str, name: &str, reason: impl fmt::Display) -> Self {
        Self::Refused(format!("[[{list}]] \"{name}\": {reason}"))
    }
}

/// What was done.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// What was changed.
    pub changes: Vec<Change>,
    /// Tokens that wait for their user or group, with the reason.
    pub waiting: Vec<String>,
}

/// What everything that is declared needs to be written down.
pub(super) struct Means<'a> {
    pub(super) keys: &'a KeyRing,
    pub(super) randomness: &'a dyn Randomness,
    pub(super) now: i64,
}

/// Writes down what a configuration declares; all of it or nothing.
pub async fn apply(
    store: &Store,
    keys: &KeyRing,
    clock: &dyn Clock,
    randomness: &dyn Randomness,
    config: &Config,
) -> Result<Applied, DeclareError> {
    let means = Means {
        keys,
        randomness,
        now: clock.now_ms(),
    };
    let transaction = store.write().await?;
    alone(&transaction, Alone::Declarations).await?;
    let mut applied = Applied::default();
    channels::apply(&transaction, &means, &config.channels, &mut applied).await?;
    tokens::apply(&transaction, &means, &config.tokens, &mut applied).await?;
    if !applied.changes.is_empty() {
        transaction.commit().await?;
    }
    Ok(applied)
}

/// Puts into effect what a configuration declares, on this node and on all others.
pub async fn declare(app: &App, config: &Config) -> Result<(), DeclareError> {
    let applied = apply(
        app.store(),
        app.keys(),
        app.clock(),
        app.randomness(),
        config,
    )
    .await?;
    app.waiting().set(&applied.waiting);
    if applied.changes.len() > TOLD_SINGLY {
        announce(app, Change::Everything).await;
        return Ok(());
    }
    for change in applied.changes {
        announce(app, change).await;
    }
    Ok(())
}
