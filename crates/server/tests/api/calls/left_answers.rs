//! Answers in the background, seen from another node: one that makes them shows it, one that is gone does
//! not, and what was cancelled there is no longer made here.

use std::sync::Arc;

use serde_json::{Value, json};
use server::app::{App, Parts};
use server::clock::Clock;
use server::config::Config;
use server::kept_responses::{SILENCE_MS, fail_own, fail_silent};
use server::randomness::SystemRandomness;
use store::responses;
use store::shared::Shared;
use testkit::Reply as Scripted;

use super::responses::{ask, wait_for_end};
use super::vendor::{CHAT, GRANT_NANOS, Vendor};

/// Whatever it says, the other node is told the time.
struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> jiff::Timestamp {
        jiff::Timestamp::UNIX_EPOCH
    }
}

/// A gateway that makes an answer in the background whose upstream keeps silent, and the answer's id.
fn making() -> (Vendor, String) {
    let vendor = Vendor::speaking(CHAT);
    vendor.upstream().on(CHAT.path, Scripted::silence());
    let body = json!({"model": "m", "input": "Hi", "background": true});
    let promised = vendor.post("/v1/responses", &body).json();
    let upstream = vendor.upstream();
    vendor.runtime.block_on(upstream.wait_for_requests(1));
    let id = promised["id"].as_str().expect("an id").to_owned();
    (vendor, id)
}

/// Another node over the same records.
fn node(vendor: &Vendor, name: &str) -> Arc<App> {
    let app = &vendor.gate.app;
    let parts = Parts {
        config: Config::from_text("").expect("a configuration"),
        store: app.store().clone(),
        shared: Shared::memory(),
        node: name.to_owned(),
        keys: app.keys().clone(),
        clock: Arc::new(NoClock),
        randomness: Arc::new(SystemRandomness),
    };
    let started = App::start_for_command(parts);
    vendor.runtime.block_on(started).expect("another node")
}

fn pass(vendor: &Vendor, ms: i64) -> i64 {
    let clock = &vendor.gate.clock;
    clock.set(clock.now_ms() + ms);
    clock.now_ms()
}

fn renew(vendor: &Vendor) {
    let app = &vendor.gate.app;
    let renewed = vendor.runtime.block_on(app.shelf().renew(app));
    renewed.expect("the records work");
}

/// What the owner sees of an answer now.
fn seen(vendor: &Vendor, id: &str) -> Value {
    ask(vendor, &format!("GET /v1/responses/{id}")).json()
}

/// Nobody waits for the upstream any more, and nothing was paid or is held.
fn is_over(vendor: &Vendor) {
    let upstream = vendor.upstream();
    vendor
        .runtime
        .block_on(upstream.wait_for_open_connections(0));
    assert_eq!(vendor.newest().charge_nanos, 0);
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn an_answer_whose_node_is_silent_fails_and_is_not_made_after_all() {
    let (vendor, id) = making();
    let other = node(&vendor, "other");
    let look = |now| {
        let looked = vendor.runtime.block_on(fail_silent(&other, now));
        looked.expect("the records work");
    };
    look(pass(&vendor, SILENCE_MS));
    assert_eq!(seen(&vendor, &id)["status"], "in_progress");
    renew(&vendor);
    look(pass(&vendor, SILENCE_MS));
    assert_eq!(seen(&vendor, &id)["status"], "in_progress", "it was heard");

    look(pass(&vendor, 1));
    let failed = seen(&vendor, &id);
    assert_eq!(
        (&failed["id"], &failed["status"]),
        (&json!(id), &json!("failed"))
    );
    assert_eq!(failed["error"]["code"], "server_error");
    let message = failed["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains("stopped before it was finished"),
        "{failed}"
    );
    // It was there after all: what it makes nobody wants any more.
    renew(&vendor);
    is_over(&vendor);
    assert_eq!(wait_for_end(&vendor, &id), failed);
}

#[test]
fn a_node_never_takes_itself_for_gone() {
    let (vendor, id) = making();
    let now = pass(&vendor, 100 * SILENCE_MS);
    let app = &vendor.gate.app;
    let looked = vendor.runtime.block_on(fail_silent(app, now));
    looked.expect("the records work");
    assert_eq!(seen(&vendor, &id)["status"], "in_progress");
}

#[test]
fn a_node_that_starts_again_fails_what_it_had_promised_and_nothing_else() {
    let (vendor, id) = making();
    for (name, status) in [("other", "in_progress"), ("test", "failed")] {
        let again = node(&vendor, name);
        let started = vendor.runtime.block_on(fail_own(&again));
        started.expect("the records work");
        assert_eq!(seen(&vendor, &id)["status"], status, "{name}");
    }
}

#[test]
fn what_is_cancelled_or_deleted_on_another_node_is_no_longer_made() {
    for is_cancelled in [true, false] {
        let (vendor, id) = making();
        vendor.runtime.block_on(async {
            let app = &vendor.gate.app;
            let transaction = app.store().write().await.expect("a transaction");
            let done = if is_cancelled {
                responses::advance(&transaction, &id, "in_progress", "cancelled", vec![]).await
            } else {
                let user = store::users::first_root(&transaction).await;
                let user = user.expect("the records work").expect("a user");
                responses::delete(&transaction, user.id, &id).await
            };
            assert!(done.expect("the records work"));
            transaction.commit().await.expect("it is written");
        });
        renew(&vendor);
        is_over(&vendor);
    }
}
