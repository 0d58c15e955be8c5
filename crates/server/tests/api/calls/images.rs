//! Images: drawn, changed and varied, whole and streamed, from JSON and from forms.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::exchange::form;
use super::gateway::Gateway;

fn is_png(value: &Value) -> bool {
    let bytes = STANDARD.decode(value.as_str().unwrap_or_default());
    bytes.is_ok_and(|bytes| bytes.starts_with(b"\x89PNG\r\n\x1a\n"))
}

#[test]
fn images_are_drawn_and_charged_one_by_one() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-image", "prompt": "a fox", "n": 2, "size": "256x256"});
    let answer = gateway.post_bytes(
        "/v1/images/generations",
        "application/json",
        body.to_string().as_bytes(),
    );
    assert_eq!(answer.status, 200);
    let images = answer.json();
    assert!(is_png(&images["data"][0]["b64_json"]) && is_png(&images["data"][1]["b64_json"]));
    let url = json!({"model": "demo-image", "prompt": "a fox", "response_format": "url"});
    let url = gateway.post_bytes(
        "/v1/images/generations",
        "application/json",
        url.to_string().as_bytes(),
    );
    assert!(
        url.json()["data"][0]["url"]
            .as_str()
            .unwrap()
            .starts_with("data:image/png;base64,")
    );
    let row = gateway.row_of(answer.header("x-request-id"));
    assert_eq!((row.charge_nanos, row.is_estimated), (2_000_000, false));
}

#[test]
fn a_stream_shows_unfinished_images_and_the_finished_one_is_charged() {
    let gateway = Gateway::start();
    let body = json!({"model": "demo-image", "prompt": "a fox", "stream": true, "partial_images": 2,
        "size": "64x64"});
    let answer = gateway.post_bytes(
        "/v1/images/generations",
        "application/json",
        body.to_string().as_bytes(),
    );
    let events = answer.events();
    let kinds: Vec<&str> = events.iter().filter_map(|it| it["type"].as_str()).collect();
    assert_eq!(
        kinds,
        [
            "image_generation.partial_image",
            "image_generation.partial_image",
            "image_generation.completed"
        ]
    );
    assert!(answer.is_whole && is_png(&events[2]["b64_json"]));
    let row = gateway.row_of(answer.header("x-request-id"));
    assert_eq!((row.charge_nanos, row.is_stream), (1_000_000, true));
}

#[test]
fn forms_with_images_are_edited_and_varied() {
    let gateway = Gateway::start();
    let png = b"\x89PNG\r\n\x1a\nrest of it";
    let texts = [
        ("model", "demo-image"),
        ("prompt", "make it night"),
        ("size", "64x64"),
    ];
    for (name, before) in [("image", 3), ("image[]", 0), ("image[0]", 1)] {
        let body = form(&texts, before, (name, "fox.png", png));
        let answer = gateway.post_form("/v1/images/edits", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(is_png(&answer.json()["data"][0]["b64_json"]));
    }
    let body = form(
        &[("model", "demo-image"), ("n", "2")],
        2,
        ("image", "fox.png", png),
    );
    let varied = gateway.post_form("/v1/images/variations", &body).json();
    assert_eq!(varied["data"].as_array().unwrap().len(), 2);
    let inline = json!({"model": "demo-image", "prompt": "night",
        "images": [{"image_url": "data:image/png;base64,AAAA"}]});
    let edited = gateway.post_bytes(
        "/v1/images/edits",
        "application/json",
        inline.to_string().as_bytes(),
    );
    assert!(is_png(&edited.json()["data"][0]["b64_json"]));
}

#[test]
fn what_is_wrong_with_images_is_refused_by_name() {
    let gateway = Gateway::start();
    for (body, param) in [
        (json!({"model": "demo-image"}), "prompt"),
        (json!({"prompt": "x"}), "model"),
        (json!({"model": "demo-image", "prompt": "x", "n": 0}), "n"),
        (json!({"model": "demo-image", "prompt": "x", "n": 11}), "n"),
        (
            json!({"model": "demo-image", "prompt": "x", "size": "1024×1024"}),
            "size",
        ),
    ] {
        let reply = gateway.post("/v1/images/generations", &body);
        assert_eq!(
            (reply.status, reply.json()["error"]["param"].as_str()),
            (400, Some(param)),
            "{body}"
        );
    }
    let no_image = form(
        &[("model", "demo-image"), ("prompt", "x")],
        2,
        ("other", "a.png", b"x"),
    );
    let answer = gateway.post_form("/v1/images/edits", &no_image);
    assert_eq!(
        (answer.status, answer.json()["error"]["param"].as_str()),
        (400, Some("other"))
    );
    let no_prompt = form(&[("model", "demo-image")], 1, ("image", "a.png", b"x"));
    let answer = gateway.post_form("/v1/images/edits", &no_prompt);
    assert_eq!(
        (answer.status, answer.json()["error"]["param"].as_str()),
        (400, Some("prompt"))
    );
    let plain = gateway.post_bytes("/v1/images/edits", "text/plain", b"x");
    assert_eq!(plain.status, 415);
}
