//! Servers that speak one of a vendor's formats and have no path for the others.

use server::channels::explain;
use testkit::Reply as Scripted;

use super::vendor::{CHAT, RESPONSES, Speaks, Vendor, asks};
use super::vendor_replies::{stream, whole};

/// All that the provider has.
const ALL: Speaks = Speaks {
    dialect: "",
    ..CHAT
};

/// How often each path was asked.
fn asked(vendor: &Vendor, index: usize) -> (usize, usize) {
    let requests = vendor.upstreams[index].requests();
    let times = |path: &str| requests.iter().filter(|one| one.path == path).count();
    (times(RESPONSES.path), times(CHAT.path))
}

/// What is told of the first channel: what it lacks; none where it would take no call.
fn lacks(vendor: &Vendor) -> Option<Vec<&'static str>> {
    let app = &vendor.gate.app;
    let (snapshot, now) = (app.channels().snapshot(), app.clock().now_ms());
    let operation = providers::Operation::Generate;
    let mut told = explain(&snapshot, ("default", "m"), operation, now);
    let tier = told.tiers.first_mut()?;
    let first = tier.candidates.iter().find(|one| one.name == "channel-0");
    first.map(|one| one.lacks_dialects.clone())
}

#[test]
fn a_call_in_a_dialect_without_a_path_is_converted_on_the_same_channel() {
    for missing in [
        Scripted::body("text/plain", "404 page not found").status(404),
        Scripted::html(404),
        Scripted::body("application/json", "{}").status(405),
        Scripted::body("application/json", "{}").status(501),
    ] {
        let vendor = Vendor::with(&[ALL, CHAT], "100");
        vendor.upstream().on(RESPONSES.path, missing);
        vendor
            .upstream()
            .on(CHAT.path, Scripted::json(&whole("chat")));
        let (path, body) = asks("responses", false);
        for calls in 1..=12 {
            let reply = vendor.post(&path, &body);
            assert_eq!(reply.status, 200, "{}", reply.body);
            assert_eq!(reply.json()["object"], "response");
            // The first call learns it, and none after it asks again.
            assert_eq!(asked(&vendor, 0), (1, calls));
            let attempts = vendor.logged(&reply).1;
            assert_eq!(attempts.len(), if calls == 1 { 2 } else { 1 });
        }
        assert_eq!(lacks(&vendor), Some(vec!["responses"]));
        assert_eq!(asked(&vendor, 1), (0, 0));
    }
}

#[test]
fn a_stream_is_converted_as_well() {
    let vendor = Vendor::speaking(ALL);
    vendor.upstream().on(CHAT.path, stream("chat"));
    let (path, body) = asks("responses", true);
    let reply = vendor.post(&path, &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    assert!(reply.body.contains("response.completed"), "{}", reply.body);
    assert_eq!(lacks(&vendor), Some(vec!["responses"]));
}

#[test]
fn an_address_that_has_neither_path_counts_against_the_channel() {
    let vendor = Vendor::with(&[ALL, CHAT], "100");
    vendor.upstreams[1].on(CHAT.path, Scripted::json(&whole("chat")));
    let (path, body) = asks("responses", false);
    for _ in 0..8 {
        assert_eq!(vendor.post(&path, &body).status, 200);
    }
    // Five failures in a row open its breaker.
    assert_eq!(asked(&vendor, 0), (5, 5));
    assert_eq!(lacks(&vendor), None);
}

#[test]
fn a_path_that_has_answered_is_not_taken_for_missing() {
    let vendor = Vendor::speaking(ALL);
    vendor.answers(RESPONSES, &whole("responses"));
    vendor
        .upstream()
        .on(CHAT.path, Scripted::json(&whole("chat")));
    let (path, body) = asks("responses", false);
    assert_eq!(vendor.post(&path, &body).status, 200);
    let missing = Scripted::body("application/json", "{}").status(404);
    vendor.upstream().on(RESPONSES.path, missing);
    assert_eq!(vendor.post(&path, &body).status, 502);
    assert_eq!(asked(&vendor, 0), (2, 0));
    assert_eq!(lacks(&vendor), Some(Vec::new()));
}
