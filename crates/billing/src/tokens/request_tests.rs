//! Requests of several kinds, counted.

use dialects::DialectId;
use dialects::canonical::{MediaClass, Role, Schema, Turn};
use serde_json::json;

use super::super::media::{AUDIO_ELSEWHERE, IMAGE, IMAGE_LOW};
use super::*;

fn asking(parts: Vec<Part>) -> Request {
    let mut request = Request::new(DialectId::ChatCompletions, "m");
    request.turns.push(Turn::new(Role::User, parts));
    request
}

fn media(class: MediaClass, source: MediaSource) -> Media {
    Media::new(class, source)
}

fn inline(mime: &str, bytes: usize) -> MediaSource {
    MediaSource::Inline {
        mime: mime.to_owned(),
        data: "A".repeat(bytes / 3 * 4),
    }
}

fn elsewhere() -> MediaSource {
    MediaSource::Url {
        url: "https://example.com/x".to_owned(),
        mime: None,
    }
}

#[test]
fn text_costs_what_it_is_and_what_stands_around_it() {
    let request = asking(vec![Part::text("hello world")]);
    assert_eq!(count_request(&request), REPLY + MESSAGE + 2);
}

#[test]
fn tools_are_counted_with_their_schemas() {
    let mut request = asking(vec![Part::text("hello world")]);
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    request.tools.push(Tool {
        name: "weather".to_owned(),
        description: Some("Tells the weather.".to_owned()),
        namespace: None,
        kind: ToolKind::Function {
            parameters: Some(Schema::json(schema.clone())),
            strict: None,
        },
        cache: None,
        extra: dialects::canonical::Extra::new(),
    });
    let without = REPLY + MESSAGE + 2;
    let words = text::count("weather") + text::count("Tells the weather.");
    let declared = text::count(&schema.to_string());
    assert_eq!(count_request(&request), without + TOOL + words + declared);
}

#[test]
fn pictures_are_worth_the_same_whatever_their_bytes() {
    let mut small = media(MediaClass::Image, inline("image/png", 300));
    let large = media(MediaClass::Image, inline("image/png", 3_000_000));
    let around = REPLY + MESSAGE;
    for picture in [&small, &large] {
        let request = asking(vec![Part::new(PartKind::Media(picture.clone()))]);
        assert_eq!(count_request(&request), around + IMAGE);
    }
    small.detail = Some("low".to_owned());
    let request = asking(vec![Part::new(PartKind::Media(small))]);
    assert_eq!(count_request(&request), around + IMAGE_LOW);
}

#[test]
fn recordings_are_worth_their_time() {
    let around = REPLY + MESSAGE;
    let ten_seconds = media(MediaClass::Audio, inline("audio/wav", 320_001));
    let request = asking(vec![Part::new(PartKind::Media(ten_seconds))]);
    assert_eq!(count_request(&request), around + 321);
    let unknown = media(MediaClass::Audio, elsewhere());
    let request = asking(vec![Part::new(PartKind::Media(unknown))]);
    assert_eq!(count_request(&request), around + AUDIO_ELSEWHERE);
}

#[test]
fn documents_given_as_text_are_counted_as_text() {
    let text = MediaSource::Text("hello world".to_owned());
    let mut document = media(MediaClass::Document, text);
    document.title = Some("hello".to_owned());
    let request = asking(vec![Part::new(PartKind::Media(document))]);
    assert_eq!(count_request(&request), REPLY + MESSAGE + 3);
}

#[test]
fn a_sample_counts_what_the_request_counts() {
    let mut request = asking(vec![
        Part::text("hello world ".repeat(2_000)),
        Part::new(PartKind::Media(media(
            MediaClass::Image,
            inline("image/png", 400_000),
        ))),
    ]);
    request.system = vec![Part::text("Be brief.")];
    let (exact, sampled) = (count_request(&request), InputSample::of(&request).count());
    assert!(exact.abs_diff(sampled) <= 3, "{sampled} of {exact}");
}

#[test]
fn media_in_the_body_does_not_count_as_text() {
    let picture = media(MediaClass::Image, inline("image/png", 400_000));
    let request = asking(vec![Part::text("Hi"), Part::new(PartKind::Media(picture))]);
    let body = 400_000 / 3 * 4 + 100;
    assert_eq!(approximate_request(&request, body), 25 + IMAGE);
}
