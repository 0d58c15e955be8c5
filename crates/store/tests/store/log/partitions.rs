//! Partitions on PostgreSQL: there ahead of time, made when needed, each call in its own day.

use sea_orm::ConnectionTrait;
use store::request_log::LoggedCall;
use store::{Engine, Store, partitions, statement};

use super::calls::{DAY_MS, START_MS, call, write};
use crate::support::{self, Place};

/// Names of the partitions of a table, by date.
pub async fn names(store: &Store, table: &str) -> Vec<String> {
    let sql = "SELECT inhrelid::regclass::text AS name FROM pg_inherits
        WHERE inhparent = $1::text::regclass ORDER BY name";
    let rows = store
        .read()
        .query_all_raw(statement(store.read(), sql, [table.into()]))
        .await;
    rows.unwrap()
        .iter()
        .map(|row| row.try_get("", "name").unwrap())
        .collect()
}

#[tokio::test]
async fn partitions_exist_ahead_of_time() {
    support::run(Engine::Postgres, |place: Place| async move {
        let store = place.open().await;
        partitions::prepare(store.database(), START_MS + 5)
            .await
            .unwrap();
        let days = names(&store, "request_log").await;
        assert_eq!(days.len(), 8);
        assert_eq!(days.first().unwrap(), "request_log_20270115");
        assert_eq!(days.last().unwrap(), "request_log_20270122");
        assert_eq!(names(&store, "audit_log").await.len(), 2);
        partitions::prepare(store.database(), START_MS + DAY_MS)
            .await
            .unwrap();
        assert_eq!(names(&store, "request_log").await.len(), 9);
    })
    .await;
}

#[tokio::test]
async fn a_call_of_a_day_without_a_partition_gets_one() {
    support::run(Engine::Postgres, |place: Place| async move {
        let store = place.open().await;
        let far = START_MS + 40 * DAY_MS;
        write(&store, &[call(1, START_MS), call(2, START_MS + DAY_MS - 1)]).await;
        write(&store, &[call(3, far)]).await;
        let days = names(&store, "request_log").await;
        assert_eq!(days, ["request_log_20270115", "request_log_20270224"]);
        let sql = "SELECT count(*) FROM request_log_20270115";
        let row = store
            .read()
            .query_one_raw(statement(store.read(), sql, []))
            .await
            .unwrap();
        assert_eq!(row.unwrap().try_get_by_index::<i64>(0).unwrap(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_need_the_same_new_partition_at_once_all_get_it() {
    support::run(Engine::Postgres, |place: Place| async move {
        let store = place.open().await;
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let store = store.clone();
                tokio::spawn(async move {
                    let calls: Vec<LoggedCall> = (0..3)
                        .map(|n| call(writer * 10 + n, START_MS + n * DAY_MS))
                        .collect();
                    write(&store, &calls).await
                })
            })
            .collect();
        for writer in writers {
            assert_eq!(writer.await.unwrap(), 3);
        }
        assert_eq!(names(&store, "request_log").await.len(), 3);
    })
    .await;
}
