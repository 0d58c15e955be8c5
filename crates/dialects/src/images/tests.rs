//! Requests and whole answers.

use serde_json::{Value, json};

use super::*;
use crate::canonical::FailureKind;
use crate::spoil::{fixture, spoiled};

fn generation(field: &str, value: Value) -> Result<GenerationRequest, crate::canonical::Failure> {
    let mut body = json!({"model": "m", "prompt": "p"});
    body[field] = value;
    GenerationRequest::read(&serde_json::to_vec(&body).unwrap())
}

fn tap(body: &[u8], operation: ImageOperation) -> ReplyTap {
    let mut tap = ReplyTap::new(operation);
    body.chunks(7).for_each(|chunk| tap.push(chunk));
    tap
}

#[test]
fn what_is_priced_is_read() {
    let request = GenerationRequest::read(&fixture("images", "request-full.json")).unwrap();
    assert_eq!(request.model, "draw-one");
    assert_eq!(request.prompt, "a lighthouse at dusk");
    let options = request.options;
    assert_eq!((options.count, options.partial_images), (2, 2));
    assert!(options.stream);
    assert_eq!(options.pixels(), Size::Pixels(1536, 1024));
    assert_eq!(options.quality.as_deref(), Some("high"));
    let request = GenerationRequest::read(&fixture("images", "request-plain.json")).unwrap();
    assert_eq!(request.options.count, 1);
}

#[test]
fn bad_fields_are_refused_by_name() {
    for (field, value) in [
        ("n", json!(0)),
        ("n", json!(11)),
        ("n", json!(-1)),
        ("n", json!("3")),
        ("n", json!(1e9)),
        ("n", json!(18_446_744_073_709_551_615_u64)),
        ("prompt", json!("")),
        ("prompt", Value::Null),
        ("prompt", json!("x".repeat(32_001))),
        ("model", Value::Null),
        ("size", json!("1024×1024")),
        ("size", json!("1024X1024")),
        ("size", json!("1024x")),
        ("size", json!("0x1024")),
        ("size", json!("")),
        ("size", json!(1024)),
        ("quality", json!(1)),
        ("stream", json!("true")),
        ("partial_images", json!(4)),
        ("response_format", json!("png")),
        ("output_compression", json!(101)),
        ("background", json!(1)),
    ] {
        let failure = generation(field, value.clone()).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(field), "{value}");
    }
    for (field, value) in [
        ("n", json!(10)),
        ("n", Value::Null),
        ("size", json!("auto")),
        ("size", json!("16:9")),
        ("size", json!("2K")),
        ("user", Value::Null),
        ("prompt", json!("é".repeat(32_000))),
    ] {
        assert!(generation(field, value.clone()).is_ok(), "{field} {value}");
    }
}

#[test]
fn form_parts_are_read_alike() {
    let parts = [
        ("prompt", "p"),
        ("n", "3"),
        ("stream", "true"),
        ("size", "512x512"),
        ("partial_images", "1"),
    ];
    let options = ImageOptions::from_parts(parts).unwrap();
    assert_eq!((options.count, options.partial_images), (3, 1));
    assert!(options.stream);
    assert_eq!(options.size.as_deref(), Some("512x512"));
    for (name, value) in [
        ("n", "0"),
        ("n", "11"),
        ("n", "-1"),
        ("n", "1000000000"),
        ("n", "three"),
        ("stream", "1"),
        ("size", "1×1"),
    ] {
        let failure = ImageOptions::from_parts([(name, value)]).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(name), "{value}");
    }
    assert!(ImageOptions::from_parts([("n", "1"), ("n", "9")]).is_err());
}

#[test]
fn every_named_part_of_a_form_is_read_and_given_once() {
    for name in ImageOptions::NAMES {
        let value = match name {
            "n" | "partial_images" => "1",
            "response_format" => "url",
            "stream" => "true",
            "size" => "64x64",
            _ => "x",
        };
        assert!(ImageOptions::from_parts([(name, value)]).is_ok(), "{name}");
        let twice = ImageOptions::from_parts([(name, value), (name, value)]);
        assert_eq!(twice.unwrap_err().param.as_deref(), Some(name));
    }
}

#[test]
fn an_edit_names_its_images_one_way_each() {
    let request = EditRequest::read(&fixture("images", "edit-plain.json")).unwrap();
    assert_eq!(request.images.len(), 2);
    assert_eq!(request.images[1], ImageSource::File("file-77".to_owned()));
    assert!(matches!(&request.mask, Some(ImageSource::Url(_))));
    assert!(request.is_bound_to_a_vendor());
    let read = |images: Value| {
        let body = json!({"model": "m", "prompt": "p", "images": images});
        EditRequest::read(&serde_json::to_vec(&body).unwrap())
    };
    let one = json!({"image_url": "https://pictures.example/a.png"});
    assert!(read(json!([one])).is_ok());
    for (images, param) in [
        (json!([]), "images"),
        (json!(vec![one.clone(); 17]), "images"),
        (Value::Null, "images"),
        (json!([{}]), "images[0]"),
        (
            json!([one, {"image_url": "a", "file_id": "b"}]),
            "images[1]",
        ),
        (json!(["a"]), "images[0]"),
    ] {
        assert_eq!(read(images).unwrap_err().param.as_deref(), Some(param));
    }
}

#[test]
fn unknown_fields_go_through() {
    let body = br#"{"model":"a","prompt":"p","seed": 7.0}"#;
    let forwarded = GenerationRequest::forward(body, "up").unwrap();
    assert_eq!(forwarded, br#"{"model":"up","prompt":"p","seed": 7.0}"#);
}

#[test]
fn an_answer_tells_its_images_tokens_size_and_quality() {
    let tap = tap(
        &fixture("images", "reply-tokens.json"),
        ImageOperation::Generate,
    );
    let units = tap.finish().unwrap();
    assert_eq!(units.images, Some(2));
    assert_eq!(units.tokens.input, Some(34));
    assert_eq!(units.tokens.input_image, Some(4));
    assert_eq!(units.tokens.output, Some(1056));
    assert_eq!(units.tokens.output_image, Some(1050));
    assert_eq!(tap.size().as_deref(), Some("1024x1024"));
    assert_eq!(tap.quality().as_deref(), Some("medium"));
}

#[test]
fn an_answer_without_tokens_is_counted_in_images() {
    let tap = tap(
        &fixture("images", "reply-url.json"),
        ImageOperation::Generate,
    );
    let units = tap.finish().unwrap();
    assert_eq!(units.images, Some(1));
    assert_eq!(units.tokens, crate::canonical::Usage::default());
    assert_eq!((tap.size(), tap.quality()), (None, None));
}

#[test]
fn tokens_that_are_not_told_apart_are_images_coming_out() {
    let body = br#"{"data":[{}],"usage":{"input_tokens":9,"output_tokens":5}}"#;
    let generated = tap(body, ImageOperation::Generate).finish().unwrap().tokens;
    assert_eq!(
        (generated.input_image, generated.output_image),
        (None, Some(5))
    );
    let edited = tap(body, ImageOperation::Edit).finish().unwrap().tokens;
    assert_eq!(
        (edited.input_image, edited.output_image),
        (Some(9), Some(5))
    );
}

#[test]
fn an_answer_that_is_cut_empty_or_a_failure_is_one() {
    for (body, kind) in [
        (r#"{"data":[{"b64_json":"aaa"#, FailureKind::UpstreamBad),
        (r#"{"data":[]}"#, FailureKind::UpstreamBad),
        ("", FailureKind::UpstreamBad),
        ("<html>", FailureKind::UpstreamBad),
    ] {
        let failure = tap(body.as_bytes(), ImageOperation::Generate).finish();
        assert_eq!(failure.unwrap_err().kind, kind, "{body}");
    }
    let error = fixture("images", "reply-error.json");
    let failure = tap(&error, ImageOperation::Generate).finish().unwrap_err();
    assert_eq!(failure.kind, FailureKind::ContentBlocked);
}

#[test]
fn spoiled_bodies_never_panic() {
    spoiled("images", "request-", |body| {
        if GenerationRequest::read(body).is_ok() {
            let forwarded = GenerationRequest::forward(body, "up").expect("a body");
            GenerationRequest::read(&forwarded).expect("the same request");
        }
    });
    spoiled("images", "edit-", |body| {
        let _ = EditRequest::read(body);
    });
    spoiled("images", "reply-", |body| {
        let _ = tap(body, ImageOperation::Edit).finish();
        let _ = write_stream(body, ImageOperation::Edit);
    });
}
