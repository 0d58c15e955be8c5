//! Rate limits: exact arithmetic, exact under races, all or nothing.

use store::shared::{Charge, Limit, Shared, SharedError, Verdict};

use super::backend::START_MS;

on_both_backends!(
    a_smooth_limit_admits_its_burst_and_then_its_rate,
    a_smooth_limit_that_divides_unevenly_loses_nothing,
    a_window_starts_anew_at_every_multiple_of_its_period,
    a_cost_beyond_the_limit_is_refused_for_ever,
    several_limits_are_charged_together_or_not_at_all,
    racing_calls_are_admitted_exactly_as_often_as_fits,
    a_clock_that_steps_back_refills_nothing,
    a_charge_can_be_corrected_both_ways,
    a_passed_window_gets_nothing_back,
    large_numbers_stay_exact,
    calls_beyond_the_bounds_are_refused,
);

async fn take(shared: &Shared, limit: Limit, cost: u64, now_ms: i64) -> Verdict {
    shared
        .take(
            Charge {
                key: "key",
                limit,
                cost,
            },
            now_ms,
        )
        .await
        .unwrap()
}

fn admitted(remaining: u64) -> Verdict {
    Verdict::Admitted {
        remaining: vec![remaining],
    }
}

fn refused(retry_after_ms: u64) -> Verdict {
    Verdict::Refused {
        index: 0,
        retry_after_ms: Some(retry_after_ms),
    }
}

async fn a_smooth_limit_admits_its_burst_and_then_its_rate(shared: Shared) {
    let limit = Limit::smooth(60, 60_000, 3).unwrap();
    for remaining in [2, 1, 0] {
        assert_eq!(take(&shared, limit, 1, START_MS).await, admitted(remaining));
    }
    assert_eq!(take(&shared, limit, 1, START_MS).await, refused(1_000));
    assert_eq!(take(&shared, limit, 1, START_MS + 999).await, refused(1));
    assert_eq!(take(&shared, limit, 1, START_MS + 1_000).await, admitted(0));
    assert_eq!(
        take(&shared, limit, 2, START_MS + 1_000).await,
        refused(2_000)
    );
    assert_eq!(
        take(&shared, limit, 3, START_MS + 60_000).await,
        admitted(0)
    );
}

async fn a_smooth_limit_that_divides_unevenly_loses_nothing(shared: Shared) {
    let limit = Limit::smooth(7, 1_000, 1).unwrap();
    let mut admissions = 0;
    for now_ms in START_MS..START_MS + 3_000 {
        admissions += usize::from(take(&shared, limit, 1, now_ms).await.is_admitted());
    }
    // One unit per 142.857 ms, each admitted at the first whole millisecond: every 143 ms.
    assert_eq!(admissions, 3_000_usize.div_ceil(143));
}

async fn a_window_starts_anew_at_every_multiple_of_its_period(shared: Shared) {
    let limit = Limit::window(2, 60_000).unwrap();
    assert_eq!(
        take(&shared, limit, 2, START_MS + 59_000).await,
        admitted(0)
    );
    assert_eq!(
        take(&shared, limit, 1, START_MS + 59_000).await,
        refused(1_000)
    );
    assert_eq!(
        take(&shared, limit, 1, START_MS + 60_000).await,
        admitted(1)
    );
}

async fn a_cost_beyond_the_limit_is_refused_for_ever(shared: Shared) {
    let never = Verdict::Refused {
        index: 0,
        retry_after_ms: None,
    };
    let smooth = Limit::smooth(100, 1_000, 5).unwrap();
    assert_eq!(take(&shared, smooth, 6, START_MS).await, never);
    let window = Limit::window(5, 1_000).unwrap();
    assert_eq!(take(&shared, window, 6, START_MS).await, never);
    assert_eq!(take(&shared, smooth, 5, START_MS).await, admitted(0));
}

async fn several_limits_are_charged_together_or_not_at_all(shared: Shared) {
    let roomy = Charge {
        key: "rpm",
        limit: Limit::smooth(60, 60_000, 10).unwrap(),
        cost: 1,
    };
    let narrow = Charge {
        key: "tpm",
        limit: Limit::window(100, 60_000).unwrap(),
        cost: 60,
    };
    let both = [roomy, narrow];
    let first = shared.take_all(&both, START_MS).await.unwrap();
    assert_eq!(
        first,
        Verdict::Admitted {
            remaining: vec![9, 40]
        }
    );
    let second = shared.take_all(&both, START_MS).await.unwrap();
    assert_eq!(
        second,
        Verdict::Refused {
            index: 1,
            retry_after_ms: Some(60_000)
        }
    );
    let alone = shared.take(roomy, START_MS).await.unwrap();
    assert_eq!(
        alone,
        admitted(8),
        "the refused call must not have charged the other limit"
    );
}

async fn racing_calls_are_admitted_exactly_as_often_as_fits(shared: Shared) {
    for limit in [
        Limit::smooth(25, 60_000, 25).unwrap(),
        Limit::window(25, 60_000).unwrap(),
    ] {
        let calls: Vec<_> = (0..200)
            .map(|_| {
                let shared = shared.clone();
                tokio::spawn(async move { take(&shared, limit, 1, START_MS).await.is_admitted() })
            })
            .collect();
        let mut admissions = 0;
        for call in calls {
            admissions += usize::from(call.await.unwrap());
        }
        assert_eq!(admissions, 25);
    }
}

async fn a_clock_that_steps_back_refills_nothing(shared: Shared) {
    for limit in [
        Limit::smooth(10, 1_000, 1).unwrap(),
        Limit::window(1, 1_000).unwrap(),
    ] {
        assert!(
            take(&shared, limit, 1, START_MS + 5_000)
                .await
                .is_admitted()
        );
        assert!(!take(&shared, limit, 1, START_MS).await.is_admitted());
        assert!(
            !take(&shared, limit, 1, START_MS + 5_050)
                .await
                .is_admitted()
        );
        assert!(
            take(&shared, limit, 1, START_MS + 6_000)
                .await
                .is_admitted()
        );
    }
}

async fn a_charge_can_be_corrected_both_ways(shared: Shared) {
    for limit in [
        Limit::smooth(100, 60_000, 100).unwrap(),
        Limit::window(100, 60_000).unwrap(),
    ] {
        assert_eq!(take(&shared, limit, 80, START_MS).await, admitted(20));
        shared
            .correct("key", limit, -50, START_MS, START_MS)
            .await
            .unwrap();
        assert_eq!(take(&shared, limit, 0, START_MS).await, admitted(70));
        shared
            .correct("key", limit, 200, START_MS, START_MS)
            .await
            .unwrap();
        assert!(!take(&shared, limit, 1, START_MS).await.is_admitted());
        shared
            .correct("key", limit, -1_000, START_MS, START_MS)
            .await
            .unwrap();
        assert_eq!(take(&shared, limit, 100, START_MS).await, admitted(0));
    }
    let debt = Limit::smooth(100, 50_000, 100).unwrap();
    shared
        .correct("key", debt, 150, START_MS, START_MS)
        .await
        .unwrap();
    assert_eq!(take(&shared, debt, 1, START_MS).await, refused(25_500));
}

async fn a_passed_window_gets_nothing_back(shared: Shared) {
    let limit = Limit::window(10, 60_000).unwrap();
    assert_eq!(take(&shared, limit, 10, START_MS).await, admitted(0));
    assert_eq!(
        take(&shared, limit, 4, START_MS + 60_000).await,
        admitted(6)
    );
    shared
        .correct("key", limit, -10, START_MS, START_MS + 60_001)
        .await
        .unwrap();
    assert_eq!(
        take(&shared, limit, 0, START_MS + 60_001).await,
        admitted(6)
    );
    shared
        .correct("key", limit, 3, START_MS, START_MS + 60_001)
        .await
        .unwrap();
    assert_eq!(
        take(&shared, limit, 0, START_MS + 60_001).await,
        admitted(3)
    );
}

async fn large_numbers_stay_exact(shared: Shared) {
    let units = 999_999_999_937;
    let limit = Limit::smooth(units, 3_600, units).unwrap();
    assert_eq!(take(&shared, limit, units - 1, START_MS).await, admitted(1));
    assert_eq!(take(&shared, limit, 1, START_MS).await, admitted(0));
    assert_eq!(take(&shared, limit, 1, START_MS).await, refused(1));
    let refill = units / 3_600;
    assert_eq!(
        take(&shared, limit, refill, START_MS + 1).await,
        admitted(0)
    );
}

async fn calls_beyond_the_bounds_are_refused(shared: Shared) {
    assert!(Limit::smooth(0, 1, 1).is_err());
    assert!(Limit::window(1 << 40, 1 << 20).is_err());
    let limit = Limit::window(10, 1_000).unwrap();
    let long = "k".repeat(513);
    let cases: [&[Charge<'_>]; 4] = [
        &[],
        &[Charge {
            key: &long,
            limit,
            cost: 1,
        }],
        &[Charge {
            key: "key",
            limit,
            cost: 1,
        }; 2],
        &[Charge {
            key: "key",
            limit,
            cost: u64::MAX,
        }],
    ];
    for charges in cases {
        let answer = shared.take_all(charges, START_MS).await;
        assert!(matches!(answer, Err(SharedError::Invalid(_))), "{answer:?}");
    }
}
