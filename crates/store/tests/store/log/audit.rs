//! The audit log: complete pages, filters, and no way to change an entry.

use sea_orm::ConnectionTrait;
use serde_json::json;
use store::audit_log::{AuditEntry, AuditFilter, NewAuditEntry, append, page};
use store::{Cursor, Document, Store, UserId, statement};

use super::calls::{DAY_MS, START_MS};
use crate::support::Place;

on_both_engines!(
    an_entry_comes_back_as_it_was,
    audit_pages_are_complete_and_do_not_overlap,
    audit_filters_show_exactly_what_matches,
    an_entry_cannot_be_changed,
);

/// Whether the entry with this number matches.
type Matches = fn(i64) -> bool;

fn entry(number: i64, created_at: i64) -> NewAuditEntry {
    NewAuditEntry {
        created_at,
        actor_id: (number % 4 != 0).then_some(UserId(number % 4)),
        action: ["channel.update", "user.disable"][usize::try_from(number % 2).unwrap()].to_owned(),
        object_kind: ["channel", "user"][usize::try_from(number % 2).unwrap()].to_owned(),
        object_id: (number % 5).to_string(),
        changes: json!({"weight": {"from": 1, "to": number}, "exact": {"to": 0.1}}),
        outcome: "done".to_owned(),
        ip: Some("192.0.2.9".to_owned()),
        request_id: Some(format!("request-{number}")),
    }
}

async fn write(store: &Store, entries: &[NewAuditEntry]) {
    let transaction = store.write().await.unwrap();
    for entry in entries {
        append(&transaction, entry).await.unwrap();
    }
    transaction.commit().await.unwrap();
}

async fn walk(store: &Store, filter: &AuditFilter, limit: u32) -> Vec<AuditEntry> {
    let mut entries = Vec::new();
    let mut cursor: Option<Cursor> = None;
    loop {
        let page = page(store.read(), filter, cursor.as_ref(), limit)
            .await
            .unwrap();
        entries.extend(page.items);
        let Some(next) = page.next else {
            return entries;
        };
        cursor = Some(next);
    }
}

async fn an_entry_comes_back_as_it_was(place: Place) {
    let store = place.open().await;
    let bare = NewAuditEntry {
        actor_id: None,
        ip: None,
        request_id: None,
        ..entry(1, START_MS)
    };
    write(&store, std::slice::from_ref(&bare)).await;
    let stored = walk(&store, &AuditFilter::default(), 5).await;
    let expected = AuditEntry {
        id: 1,
        created_at: bare.created_at,
        actor_id: None,
        action: bare.action,
        object_kind: bare.object_kind,
        object_id: bare.object_id,
        changes: Document(bare.changes),
        outcome: bare.outcome,
        ip: None,
        request_id: None,
    };
    assert_eq!(stored, [expected]);
}

async fn audit_pages_are_complete_and_do_not_overlap(place: Place) {
    let store = place.open().await;
    // Over a hundred days, and some entries in one millisecond.
    let entries: Vec<NewAuditEntry> = (0..100)
        .map(|n| entry(n, START_MS + n / 3 * 3 * DAY_MS))
        .collect();
    write(&store, &entries).await;
    let walked = walk(&store, &AuditFilter::default(), 7).await;
    let found: Vec<&str> = walked
        .iter()
        .map(|e| e.request_id.as_deref().unwrap())
        .collect();
    let expected: Vec<&str> = entries
        .iter()
        .rev()
        .map(|e| e.request_id.as_deref().unwrap())
        .collect();
    assert_eq!(found, expected);
}

async fn audit_filters_show_exactly_what_matches(place: Place) {
    let store = place.open().await;
    let entries: Vec<NewAuditEntry> = (0..40).map(|n| entry(n, START_MS + n)).collect();
    write(&store, &entries).await;
    let text = |text: &str| Some(text.to_owned());
    let any = AuditFilter::default;
    let cases: [(AuditFilter, Matches); 6] = [
        (
            AuditFilter {
                from_ms: Some(START_MS + 10),
                ..any()
            },
            |n| n >= 10,
        ),
        (
            AuditFilter {
                until_ms: Some(START_MS + 10),
                ..any()
            },
            |n| n < 10,
        ),
        (
            AuditFilter {
                actor_id: Some(UserId(3)),
                ..any()
            },
            |n| n % 4 == 3,
        ),
        (
            AuditFilter {
                action: text("user.disable"),
                ..any()
            },
            |n| n % 2 == 1,
        ),
        (
            AuditFilter {
                object_kind: text("channel"),
                ..any()
            },
            |n| n % 2 == 0,
        ),
        (
            AuditFilter {
                object_kind: text("channel"),
                object_id: text("4"),
                ..any()
            },
            |n| n % 2 == 0 && n % 5 == 4,
        ),
    ];
    for (filter, matches) in cases {
        let expected: Vec<i64> = (0..40).rev().filter(|&n| matches(n)).collect();
        let walked = walk(&store, &filter, 6).await;
        let found: Vec<i64> = walked
            .iter()
            .map(|entry| entry.created_at - START_MS)
            .collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

async fn an_entry_cannot_be_changed(place: Place) {
    let store = place.open().await;
    write(&store, &[entry(1, START_MS)]).await;
    let transaction = store.write().await.unwrap();
    let change = statement(&transaction, "UPDATE audit_log SET outcome = 'other'", []);
    let error = transaction
        .execute_raw(change)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("append-only"), "{error}");
}
