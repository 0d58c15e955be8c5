//! The way out to upstreams: one client for each thread, because a connection is best driven where
//! it was made. All of them stand under the same guard on private addresses.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arc_swap::ArcSwap;
use providers::transport::{Guard, Outbound, PoolSettings};
use providers::{BaseUrl, Target};

use crate::config::Network;

/// Tells the clients of one service from those of another in the same process (tests).
static NEXT: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static HERE: RefCell<Vec<Client>> = const { RefCell::new(Vec::new()) };
}

/// A thread's client of one service.
struct Client {
    service: u64,
    rules: Arc<Rules>,
    outbound: Outbound,
}

/// What the guard lets through.
struct Rules(Guard);

/// The clients of a service, one for each thread that asks.
pub struct Outbounds {
    service: u64,
    rules: ArcSwap<Rules>,
}

impl Outbounds {
    /// Clients under a guard.
    pub fn new(guard: Guard) -> Self {
        Self {
            service: NEXT.fetch_add(1, Ordering::Relaxed),
            rules: ArcSwap::from_pointee(Rules(guard)),
        }
    }

    /// Puts another guard in place, for all threads.
    pub fn guard_by(&self, guard: Guard) {
        self.rules.store(Arc::new(Rules(guard)));
    }

    /// The client of this thread.
    pub fn here(&self) -> Outbound {
        let rules = self.rules.load();
        HERE.with_borrow_mut(|clients| {
            if let Some(client) = clients.iter_mut().find(|one| one.service == self.service) {
                if !Arc::ptr_eq(&client.rules, &rules) {
                    client.outbound.set_guard(rules.0.clone());
                    client.rules = Arc::clone(&rules);
                }
                return client.outbound.clone();
            }
            let outbound = Outbound::new(rules.0.clone(), PoolSettings::default());
            clients.push(Client {
                service: self.service,
                rules: Arc::clone(&rules),
                outbound: outbound.clone(),
            });
            outbound
        })
    }
}

/// Returns the guard that lets these private networks through.
pub fn guard<'a>(allowed: impl IntoIterator<Item = &'a Network>) -> Guard {
    Guard::new(allowed.into_iter().map(Network::range))
}

/// Where an address leads; none where it is no address. Fragments are not sent.
pub fn target_of(address: &str) -> Option<Target> {
    let address = address.split('#').next()?;
    let rest = address.split_once("://")?.1;
    let path_at = address.len() - rest.len() + rest.find(['/', '?']).unwrap_or(rest.len());
    let (origin, path) = address.split_at(path_at);
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    BaseUrl::parse(origin).ok()?.target(&path).ok()
}
