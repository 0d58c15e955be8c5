//! Limits and slots taken together: all or nothing, exact under races.

use store::shared::{Admission, Charge, Limit, Shared, SharedError, SlotOwner, SlotWanted};

use super::backend::START_MS;

on_both_backends!(
    limits_and_slots_are_taken_together_or_not_at_all,
    racing_calls_are_admitted_exactly_as_often_as_limits_and_slots_allow,
    a_slot_whose_lease_is_over_is_free_again,
    slots_alone_and_limits_alone_are_admitted,
    calls_beyond_the_bounds_are_refused,
);

const LEASE_MS: u64 = 30_000;

fn per_minute(limit: u64) -> Limit {
    Limit::smooth(limit, 60_000, limit).unwrap()
}

async fn admit(shared: &Shared, limit: u64, capacity: u32, owner: &str, now_ms: i64) -> Admission {
    let charges = [Charge {
        key: "token:1:rpm",
        limit: per_minute(limit),
        cost: 1,
    }];
    let slots = [
        SlotWanted {
            key: "token:1",
            capacity: 1_000,
        },
        SlotWanted {
            key: "user:1",
            capacity,
        },
    ];
    let owner = SlotOwner {
        owner,
        lease_ms: LEASE_MS,
    };
    shared.admit(&charges, &slots, owner, now_ms).await.unwrap()
}

async fn limits_and_slots_are_taken_together_or_not_at_all(shared: Shared) {
    let one = admit(&shared, 2, 1, "a", START_MS).await;
    assert_eq!(one, Admission::Admitted { remaining: vec![1] });
    // No slot: the limit is not charged.
    assert_eq!(
        admit(&shared, 2, 1, "b", START_MS).await,
        Admission::Full { index: 1 }
    );
    shared.release_slot("user:1", "a").await.unwrap();
    let two = admit(&shared, 2, 1, "c", START_MS).await;
    assert_eq!(two, Admission::Admitted { remaining: vec![0] });
    shared.release_slot("user:1", "c").await.unwrap();
    // No room in the limit: no slot is taken.
    let full = Admission::Limited {
        index: 0,
        retry_after_ms: Some(30_000),
    };
    assert_eq!(admit(&shared, 2, 1, "d", START_MS).await, full);
    assert!(
        shared
            .acquire_slot("user:1", "e", 1, LEASE_MS, START_MS)
            .await
            .unwrap()
    );
}

async fn racing_calls_are_admitted_exactly_as_often_as_limits_and_slots_allow(shared: Shared) {
    for (limit, capacity, expected) in [(100, 1_000, 100), (1_000_000, 130, 30)] {
        let calls: Vec<_> = (0..1_000)
            .map(|call| {
                let shared = shared.clone();
                tokio::spawn(async move {
                    let owner = format!("call-{limit}-{call}");
                    let answer = admit(&shared, limit, capacity, &owner, START_MS).await;
                    matches!(answer, Admission::Admitted { .. })
                })
            })
            .collect();
        let mut admitted = 0;
        for call in calls {
            admitted += usize::from(call.await.unwrap());
        }
        assert_eq!(admitted, expected, "limit {limit}, capacity {capacity}");
    }
}

async fn a_slot_whose_lease_is_over_is_free_again(shared: Shared) {
    assert!(matches!(
        admit(&shared, 100, 1, "a", START_MS).await,
        Admission::Admitted { .. }
    ));
    let late = START_MS + 30_001;
    assert!(matches!(
        admit(&shared, 100, 1, "b", late).await,
        Admission::Admitted { .. }
    ));
    assert_eq!(
        admit(&shared, 100, 1, "a", late).await,
        Admission::Full { index: 1 }
    );
}

async fn slots_alone_and_limits_alone_are_admitted(shared: Shared) {
    let owner = SlotOwner {
        owner: "a",
        lease_ms: LEASE_MS,
    };
    let slot = SlotWanted {
        key: "group:1",
        capacity: 1,
    };
    let nothing_left = Admission::Admitted {
        remaining: Vec::new(),
    };
    let slots = shared.admit(&[], &[slot], owner, START_MS).await.unwrap();
    assert_eq!(slots, nothing_left);
    let charge = Charge {
        key: "group:1:tpm",
        limit: per_minute(500),
        cost: 200,
    };
    let limits = shared.admit(&[charge], &[], owner, START_MS).await.unwrap();
    assert_eq!(
        limits,
        Admission::Admitted {
            remaining: vec![300]
        }
    );
}

async fn calls_beyond_the_bounds_are_refused(shared: Shared) {
    let owner = SlotOwner {
        owner: "a",
        lease_ms: LEASE_MS,
    };
    let slot = SlotWanted {
        key: "group:1",
        capacity: 1,
    };
    for slots in [vec![slot; 2], vec![slot; 9]] {
        let answer = shared.admit(&[], &slots, owner, START_MS).await;
        assert!(matches!(answer, Err(SharedError::Invalid(_))));
    }
}
