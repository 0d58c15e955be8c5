//! The time jumps, forward and back, while the service runs: calls go on, each is charged once, and
//! nothing stays held.

use serde_json::json;
use store::ledger::verify;

use crate::calls::vendor::{CHAT, GRANT_NANOS, Vendor, asks};
use crate::calls::vendor_replies::whole;

const COST: i64 = 27_000;
const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

#[test]
fn calls_go_on_and_are_charged_once_wherever_the_clock_jumps() {
    let vendor = Vendor::speaking(CHAT);
    vendor.answers(CHAT, &whole("chat"));
    let (path, body) = asks("chat", false);
    let mut calls = 0;
    // Back, but never to before the prices were declared: then their models would have none.
    for jump in [
        0,
        61_000,
        2 * HOUR_MS,
        -2 * HOUR_MS,
        60 * DAY_MS,
        -30 * DAY_MS,
    ] {
        let clock = &vendor.gate.clock;
        clock.set(clock.now_ms() + jump);
        for _ in 0..3 {
            let reply = vendor.post(&path, &body);
            assert_eq!(reply.status, 200, "after {jump} ms: {}", reply.body);
            calls += 1;
        }
    }
    let bad = vendor.post(&path, &json!({"model": "m"}));
    assert_eq!(bad.status, 400);
    assert_eq!(vendor.owned(), GRANT_NANOS - calls * COST);
    vendor.runtime.block_on(async {
        let records = vendor.gate.app.store().read();
        assert!(verify(records).await.unwrap().differences.is_empty());
    });
}
