//! Forms that stream through, with another model's name and nothing lost.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use dialects::DialectId;
use dialects::canonical::Failure;
use futures_util::{StreamExt, stream};
use http::Request;
use providers::RequestBody;

use super::reading::read_form_within;
use super::*;
use crate::body_memory::BodyMemory;
use crate::middleware::Caller;
use crate::model_call::call::Call;
use crate::model_call::pipeline::Refused;

static KIND: Kind = Kind {
    file: "file",
    has_one_file: false,
    options: &["n"],
    check: |name, value| match value {
        "1" | "2" => Ok(()),
        _ => Err(Failure::bad_request(name, "too many")),
    },
};

fn part(name: &str, more: &str, value: &str) -> String {
    format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n{value}\r\n")
}

fn file(bytes: usize) -> String {
    part("file", "; filename=\"a.wav\"", &"z".repeat(bytes))
}

async fn read(parts: &[String]) -> Result<Form, Refused> {
    read_kind(parts, &KIND).await
}

async fn read_kind(parts: &[String], kind: &'static Kind) -> Result<Form, Refused> {
    let body = parts.concat() + "--X--\r\n";
    let request = Request::post("/")
        .header("content-type", "multipart/form-data; boundary=X")
        .body(())
        .expect("a request");
    let caller = Caller {
        request_id: "r".into(),
        address: IpAddr::V4(Ipv4Addr::LOCALHOST),
        base_url: String::new(),
        at_ms: 0,
    };
    let (head, ()) = request.into_parts();
    let request = Request::from_parts(head, Body::empty());
    let (call, _) = Call::new(DialectId::ChatCompletions, "/x", caller, request);
    let pieces: Vec<Bytes> = body
        .into_bytes()
        .chunks(10_000)
        .map(Bytes::copy_from_slice)
        .collect();
    let body = Body::from_stream(stream::iter(
        pieces.into_iter().map(Ok::<_, std::io::Error>),
    ));
    let memory = Arc::<BodyMemory>::default();
    read_form_within(memory.guard(None, 0), &call, body, kind, "X".to_owned()).await
}

async fn sent(form: &Form, model: &str) -> (String, Option<u64>) {
    let (body, length, broken) = sent_until_broken(form, model).await;
    assert_eq!(broken, None);
    (body, length)
}

/// What is sent of a form, and why no more is.
async fn sent_until_broken(form: &Form, model: &str) -> (String, Option<u64>, Option<String>) {
    let RequestBody::Stream { mut pieces, length } = form.body(model) else {
        panic!("a stream")
    };
    let (mut out, mut broken) = (Vec::new(), None);
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(piece) => out.extend_from_slice(&piece),
            Err(error) => broken = Some(error.to_string()),
        }
    }
    let out = String::from_utf8(out).expect("text");
    (out, length, broken)
}

#[tokio::test]
async fn a_small_form_is_held_and_can_be_sent_again() {
    let form = read(&[part("model", "", "a"), part("prompt", "", "p"), file(10)]).await;
    let form = form.unwrap_or_else(|_| panic!("a form"));
    for model in ["b", "c"] {
        let (body, length) = sent(&form, model).await;
        assert_eq!(length, Some(body.len() as u64));
        assert!(body.contains(&part("model", "", model)), "{body}");
        assert!(body.contains(&part("prompt", "", "p")) && body.ends_with("--X--\r\n"));
        assert!(form.is_repeatable());
    }
}

#[tokio::test]
async fn a_large_form_streams_through_once() {
    let parts = [
        part("model", "", "a"),
        file(3 << 20),
        part("language", "", "de"),
    ];
    let form = read(&parts).await.unwrap_or_else(|_| panic!("a form"));
    assert!(!form.is_whole() && form.is_repeatable());
    drop(form.body("nobody asks for the rest"));
    assert!(form.is_repeatable());
    let (body, length) = sent(&form, "b").await;
    assert_eq!(length, None);
    assert_eq!(
        body,
        (parts.concat() + "--X--\r\n").replacen("\r\na\r\n", "\r\nb\r\n", 1)
    );
    assert!(!form.is_repeatable());
    let texts = form.watcher().texts();
    assert!(texts.contains(&("language".to_owned(), "de".to_owned())));
}

#[tokio::test]
async fn what_comes_after_a_large_file_is_checked_before_it_is_sent_on() {
    let late = part("n", "", "2");
    let good = [part("model", "", "a"), file(3 << 20), late.clone()];
    let form = read(&good).await.unwrap_or_else(|_| panic!("a form"));
    assert!(form.may_say("n") && !form.may_say("model"));
    assert!(sent(&form, "a").await.0.contains(&late));
    let early = part("n", "", "1");
    for (first, late, why) in [
        ("", part("n", "", "11"), "too many"),
        (early.as_str(), part("n", "", "2"), "`n` is given twice"),
        ("", part("model", "", "b"), "`model` is given twice"),
    ] {
        let parts = [
            part("model", "", "a"),
            first.to_owned(),
            file(3 << 20),
            late.clone(),
        ];
        let form = read(&parts).await.unwrap_or_else(|_| panic!("a form"));
        let (body, _, broken) = sent_until_broken(&form, "a").await;
        assert_eq!(broken.as_deref(), Some(why));
        assert!(!body.contains(&late) && !body.ends_with("--X--\r\n"));
    }
}

#[tokio::test]
async fn a_model_after_its_file_works_up_to_a_bound() {
    let form = read(&[file(3 << 20), part("model", "", "a")]).await;
    let form = form.unwrap_or_else(|_| panic!("a form"));
    assert_eq!(form.text("model"), Some("a"));
    assert!(form.is_whole());
    let Err(Refused::Failure(failure)) = read(&[file(33 << 20), part("model", "", "a")]).await
    else {
        panic!("too much")
    };
    assert_eq!(failure.kind, dialects::canonical::FailureKind::TooLarge);
}

#[tokio::test]
async fn a_form_can_be_held_whole_when_it_must_be() {
    let second = part("file[]", "; filename=\"b.wav\"", "second");
    let parts = [
        part("model", "", "a"),
        file(3 << 20),
        second,
        part("prompt", "", "p"),
    ];
    let mut form = read(&parts).await.unwrap_or_else(|_| panic!("a form"));
    form.hold_all().await.expect("all of it");
    assert_eq!(form.files().len(), 2);
    assert_eq!(form.files()[0].bytes().len(), 3 << 20);
    assert_eq!(form.files()[1].bytes(), b"second");
    assert_eq!(form.text("prompt"), Some("p"));
    let (body, _) = sent(&form, "a").await;
    assert_eq!(body, parts.concat() + "--X--\r\n");
}

#[tokio::test]
async fn what_is_missing_or_twice_is_refused_by_name() {
    for (parts, param) in [
        (vec![part("model", "", "a")], "file"),
        (
            vec![part("model", "", "a"), part("model", "", "b"), file(1)],
            "model",
        ),
    ] {
        let Err(Refused::Failure(failure)) = read(&parts).await else {
            panic!("refused")
        };
        assert_eq!(failure.param.as_deref(), Some(param));
    }
}

static ONE_FILE: Kind = Kind {
    has_one_file: true,
    ..KIND
};

#[tokio::test]
async fn second_file_is_rejected_before_and_behind_a_large_one() {
    let model = part("model", "", "a");
    for second in [
        file(1),
        part("other", "; filename=\"b.wav\"", "z"),
        part("file[]", "; filename=\"b\"", "z"),
    ] {
        let parts = [model.clone(), file(10), second.clone()];
        let Err(Refused::Failure(failure)) = read_kind(&parts, &ONE_FILE).await else {
            panic!("refused")
        };
        assert_eq!(failure.kind, dialects::canonical::FailureKind::BadRequest);
        let parts = [model.clone(), file(3 << 20), second];
        let form = read_kind(&parts, &ONE_FILE).await;
        let form = form.unwrap_or_else(|_| panic!("a form"));
        let (body, _, broken) = sent_until_broken(&form, "a").await;
        assert!(broken.is_some() && !body.ends_with("--X--\r\n"));
    }
}

#[tokio::test]
async fn audio_longer_than_reserved_is_not_sent_on() {
    let wav = dialects::audio::wav_of_pcm(&vec![0; 3 << 20], 24_000);
    let wav = String::from_utf8_lossy(&wav).into_owned();
    let sound = part("file", "; filename=\"a.wav\"", &wav);
    let form = read(&[part("model", "", "a"), sound]).await;
    let form = form.unwrap_or_else(|_| panic!("a form"));
    form.limit_recording(1000);
    let (body, _, broken) = sent_until_broken(&form, "a").await;
    assert_eq!(
        broken.as_deref(),
        Some("the audio is longer than was reserved for it")
    );
    assert!(!body.ends_with("--X--\r\n"));
}
