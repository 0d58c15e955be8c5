//! Image models of generate content, and those that predict.

use serde_json::{Value, json};

use super::*;
use crate::canonical::FailureKind;
use crate::fields::Fields;
use crate::spoil::{fixture, spoiled};

fn options(size: &str, quality: Option<&str>) -> ImageOptions {
    ImageOptions {
        size: Some(size.to_owned()),
        quality: quality.map(str::to_owned),
        ..ImageOptions::default()
    }
}

fn call(options: &ImageOptions) -> Value {
    let body = google::write_call("a boat", options, &[], false).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_call_has_the_prompt_the_images_and_the_nearest_ratio() {
    let image = google::InlineImage {
        media_type: "image/png",
        base64: "aa",
    };
    let body = google::write_call(
        "a boat",
        &options("1536x1024", Some("high")),
        &[image],
        false,
    );
    assert_eq!(
        serde_json::from_slice::<Value>(&body.unwrap()).unwrap(),
        json!({
            "contents": [{"role": "user", "parts": [{"text": "a boat"},
                {"inlineData": {"mimeType": "image/png", "data": "aa"}}]}],
            "generationConfig": {"responseModalities": ["TEXT", "IMAGE"],
                "imageConfig": {"aspectRatio": "3:2", "imageSize": "2K"}},
        })
    );
    for (size, ratio) in [
        ("1024x1024", "1:1"),
        ("512x512", "1:1"),
        ("1024x1536", "2:3"),
        ("1792x1024", "16:9"),
        ("1024x1792", "9:16"),
        ("4:5", "4:5"),
    ] {
        let body = call(&options(size, None));
        assert_eq!(
            body["generationConfig"]["imageConfig"]["aspectRatio"],
            ratio
        );
    }
    let plain = call(&options("auto", None));
    assert!(plain["generationConfig"].get("imageConfig").is_none());
}

#[test]
fn a_mask_is_refused_and_lesser_wishes_are_named() {
    let failure = google::write_call("p", &ImageOptions::default(), &[], true).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unsupported);
    let fields = Fields::read(br#"{"background":"opaque","user":null,"style":"vivid"}"#).unwrap();
    let dropped = google::dropped(|name| fields.raw(name).is_some());
    assert_eq!(dropped, ["background", "style"]);
}

#[test]
fn drafts_are_skipped_and_tokens_told_by_kind() {
    let mut pictures = google::read_reply(&fixture("images", "google-reply.json")).unwrap();
    assert_eq!(
        pictures.images,
        [("image/png".to_owned(), "iVBORw0KGgo=".to_owned())]
    );
    pictures.add(google::read_reply(&fixture("images", "google-reply.json")).unwrap());
    let body: Value = serde_json::from_slice(&write_reply(&pictures, 5, false)).unwrap();
    assert_eq!(body["created"], 5);
    assert_eq!(body["output_format"], "png");
    assert_eq!(body["data"][1], json!({"b64_json": "iVBORw0KGgo="}));
    assert_eq!(
        body["usage"],
        json!({"total_tokens": 3700, "input_tokens": 1060, "output_tokens": 2640,
            "input_tokens_details": {"text_tokens": 28, "image_tokens": 1032},
            "output_tokens_details": {"image_tokens": 2580, "text_tokens": 60}})
    );
    let mut tap = ReplyTap::new(ImageOperation::Generate);
    tap.push(&write_reply(&pictures, 5, false));
    assert_eq!(tap.finish().unwrap().tokens.output_image, Some(2580));
    let body: Value = serde_json::from_slice(&write_reply(&pictures, 5, true)).unwrap();
    assert_eq!(body["data"][0]["url"], "data:image/png;base64,iVBORw0KGgo=");
}

#[test]
fn an_answer_in_words_alone_is_a_refusal() {
    let failure = google::read_reply(&fixture("images", "google-refusal.json")).unwrap_err();
    assert_eq!(failure.kind, FailureKind::ContentBlocked);
    assert!(failure.message.contains("I cannot draw that."));
    let blocked = br#"{"promptFeedback":{"blockReason":"SAFETY"}}"#;
    let failure = google::read_reply(blocked).unwrap_err();
    assert_eq!(failure.kind, FailureKind::ContentBlocked);
    assert!(failure.message.contains("SAFETY"));
    assert_eq!(
        google::read_reply(b"{}").unwrap_err().kind,
        FailureKind::UpstreamBad
    );
}

#[test]
fn models_that_predict_are_asked_and_read() {
    let mut options = options("1792x1024", Some("hd"));
    options.count = 2;
    let body = imagen::write_call("a boat", &options).unwrap();
    assert_eq!(
        serde_json::from_slice::<Value>(&body).unwrap(),
        json!({"instances": [{"prompt": "a boat"}], "parameters": {"sampleCount": 2,
            "includeRaiReason": true, "aspectRatio": "16:9", "sampleImageSize": "2K"}})
    );
    options.count = 5;
    assert!(imagen::write_call("a boat", &options).is_err());
    let pictures = imagen::read_reply(&fixture("images", "imagen-reply.json")).unwrap();
    assert_eq!(pictures.images.len(), 1);
    let filtered = br#"{"predictions":[{"raiFilteredReason":"No."}]}"#;
    let failure = imagen::read_reply(filtered).unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (FailureKind::ContentBlocked, "No.")
    );
}

#[test]
fn spoiled_replies_never_panic() {
    for start in ["google-", "imagen-"] {
        spoiled("images", start, |body| {
            let read = [google::read_reply(body), imagen::read_reply(body)];
            for pictures in read.into_iter().flatten() {
                serde_json::from_slice::<Value>(&write_reply(&pictures, 0, true)).expect("JSON");
            }
        });
    }
}
