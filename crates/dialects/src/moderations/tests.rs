//! What goes through, and what is refused.

use super::*;
use crate::canonical::FailureKind;
use crate::spoil::{fixture, spoiled};

#[test]
fn all_three_shapes_of_input_are_counted() {
    let read = |name: &str| Request::read(&fixture("moderations", name)).unwrap();
    let text = read("request-text.json");
    assert_eq!(text.model.as_deref(), Some("watch-one"));
    assert_eq!(text.texts, ["a calm evening by the sea"]);
    let texts = read("request-texts.json");
    assert_eq!((texts.model, texts.texts.len()), (None, 2));
    let parts = read("request-parts.json");
    assert_eq!((parts.texts.len(), parts.images), (1, 1));
}

#[test]
fn bad_bodies_are_refused_by_name() {
    for (body, param) in [
        ("{}", "input"),
        (r#"{"input":[]}"#, "input"),
        (r#"{"input":7}"#, "input"),
        (r#"{"input":["a",7]}"#, "input[1]"),
        (r#"{"input":[{"type":"text"}]}"#, "input[0]"),
        (
            r#"{"input":[{"type":"image_url","image_url":"x"}]}"#,
            "input[0]",
        ),
        (r#"{"input":"a","model":7}"#, "model"),
        (r#"{"input":"a","model":""}"#, "model"),
        (r#"{"input":"a","input":"b"}"#, "input"),
    ] {
        let failure = Request::read(body.as_bytes()).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(param), "{body}");
    }
}

#[test]
fn the_model_is_replaced_or_added() {
    let forward = |body: &str| {
        let body = Request::forward(body.as_bytes(), "up").unwrap();
        String::from_utf8(body).unwrap()
    };
    assert_eq!(
        forward(r#"{"input": "a"}"#),
        r#"{"model":"up","input": "a"}"#
    );
    assert_eq!(
        forward(r#"{"input":"a","model":null,"odd":1.50}"#),
        r#"{"input":"a","model":"up","odd":1.50}"#
    );
}

#[test]
fn a_reply_is_checked_and_its_usage_read() {
    let reply = read_reply(&fixture("moderations", "reply-plain.json")).unwrap();
    assert_eq!(reply.model.as_deref(), Some("watch-one-2"));
    assert_eq!(reply.results, 1);
    assert!(reply.units.is_silent());
    let reply = read_reply(&fixture("moderations", "reply-usage.json")).unwrap();
    assert_eq!(reply.units.tokens.input, Some(12));
    for body in ["{}", r#"{"results":[]}"#, r#"{"results":{}}"#, ""] {
        let failure = read_reply(body.as_bytes()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::UpstreamBad);
    }
}

#[test]
fn spoiled_bodies_never_panic() {
    spoiled("moderations", "re", |body| {
        let _ = read_reply(body);
        if Request::read(body).is_ok() {
            let forwarded = Request::forward(body, "up").expect("a body");
            Request::read(&forwarded).expect("the same request");
        }
    });
}
