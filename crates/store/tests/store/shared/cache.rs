//! The byte cache: bytes come back as they were, and never after their end.

use std::time::Duration;

use store::shared::{MAX_VALUE_BYTES, Shared, SharedError};

use super::backend::START_MS;

on_both_backends!(
    bytes_come_back_as_they_were_until_they_are_removed,
    a_cached_value_is_gone_after_its_end,
    too_large_a_value_is_refused,
);

async fn bytes_come_back_as_they_were_until_they_are_removed(shared: Shared) {
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(shared.cache_get("key", START_MS).await.unwrap(), None);
    shared
        .cache_put("key", &bytes, 60_000, START_MS)
        .await
        .unwrap();
    assert_eq!(
        shared.cache_get("key", START_MS).await.unwrap(),
        Some(bytes)
    );
    shared
        .cache_put("key", b"", 60_000, START_MS)
        .await
        .unwrap();
    assert_eq!(
        shared.cache_get("key", START_MS).await.unwrap(),
        Some(Vec::new())
    );
    shared.cache_remove("key").await.unwrap();
    assert_eq!(shared.cache_get("key", START_MS).await.unwrap(), None);
}

async fn a_cached_value_is_gone_after_its_end(shared: Shared) {
    shared
        .cache_put("short", b"value", 40, START_MS)
        .await
        .unwrap();
    shared
        .cache_put("long", b"value", 60_000, START_MS)
        .await
        .unwrap();
    // Redis ends cached values by its own clock, so time passes for real as well.
    tokio::time::sleep(Duration::from_millis(80)).await;
    assert_eq!(
        shared.cache_get("short", START_MS + 40).await.unwrap(),
        None
    );
    assert!(
        shared
            .cache_get("long", START_MS + 40)
            .await
            .unwrap()
            .is_some()
    );
}

async fn too_large_a_value_is_refused(shared: Shared) {
    let value = vec![0; MAX_VALUE_BYTES + 1];
    let answer = shared.cache_put("key", &value, 1_000, START_MS).await;
    assert!(matches!(answer, Err(SharedError::Invalid(_))), "{answer:?}");
    shared
        .cache_put("key", &value[1..], 1_000, START_MS)
        .await
        .unwrap();
}
