//! Redis goes away and comes back: calls fail at once with a typed error, then work again.

use std::time::{Duration, Instant};

use store::TokenId;
use store::shared::{Change, Charge, Limit, Notice, RedisOptions, Shared, SharedError};
use testkit::{Proxy, Traffic};
use tokio::time::{sleep, timeout};

use super::backend::{START_MS, open, redis_options, redis_url};
use super::changes::next;

/// Longer than any answer takes on a busy machine, shorter than anyone would call hanging.
const AT_ONCE: Duration = Duration::from_secs(2);

fn behind(proxy: &Proxy) -> RedisOptions {
    RedisOptions {
        url: proxy.url(),
        response_timeout: Duration::from_millis(500),
        connect_timeout: Duration::from_secs(1),
        check_every: Duration::from_millis(100),
        ..redis_options()
    }
}

async fn take(shared: &Shared) -> Result<bool, SharedError> {
    let limit = Limit::smooth(1_000, 1_000, 1_000).unwrap();
    let charge = Charge {
        key: "key",
        limit,
        cost: 1,
    };
    Ok(shared.take(charge, START_MS).await?.is_admitted())
}

async fn until(mut condition: impl FnMut() -> bool) {
    timeout(Duration::from_secs(20), async {
        while !condition() {
            sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .expect("waited 20 seconds in vain");
}

async fn outage(traffic: Traffic) {
    let proxy = Proxy::before(&redis_url()).await;
    let shared = open(behind(&proxy)).await;
    let mut subscription = shared.subscribe();
    assert_eq!(take(&shared).await, Ok(true));

    proxy.set(traffic);
    until(|| !shared.is_available()).await;
    let begun = Instant::now();
    for _ in 0..100 {
        let error = take(&shared).await.unwrap_err();
        assert!(error.is_unavailable(), "{error}");
        assert!(
            shared
                .acquire_lock("a", "b", 1, START_MS)
                .await
                .unwrap_err()
                .is_unavailable()
        );
        assert!(
            shared
                .cache_get("key", START_MS)
                .await
                .unwrap_err()
                .is_unavailable()
        );
    }
    assert!(
        begun.elapsed() < AT_ONCE,
        "300 calls took {:?}",
        begun.elapsed()
    );

    proxy.set(Traffic::Flows);
    until(|| shared.is_available()).await;
    assert_eq!(take(&shared).await, Ok(true));
    assert_eq!(next(&mut subscription).await, Notice::Missed);
}

#[tokio::test]
async fn while_redis_is_gone_calls_fail_at_once_and_later_work_again() {
    outage(Traffic::Cut).await;
}

#[tokio::test]
async fn while_redis_hangs_calls_fail_at_once_and_later_work_again() {
    outage(Traffic::Stalls).await;
}

#[tokio::test]
async fn after_an_outage_redis_is_connected_to_once() {
    let proxy = Proxy::before(&redis_url()).await;
    let shared = open(behind(&proxy)).await;
    let mut subscription = shared.subscribe();
    proxy.set(Traffic::Stalls);
    // The call gives up while the keeper is looking itself, and so not waiting to be told.
    assert!(take(&shared).await.unwrap_err().is_unavailable());
    proxy.set(Traffic::Flows);
    assert_eq!(next(&mut subscription).await, Notice::Missed);
    let again = timeout(Duration::from_millis(400), subscription.next()).await;
    assert!(again.is_err(), "connected twice: {again:?}");
    assert!(shared.is_available());
}

#[tokio::test]
async fn a_call_that_gets_no_answer_ends_within_its_timeout() {
    let proxy = Proxy::before(&redis_url()).await;
    let options = behind(&proxy);
    let shared = open(RedisOptions {
        check_every: Duration::from_mins(1),
        ..options
    })
    .await;
    proxy.set(Traffic::Stalls);
    let begun = Instant::now();
    let error = take(&shared).await.unwrap_err();
    assert!(error.is_unavailable(), "{error}");
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_node_may_start_while_redis_is_away() {
    let proxy = Proxy::before(&redis_url()).await;
    proxy.set(Traffic::Cut);
    let shared = Shared::redis(behind(&proxy)).await.unwrap();
    assert!(!shared.is_available());
    assert!(take(&shared).await.unwrap_err().is_unavailable());
    proxy.set(Traffic::Flows);
    until(|| shared.is_available()).await;
    assert_eq!(take(&shared).await, Ok(true));
}

#[tokio::test]
async fn a_change_that_could_not_be_published_is_made_up_for() {
    let proxy = Proxy::before(&redis_url()).await;
    let options = behind(&proxy);
    let cut_off = open(options.clone()).await;
    let direct = RedisOptions {
        url: redis_url(),
        node: "node-2".to_owned(),
        ..options
    };
    let other = open(direct).await;
    let (mut own, mut others) = (cut_off.subscribe(), other.subscribe());

    proxy.set(Traffic::Cut);
    until(|| !cut_off.is_available()).await;
    assert!(
        cut_off
            .publish(Change::Token(TokenId(5)))
            .await
            .unwrap_err()
            .is_unavailable()
    );
    assert_eq!(
        next(&mut own).await,
        Notice::Changed(Change::Token(TokenId(5)))
    );

    proxy.set(Traffic::Flows);
    assert_eq!(next(&mut others).await, Notice::Changed(Change::Everything));
}

#[tokio::test]
async fn a_bad_address_is_an_error_and_a_password_is_not_printed() {
    let options = RedisOptions::new("no such thing", "p:", "node-1");
    assert!(matches!(
        Shared::redis(options).await,
        Err(SharedError::Invalid(_))
    ));
    let options = RedisOptions::new("redis://:sesame@127.0.0.1:1/", "p:", "node-1");
    assert!(!format!("{options:?}").contains("sesame"));
    let shared = Shared::redis(options).await.unwrap();
    assert!(!format!("{shared:?}").contains("sesame"));
}
