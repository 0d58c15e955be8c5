//! Leases and reservations: nothing is spent twice, nothing is lost.

mod budgets;
mod forgetting;

use store::leases::{self, Lease, LeaseCharge, LeaseRequest};
use store::ledger::{self, Account, Balances};
use store::nodes::{self, Node};
use store::{Engine, LeaseId, Store, StoreError, UserId, reservations};

use crate::support::{Place, a_user, fund};

on_both_engines!(
    a_lease_takes_what_is_wanted_or_what_is_left,
    sixteen_nodes_lease_no_more_than_the_wallet_has,
    charges_of_a_write_are_one_movement_of_their_lease,
    a_charge_on_a_closed_lease_is_refused,
    charges_of_many_users_are_written_together_or_not_at_all,
    batches_of_the_same_users_do_not_wait_for_each_other_for_ever,
    a_lease_that_nobody_renews_is_given_back,
    a_node_with_a_journal_keeps_its_leases,
    settling_and_expiring_at_once_keep_the_books,
    a_reservation_is_settled_exactly_once,
    a_reservation_left_behind_is_given_back,
);

async fn take(store: &Store, user_id: UserId, wanted_nanos: i64) -> store::Result<Lease> {
    let request = LeaseRequest {
        node_id: "n1".to_owned(),
        user_id,
        wanted_nanos,
        minimum_nanos: 10,
        now: 1000,
        expires_at: 2000,
    };
    let transaction = store.write().await?;
    let lease = leases::take(&transaction, &request).await?;
    transaction.commit().await?;
    Ok(lease)
}

fn charge(lease: &Lease, request_id: &str, amount_nanos: i64) -> LeaseCharge {
    LeaseCharge {
        lease_id: lease.id,
        request_id: request_id.into(),
        user_id: lease.user_id,
        amount_nanos,
        at: 1500,
    }
}

async fn settle(store: &Store, batch_id: i64, charges: &[LeaseCharge]) -> store::Result<()> {
    let transaction = store.write().await?;
    leases::settle(&transaction, batch_id, charges).await?;
    transaction.commit().await?;
    Ok(())
}

async fn give_back(store: &Store, id: LeaseId) -> Option<i64> {
    let transaction = store.write().await.unwrap();
    let rest = leases::give_back(&transaction, id, 1600).await.unwrap();
    transaction.commit().await.unwrap();
    rest
}

async fn expire(store: &Store, now: i64) -> Vec<LeaseId> {
    let transaction = store.write().await.unwrap();
    let expired = leases::expire(&transaction, now, 100).await.unwrap();
    transaction.commit().await.unwrap();
    expired
}

async fn assert_balances(store: &Store, user: UserId, wallet_nanos: i64, held_nanos: i64) {
    let has = ledger::balances(store.read(), &[user]).await.unwrap()[&user];
    assert_eq!(
        has,
        Balances {
            wallet_nanos,
            held_nanos,
            ..Balances::default()
        }
    );
    assert_eq!(ledger::verify(store.read()).await.unwrap().differences, []);
}

async fn a_lease_takes_what_is_wanted_or_what_is_left(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    let first = take(&store, user, 70).await.unwrap();
    assert_eq!(
        (first.amount_nanos, first.state.as_str(), first.closed_at),
        (70, "open", None)
    );
    assert_eq!(take(&store, user, 70).await.unwrap().amount_nanos, 30);
    let error = take(&store, user, 70).await.unwrap_err();
    assert!(matches!(error, StoreError::InsufficientFunds(_)), "{error}");
    assert_balances(&store, user, 0, 100).await;
    assert_eq!(give_back(&store, first.id).await, Some(70));
    assert_eq!(give_back(&store, first.id).await, None);
    let first = leases::get(store.read(), first.id).await.unwrap().unwrap();
    assert_eq!(
        (first.state.as_str(), first.closed_at),
        ("returned", Some(1600))
    );
    assert_balances(&store, user, 70, 30).await;
}

async fn sixteen_nodes_lease_no_more_than_the_wallet_has(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 1000).await;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { take(&store, user, 90).await })
        })
        .collect();
    let mut leased = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            Ok(lease) => leased.push(lease.amount_nanos),
            Err(StoreError::InsufficientFunds(_)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    leased.sort_unstable();
    assert_eq!(
        (leased.len(), leased[0], leased.iter().sum::<i64>()),
        (12, 10, 1000)
    );
    assert_balances(&store, user, 0, 1000).await;
}

async fn charges_of_a_write_are_one_movement_of_their_lease(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    let lease = take(&store, user, 80).await.unwrap();
    let both = [charge(&lease, "r1", 10), charge(&lease, "r2", 20)];
    settle(&store, 1, &both).await.unwrap();
    settle(&store, 2, &[charge(&lease, "r3", 5)]).await.unwrap();
    assert_balances(&store, user, 20, 45).await;
    let again = settle(&store, 2, &[charge(&lease, "r3", 5)]).await;
    assert!(matches!(again, Err(StoreError::KeyReused(_))), "{again:?}");
    let error = settle(&store, 3, &[charge(&lease, "r4", 46)])
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Stale(_)), "{error}");
    assert_eq!(give_back(&store, lease.id).await, Some(45));
    assert_balances(&store, user, 65, 0).await;
    let revenue = ledger::balance(store.read(), Account::Revenue).await;
    assert_eq!(revenue.unwrap(), 35);
}

async fn a_charge_on_a_closed_lease_is_refused(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    fund(&store, ann, 100).await;
    fund(&store, bob, 100).await;
    let closed = take(&store, ann, 50).await.unwrap();
    give_back(&store, closed.id).await;
    let error = settle(&store, 11, &[charge(&closed, "r1", 10)])
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Stale(_)), "{error}");
    // Another open lease of the same user must not pay for it, nor another user's.
    let open = take(&store, ann, 50).await.unwrap();
    let error = settle(&store, 12, &[charge(&closed, "r1", 10)])
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Stale(_)), "{error}");
    take(&store, bob, 50).await.unwrap();
    let mut foreign = charge(&open, "r2", 10);
    foreign.user_id = bob;
    let error = settle(&store, 13, &[foreign]).await.unwrap_err();
    assert!(matches!(error, StoreError::Stale(_)), "{error}");
    assert_balances(&store, ann, 50, 50).await;
}

/// Leases of as many users, each of 50.
async fn leases_of_users(store: &Store, count: usize) -> Vec<Lease> {
    let mut leases = Vec::new();
    for number in 0..count {
        let user = a_user(store, &format!("user{number}")).await;
        fund(store, user, 100).await;
        leases.push(take(store, user, 50).await.unwrap());
    }
    leases
}

async fn charges_of_many_users_are_written_together_or_not_at_all(place: Place) {
    let store = place.open().await;
    let leases = leases_of_users(&store, 7).await;
    let mut charges: Vec<_> = leases.iter().map(|lease| charge(lease, "r", 10)).collect();
    settle(&store, 1, &charges).await.unwrap();
    charges[4].amount_nanos = 41;
    let error = settle(&store, 2, &charges).await.unwrap_err();
    let text = format!("lease {} is closed or too small", leases[4].id);
    assert!(error.to_string().contains(&text), "{error}");
    for lease in &leases {
        assert_balances(&store, lease.user_id, 50, 40).await;
        assert_eq!(give_back(&store, lease.id).await, Some(40));
    }
    let revenue = ledger::balance(store.read(), Account::Revenue).await;
    assert_eq!(revenue.unwrap(), 70);
}

async fn batches_of_the_same_users_do_not_wait_for_each_other_for_ever(place: Place) {
    let store = place.open().await;
    let leases = leases_of_users(&store, 3).await;
    let tasks = (0..8).map(|batch| {
        let store = store.clone();
        let mut charges: Vec<_> = leases.iter().map(|lease| charge(lease, "r", 1)).collect();
        if batch % 2 == 0 {
            charges.reverse();
        }
        tokio::spawn(async move { settle(&store, batch, &charges).await })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap().unwrap();
    }
    for lease in &leases {
        assert_balances(&store, lease.user_id, 50, 42).await;
    }
}

async fn a_lease_that_nobody_renews_is_given_back(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    let (kept, left) = (
        take(&store, user, 40).await.unwrap(),
        take(&store, user, 40).await.unwrap(),
    );
    settle(&store, 14, &[charge(&left, "r1", 15)])
        .await
        .unwrap();
    let transaction = store.write().await.unwrap();
    assert!(leases::renew(&transaction, kept.id, 5000).await.unwrap());
    transaction.commit().await.unwrap();
    assert_eq!(expire(&store, 1999).await, []);
    assert_eq!(expire(&store, 2000).await, [left.id]);
    assert_eq!(expire(&store, 2000).await, []);
    assert_balances(&store, user, 45, 40).await;
    let transaction = store.write().await.unwrap();
    assert!(!leases::renew(&transaction, left.id, 5000).await.unwrap());
}

/// The year 2100: later than any server that runs this test was started.
const AFTER_ALL_STARTS: i64 = 4_102_444_800_000;

async fn say_empty(store: &Store, now: i64) {
    let transaction = store.write().await.unwrap();
    nodes::set_journal(&transaction, "n1", false, now)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

async fn a_node_with_a_journal_keeps_its_leases(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    let lease = take(&store, user, 40).await.unwrap();
    let node = Node {
        id: "n1".to_owned(),
        version: "0.1.0".to_owned(),
        started_at: 1,
        heartbeat_at: 2,
        has_journal: false,
        stopped_at: None,
    };
    let transaction = store.write().await.unwrap();
    nodes::heartbeat(&transaction, &node).await.unwrap();
    nodes::set_journal(&transaction, "n1", true, AFTER_ALL_STARTS)
        .await
        .unwrap();
    nodes::heartbeat(&transaction, &node).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(expire(&store, 9000).await, []);

    // What it said before the server started says nothing of the time in between.
    let told_long_ago = match store.database().engine() {
        Engine::Postgres => vec![],
        Engine::Sqlite => vec![lease.id],
    };
    say_empty(&store, 2).await;
    assert_eq!(expire(&store, 9000).await, told_long_ago);
    say_empty(&store, AFTER_ALL_STARTS).await;
    let seen = Node {
        heartbeat_at: AFTER_ALL_STARTS,
        ..node
    };
    assert_eq!(nodes::list(store.read()).await.unwrap(), [seen]);
    let still_open = match store.database().engine() {
        Engine::Postgres => vec![lease.id],
        Engine::Sqlite => vec![],
    };
    assert_eq!(expire(&store, 9000).await, still_open);
    let transaction = store.write().await.unwrap();
    let since = async |time| nodes::count_since(store.read(), time).await.unwrap();
    let later = AFTER_ALL_STARTS + 1;
    assert_eq!((since(2).await, since(later).await), (1, 0));
    assert!(nodes::remove(&transaction, "n1").await.unwrap());
    assert!(!nodes::remove(&transaction, "n1").await.unwrap());
}

async fn settling_and_expiring_at_once_keep_the_books(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 1600).await;
    let mut taken = Vec::new();
    for _ in 0..16 {
        taken.push(take(&store, user, 100).await.unwrap());
    }
    let settling = taken.iter().cloned().enumerate().map(|(number, lease)| {
        let store = store.clone();
        tokio::spawn(async move {
            let charge = charge(&lease, &format!("r{number}"), 30);
            match settle(&store, 15, &[charge]).await {
                Ok(()) => 30,
                Err(StoreError::Stale(_)) => 0,
                Err(error) => panic!("{error}"),
            }
        })
    });
    let mut tasks: Vec<_> = settling.collect();
    for _ in 0..4 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            expire(&store, 3000).await;
            0
        }));
    }
    let mut charged = 0;
    for task in tasks {
        charged += task.await.unwrap();
    }
    expire(&store, 3000).await;
    assert_balances(&store, user, 1600 - charged, 0).await;
    assert_eq!(
        ledger::balance(store.read(), Account::Revenue)
            .await
            .unwrap(),
        charged
    );
}

async fn reserve(store: &Store, id: &str, user: UserId, nanos: i64) -> store::Result<()> {
    let transaction = store.write().await?;
    reservations::open(&transaction, id, user, nanos, 1000, 2000).await?;
    transaction.commit().await?;
    Ok(())
}

async fn a_reservation_is_settled_exactly_once(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    reserve(&store, "r1", user, 60).await.unwrap();
    let error = reserve(&store, "r1", user, 10).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");
    let error = reserve(&store, "r2", user, 41).await.unwrap_err();
    assert!(matches!(error, StoreError::InsufficientFunds(_)), "{error}");
    assert_balances(&store, user, 40, 60).await;

    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let done = reservations::settle(&transaction, "r1", 25, 1500)
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
                usize::from(done)
            })
        })
        .collect();
    let mut settled = 0;
    for task in tasks {
        settled += task.await.unwrap();
    }
    assert_eq!(settled, 1);
    assert_balances(&store, user, 75, 0).await;
    let row = reservations::get(store.read(), "r1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!((row.charged_nanos, row.settled_at), (Some(25), Some(1500)));
    assert_eq!(reservations::get(store.read(), "r2").await.unwrap(), None);
}

async fn a_reservation_left_behind_is_given_back(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 100).await;
    reserve(&store, "r1", user, 60).await.unwrap();
    for (now, expected) in [(1999, vec![]), (2000, vec!["r1"]), (2001, vec![])] {
        let transaction = store.write().await.unwrap();
        assert_eq!(
            reservations::expire(&transaction, now, 10).await.unwrap(),
            expected
        );
        transaction.commit().await.unwrap();
    }
    assert_balances(&store, user, 100, 0).await;
}
