//! One body, two backends. The Redis half goes by the caller's clock, so that time can be set,
//! and keeps to itself behind a prefix of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use store::shared::{RedisClock, RedisOptions, Shared};

/// Where the suite's clocks start: a round time in 2027.
pub const START_MS: i64 = 1_800_000_000_000;

/// Writes each `async fn name(shared: Shared)` as two tests, `memory::name` and `redis::name`.
macro_rules! on_both_backends {
    ($($name:ident),+ $(,)?) => {
        mod memory {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                super::$name(store::shared::Shared::memory()).await;
            })+
        }
        mod redis {
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                let options = crate::shared::backend::redis_options();
                super::$name(crate::shared::backend::open(options).await).await;
            })+
        }
    };
}

/// Address of the Redis that the tests use.
pub fn redis_url() -> String {
    std::env::var("MODELGATE_TEST_REDIS").expect(
        "MODELGATE_TEST_REDIS is not set: run `make test`, or `scripts/with-services COMMAND`, \
         which start a throw-away Redis",
    )
}

/// Options with a prefix that no other test and no other run has.
pub fn redis_options() -> RedisOptions {
    static TESTS: AtomicU64 = AtomicU64::new(0);
    let number = TESTS.fetch_add(1, Ordering::Relaxed);
    let prefix = format!("test:{}:{number}:", std::process::id());
    RedisOptions {
        clock: RedisClock::Caller,
        // A busy machine must not look like an unreachable Redis.
        connect_timeout: std::time::Duration::from_secs(10),
        response_timeout: std::time::Duration::from_secs(10),
        ..RedisOptions::new(redis_url(), prefix, "node-1")
    }
}

/// Opens the backend and insists that it is connected.
pub async fn open(options: RedisOptions) -> Shared {
    let shared = Shared::redis(options).await.unwrap();
    assert!(
        shared.is_available(),
        "the Redis of MODELGATE_TEST_REDIS does not answer"
    );
    shared
}
