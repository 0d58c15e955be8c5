//! Calls for the tests: plain ones, and a varied crowd that is the same in every run.

use store::request_log::{Appended, Attempt, LoggedCall, OtherUsage, PriceLine, append};
use store::{ChannelId, Document, Store, TokenId, UserId};

/// Midnight UTC, 15 January 2027.
pub const START_MS: i64 = 1_799_971_200_000;

pub const DAY_MS: i64 = 86_400_000;

/// A successful call with everything filled in.
pub fn call(number: i64, created_at: i64) -> LoggedCall {
    LoggedCall {
        created_at,
        request_id: format!("request-{number:06}").into(),
        user_id: UserId(1),
        token_id: Some(TokenId(2)),
        endpoint: "/v1/messages".into(),
        model: "model-a".into(),
        upstream_model: Some("vendor-a".into()),
        channel_id: Some(ChannelId(3)),
        status: 200,
        error_cause: None,
        error_message: None,
        is_stream: true,
        source: "api".into(),
        ip: Some("192.0.2.1".into()),
        input_tokens: 100,
        output_tokens: 20,
        cache_read_tokens: 7,
        cache_write_tokens: 5,
        reasoning_tokens: 3,
        other_usage: Document(vec![OtherUsage {
            kind: "image_out".to_owned(),
            units: 2,
        }]),
        is_estimated: false,
        charge_nanos: 1_234_567,
        price_lines: Document(vec![PriceLine {
            kind: "input".into(),
            units: 100,
            price_usd: "3".to_owned(),
            amount_usd: "0.0003".to_owned(),
        }]),
        first_byte_ms: Some(40),
        total_ms: 900,
        attempts: Document(attempts()),
        loss_nanos: None,
    }
}

/// A call of the crowd: its fields vary with different periods, so that every filter splits it.
pub fn varied(number: i64, created_at: i64) -> LoggedCall {
    let failed = number % 4 == 0;
    let endpoints = ["/v1/messages", "/v1/responses", "/v1/embeddings"];
    LoggedCall {
        user_id: UserId(1 + number % 3),
        token_id: (number % 5 != 0).then_some(TokenId(10 + number % 5)),
        channel_id: (number % 7 != 0).then_some(ChannelId(20 + number % 7)),
        model: format!("model-{}", number % 6).into(),
        endpoint: endpoints[usize::try_from(number % 3).unwrap()].into(),
        status: [200, 400, 502][usize::try_from(number % 3).unwrap()],
        error_cause: failed.then(|| format!("cause-{}", number % 8).into()),
        error_message: failed.then(|| "it broke".into()),
        upstream_model: Some(format!("vendor-{}", number % 4).into()),
        is_stream: number % 2 == 0,
        source: if number % 9 == 0 { "playground" } else { "api" }.into(),
        ip: (number % 10 != 0).then(|| format!("192.0.2.{}", number % 10).into()),
        charge_nanos: number * 1_000_003 % 50_000_000,
        first_byte_ms: (number % 11 != 0).then_some(number * 37 % 5_000),
        total_ms: number * 7_919 % 400_000,
        ..call(number, created_at)
    }
}

/// The two tries of every call: one that failed, one that did not.
pub fn attempts() -> Vec<Attempt> {
    let failed = Attempt {
        channel_id: ChannelId(8),
        key_index: Some(1),
        status: Some(429),
        error: Some("rate limited".to_owned()),
        started_after_ms: 1,
        connect_ms: Some(12),
        first_byte_ms: None,
        total_ms: 30,
    };
    let served = Attempt {
        channel_id: ChannelId(3),
        key_index: None,
        status: Some(200),
        error: None,
        started_after_ms: 31,
        connect_ms: None,
        first_byte_ms: Some(9),
        ..failed.clone()
    };
    vec![failed, served]
}

/// Writes calls in one transaction; says how many were new.
pub async fn write(store: &Store, calls: &[LoggedCall]) -> usize {
    let appended = write_all(store, calls).await;
    calls.iter().filter(|call| appended.is_new(call)).count()
}

/// The same; says which were new.
pub async fn write_all(store: &Store, calls: &[LoggedCall]) -> Appended {
    let written: Vec<&LoggedCall> = calls.iter().collect();
    let transaction = store.write().await.unwrap();
    let appended = append(&transaction, &written).await.unwrap();
    transaction.commit().await.unwrap();
    appended
}
