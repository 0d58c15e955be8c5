//! Forms on their way to vendors: the same parts with another model's name, to a second channel only
//! while nothing is lost. What comes after a large file is held for, checked and charged all the same.

use serde_json::json;
use testkit::Reply as Scripted;

use super::exchange::{Answer, form, post};
use super::vendor::{CHAT, GRANT_NANOS, Vendor};
use crate::support::Connection;

const PATH: &str = "/v1/audio/transcriptions";

const EDITS: &str = "/v1/images/edits";

fn transcribe(vendor: &Vendor, body: &[u8]) -> Answer {
    send_form(vendor, PATH, body)
}

/// Edits an image that is too large to be held, which comes after this many of the texts.
fn edit_large(vendor: &Vendor, texts: &[(&str, &str)], before: usize) -> Answer {
    let image = vec![7; 3 << 20];
    send_form(
        vendor,
        EDITS,
        &form(texts, before, ("image", "a.png", &image)),
    )
}

pub fn send_form(vendor: &Vendor, path: &str, body: &[u8]) -> Answer {
    let bearer = format!("Bearer {}", vendor.token);
    let kind = "multipart/form-data; boundary=BoUnd";
    let headers = [("authorization", bearer.as_str()), ("content-type", kind)];
    post(vendor.gate.address, path, &headers, body)
}

fn heard() -> Scripted {
    Scripted::json(
        &json!({"text": "Hello.", "usage": {"type": "tokens", "input_tokens": 14,
        "output_tokens": 4, "total_tokens": 18}}),
    )
}

#[test]
fn a_form_reaches_the_vendor_with_its_own_name_for_the_model() {
    let vendor = Vendor::speaking(CHAT);
    vendor.upstream().on(PATH, heard());
    let texts = [
        ("model", "m"),
        ("timestamp_granularities", "word"),
        ("prompt", "p"),
    ];
    let answer = transcribe(
        &vendor,
        &form(&texts, 1, ("file", "a.wav", b"RIFF....WAVEdata")),
    );
    assert_eq!(answer.json()["text"], "Hello.");
    let sent = vendor.upstream().only_request();
    // The client's boundary is not passed on: it could occur in what the gateway adds.
    let kind = sent.header("content-type").expect("a media type");
    assert!(kind.starts_with("multipart/form-data; boundary=\"form-"));
    assert_eq!(sent.header("authorization"), Some("Bearer sk-vendor"));
    let body = sent.text();
    assert!(body.contains("name=\"model\"\r\n\r\nup\r\n"), "{body}");
    assert!(
        body.contains("name=\"timestamp_granularities[]\"\r\n\r\nword\r\n"),
        "{body}"
    );
    assert!(
        body.contains("filename=\"a.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF....WAVEdata\r\n")
    );
    let row = vendor.logged_as(answer.header("x-request-id")).0;
    assert_eq!(
        (row.charge_nanos, row.is_estimated),
        (14_000 + 40_000, false)
    );
}

#[test]
fn a_small_form_is_sent_to_another_channel_and_a_large_one_only_when_nothing_was_lost() {
    let vendor = Vendor::with(&[CHAT, CHAT], "100");
    vendor.upstreams[0].on(
        PATH,
        Scripted::json(&json!({"error": {"message": "x"}})).status(500),
    );
    vendor.upstreams[1].on(PATH, heard());
    let small = form(&[("model", "m")], 1, ("file", "a.wav", &[7; 1000]));
    let answer = transcribe(&vendor, &small);
    assert_eq!(answer.status, 200, "{answer:?}");
    let (_, attempts) = vendor.logged_as(answer.header("x-request-id"));
    assert_eq!(attempts.len(), 2);
    assert_eq!(
        vendor.upstreams[0].requests()[0].body,
        vendor.upstreams[1].requests()[0].body
    );
    // Three megabytes are not held: the first channel has read them before it failed.
    let vendor = Vendor::with(&[CHAT, CHAT], "100");
    vendor.upstreams[0].on(
        PATH,
        Scripted::json(&json!({"error": {"message": "x"}})).status(500),
    );
    vendor.upstreams[1].on(PATH, heard());
    let large = form(&[("model", "m")], 1, ("file", "a.wav", &vec![7; 3 << 20]));
    let answer = transcribe(&vendor, &large);
    assert_eq!(answer.status, 502, "{answer:?}");
    let sent = &vendor.upstreams[0].requests()[0].body;
    assert!(memchr::memmem::find(sent, &vec![7; 3 << 20]).is_some());
    assert!(vendor.upstreams[1].requests().is_empty());
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn a_stream_that_breaks_off_ends_with_an_error_and_costs_nothing() {
    let vendor = Vendor::speaking(CHAT);
    let delta = r#"{"type":"transcript.text.delta","delta":"Hel"}"#;
    vendor
        .upstream()
        .on(PATH, Scripted::sse().data(delta).cut());
    let ask = form(
        &[("model", "m"), ("stream", "true")],
        2,
        ("file", "a.wav", &[7; 1000]),
    );
    let answer = transcribe(&vendor, &ask);
    let events = answer.events();
    assert_eq!(events[0]["delta"], "Hel");
    assert_eq!(events[1]["type"], "error");
    assert!(events[1]["error"]["message"].is_string());
    let row = vendor.logged_as(answer.header("x-request-id")).0;
    assert_eq!(row.charge_nanos, 0);
    assert!(row.error_cause.is_some());
}

#[test]
fn a_form_of_unknown_length_that_grows_too_large_is_refused_as_such() {
    let vendor = Vendor::limited("[limits]\nbody_bytes = 3145728\n", CHAT);
    vendor.upstream().on(PATH, heard());
    let body = form(
        &[("model", "m")],
        1,
        ("file", "a.wav", &vec![b'7'; 4 << 20]),
    );
    let mut connection = Connection::open(vendor.gate.address);
    connection.write(&format!(
        "POST {PATH} HTTP/1.1\r\nhost: gate\r\nauthorization: Bearer {}\r\n\
         content-type: multipart/form-data; boundary=BoUnd\r\ntransfer-encoding: chunked\r\n\r\n",
        vendor.token
    ));
    // Beyond the limit it need not be read.
    for piece in body.chunks(64 * 1024).take(49) {
        let text = std::str::from_utf8(piece).expect("text");
        connection.write(&format!("{:x}\r\n{text}\r\n", piece.len()));
    }
    let reply = connection.read_start();
    assert_eq!(reply.status, 413, "{}", reply.body);
    assert_eq!(reply.json()["error"]["code"], "request_too_large");
    assert_eq!(vendor.owned(), GRANT_NANOS);
}

#[test]
fn images_that_may_still_be_asked_for_are_held_for() {
    // Enough for one image with all that may go in, and not for ten.
    let vendor = Vendor::with(&[CHAT], "0.5");
    let drawn = json!({"data": [{"b64_json": "AAAA"}],
        "usage": {"input_tokens": 5, "output_tokens": 10, "total_tokens": 15}});
    vendor.upstream().on(EDITS, Scripted::json(&drawn));
    let texts = [("model", "m"), ("prompt", "night"), ("n", "1")];
    assert_eq!(edit_large(&vendor, &texts, 3).status, 200);
    let answer = edit_large(&vendor, &texts, 2);
    assert_eq!(answer.failure(), (402, "insufficient_quota".to_owned()));
    assert_eq!(vendor.upstream().requests().len(), 1);
}

#[test]
fn what_comes_after_a_large_image_is_refused_or_counts() {
    let vendor = Vendor::speaking(CHAT);
    let drawn = json!({"data": [{"b64_json": "AAAA"}]});
    vendor.upstream().on(EDITS, Scripted::json(&drawn));
    for late in [
        &[("n", "11")][..],
        &[("n", "many")],
        &[("n", "1"), ("n", "2")],
        &[("model", "dear")],
    ] {
        let texts = [&[("model", "m"), ("prompt", "night")], late].concat();
        let answer = edit_large(&vendor, &texts, 2);
        assert_eq!(answer.status, 400, "{late:?}: {answer:?}");
    }
    assert_eq!(vendor.owned(), GRANT_NANOS);
    // The vendor tells no tokens: the prompt is counted, a token for four bytes.
    let prompt = "word".repeat(100);
    let texts = [("model", "m"), ("prompt", prompt.as_str()), ("n", "2")];
    let answer = edit_large(&vendor, &texts, 1);
    assert_eq!(answer.status, 200, "{answer:?}");
    let row = vendor.logged_as(answer.header("x-request-id")).0;
    assert_eq!((row.charge_nanos, row.is_estimated), (100_000, true));
}
