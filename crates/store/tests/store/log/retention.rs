//! Retention: what is past its time goes, within bounds, and nothing else does.

use sea_orm::ConnectionTrait;
use store::audit_log::{self, AuditFilter, NewAuditEntry};
use store::request_log::{LogFilter, LoggedCall};
use store::retention::{RetentionBounds, RetentionRules, run};
use store::rollups::{BatchBounds, Grain, RollupFilter, series, totals, update};
use store::{Engine, Store, statement};

use super::calls::{DAY_MS, START_MS, call, write};
use super::pages::walk;
use super::partitions::names;
use crate::support::Place;

on_both_engines!(
    old_calls_go_and_their_sums_stay,
    calls_that_are_not_counted_yet_are_kept,
    a_run_keeps_to_its_bounds,
    old_audit_entries_go,
    old_fine_rollups_go,
    what_is_kept_for_ever_stays,
);

const NOW_MS: i64 = START_MS + 100 * DAY_MS;

const FOREVER: RetentionRules = RetentionRules {
    log_days: None,
    audit_days: None,
    minute_rollup_days: None,
    hour_rollup_days: None,
    lease_days: None,
};

async fn ten_days(store: &Store) -> Vec<LoggedCall> {
    let calls: Vec<LoggedCall> = (0..100)
        .map(|n| call(n, NOW_MS - n * DAY_MS / 10 - 1))
        .collect();
    write(store, &calls).await;
    calls
}

async fn count(store: &Store) {
    while update(store.database(), BatchBounds::default(), NOW_MS)
        .await
        .unwrap()
        > 0
    {}
}

async fn rows(store: &Store, table: &str) -> i64 {
    let sql = format!("SELECT count(*) FROM {table}");
    let row = store
        .read()
        .query_one_raw(statement(store.read(), &sql, []))
        .await
        .unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

async fn old_calls_go_and_their_sums_stay(place: Place) {
    let store = place.open().await;
    ten_days(&store).await;
    count(&store).await;
    let rules = RetentionRules {
        log_days: Some(4),
        ..FOREVER
    };
    let outcome = run(store.database(), &rules, RetentionBounds::default(), NOW_MS)
        .await
        .unwrap();
    assert!(!outcome.has_more);
    let left = walk(&store, &LogFilter::default(), 50).await;
    assert_eq!(left.len(), 40);
    assert!(
        left.iter()
            .all(|call| call.created_at >= NOW_MS - 4 * DAY_MS)
    );
    match store.database().engine() {
        Engine::Sqlite => assert_eq!((outcome.rows, outcome.partitions), (60, 0)),
        Engine::Postgres => {
            assert_eq!((outcome.rows, outcome.partitions), (0, 6));
            // Four days of calls, the present day and seven ahead.
            assert_eq!(names(&store, "request_log").await.len(), 12);
        }
    }
    let all = RollupFilter::range(Grain::Day, 0, NOW_MS);
    assert_eq!(totals(store.read(), &all).await.unwrap().requests, 100);
}

async fn calls_that_are_not_counted_yet_are_kept(place: Place) {
    let store = place.open().await;
    ten_days(&store).await;
    let rules = RetentionRules {
        log_days: Some(4),
        ..FOREVER
    };
    let bounds = RetentionBounds::default();
    run(store.database(), &rules, bounds, NOW_MS).await.unwrap();
    assert_eq!(rows(&store, "request_log").await, 100);
    count(&store).await;
    run(store.database(), &rules, bounds, NOW_MS).await.unwrap();
    assert_eq!(rows(&store, "request_log").await, 40);
}

async fn a_run_keeps_to_its_bounds(place: Place) {
    let store = place.open().await;
    ten_days(&store).await;
    count(&store).await;
    let rules = RetentionRules {
        log_days: Some(0),
        ..FOREVER
    };
    let bounds = RetentionBounds {
        rows: 10,
        transactions: 2,
        partitions: 2,
    };
    let outcome = run(store.database(), &rules, bounds, NOW_MS).await.unwrap();
    assert!(outcome.has_more);
    assert_eq!(
        rows(&store, "request_log").await,
        80,
        "two transactions or days of ten calls"
    );
    let mut runs = 1;
    while run(store.database(), &rules, bounds, NOW_MS)
        .await
        .unwrap()
        .has_more
    {
        runs += 1;
        assert!(runs < 50, "retention never comes to its end");
    }
    assert_eq!(rows(&store, "request_log").await, 0);
}

async fn old_audit_entries_go(place: Place) {
    let store = place.open().await;
    let transaction = store.write().await.unwrap();
    for number in 0..10 {
        let entry = NewAuditEntry {
            created_at: NOW_MS - number * 30 * DAY_MS,
            actor_id: None,
            action: "settings.update".to_owned(),
            object_kind: "settings".to_owned(),
            object_id: "1".to_owned(),
            changes: serde_json::json!({}),
            outcome: "done".to_owned(),
            ip: None,
            request_id: None,
        };
        audit_log::append(&transaction, &entry).await.unwrap();
    }
    transaction.commit().await.unwrap();
    let rules = RetentionRules {
        audit_days: Some(120),
        ..FOREVER
    };
    run(store.database(), &rules, RetentionBounds::default(), NOW_MS)
        .await
        .unwrap();
    let left = audit_log::page(store.read(), &AuditFilter::default(), None, 50)
        .await
        .unwrap();
    let ages: Vec<i64> = left
        .items
        .iter()
        .map(|entry| (NOW_MS - entry.created_at) / DAY_MS)
        .collect();
    // Entries just at the edge stay; PostgreSQL cuts by whole partitions, here the same ones.
    assert_eq!(ages, [0, 30, 60, 90, 120]);
}

async fn old_fine_rollups_go(place: Place) {
    let store = place.open().await;
    ten_days(&store).await;
    count(&store).await;
    let rules = RetentionRules {
        minute_rollup_days: Some(2),
        hour_rollup_days: Some(5),
        ..FOREVER
    };
    run(store.database(), &rules, RetentionBounds::default(), NOW_MS)
        .await
        .unwrap();
    for (grain, days) in [(Grain::Minute, 2), (Grain::Hour, 5), (Grain::Day, 10)] {
        let all = RollupFilter::range(grain, 0, NOW_MS);
        let left = series(store.read(), &all, 0, None).await.unwrap();
        let oldest = NOW_MS - days * DAY_MS;
        assert!(
            left.iter().all(|row| row.bucket_start >= oldest),
            "{grain:?}"
        );
        let requests: i64 = left.iter().map(|row| row.measures.requests).sum();
        // A call one millisecond before midnight begins its bucket on the day before.
        assert!(
            (days * 10 - 1..=days * 10).contains(&requests),
            "{grain:?}: {requests}"
        );
    }
}

async fn what_is_kept_for_ever_stays(place: Place) {
    let store = place.open().await;
    ten_days(&store).await;
    count(&store).await;
    let outcome = run(
        store.database(),
        &FOREVER,
        RetentionBounds::default(),
        NOW_MS,
    )
    .await;
    let outcome = outcome.unwrap();
    assert_eq!(
        (outcome.rows, outcome.partitions, outcome.has_more),
        (0, 0, false)
    );
    assert_eq!(rows(&store, "request_log").await, 100);
}
