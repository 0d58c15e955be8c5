//! Who is told that a balance is low.

use store::users::{self, Status, UserChanges};
use store::{Store, UserId, low_balances};

use crate::support::{Place, a_user};

on_both_engines!(
    users_are_watched_who_can_be_told_and_want_to_be,
    a_fall_is_claimed_once_and_not_before_its_time,
    nodes_that_claim_at_once_have_one_claim,
    a_deleted_user_leaves_nothing_behind,
);

const DOLLAR: i64 = 1_000_000_000;

/// A user with an address.
async fn reachable(store: &Store, name: &str) -> UserId {
    let id = a_user(store, name).await;
    let email = Some(Some(format!("{name}@example.org")));
    let changes = UserChanges {
        email,
        ..UserChanges::default()
    };
    change(store, id, changes).await;
    id
}

async fn change(store: &Store, id: UserId, changes: UserChanges) {
    let transaction = store.write().await.unwrap();
    users::update(&transaction, id, changes).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn choose(store: &Store, id: UserId, nanos: Option<i64>) {
    let changes = UserChanges {
        low_balance_nanos: Some(nanos),
        ..UserChanges::default()
    };
    change(store, id, changes).await;
}

async fn arm(store: &Store, ids: &[UserId]) {
    let transaction = store.write().await.unwrap();
    low_balances::arm(&transaction, ids).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn claim(store: &Store, id: UserId, now: i64) -> bool {
    let transaction = store.write().await.unwrap();
    let next = now + 100;
    let claimed = low_balances::claim(&transaction, id, now, next).await;
    transaction.commit().await.unwrap();
    claimed.unwrap()
}

async fn thresholds(store: &Store, default_nanos: i64) -> Vec<(String, i64)> {
    let mut all = Vec::new();
    let mut after = UserId(0);
    loop {
        let some = low_balances::watched(store.read(), default_nanos, after, 2).await;
        let some = some.unwrap();
        let Some(last) = some.last() else {
            return all;
        };
        after = last.user_id;
        all.extend(
            some.into_iter()
                .map(|one| (one.username, one.threshold_nanos)),
        );
    }
}

async fn users_are_watched_who_can_be_told_and_want_to_be(place: Place) {
    let store = place.open().await;
    reachable(&store, "ann").await;
    let bob = reachable(&store, "bob").await;
    choose(&store, bob, Some(7 * DOLLAR)).await;
    let never = reachable(&store, "never").await;
    choose(&store, never, Some(0)).await;
    a_user(&store, "unreachable").await;
    let off = reachable(&store, "off").await;
    let disabled = UserChanges {
        status: Some(Status::Disabled),
        ..UserChanges::default()
    };
    change(&store, off, disabled).await;
    reachable(&store, "cid").await;
    let named = |name: &str, dollars: i64| (name.to_owned(), dollars * DOLLAR);
    assert_eq!(
        thresholds(&store, 5 * DOLLAR).await,
        [named("ann", 5), named("bob", 7), named("cid", 5)]
    );
    assert_eq!(thresholds(&store, 0).await, [named("bob", 7)]);
    choose(&store, bob, None).await;
    assert!(thresholds(&store, 0).await.is_empty());
}

async fn a_fall_is_claimed_once_and_not_before_its_time(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (
        reachable(&store, "ann").await,
        reachable(&store, "bob").await,
    );
    assert!(!claim(&store, ann, 1_000).await, "never seen above");
    arm(&store, &[ann, bob]).await;
    assert!(claim(&store, ann, 1_000).await);
    assert!(!claim(&store, ann, 2_000).await, "told already");
    arm(&store, &[ann]).await;
    assert!(!claim(&store, ann, 1_099).await, "too early");
    let seen = low_balances::watched(store.read(), DOLLAR, UserId(0), 1).await;
    let seen = seen.unwrap().remove(0);
    assert_eq!((seen.is_armed, seen.not_before), (true, 1_100));
    assert!(claim(&store, ann, 1_100).await);
    let transaction = store.write().await.unwrap();
    low_balances::give_back(&transaction, ann, 1_300)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    assert!(!claim(&store, ann, 1_299).await);
    assert!(claim(&store, ann, 1_300).await);
    assert!(claim(&store, bob, 1_000).await, "others are not touched");
}

async fn nodes_that_claim_at_once_have_one_claim(place: Place) {
    let store = place.open().await;
    let other = place.open().await;
    let ann = reachable(&store, "ann").await;
    arm(&store, &[ann]).await;
    let both = tokio::join!(claim(&store, ann, 1_000), claim(&other, ann, 1_000));
    assert!(both.0 ^ both.1, "{both:?}");
}

async fn a_deleted_user_leaves_nothing_behind(place: Place) {
    let store = place.open().await;
    let ann = reachable(&store, "ann").await;
    arm(&store, &[ann]).await;
    let transaction = store.write().await.unwrap();
    assert!(users::delete(&transaction, ann, 5).await.unwrap());
    assert!(
        !low_balances::claim(&transaction, ann, 1_000, 1_100)
            .await
            .unwrap()
    );
    transaction.commit().await.unwrap();
    assert!(thresholds(&store, DOLLAR).await.is_empty());
}
