//! Streams that go through, and streams that are made.

use super::*;
use crate::canonical::FailureKind;
use crate::spoil::{fixture, spoiled};

fn tap(stream: &[u8], piece: usize) -> StreamTap {
    let mut tap = StreamTap::new(ImageOperation::Generate);
    stream.chunks(piece).for_each(|chunk| tap.push(chunk));
    tap
}

#[test]
fn finished_images_are_counted_and_their_tokens_added() {
    let stream = fixture("images", "stream-generate.sse");
    for piece in [1, 13, 1000] {
        let mut tap = tap(&stream, piece);
        let units = tap.close().unwrap();
        assert_eq!(units.images, Some(2));
        assert_eq!(units.tokens.input, Some(30));
        assert_eq!(units.tokens.output_image, Some(600));
        assert_eq!(tap.partial_images(), 1);
    }
}

#[test]
fn a_failure_in_the_stream_and_a_stream_without_an_end_are_failures() {
    let mut failed = tap(&fixture("images", "stream-error.sse"), 9);
    let failure = failed.close().unwrap_err();
    assert_eq!(failure.kind, FailureKind::UpstreamBad);
    assert_eq!(failure.message, "The upstream failed.");
    let text = failure.upstream_text.as_deref();
    assert_eq!(text, Some("The image engine stopped."));
    assert_eq!(failed.failure(), Some(&failure));
    let mut flat = tap(
        b"data: {\"type\":\"error\",\"message\":\"Out of paint.\"}\n\n",
        9,
    );
    let failure = flat.close().unwrap_err();
    assert_eq!(failure.message, "The upstream failed.");
    assert_eq!(failure.upstream_text.as_deref(), Some("Out of paint."));
    let partial = b"data: {\"type\":\"image_generation.partial_image\",\"b64_json\":\"aa\"}\n\n";
    let failure = tap(partial, 5).close().unwrap_err();
    assert_eq!(failure.kind, FailureKind::UpstreamBad);
}

#[test]
fn an_event_of_many_megabytes_passes() {
    let image = "A".repeat(20 << 20);
    let event = format!(
        "data: {{\"type\":\"image_edit.completed\",\"b64_json\":\"{image}\",\"usage\":{{\"output_tokens\":7}}}}\n\n"
    );
    let mut tap = tap(event.as_bytes(), 1 << 16);
    assert_eq!(tap.close().unwrap().tokens.output_image, Some(7));
}

#[test]
fn a_whole_answer_becomes_one_event_an_image_with_the_usage_once() {
    let reply = fixture("images", "reply-tokens.json");
    let stream = write_stream(&reply, ImageOperation::Edit).unwrap();
    let text = String::from_utf8(stream.clone()).unwrap();
    assert_eq!(text.matches("event: image_edit.completed\n").count(), 2);
    let mut tap = StreamTap::new(ImageOperation::Edit);
    tap.push(&stream);
    let units = tap.close().unwrap();
    assert_eq!(units.images, Some(2));
    assert_eq!(units.tokens.input, Some(34));
    assert_eq!(units.tokens.output, Some(1056));
    assert!(write_stream(b"{\"data\":[]}", ImageOperation::Edit).is_err());
    let generated = write_stream(&reply, ImageOperation::Generate).unwrap();
    assert!(generated.starts_with(b"event: image_generation.completed\n"));
}

#[test]
fn spoiled_streams_never_panic() {
    spoiled("images", "stream-", |stream| {
        let _ = tap(stream, 11).close();
    });
}
