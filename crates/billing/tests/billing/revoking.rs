//! A lowered balance or budget holds on every node as soon as its leases are revoked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use billing::credits::{Adjustment, adjust};
use billing::wallet::{ReserveError, Wallets, token_budgets};
use store::tokens::{self, TokenChanges};
use store::{Store, UserId};

use crate::budgets::{a_token, wants as within};
use crate::settling::wants;
use crate::support::{Place, Time, a_user, balances, node, settings, verify};

on_both_engines!(
    a_lowered_balance_holds_on_every_node,
    what_running_calls_hold_pays_when_they_end,
    no_slice_escapes_while_calls_race,
    a_lowered_budget_holds_at_once,
    a_dead_node_is_not_waited_for_longer_than_a_second,
);

async fn lower(store: &Store, user: UserId, by: i64, at: i64) {
    let adjustment = Adjustment {
        key: "lower".to_owned(),
        user,
        amount_nanos: -by,
        reason: "test".to_owned(),
        at,
    };
    let transaction = store.write().await.unwrap();
    adjust(&transaction, &adjustment).await.unwrap();
    transaction.commit().await.unwrap();
}

/// Wallet, held, owed.
async fn has(store: &Store, user: UserId) -> (i64, i64, i64) {
    let has = balances(store, user).await;
    (has.wallet_nanos, has.held_nanos, has.owed_nanos)
}

async fn two_nodes(store: &Store, time: &Time) -> [Wallets; 2] {
    [
        node(store, time, settings("one")).await,
        node(store, time, settings("two")).await,
    ]
}

async fn is_refused(wallets: &Wallets, user: UserId, amount: i64) -> bool {
    let reserved = wallets.reserve(wants(user, amount)).await;
    matches!(reserved, Err(ReserveError::NotEnough { .. }))
}

async fn a_lowered_balance_holds_on_every_node(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let nodes = two_nodes(&store, &time).await;
    for node in &nodes {
        node.reserve(wants(user, 400_000)).await.unwrap().release();
    }
    lower(&store, user, 990_000, time.now()).await;
    nodes[0].revoke(user).await.unwrap();
    assert_eq!(has(&store, user).await, (10_000, 0, 0));
    for node in &nodes {
        assert!(is_refused(node, user, 20_000).await);
    }
    let call = nodes[1].reserve(wants(user, 10_000)).await.unwrap();
    assert!(is_refused(&nodes[0], user, 1).await);
    drop(call);
    verify(&store).await;
}

async fn what_running_calls_hold_pays_when_they_end(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let nodes = two_nodes(&store, &time).await;
    let running = nodes[0].reserve(wants(user, 400_000)).await.unwrap();
    lower(&store, user, 990_000, time.now()).await;
    nodes[0].revoke(user).await.unwrap();
    // The call may still cost all that it holds, which is more than the new balance.
    assert_eq!(has(&store, user).await, (0, 400_000, 390_000));
    running.release();
    assert!(is_refused(&nodes[0], user, 20_000).await);
    assert!(is_refused(&nodes[1], user, 20_000).await);
    nodes[0].revoke(user).await.unwrap();
    assert_eq!(has(&store, user).await, (10_000, 0, 0));
    verify(&store).await;
}

async fn no_slice_escapes_while_calls_race(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let nodes = two_nodes(&store, &time).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let mut callers = Vec::new();
    for number in 0..8 {
        let (node, is_over) = (nodes[number % 2].clone(), Arc::clone(&is_over));
        callers.push(tokio::spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                if let Ok(reservation) = node.reserve(wants(user, 3_000)).await {
                    tokio::task::yield_now().await;
                    reservation.release();
                }
            }
        }));
    }
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    lower(&store, user, 990_000, time.now()).await;
    nodes[0].revoke(user).await.unwrap();
    is_over.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.await.unwrap();
    }
    nodes[1].revoke(user).await.unwrap();
    assert_eq!(has(&store, user).await, (10_000, 0, 0));
    verify(&store).await;
}

async fn a_lowered_budget_holds_at_once(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let limits = |nanos| TokenChanges {
        budget_daily_nanos: Some(Some(nanos)),
        ..TokenChanges::default()
    };
    let token = a_token(&store, user, "ci", limits(500_000)).await;
    let nodes = two_nodes(&store, &time).await;
    let former = token_budgets(&token, time.now());
    for node in &nodes {
        let reserved = node.reserve(within(user, &former, 200_000)).await;
        reserved.unwrap().release();
    }
    let transaction = store.write().await.unwrap();
    let token = tokens::update(&transaction, token.id, limits(1_000)).await;
    transaction.commit().await.unwrap();
    let token = token.unwrap().unwrap();
    nodes[0].revoke(user).await.unwrap();
    let budgets = token_budgets(&token, time.now());
    for node in &nodes {
        assert!(node.reserve(within(user, &budgets, 1_001)).await.is_err());
        // Neither by a call that had read the token before.
        assert!(node.reserve(within(user, &former, 1_001)).await.is_err());
        let reserved = node.reserve(within(user, &budgets, 1_000)).await;
        reserved.unwrap().release();
    }
    verify(&store).await;
}

async fn a_dead_node_is_not_waited_for_longer_than_a_second(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000_000).await;
    let [one, dead] = two_nodes(&store, &time).await;
    dead.reserve(wants(user, 400_000)).await.unwrap().release();
    drop(dead);
    lower(&store, user, 990_000, time.now()).await;
    let began = std::time::Instant::now();
    one.revoke(user).await.unwrap();
    assert!(began.elapsed() < std::time::Duration::from_secs(2));
    assert!(is_refused(&one, user, 1).await);
    time.advance(60_000);
    one.upkeep().await.unwrap();
    assert_eq!(has(&store, user).await, (10_000, 0, 0));
    verify(&store).await;
}
