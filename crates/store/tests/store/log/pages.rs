//! Writing to the log and walking through it.

use std::collections::HashSet;

use sea_orm::ConnectionTrait;
use store::request_log::{
    LogFilter, LoggedCall, PageBounds, error_causes, find, page, page_statement,
};
use store::rollups::{BatchBounds, update};
use store::{Cursor, Engine, Store, UserId};

use super::calls::{START_MS, call, varied, write};
use crate::support::Place;

on_both_engines!(
    a_call_comes_back_with_its_attempts_and_price_lines,
    absent_values_stay_absent,
    a_write_that_is_rolled_back_leaves_nothing,
    a_replayed_write_adds_nothing,
    one_id_at_two_times_is_two_calls,
    an_empty_write_is_no_write,
    pages_are_complete_and_do_not_overlap_while_rows_are_added,
    calls_of_one_millisecond_are_told_apart,
    a_large_write_is_split_and_complete,
    the_default_list_goes_through_an_index,
    a_page_looks_at_a_bounded_number_of_rows,
    causes_of_failure_are_counted,
);

/// Every page of a list, and its rows.
pub async fn walk(store: &Store, filter: &LogFilter, limit: u32) -> Vec<LoggedCall> {
    let mut calls = Vec::new();
    let mut cursor: Option<Cursor> = None;
    loop {
        let page = page(
            store.read(),
            filter,
            cursor.as_ref(),
            PageBounds::rows(limit),
        )
        .await
        .unwrap();
        assert!(page.items.len() <= limit as usize);
        calls.extend(page.items);
        let Some(next) = page.next else { return calls };
        cursor = Some(Cursor::parse(&next.to_text()).unwrap());
    }
}

async fn a_call_comes_back_with_its_attempts_and_price_lines(place: Place) {
    let store = place.open().await;
    let logged = call(1, START_MS);
    assert_eq!(
        write(&store, &[logged.clone(), call(2, START_MS + 5)]).await,
        2
    );
    let found = find(store.read(), "request-000001").await.unwrap().unwrap();
    assert_eq!(found, logged);
    assert_eq!(found.attempts.0.len(), 2);
    assert!(find(store.read(), "request-9").await.unwrap().is_none());
}

async fn absent_values_stay_absent(place: Place) {
    let store = place.open().await;
    let bare = LoggedCall {
        token_id: None,
        upstream_model: None,
        channel_id: None,
        status: 503,
        error_cause: Some("no_channel".into()),
        error_message: Some("".into()),
        is_stream: false,
        ip: None,
        other_usage: store::Document(Vec::new()),
        is_estimated: true,
        price_lines: store::Document(Vec::new()),
        first_byte_ms: None,
        attempts: store::Document(Vec::new()),
        ..call(1, START_MS)
    };
    write(&store, std::slice::from_ref(&bare)).await;
    assert_eq!(
        find(store.read(), &bare.request_id).await.unwrap(),
        Some(bare)
    );
}

async fn a_write_that_is_rolled_back_leaves_nothing(place: Place) {
    let store = place.open().await;
    let transaction = store.write().await.unwrap();
    let calls = [call(1, START_MS)];
    store::request_log::append(&transaction, &[&calls[0]])
        .await
        .unwrap();
    transaction.rollback().await.unwrap();
    assert!(walk(&store, &LogFilter::default(), 10).await.is_empty());
    assert_eq!(write(&store, &calls).await, 1);
}

async fn a_replayed_write_adds_nothing(place: Place) {
    let store = place.open().await;
    let calls = [call(1, START_MS), call(2, START_MS + 1)];
    assert_eq!(write(&store, &calls[..1]).await, 1);
    assert_eq!(write(&store, &calls).await, 1);
    assert_eq!(walk(&store, &LogFilter::default(), 10).await.len(), 2);
}

async fn one_id_at_two_times_is_two_calls(place: Place) {
    let store = place.open().await;
    let mut calls = [call(1, START_MS), call(2, START_MS + 1)];
    calls[1].request_id = calls[0].request_id.clone();
    assert_eq!(write(&store, &calls[..1]).await, 1);
    assert_eq!(write(&store, &calls).await, 1);
}

async fn an_empty_write_is_no_write(place: Place) {
    let store = place.open().await;
    assert_eq!(write(&store, &[]).await, 0);
    let counted = update(store.database(), BatchBounds::default(), START_MS).await;
    assert_eq!(counted.unwrap(), 0);
}

async fn pages_are_complete_and_do_not_overlap_while_rows_are_added(place: Place) {
    let store = place.open().await;
    let first: Vec<LoggedCall> = (0..400).map(|n| varied(n, START_MS + n / 3)).collect();
    write(&store, &first).await;
    let writer = {
        let store = store.clone();
        tokio::spawn(async move {
            for n in 400..460 {
                write(&store, &[varied(n, START_MS + 1_000 + n)]).await;
            }
        })
    };
    let walked = walk(&store, &LogFilter::default(), 7).await;
    writer.await.unwrap();
    let ids: HashSet<&str> = walked.iter().map(|call| call.request_id.as_str()).collect();
    assert_eq!(ids.len(), walked.len(), "a row was seen twice");
    for call in &first {
        assert!(
            ids.contains(call.request_id.as_str()),
            "{} was skipped",
            call.request_id
        );
    }
    let order = |call: &LoggedCall| (call.created_at, call.request_id.clone());
    assert!(
        walked
            .windows(2)
            .all(|pair| order(&pair[0]) > order(&pair[1]))
    );
    assert_eq!(walk(&store, &LogFilter::default(), 250).await.len(), 460);
}

async fn calls_of_one_millisecond_are_told_apart(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..25).map(|n| call(n, START_MS)).collect();
    write(&store, &calls).await;
    let walked = walk(&store, &LogFilter::default(), 1).await;
    let expected: Vec<LoggedCall> = calls.into_iter().rev().collect();
    assert_eq!(walked, expected);
}

async fn a_large_write_is_split_and_complete(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..2_500).map(|n| call(n, START_MS + n)).collect();
    assert_eq!(write(&store, &calls).await, 2_500);
    let page = page(
        store.read(),
        &LogFilter::default(),
        None,
        PageBounds::rows(100),
    )
    .await
    .unwrap();
    assert_eq!(page.items[0], calls[2_499]);
}

async fn the_default_list_goes_through_an_index(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..1_000).map(|n| varied(n, START_MS + n)).collect();
    write(&store, &calls).await;
    let any = LogFilter::default;
    let user = LogFilter {
        user_id: Some(UserId(2)),
        ..any()
    };
    let source = LogFilter {
        source: Some("api".to_owned()),
        ..any()
    };
    let id = LogFilter {
        request_id: Some("request-000007".to_owned()),
        ..any()
    };
    let first = page(store.read(), &any(), None, PageBounds::rows(50))
        .await
        .unwrap();
    let cursor = first.next.as_ref();
    let lists = [
        (&any(), None),
        (&any(), cursor),
        (&user, cursor),
        (&source, cursor),
        (&id, None),
    ];
    for (filter, cursor) in lists {
        let plan = explain(&store, filter, cursor).await;
        let (index, scan, sort, ties) = match store.database().engine() {
            Engine::Sqlite => (
                "USING INDEX",
                "SCAN request_log\n",
                "TEMP B-TREE",
                "TEMP B-TREE FOR LAST TERM",
            ),
            Engine::Postgres => ("Index Scan", "Seq Scan", "Sort", "Incremental Sort"),
        };
        assert!(plan.contains(index), "{filter:?}: {plan}");
        assert!(!plan.contains(scan), "{filter:?}: {plan}");
        // One row with that id may be sorted, and calls of the same millisecond; a list may not.
        let plan_but_ties = plan.replace(ties, "").replace("Sort Key", "");
        assert!(
            filter.request_id.is_some() || !plan_but_ties.contains(sort),
            "{filter:?}: {plan}"
        );
    }
}

async fn explain(store: &Store, filter: &LogFilter, cursor: Option<&Cursor>) -> String {
    let transaction = store.write().await.unwrap();
    let mut query = page_statement(&transaction, filter, cursor, PageBounds::rows(50));
    let column = match store.database().engine() {
        Engine::Sqlite => {
            query.sql.insert_str(0, "EXPLAIN QUERY PLAN ");
            "detail"
        }
        Engine::Postgres => {
            transaction
                .execute_unprepared("ANALYZE request_log")
                .await
                .unwrap();
            query.sql.insert_str(0, "EXPLAIN ");
            "QUERY PLAN"
        }
    };
    let mut plan = String::new();
    for row in transaction.query_all_raw(query).await.unwrap() {
        plan.push_str(&row.try_get::<String>("", column).unwrap());
        plan.push('\n');
    }
    plan
}

async fn a_page_looks_at_a_bounded_number_of_rows(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..100).map(|n| call(n, START_MS + n)).collect();
    write(&store, &calls).await;
    let rare = LoggedCall {
        source: "rare".into(),
        ..call(1_000, START_MS - 1)
    };
    write(&store, std::slice::from_ref(&rare)).await;
    let filter = LogFilter {
        source: Some("rare".to_owned()),
        ..LogFilter::default()
    };
    let bounds = PageBounds {
        rows: 10,
        looked_at: 40,
    };
    let mut cursor = None;
    for _ in 0..2 {
        let short = page(store.read(), &filter, cursor.as_ref(), bounds)
            .await
            .unwrap();
        assert!(short.items.is_empty());
        cursor = short.next;
        assert!(cursor.is_some(), "there is more to look at");
    }
    let last = page(store.read(), &filter, cursor.as_ref(), bounds)
        .await
        .unwrap();
    assert_eq!((last.items, last.next), (vec![rare], None));
}

async fn causes_of_failure_are_counted(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..36).map(|n| varied(n, START_MS + n)).collect();
    write(&store, &calls).await;
    let causes = error_causes(store.read(), START_MS, START_MS + 33, 10)
        .await
        .unwrap();
    let counts: Vec<(&str, i64, i64)> = causes
        .iter()
        .map(|c| (c.error_cause.as_str(), c.calls, c.last_at))
        .collect();
    assert_eq!(
        counts,
        [("cause-0", 5, START_MS + 32), ("cause-4", 4, START_MS + 28)]
    );
}
