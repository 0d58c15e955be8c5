//! Leases and windows of budgets that are past: they go, in batches, and the books and the budgets that count stay right.

use store::budgets::{self, Budget, Period, Scope, Window};
use store::leases::{self, Ask, LeaseCharge, Obtained};
use store::ledger::Outcome;
use store::retention::{self, RetentionBounds, RetentionRules};
use store::{LeaseId, Store, UserId, nodes};

use super::assert_balances;
use crate::support::{Place, a_user, fund};

on_both_engines!(
    leases_that_were_closed_long_ago_go_and_others_stay,
    a_node_with_a_journal_has_its_closed_leases_kept,
    windows_go_when_they_ended_long_ago_and_totals_stay,
    a_charge_of_a_forgotten_lease_is_in_the_books_once,
);

const DAY_MS: i64 = 86_400_000;
/// Midnight UTC, 15 January 2027.
const START: i64 = 1_799_971_200_000;

fn budgets_of(user: UserId, day: i64) -> Vec<Budget> {
    let window = |period, starts_at| Budget {
        window: Window {
            scope: Scope::User(user),
            period,
            starts_at,
        },
        limit_nanos: 50_000,
    };
    vec![
        window(Period::Daily, START + day * DAY_MS),
        window(Period::Total, 0),
    ]
}

/// A lease of a hundred that is taken on this day.
async fn lease(store: &Store, user: UserId, day: i64) -> LeaseId {
    let now = START + day * DAY_MS;
    let budgets = budgets_of(user, day);
    let ask = Ask {
        node_id: "n1",
        user_id: user,
        lease: None,
        minimum_nanos: 100,
        most_nanos: 100,
        share: 1,
        budgets: &budgets,
        now,
        expires_at: now + 1_000,
    };
    let transaction = store.write().await.unwrap();
    let obtained = leases::obtain(&transaction, &ask).await.unwrap();
    transaction.commit().await.unwrap();
    match obtained {
        Obtained::Lease { id, .. } => id,
        Obtained::Short { .. } => panic!("{obtained:?}"),
    }
}

async fn close(store: &Store, id: LeaseId, day: i64) {
    let transaction = store.write().await.unwrap();
    let given = leases::give_back(&transaction, id, START + day * DAY_MS).await;
    assert_eq!(given.unwrap(), Some(100));
    transaction.commit().await.unwrap();
}

/// Runs retention on this day, and says how many rows went and whether there are more.
async fn forget(store: &Store, day: i64, bounds: RetentionBounds) -> (u64, bool) {
    let (rules, now) = (RetentionRules::default(), START + day * DAY_MS);
    let done = retention::run(store.database(), &rules, bounds, now).await;
    let done = done.unwrap();
    (done.rows, done.has_more)
}

async fn is_kept(store: &Store, id: LeaseId) -> bool {
    leases::get(store.read(), id).await.unwrap().is_some()
}

async fn a_rich_user(place: &Place) -> (Store, UserId) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    fund(&store, user, 10_000).await;
    (store, user)
}

async fn leases_that_were_closed_long_ago_go_and_others_stay(place: Place) {
    let (store, user) = a_rich_user(&place).await;
    let mut old = Vec::new();
    for _ in 0..5 {
        let id = lease(&store, user, 0).await;
        close(&store, id, 1).await;
        old.push(id);
    }
    let open = lease(&store, user, 0).await;
    let young = lease(&store, user, 0).await;
    close(&store, young, 20).await;
    let all = RetentionBounds::default();
    assert_eq!(forget(&store, 36, all).await, (0, false));
    // Two at once, once.
    let bounds = RetentionBounds {
        rows: 2,
        transactions: 1,
        ..all
    };
    assert_eq!(forget(&store, 37, bounds).await, (2, true));
    assert_eq!(forget(&store, 37, all).await, (3, false));
    for id in old {
        assert!(!is_kept(&store, id).await);
    }
    assert!(is_kept(&store, open).await && is_kept(&store, young).await);
    assert_balances(&store, user, 9_900, 100).await;
    // The next lease is none of those that went: its movements have keys of their own.
    let next = lease(&store, user, 37).await;
    assert!(next > young);
    assert_balances(&store, user, 9_800, 200).await;
}

async fn a_node_with_a_journal_has_its_closed_leases_kept(place: Place) {
    let (store, user) = a_rich_user(&place).await;
    let id = lease(&store, user, 0).await;
    close(&store, id, 1).await;
    for has_journal in [true, false] {
        let transaction = store.write().await.unwrap();
        let told = nodes::set_journal(&transaction, "n1", has_journal, START).await;
        told.unwrap();
        transaction.commit().await.unwrap();
        forget(&store, 40, RetentionBounds::default()).await;
        assert_eq!(is_kept(&store, id).await, has_journal);
    }
}

async fn windows_go_when_they_ended_long_ago_and_totals_stay(place: Place) {
    let (store, user) = a_rich_user(&place).await;
    for day in [0, 1, 60] {
        lease(&store, user, day).await;
    }
    let days = async || {
        let mut left = Vec::new();
        for day in [0, 1, 60] {
            let windows = budgets_of(user, day);
            let windows: Vec<Window> = windows.iter().map(|budget| budget.window).collect();
            let taken = budgets::taken_in(store.read(), &windows).await.unwrap();
            assert_eq!(taken[&windows[1]], 300, "the total");
            left.push(taken.get(&windows[0]).copied());
        }
        left
    };
    let all = RetentionBounds::default();
    forget(&store, 67, all).await;
    assert_eq!(days().await, [Some(100), Some(100), Some(100)]);
    forget(&store, 68, all).await;
    assert_eq!(days().await, [None, Some(100), Some(100)]);
    forget(&store, 90, all).await;
    assert_eq!(days().await, [None, None, Some(100)]);
}

async fn a_charge_of_a_forgotten_lease_is_in_the_books_once(place: Place) {
    let (store, user) = a_rich_user(&place).await;
    let id = lease(&store, user, 0).await;
    close(&store, id, 1).await;
    forget(&store, 40, RetentionBounds::default()).await;
    assert!(!is_kept(&store, id).await);
    let charge = LeaseCharge {
        lease_id: id,
        request_id: "late".into(),
        user_id: user,
        amount_nanos: 70,
        at: START,
    };
    for expected in [Outcome::Posted, Outcome::Duplicate] {
        let transaction = store.write().await.unwrap();
        let settled = leases::settle(&transaction, 1, std::slice::from_ref(&charge)).await;
        assert!(settled.is_err(), "its lease is not open");
        drop(transaction);
        let transaction = store.write().await.unwrap();
        let late = leases::settle_late(&transaction, std::slice::from_ref(&charge)).await;
        assert_eq!(late.unwrap(), [expected]);
        transaction.commit().await.unwrap();
        assert_balances(&store, user, 9_930, 0).await;
    }
}
