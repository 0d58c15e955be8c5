//! Calls in the log that differ in everything that a list can be searched by.

use store::request_log::{self, Attempt, LoggedCall, OtherUsage, PriceLine};
use store::rollups::{self, BatchBounds};
use store::{ChannelId, Document, TokenId, UserId};

use crate::support::Office;

/// 2026-01-01, when tests take place.
pub const NOW_MS: i64 = 1_767_225_600_000;

/// A call that differs from others of other numbers; a smaller number is newer.
pub fn call(number: i64, user_id: UserId) -> LoggedCall {
    let is_error = number % 3 == 2;
    LoggedCall {
        created_at: NOW_MS - 1 - number * 1000,
        request_id: format!("request-{number:06}").into(),
        user_id,
        token_id: Some(TokenId(number % 4)),
        endpoint: ["/v1/messages", "/v1/responses"]
            [usize::try_from(number % 2).expect("the test gave it")]
        .into(),
        model: format!("model-{}", number % 5).into(),
        upstream_model: Some(format!("vendor-{}", number % 2).into()),
        channel_id: Some(ChannelId(1)),
        status: if is_error { 502 } else { 200 },
        error_cause: is_error.then(|| "upstream_error".into()),
        error_message: is_error.then(|| "The upstream broke.".into()),
        is_stream: number % 2 == 0,
        source: if number % 7 == 0 { "playground" } else { "api" }.into(),
        ip: Some(format!("192.0.2.{}", number % 3).into()),
        input_tokens: 10,
        output_tokens: 20,
        cache_read_tokens: 3,
        cache_write_tokens: 4,
        reasoning_tokens: 5,
        other_usage: Document(vec![OtherUsage {
            kind: "audio_seconds".to_owned(),
            units: 2,
        }]),
        is_estimated: false,
        charge_nanos: 1_000_000 * (number + 1),
        price_lines: Document(vec![PriceLine {
            kind: "input".into(),
            units: 10,
            price_usd: "0.0001".to_owned(),
            amount_usd: "0.001".to_owned(),
        }]),
        first_byte_ms: Some(90),
        total_ms: 100 + number,
        attempts: Document(attempts()),
        loss_nanos: None,
    }
}

/// Two tries: one that failed, one that did not.
fn attempts() -> Vec<Attempt> {
    let attempt = |position: i64, status, error: Option<&str>| Attempt {
        channel_id: ChannelId(1),
        key_index: Some(0),
        status: Some(status),
        error: error.map(str::to_owned),
        started_after_ms: position * 10,
        connect_ms: None,
        first_byte_ms: Some(80),
        total_ms: 90,
    };
    vec![attempt(0, 429, Some("rate limit")), attempt(1, 200, None)]
}

/// Puts calls into the log.
pub fn log(office: &Office, calls: &[LoggedCall]) {
    let calls: Vec<&LoggedCall> = calls.iter().collect();
    office.records(async |store| {
        let transaction = store.write().await.expect("the test gave it");
        request_log::append(&transaction, &calls)
            .await
            .expect("the test gave it");
        transaction.commit().await.expect("the test gave it");
        // As if a node that died had written them.
        rollups::update(store.database(), BatchBounds::default(), NOW_MS)
            .await
            .expect("the test gave it");
    });
}
