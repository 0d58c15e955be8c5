//! Limits in this process, and the share of a node whose Redis is away. The same races on a real
//! Redis are in the service's own tests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use dialects::DialectId;
use dialects::canonical::{Failure, FailureKind};
use jiff::Timestamp;
use store::shared::{Limit, RedisOptions, Shared};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::afterwards::AT_ONCE;
use super::leftovers::MOST;
use super::limiter::{Correction, Held};
use super::scope::Scope;
use super::{Admitted, Ceilings, HolderLimits, Limiter};
use crate::clock::Clock;

struct SetClock(AtomicI64);

impl Clock for SetClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.load(Ordering::Relaxed)).unwrap()
    }
}

fn limiter() -> (Limiter, Arc<SetClock>) {
    let clock = Arc::new(SetClock(AtomicI64::new(1_800_000_000_000)));
    (Limiter::new(Shared::memory(), "n1", clock.clone()), clock)
}

fn ceilings(rpm: u32, tpm: u32, concurrency: u32) -> Ceilings {
    Ceilings::of_configuration(rpm, tpm, concurrency)
}

fn holder(token: u32, own: Ceilings, user: Ceilings, group: Ceilings) -> HolderLimits {
    HolderLimits {
        token: Scope::new(own, &format!("token:{token}")),
        user: Scope::limited(user, "user:1"),
        group: Scope::limited(group, "group:1"),
    }
}

fn token(own: Ceilings) -> HolderLimits {
    holder(1, own, Ceilings::default(), Ceilings::default())
}

async fn admit(limiter: &Limiter, limits: &HolderLimits, tokens: u64) -> Result<Admitted, Failure> {
    let now_ms = limiter.0.clock.now_ms();
    let admitted = limiter
        .admit(limits, Ceilings::default(), tokens, now_ms)
        .await;
    admitted.map_err(|limited| limited.failure)
}

/// The headers that its client gets.
fn told(admitted: &Admitted) -> HashMap<&'static str, String> {
    let mut headers = HashMap::new();
    let told = admitted.told(DialectId::ChatCompletions);
    told.each(&mut |name, value| {
        headers.insert(name.as_str(), String::from_utf8_lossy(value).into_owned());
    });
    headers
}

#[tokio::test]
async fn without_limits_nothing_is_counted_and_nothing_is_told() {
    let (limiter, _) = limiter();
    let admitted = admit(&limiter, &token(Ceilings::default()), 1)
        .await
        .unwrap();
    let headers = told(&admitted);
    assert!(headers.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_1000_racing_calls_exactly_as_many_get_in_as_fit() {
    for limits in [
        token(ceilings(100, 0, 0)),
        token(ceilings(0, 1_000, 0)),
        token(ceilings(0, 0, 100)),
        holder(
            1,
            ceilings(500, 0, 0),
            ceilings(100, 0, 0),
            Ceilings::default(),
        ),
        holder(
            1,
            Ceilings::default(),
            Ceilings::default(),
            ceilings(0, 0, 100),
        ),
    ] {
        let (limiter, _) = limiter();
        let calls: Vec<_> = (0..1_000)
            .map(|_| {
                let (limiter, limits) = (limiter.clone(), limits.clone());
                tokio::spawn(async move { admit(&limiter, &limits, 10).await.ok() })
            })
            .collect();
        let mut admitted = Vec::new();
        for call in calls {
            admitted.extend(call.await.unwrap());
        }
        assert_eq!(admitted.len(), 100, "{limits:?}");
    }
}

#[tokio::test]
async fn a_refusal_names_the_limit_and_when_to_come_again() {
    let (limiter, clock) = limiter();
    let limits = token(ceilings(2, 0, 0));
    for _ in 0..2 {
        admit(&limiter, &limits, 1).await.unwrap();
    }
    let failure = admit(&limiter, &limits, 1).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::RateLimited);
    assert_eq!(
        failure.message,
        "Rate limit reached: 2 requests per minute."
    );
    assert_eq!(failure.retry_after_ms, Some(30_000));
    clock.0.fetch_add(30_000, Ordering::Relaxed);
    admit(&limiter, &limits, 1).await.unwrap();
}

#[tokio::test]
async fn a_call_that_ends_makes_room_and_one_that_goes_on_keeps_its_place() {
    let (limiter, clock) = limiter();
    let limits = token(ceilings(0, 0, 1));
    let first = admit(&limiter, &limits, 1).await.unwrap();
    let failure = admit(&limiter, &limits, 1).await.unwrap_err();
    assert_eq!(failure.message, "Rate limit reached: 1 requests at once.");
    for _ in 0..10 {
        let now = clock.0.fetch_add(20_000, Ordering::Relaxed) + 20_000;
        limiter.renew(now).await;
    }
    assert!(admit(&limiter, &limits, 1).await.is_err());
    assert_eq!(limiter.running(), 1);
    drop(first);
    assert_eq!(limiter.running(), 0);
    admit(&limiter, &limits, 1).await.unwrap();
}

#[tokio::test]
async fn tokens_are_counted_by_estimate_and_corrected_by_what_was_used() {
    let (limiter, clock) = limiter();
    let limits = token(ceilings(0, 1_000, 0));
    let admitted = admit(&limiter, &limits, 900).await.unwrap();
    assert!(admit(&limiter, &limits, 200).await.is_err());
    admitted.correct(100, clock.now_ms());
    admitted.correct(100, clock.now_ms());
    let second = admit(&limiter, &limits, 900).await.unwrap();
    second.correct(1_500, clock.now_ms());
    let failure = admit(&limiter, &limits, 1).await.unwrap_err();
    // 100 and 1500 of 1000 a minute: 601 of them have to drain.
    assert_eq!(failure.retry_after_ms, Some(36_060));
}

#[tokio::test]
async fn a_call_larger_than_the_limit_waits_for_an_empty_minute() {
    let (limiter, clock) = limiter();
    let limits = token(ceilings(0, 1_000, 0));
    admit(&limiter, &limits, 1).await.unwrap();
    assert!(admit(&limiter, &limits, 5_000).await.is_err());
    clock.0.fetch_add(60, Ordering::Relaxed);
    let admitted = admit(&limiter, &limits, 5_000).await.unwrap();
    let headers = told(&admitted);
    assert_eq!(headers["x-ratelimit-remaining-tokens"], "0");
    assert_eq!(headers["x-ratelimit-reset-tokens"], "1m0s");
}

#[tokio::test]
async fn users_and_groups_are_limited_over_all_their_tokens() {
    let (limiter, _) = limiter();
    let of = |number| {
        holder(
            number,
            ceilings(5, 0, 0),
            ceilings(3, 0, 0),
            Ceilings::default(),
        )
    };
    for number in 0..3 {
        let admitted = admit(&limiter, &of(number), 1).await.unwrap();
        let headers = told(&admitted);
        // The tightest of all limits is shown.
        assert_eq!(headers["x-ratelimit-limit-requests"], "3");
    }
    assert!(admit(&limiter, &of(9), 1).await.is_err());
}

#[tokio::test]
async fn the_default_is_for_tokens_without_a_limit_of_their_own() {
    let (limiter, _) = limiter();
    let default = ceilings(1, 0, 0);
    let (own, none) = (
        token(ceilings(2, 0, 0)),
        holder(
            2,
            Ceilings::default(),
            Ceilings::default(),
            Ceilings::default(),
        ),
    );
    for (limits, fit) in [(own, 2), (none, 1)] {
        let mut admitted = 0;
        for _ in 0..5 {
            let now_ms = limiter.0.clock.now_ms();
            let call = limiter.admit(&limits, default, 1, now_ms).await;
            admitted += usize::from(call.is_ok());
        }
        assert_eq!(admitted, fit);
    }
}

#[tokio::test]
async fn while_redis_is_away_a_node_keeps_to_its_share() {
    let clock = Arc::new(SetClock(AtomicI64::new(1_800_000_000_000)));
    let options = RedisOptions::new("redis://127.0.0.1:1", "test", "n1");
    let limiter = Limiter::new(Shared::redis(options).await.unwrap(), "n1", clock);
    limiter.set_nodes(4);
    let limits = holder(
        1,
        ceilings(100, 0, 0),
        Ceilings::default(),
        ceilings(0, 0, 2),
    );
    let mut admitted = 0;
    for _ in 0..100 {
        admitted += usize::from(admit(&limiter, &limits, 1).await.is_ok());
    }
    assert_eq!(admitted, 25);
    let failure = admit(&limiter, &limits, 1).await.unwrap_err();
    assert_eq!(
        failure.message,
        "Rate limit reached: 25 requests per minute."
    );
    assert!(limiter.0.is_away.load(Ordering::Relaxed));
}

/// A limiter whose slots and corrections go to the Redis at this address, and that Redis.
async fn limiter_on(address: &str) -> (Limiter, Shared) {
    let mut options = RedisOptions::new(format!("redis://{address}"), "test", "n1");
    options.response_timeout = Duration::from_secs(1);
    let shared = Shared::redis(options).await.unwrap();
    let clock = Arc::new(SetClock(AtomicI64::new(1_800_000_000_000)));
    (Limiter::new(shared.clone(), "n1", clock), shared)
}

/// A call that had a slot has ended.
fn end_call(limiter: &Limiter, state: &Shared, call: u64) {
    let held = Held {
        owner: call.to_string(),
        keys: [Some("slots".into()), None, None],
    };
    limiter.hold(state, call, &held);
    limiter.release(state, call, held);
}

#[tokio::test]
async fn corrections_beyond_measure_are_lost_but_no_slot_is() {
    let (limiter, shared) = limiter_on("127.0.0.1:1").await;
    for _ in 0..=MOST {
        let correction = Correction {
            key: "tokens".into(),
            limit: Limit::smooth(1, 1, 1).unwrap(),
            delta: 1,
            charged_at_ms: 1,
        };
        limiter.correct(&shared, correction, 1);
    }
    assert_eq!(limiter.waiting(), MOST);
    end_call(&limiter, &shared, 1);
    assert_eq!(limiter.waiting(), MOST + 1);
    limiter.work_off(1).await;
    assert_eq!(limiter.waiting(), 0);
}

#[tokio::test]
async fn slots_go_back_together_and_not_one_after_the_other() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let given_back = Arc::new(AtomicUsize::new(0));
    let seen = given_back.clone();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(stubborn_redis(client, seen.clone()));
        }
    });
    let (limiter, shared) = limiter_on(&address).await;
    assert!(shared.is_available());
    for call in 0..AT_ONCE as u64 {
        end_call(&limiter, &shared, call);
    }
    limiter.work_off(1).await;
    assert_eq!(given_back.load(Ordering::Relaxed), AT_ONCE);
    assert!(shared.is_available(), "all were answered");
}

/// Says yes to everything, but to slots that are given back only once it has seen so many.
async fn stubborn_redis(client: TcpStream, given_back: Arc<AtomicUsize>) {
    let (reader, mut writer) = client.into_split();
    let mut lines = BufReader::new(reader).lines();
    while let Some(words) = command(&mut lines).await {
        let reply = match words[0].as_str() {
            "SUBSCRIBE" => {
                let channel = &words[1];
                let length = channel.len();
                format!("*3\r\n$9\r\nsubscribe\r\n${length}\r\n{channel}\r\n:1\r\n")
            }
            "ZREM" if given_back.fetch_add(1, Ordering::Relaxed) + 1 < AT_ONCE => continue,
            "ZREM" => ":1\r\n".repeat(AT_ONCE),
            _ => "+OK\r\n".to_owned(),
        };
        writer.write_all(reply.as_bytes()).await.unwrap();
    }
}

/// The words of the next command; each comes with a line before it that says its length.
async fn command(
    lines: &mut tokio::io::Lines<BufReader<tokio::net::tcp::OwnedReadHalf>>,
) -> Option<Vec<String>> {
    let count = lines.next_line().await.ok()??;
    let count: usize = count.strip_prefix('*')?.parse().ok()?;
    let mut words = Vec::new();
    for _ in 0..count {
        lines.next_line().await.ok()??;
        words.push(lines.next_line().await.ok()??);
    }
    Some(words)
}
