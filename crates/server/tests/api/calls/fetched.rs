//! What clients send by its address, for an upstream that fetches nothing.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::vendor::{CHAT, GENERATE, GRANT_NANOS, RESPONSES, Speaks, Vendor};
use super::vendor_replies::whole;
use crate::support::Reply;

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

/// What becomes of a recording that a client points to.
fn heard(vendor: &Vendor) -> Reply {
    let upstream = vendor.upstream();
    upstream.on("/sound", Scripted::body("audio/wav", "sound"));
    vendor.answers(RESPONSES, &whole("responses"));
    let file = json!({"fileData": {"mimeType": "audio/wav", "fileUri": upstream.url("/sound")}});
    let body = json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}, file]}]});
    vendor.post("/v1beta/models/m:generateContent", &body)
}

#[test]
fn a_recording_is_put_in_the_place_of_its_address_or_refused_by_name() {
    let vendor = Vendor::fetching(RESPONSES);
    let reply = heard(&vendor);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let sent = vendor.upstream().requests().pop().expect("a call").json();
    let audio = json!({"data": "c291bmQ=", "format": "wav"});
    assert_eq!(
        sent["input"][0]["content"][1]["input_audio"], audio,
        "{sent}"
    );
    let vendor = Vendor::speaking(RESPONSES);
    let reply = heard(&vendor);
    assert_eq!(reply.status, 400, "{}", reply.body);
    let message = &reply.json()["error"]["message"];
    let message = message.as_str().expect("words");
    assert!(message.contains("could not be fetched"), "{message}");
    assert!(vendor.upstream().requests().is_empty());
}

/// Asks for a change of an image at the upstream's own address.
fn edited(vendor: &Vendor) -> Reply {
    let upstream = vendor.upstream();
    // No type is told: its first bytes say what it is.
    let png = Scripted::body("application/octet-stream", &b"\x89PNG\r\n\x1a\n"[..]);
    upstream.on("/picture", png);
    let images = json!([{"image_url": "data:image/png;base64,AAAA"},
        {"image_url": upstream.url("/picture")}]);
    let body = json!({"model": "m", "prompt": "night", "images": images});
    vendor.post("/v1/images/edits", &body)
}

#[test]
fn an_image_to_change_is_fetched_for_a_model_that_takes_data_alone() {
    let drawn = json!({"candidates": [{"content": {"parts": [
        {"inlineData": {"mimeType": "image/png", "data": "iVBO"}}]}, "finishReason": "STOP"}]});
    let vendor = Vendor::fetching(GENERATE);
    vendor.answers(GENERATE, &drawn);
    let reply = edited(&vendor);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let sent = vendor.upstream().requests().pop().expect("a call").json();
    let parts = &sent["contents"][0]["parts"];
    let fetched = json!({"mimeType": "image/png", "data": "iVBORw0KGgo="});
    assert_eq!(parts[1]["inlineData"]["data"], "AAAA", "{parts}");
    assert_eq!(parts[2]["inlineData"], fetched, "{parts}");
    let vendor = Vendor::speaking(GENERATE);
    let reply = edited(&vendor);
    let error = &reply.json()["error"];
    assert_eq!(
        (reply.status, error["param"].as_str()),
        (400, Some("images[1]")),
        "{}",
        reply.body
    );
    assert!(vendor.upstream().requests().is_empty());
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn an_upstream_that_takes_addresses_fetches_them_itself() {
    let vendor = Vendor::fetching(CHAT);
    let drawn = json!({"created": 1, "data": [{"b64_json": "iVBO"}]});
    vendor
        .upstream()
        .on("/v1/images/edits", Scripted::json(&drawn));
    let reply = edited(&vendor);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let sent = vendor.upstream().only_request().json();
    let url = vendor.upstream().url("/picture");
    assert_eq!(sent["images"][1]["image_url"], *url, "{sent}");
}

/// An upstream that takes images as files of a form alone.
const FORMS: Speaks = Speaks {
    provider: "azure",
    ..CHAT
};

#[test]
fn an_upstream_that_takes_files_alone_gets_a_form() {
    let at = "/openai/v1/images/edits";
    let drawn = json!({"created": 1, "data": [{"b64_json": "iVBO"}]});
    let vendor = Vendor::fetching(FORMS);
    vendor.upstream().on(at, Scripted::json(&drawn));
    let reply = edited(&vendor);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let sent = vendor.upstream().requests().pop().expect("a call");
    let kind = sent.header("content-type").expect("a type");
    let boundary = kind.strip_prefix("multipart/form-data; boundary=\"");
    let boundary = boundary.expect("a form").trim_end_matches('"');
    let body = String::from_utf8_lossy(&sent.body).into_owned();
    let part = |head: &str, content: &str| {
        let part =
            format!("--{boundary}\r\nContent-Disposition: form-data; {head}\r\n{content}\r\n");
        assert!(body.contains(&part), "{part} is not in {body}");
    };
    part("name=\"model\"", "\r\nup");
    part("name=\"prompt\"", "\r\nnight");
    part("name=\"size\"", "\r\nauto");
    let file = "name=\"image[]\"; filename=\"file.png\"";
    part(file, "Content-Type: image/png\r\n\r\n\0\0\0");
    part(
        file,
        "Content-Type: image/png\r\n\r\n\u{fffd}PNG\r\n\u{1a}\n",
    );
    assert!(body.ends_with(&format!("--{boundary}--\r\n")), "{body}");
    let vendor = Vendor::speaking(FORMS);
    let reply = edited(&vendor);
    assert_eq!(
        reply.json()["error"]["param"],
        "images[1]",
        "{}",
        reply.body
    );
    assert!(vendor.upstream().requests().is_empty());
}

#[test]
fn an_image_that_the_vendor_keeps_is_refused() {
    let vendor = Vendor::speaking(CHAT);
    let body = json!({"model": "m", "prompt": "night", "images": [{"file_id": "file-1"}]});
    let reply = vendor.post("/v1/images/edits", &body);
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert_eq!(reply.json()["error"]["param"], "images[0].file_id");
    assert!(vendor.upstream().requests().is_empty());
}
