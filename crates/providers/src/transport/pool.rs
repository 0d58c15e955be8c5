//! Connections that wait for their next call, by where they lead and how they leave. Bounded; what
//! waits too long or was closed by the peer is thrown away.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use foldhash::HashMap;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::http1::Http1;
use super::http2::{Http2, Place};
use crate::Origin;

/// How many connections wait, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSettings {
    /// The most that wait for one upstream.
    pub idle_per_upstream: usize,
    /// The most that wait altogether.
    pub idle_altogether: usize,
    /// How long one waits. Below what vendors' servers grant, so that we are the one who closes.
    pub idle_for: Duration,
}

impl Default for PoolSettings {
    fn default() -> Self {
        Self {
            idle_per_upstream: 256,
            idle_altogether: 2048,
            idle_for: Duration::from_secs(55),
        }
    }
}

/// Where connections lead, and how they leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) origin: Origin,
    pub(crate) egress: [u8; 32],
}

impl Hash for Route {
    /// A part of a digest tells as much as the whole of it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.origin.hash(state);
        let digest = self.egress.first_chunk().copied();
        state.write_u64(digest.map_or(0, u64::from_ne_bytes));
    }
}

/// A connection that is at hand.
pub(crate) enum Held {
    /// For one call alone.
    Http1(Box<Http1>),
    /// Shared with others.
    Http2(Arc<Http2>, Place),
}

struct Waiting {
    connection: Box<Http1>,
    since: Instant,
}

#[derive(Default)]
struct Lane {
    http1: Vec<Waiting>,
    http2: Vec<Arc<Http2>>,
}

#[derive(Default)]
struct Lanes {
    by_route: HashMap<Route, Lane>,
    idle: usize,
    is_swept: bool,
}

/// The connections of one thread's calls.
pub(crate) struct Pool {
    settings: PoolSettings,
    lanes: Mutex<Lanes>,
}

impl Pool {
    pub(crate) fn new(settings: PoolSettings) -> Arc<Self> {
        Arc::new(Self {
            settings,
            lanes: Mutex::default(),
        })
    }

    /// A place on a shared connection, or a waiting one that still lives: the one that waited
    /// shortest.
    pub(crate) fn take(&self, route: &Route, now: Instant) -> Option<Held> {
        loop {
            let mut waiting = {
                let mut lanes = self.lanes.lock();
                let lane = lanes.by_route.get_mut(route)?;
                let place = |shared: &Arc<Http2>| Some((Arc::clone(shared), shared.place()?));
                if let Some((shared, place)) = lane.http2.iter().find_map(place) {
                    return Some(Held::Http2(shared, place));
                }
                let waiting = lane.http1.pop()?;
                lanes.idle -= 1;
                waiting
            };
            let is_fresh = now.duration_since(waiting.since) < self.settings.idle_for;
            if is_fresh && waiting.connection.is_usable() {
                waiting.connection.is_reused = true;
                return Some(Held::Http1(waiting.connection));
            }
        }
    }

    /// Lets a connection wait for its next call, if it can have one. Whether the peer has closed it
    /// is looked at when it is taken, and whenever the pool is swept. It waits since its call last made progress.
    pub(crate) fn put(self: &Arc<Self>, route: &Route, mut connection: Box<Http1>, since: Instant) {
        if !connection.is_at_rest() {
            return;
        }
        connection.rest();
        let mut lanes = self.lanes.lock();
        if lanes.idle >= self.settings.idle_altogether {
            return;
        }
        let lane = match lanes.by_route.get_mut(route) {
            Some(lane) => lane,
            None => lanes.by_route.entry(route.clone()).or_default(),
        };
        if lane.http1.len() >= self.settings.idle_per_upstream {
            return;
        }
        lane.http1.push(Waiting { connection, since });
        lanes.idle += 1;
        self.sweep_later(&mut lanes);
    }

    /// Keeps a connection that can be shared.
    pub(crate) fn share(self: &Arc<Self>, route: &Route, connection: &Arc<Http2>) {
        let mut lanes = self.lanes.lock();
        let lane = lanes.by_route.entry(route.clone()).or_default();
        lane.http2.push(Arc::clone(connection));
        self.sweep_later(&mut lanes);
    }

    /// How many connections wait or are shared.
    pub(crate) fn held(&self) -> usize {
        let lanes = self.lanes.lock();
        let shared: usize = lanes.by_route.values().map(|lane| lane.http2.len()).sum();
        lanes.idle + shared
    }

    /// How many connections wait, and for how long.
    pub(crate) fn settings(&self) -> PoolSettings {
        self.settings
    }

    /// Sees to it that somebody sweeps while there is something to sweep.
    fn sweep_later(self: &Arc<Self>, lanes: &mut Lanes) {
        if lanes.is_swept {
            return;
        }
        // A body may be dropped outside of any runtime; the next one will do.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            lanes.is_swept = true;
            runtime.spawn(sweep(Arc::downgrade(self), self.settings.idle_for / 2));
        }
    }

    /// Throws away what is spent. Says whether anything is left.
    fn sweep(&self) -> bool {
        let idle_for = self.settings.idle_for;
        let mut lanes = self.lanes.lock();
        for lane in lanes.by_route.values_mut() {
            lane.http1.retain_mut(|waiting| {
                let is_usable = waiting.connection.is_usable();
                waiting.connection.rest();
                is_usable && waiting.since.elapsed() < idle_for
            });
            lane.http2.retain(|shared| !shared.is_spent(idle_for));
        }
        lanes
            .by_route
            .retain(|_, lane| !lane.http1.is_empty() || !lane.http2.is_empty());
        lanes.idle = lanes.by_route.values().map(|lane| lane.http1.len()).sum();
        lanes.is_swept = !lanes.by_route.is_empty();
        lanes.is_swept
    }
}

async fn sweep(pool: Weak<Pool>, every: Duration) {
    loop {
        tokio::time::sleep(every.max(Duration::from_millis(10))).await;
        let is_done = pool.upgrade().is_none_or(|pool| !pool.sweep());
        if is_done {
            return;
        }
    }
}
