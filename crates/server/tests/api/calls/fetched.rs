//! Pictures that clients send by their address, for an upstream that fetches none.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{GENERATE, Vendor};
use super::vendor_replies::whole;

/// The upstream's part for a picture at its own address, and whether the picture was asked for.
fn shown(vendor: &Vendor) -> (Value, bool) {
    let upstream = vendor.upstream();
    upstream.on("/picture", Scripted::body("image/png", "picture"));
    vendor.answers(GENERATE, &whole("generate"));
    let url = upstream.url("/picture");
    let parts = json!([{"type": "image_url", "image_url": {"url": url}}]);
    let body = json!({"model": "m", "messages": [{"role": "user", "content": parts}]});
    let reply = vendor.post("/v1/chat/completions", &body);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let requests = upstream.requests();
    let is_fetched = requests.iter().any(|request| request.path == "/picture");
    let sent = requests.last().expect("a call").json();
    (sent["contents"][0]["parts"][0].clone(), is_fetched)
}

#[test]
fn a_private_address_is_not_fetched_because_channels_may_reach_it() {
    let vendor = Vendor::speaking(GENERATE);
    let (part, is_fetched) = shown(&vendor);
    assert!(!is_fetched);
    let url = vendor.upstream().url("/picture");
    assert_eq!(part["fileData"]["fileUri"], *url, "{part}");
}

#[test]
fn a_picture_is_put_in_the_place_of_its_address() {
    let vendor = Vendor::fetching(GENERATE);
    let (part, is_fetched) = shown(&vendor);
    assert!(is_fetched);
    let inline = json!({"mimeType": "image/png", "data": "cGljdHVyZQ=="});
    assert_eq!(part["inlineData"], inline, "{part}");
}
