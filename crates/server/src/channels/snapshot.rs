//! The view of all channels that a node keeps in memory, made anew after every change.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwapOption;
use store::channels::{self, Channel, ChannelState};
use store::{ChannelId, Store, StoreError};

/// A way to a model: one channel that serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// The channel.
    pub channel_id: ChannelId,
    /// Its name.
    pub channel: String,
    /// The provider's id.
    pub provider: String,
    /// What the upstream calls the model.
    pub upstream_model: String,
    /// Groups that may use it; empty: all.
    groups: Vec<String>,
    priority: i64,
}

impl Route {
    fn serves(&self, group: &str) -> bool {
        self.groups.is_empty() || self.groups.iter().any(|allowed| allowed == group)
    }
}

/// All channels that take calls, by model.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// Routes of each model, higher priorities first.
    routes: BTreeMap<String, Vec<Route>>,
}

impl Snapshot {
    fn new(channels: Vec<Channel>) -> Self {
        let mut snapshot = Self::default();
        for channel in channels.into_iter().filter(|c| c.state == ChannelState::On) {
            for model in &channel.models.0 {
                let upstream = channel.model_mapping.0.get(model).unwrap_or(model);
                snapshot
                    .routes
                    .entry(model.clone())
                    .or_default()
                    .push(Route {
                        channel_id: channel.id,
                        channel: channel.name.clone(),
                        provider: channel.provider.clone(),
                        upstream_model: upstream.clone(),
                        groups: channel.groups.0.clone(),
                        priority: channel.priority,
                    });
            }
        }
        for routes in snapshot.routes.values_mut() {
            routes.sort_by_key(|route| (-route.priority, route.channel_id));
        }
        snapshot
    }

    /// The ways to a model for a group, in the order they are tried.
    pub fn routes<'a>(&'a self, model: &str, group: &'a str) -> impl Iterator<Item = &'a Route> {
        let routes = self.routes.get(model).into_iter().flatten();
        routes.filter(move |route| route.serves(group))
    }

    /// The models that a group can reach, sorted.
    pub fn models<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a str> {
        let reachable = self
            .routes
            .iter()
            .filter(move |(_, routes)| routes.iter().any(|route| route.serves(group)));
        reachable.map(|(model, _)| model.as_str())
    }
}

/// The current snapshot. It is loaded when it is first needed and after a change.
#[derive(Debug, Default)]
pub struct Channels {
    current: ArcSwapOption<Snapshot>,
    is_stale: AtomicBool,
}

impl Channels {
    /// The current snapshot.
    pub async fn snapshot(&self, store: &Store) -> Result<Arc<Snapshot>, StoreError> {
        if !self.is_stale.swap(false, Ordering::AcqRel)
            && let Some(snapshot) = self.current.load_full()
        {
            return Ok(snapshot);
        }
        let loaded = channels::all(store.read())
            .await
            .inspect_err(|_| self.forget())?;
        let snapshot = Arc::new(Snapshot::new(loaded));
        self.current.store(Some(snapshot.clone()));
        Ok(snapshot)
    }

    /// Something was changed: the next call loads anew.
    pub fn forget(&self) {
        self.is_stale.store(true, Ordering::Release);
    }
}
