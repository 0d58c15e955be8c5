//! The calls that are under way, for whoever watches. While nobody does, a call looks at one number and
//! goes on; what ran before then shows itself at its next step. What other nodes tell of theirs stands beside it
//! (`background/running.rs`).

use std::borrow::Cow;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use store::{ChannelId, TokenId, UserId};

/// So many calls are shown at most; those that come when the list is full are left out of it.
const MOST: usize = 2_000;

/// A call under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// Names the call.
    pub request_id: Arc<str>,
    /// When it came.
    pub began_ms: i64,
    /// Who pays.
    pub user_id: UserId,
    /// The token.
    pub token_id: TokenId,
    /// The endpoint's path.
    pub endpoint: Cow<'static, str>,
    /// The model that was asked for.
    pub model: String,
    /// The model that the upstream is asked for.
    pub upstream_model: Option<Arc<str>>,
    /// Where it is.
    pub channel_id: Option<ChannelId>,
    /// Whether a stream was asked for.
    pub is_stream: bool,
    /// Where it comes from.
    pub source: Cow<'static, str>,
    /// The client's address.
    pub ip: IpAddr,
    /// Tries that have ended.
    pub tries: usize,
    /// Whether the client has the head of an answer.
    pub is_answering: bool,
}

/// The list.
#[derive(Debug, Default)]
pub struct InFlight {
    watchers: AtomicUsize,
    next: AtomicU64,
    calls: Mutex<HashMap<u64, Running>>,
    elsewhere: Mutex<Vec<Running>>,
}

impl InFlight {
    /// Whether anybody wants to know.
    pub fn is_watched(&self) -> bool {
        self.watchers() > 0
    }

    /// How many want to know.
    pub fn watchers(&self) -> usize {
        self.watchers.load(Ordering::Relaxed)
    }

    /// Lets calls show themselves for as long as this is kept.
    pub fn watch(self: &Arc<Self>) -> Watching {
        self.watchers.fetch_add(1, Ordering::Relaxed);
        Watching(Arc::clone(self))
    }

    /// Puts a call on the list; none where it is full.
    pub fn show(self: &Arc<Self>, call: Running) -> Option<Shown> {
        let mut calls = self.calls.lock();
        if calls.len() >= MOST {
            return None;
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        calls.insert(id, call);
        Some(Shown {
            list: Arc::clone(self),
            id,
        })
    }

    /// The calls of all nodes that these are, the oldest first.
    pub fn calls(&self, are: impl Fn(&Running) -> bool) -> Vec<Running> {
        let mut calls = self.calls_here(&are);
        let elsewhere = self.elsewhere.lock();
        calls.extend(elsewhere.iter().filter(|call| are(call)).cloned());
        sort(&mut calls);
        calls
    }

    /// The oldest calls of this node.
    pub fn oldest_here(&self, most: usize) -> Vec<Running> {
        let mut calls = self.calls_here(&|_| true);
        sort(&mut calls);
        calls.truncate(most);
        calls
    }

    fn calls_here(&self, are: &impl Fn(&Running) -> bool) -> Vec<Running> {
        let calls = self.calls.lock();
        calls.values().filter(|call| are(call)).cloned().collect()
    }

    /// Notes which calls are under way on other nodes.
    pub fn set_elsewhere(&self, calls: Vec<Running>) {
        *self.elsewhere.lock() = calls;
    }
}

fn sort(calls: &mut [Running]) {
    calls.sort_by_cached_key(|call| (call.began_ms, call.request_id.clone()));
}

/// Somebody watches.
#[derive(Debug)]
pub struct Watching(Arc<InFlight>);

impl Watching {
    /// What is watched.
    pub fn list(&self) -> &InFlight {
        &self.0
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.watchers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A call's place on the list; it leaves with this.
#[derive(Debug)]
pub struct Shown {
    list: Arc<InFlight>,
    id: u64,
}

impl Shown {
    /// Says what has become of the call.
    pub fn update(&self, call: Running) {
        self.list.calls.lock().insert(self.id, call);
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.list.calls.lock().remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(began_ms: i64) -> Running {
        Running {
            request_id: format!("r{began_ms}").into(),
            began_ms,
            user_id: UserId(1),
            token_id: TokenId(1),
            endpoint: "/v1/messages".into(),
            model: "m".to_owned(),
            upstream_model: None,
            channel_id: None,
            is_stream: false,
            source: "api".into(),
            ip: IpAddr::from([127, 0, 0, 1]),
            tries: 0,
            is_answering: false,
        }
    }

    #[test]
    fn calls_are_listed_from_their_beginning_to_their_end() {
        let list = Arc::new(InFlight::default());
        let (late, early) = (list.show(running(2)), list.show(running(1)));
        let times = || -> Vec<i64> {
            list.calls(|_| true)
                .iter()
                .map(|call| call.began_ms)
                .collect()
        };
        assert_eq!(times(), [1, 2]);
        let moved = Running {
            channel_id: Some(ChannelId(7)),
            ..running(1)
        };
        early.as_ref().unwrap().update(moved.clone());
        assert_eq!(list.calls(|call| call.channel_id.is_some()), [moved]);
        drop(early);
        assert_eq!(times(), [2]);
        drop(late);
        assert!(times().is_empty());
    }

    #[test]
    fn calls_of_other_nodes_stand_among_ours_by_age() {
        let list = Arc::new(InFlight::default());
        let _shown = list.show(running(2));
        list.set_elsewhere(vec![running(3), running(1)]);
        assert_eq!(
            list.calls(|call| call.began_ms < 3),
            [running(1), running(2)]
        );
        assert_eq!(list.oldest_here(9), [running(2)]);
        assert!(list.oldest_here(0).is_empty());
        let told = serde_json::to_vec(&list.oldest_here(9)).unwrap();
        let heard: Vec<Running> = serde_json::from_slice(&told).unwrap();
        assert_eq!(heard, [running(2)]);
    }

    #[test]
    fn the_list_is_bounded_and_watched_while_somebody_watches() {
        let list = Arc::new(InFlight::default());
        let shown: Vec<_> = (0..2_100).map(|at| list.show(running(at))).collect();
        assert_eq!(shown.iter().flatten().count(), MOST);
        assert_eq!(list.calls(|_| true).len(), MOST);
        assert!(!list.is_watched());
        let one = list.watch();
        let other = list.watch();
        drop(one);
        assert!(list.is_watched());
        drop(other);
        assert!(!list.is_watched());
    }
}
