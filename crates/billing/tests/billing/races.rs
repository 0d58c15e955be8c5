//! Ten thousand calls race for a wallet that affords a thousand, over three nodes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use billing::wallet::ReserveError;
use store::Store;
use tokio::task::JoinSet;

use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_user, balances, charge, node, revenue, settings, verify,
};

on_both_engines!(
    exactly_those_calls_are_served_that_fit,
    calls_that_cost_less_than_they_reserve_never_overdraw,
);

const CALLS: usize = 10_000;
const PRICE: i64 = 1_700;

/// Races all calls over three nodes; each reserves `PRICE` and costs `cost`. Says how many were
/// served.
async fn race(store: &Store, funds: i64, cost: i64) -> usize {
    let time = Time::new();
    let user = a_user(store, funds).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let watcher = tokio::spawn(watch(store.clone(), user, Arc::clone(&is_over)));
    let mut nodes = Vec::new();
    for name in ["one", "two", "three"] {
        nodes.push(node(store, &time, settings(name)).await);
    }
    let mut calls = JoinSet::new();
    for call in 0..CALLS {
        let (wallets, time) = (nodes[call % nodes.len()].clone(), time.clone());
        calls.spawn(async move {
            match wallets.reserve(wants(user, PRICE)).await {
                Ok(reservation) => {
                    let call = a_call(user, None, &format!("r{call}"), time.now());
                    let written = reservation.settle(charge(cost), call);
                    written.wait().await.unwrap();
                    true
                }
                Err(ReserveError::NotEnough { .. }) => false,
                Err(error) => panic!("{error}"),
            }
        });
    }
    let served = calls.join_all().await.into_iter().filter(|served| *served);
    let served = served.count();
    for node in nodes {
        node.give_back_all().await.unwrap();
    }
    is_over.store(true, Ordering::SeqCst);
    watcher.await.unwrap();
    let after = balances(store, user).await;
    let spent = i64::try_from(served).unwrap() * cost;
    assert_eq!(revenue(store).await, spent);
    assert_eq!(after.wallet_nanos, funds - spent);
    assert_eq!((after.held_nanos, after.owed_nanos), (0, 0));
    verify(store).await;
    served
}

async fn watch(store: Store, user: store::UserId, is_over: Arc<AtomicBool>) {
    while !is_over.load(Ordering::SeqCst) {
        let now = balances(&store, user).await;
        assert!(now.wallet_nanos >= 0 && now.held_nanos >= 0 && now.owed_nanos == 0);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

async fn exactly_those_calls_are_served_that_fit(place: Place) {
    let store = place.open().await;
    assert_eq!(race(&store, 1_000 * PRICE + 999, PRICE).await, 1_000);
}

async fn calls_that_cost_less_than_they_reserve_never_overdraw(place: Place) {
    let store = place.open().await;
    let served = race(&store, 1_000 * PRICE, PRICE / 2).await;
    assert!((1_000..=2_000).contains(&served), "{served}");
}
