//! Concurrency slots and locks: who holds what until when.

use store::shared::{Shared, SlotHold};

use super::backend::{START_MS, open, redis_options};

on_both_backends!(
    slots_are_given_up_to_the_capacity_and_come_back,
    racing_calls_get_exactly_the_slots_there_are,
    a_slot_whose_lease_ended_goes_to_the_next,
    a_renewed_slot_outlives_its_first_lease,
    one_lock_has_one_owner,
    racing_owners_get_one_lock,
    an_ended_lock_can_be_taken_and_its_old_owner_cannot_touch_it,
    a_renewed_lock_outlives_its_first_end,
);

async fn slot(shared: &Shared, owner: &str, capacity: u32, now_ms: i64) -> bool {
    shared
        .acquire_slot("token:1", owner, capacity, 10_000, now_ms)
        .await
        .unwrap()
}

fn hold(owner: &str) -> SlotHold {
    SlotHold {
        key: "token:1".to_owned(),
        owner: owner.to_owned(),
    }
}

async fn slots_are_given_up_to_the_capacity_and_come_back(shared: Shared) {
    assert!(slot(&shared, "a", 2, START_MS).await);
    assert!(slot(&shared, "b", 2, START_MS).await);
    assert!(!slot(&shared, "c", 2, START_MS).await);
    assert!(
        slot(&shared, "a", 2, START_MS).await,
        "an owner keeps the slot it has"
    );
    shared.release_slot("token:1", "nobody").await.unwrap();
    assert!(!slot(&shared, "c", 2, START_MS).await);
    shared.release_slot("token:1", "b").await.unwrap();
    assert!(slot(&shared, "c", 2, START_MS).await);
    assert!(
        shared
            .acquire_slot("token:2", "c", 1, 10_000, START_MS)
            .await
            .unwrap()
    );
    assert!(
        !shared
            .acquire_slot("token:3", "c", 0, 10_000, START_MS)
            .await
            .unwrap()
    );
}

async fn racing_calls_get_exactly_the_slots_there_are(shared: Shared) {
    let calls: Vec<_> = (0..100)
        .map(|call| {
            let shared = shared.clone();
            tokio::spawn(async move { slot(&shared, &format!("call-{call}"), 7, START_MS).await })
        })
        .collect();
    let mut granted = 0;
    for call in calls {
        granted += usize::from(call.await.unwrap());
    }
    assert_eq!(granted, 7);
}

async fn a_slot_whose_lease_ended_goes_to_the_next(shared: Shared) {
    assert!(slot(&shared, "dead", 1, START_MS).await);
    assert!(!slot(&shared, "next", 1, START_MS + 9_999).await);
    assert!(slot(&shared, "next", 1, START_MS + 10_000).await);
    let holds = [hold("dead"), hold("next")];
    let renewed = shared.renew_slots(&holds, 10_000, START_MS + 10_001).await;
    assert_eq!(renewed.unwrap(), [false, true]);
}

async fn a_renewed_slot_outlives_its_first_lease(shared: Shared) {
    assert!(slot(&shared, "long", 1, START_MS).await);
    let renewed = shared
        .renew_slots(&[hold("long")], 10_000, START_MS + 9_000)
        .await
        .unwrap();
    assert_eq!(renewed, [true]);
    assert!(!slot(&shared, "next", 1, START_MS + 18_999).await);
    let late = shared
        .renew_slots(&[hold("long")], 10_000, START_MS + 19_000)
        .await
        .unwrap();
    assert_eq!(late, [false], "an ended lease is not revived");
    assert!(slot(&shared, "next", 1, START_MS + 19_000).await);
}

async fn lock(shared: &Shared, owner: &str, now_ms: i64) -> bool {
    shared
        .acquire_lock("rollups", owner, 5_000, now_ms)
        .await
        .unwrap()
}

async fn one_lock_has_one_owner(shared: Shared) {
    assert!(lock(&shared, "a", START_MS).await);
    assert!(!lock(&shared, "b", START_MS).await);
    assert!(
        lock(&shared, "a", START_MS).await,
        "the owner may ask again"
    );
    assert!(!shared.release_lock("rollups", "b").await.unwrap());
    assert!(!lock(&shared, "b", START_MS).await);
    assert!(shared.release_lock("rollups", "a").await.unwrap());
    assert!(lock(&shared, "b", START_MS).await);
    assert!(
        !shared
            .renew_lock("rollups", "a", 5_000, START_MS)
            .await
            .unwrap()
    );
}

async fn racing_owners_get_one_lock(shared: Shared) {
    let calls: Vec<_> = (0..50)
        .map(|owner| {
            let shared = shared.clone();
            tokio::spawn(async move { lock(&shared, &format!("owner-{owner}"), START_MS).await })
        })
        .collect();
    let mut owners = 0;
    for call in calls {
        owners += usize::from(call.await.unwrap());
    }
    assert_eq!(owners, 1);
}

async fn an_ended_lock_can_be_taken_and_its_old_owner_cannot_touch_it(shared: Shared) {
    assert!(lock(&shared, "slow", START_MS).await);
    assert!(!lock(&shared, "thief", START_MS + 4_999).await);
    assert!(lock(&shared, "thief", START_MS + 5_000).await);
    assert!(
        !shared
            .renew_lock("rollups", "slow", 5_000, START_MS + 5_001)
            .await
            .unwrap()
    );
    assert!(!shared.release_lock("rollups", "slow").await.unwrap());
    assert!(
        shared
            .renew_lock("rollups", "thief", 5_000, START_MS + 5_001)
            .await
            .unwrap()
    );
}

async fn a_renewed_lock_outlives_its_first_end(shared: Shared) {
    assert!(lock(&shared, "a", START_MS).await);
    assert!(
        shared
            .renew_lock("rollups", "a", 5_000, START_MS + 4_000)
            .await
            .unwrap()
    );
    assert!(!lock(&shared, "b", START_MS + 8_999).await);
    assert!(
        !shared
            .renew_lock("rollups", "a", 5_000, START_MS + 9_000)
            .await
            .unwrap()
    );
    assert!(lock(&shared, "b", START_MS + 9_000).await);
}

#[tokio::test]
async fn by_default_the_clock_of_redis_decides_and_not_the_nodes() {
    let options = redis_options();
    let server_clock = store::shared::RedisClock::Server;
    let shared = open(store::shared::RedisOptions {
        clock: server_clock,
        ..options
    })
    .await;
    assert!(lock(&shared, "behind", 0).await);
    assert!(!lock(&shared, "ahead", START_MS * 2).await);
    assert!(shared.acquire_lock("short", "a", 30, 0).await.unwrap());
    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    assert!(shared.acquire_lock("short", "b", 30, 0).await.unwrap());
}
