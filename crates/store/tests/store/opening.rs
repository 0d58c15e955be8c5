//! Opening, migrating and closing.

use std::time::Duration;

use sea_orm::ConnectionTrait;
use store::{Location, OpenOptions, Store, StoreError, statement};

use crate::support::Place;

on_both_engines!(
    three_nodes_starting_at_once_make_one_schema,
    opening_again_changes_nothing,
    a_database_newer_than_the_binary_is_refused,
    a_migration_with_another_text_is_refused,
    a_dropped_transaction_leaves_nothing,
    without_migrating_an_old_schema_is_refused_and_left_alone,
);

async fn count(store: &store::Store, sql: &str) -> i64 {
    let row = store
        .read()
        .query_one_raw(statement(store.read(), sql, []))
        .await
        .unwrap();
    row.expect("one row").try_get_by_index(0).unwrap()
}

async fn execute(store: &store::Store, sql: &str) {
    let transaction = store.write().await.unwrap();
    transaction.execute_unprepared(sql).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn three_nodes_starting_at_once_make_one_schema(place: Place) {
    let starts: Vec<_> = (0..3)
        .map(|_| {
            let place = place.clone();
            tokio::spawn(async move { place.open().await })
        })
        .collect();
    let mut stores = Vec::new();
    for start in starts {
        stores.push(start.await.expect("a node starts"));
    }
    let total = count(&stores[0], "SELECT count(*) FROM schema_migrations").await;
    let distinct = "SELECT count(DISTINCT version) FROM schema_migrations";
    assert_eq!(count(&stores[1], distinct).await, total);
    for store in stores {
        store.close().await.unwrap();
    }
}

async fn opening_again_changes_nothing(place: Place) {
    let sql = "SELECT count(*) FROM schema_migrations";
    let store = place.open().await;
    let before = count(&store, sql).await;
    store.close().await.unwrap();
    let store = place.open().await;
    assert_eq!(count(&store, sql).await, before);
}

async fn a_database_newer_than_the_binary_is_refused(place: Place) {
    let store = place.open().await;
    execute(
        &store,
        "INSERT INTO schema_migrations VALUES (9999, 'later', 'x')",
    )
    .await;
    store.close().await.unwrap();
    let error = place.try_open().await.unwrap_err();
    assert!(
        matches!(error, StoreError::NewerThanBinary { found: 9999, .. }),
        "{error}"
    );
}

async fn a_migration_with_another_text_is_refused(place: Place) {
    let store = place.open().await;
    execute(
        &store,
        "UPDATE schema_migrations SET checksum = 'x' WHERE version = 1",
    )
    .await;
    store.close().await.unwrap();
    let error = place.try_open().await.unwrap_err();
    assert!(matches!(error, StoreError::MigrationChanged(1)), "{error}");
}

async fn a_dropped_transaction_leaves_nothing(place: Place) {
    let store = place.open().await;
    let transaction = store.write().await.unwrap();
    let sql = "INSERT INTO schema_migrations VALUES (9999, 'later', 'x')";
    transaction.execute_unprepared(sql).await.unwrap();
    drop(transaction);
    let sql = "SELECT count(*) FROM schema_migrations WHERE version = 9999";
    assert_eq!(count(&store, sql).await, 0);
}

async fn without_migrating_an_old_schema_is_refused_and_left_alone(place: Place) {
    let options = OpenOptions {
        migrate: false,
        ..OpenOptions::default()
    };
    for _ in 0..2 {
        let error = Store::open(&place.location, &options).await.unwrap_err();
        assert!(error.to_string().contains("not applied"), "{error}");
    }
    place.open().await.close().await.unwrap();
    Store::open(&place.location, &options)
        .await
        .unwrap()
        .close()
        .await
        .unwrap();
}

#[tokio::test]
async fn a_server_that_is_away_is_unavailable_and_its_password_stays_secret() {
    let location = Location::Postgres("postgres://ann:hunter2@127.0.0.1:1/records".to_owned());
    let options = OpenOptions {
        wait: Duration::from_millis(200),
        ..OpenOptions::default()
    };
    let error = Store::open(&location, &options).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
}
