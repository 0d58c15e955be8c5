//! Sound: written down in every format, whole and streamed; spoken in every format that is offered.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use testkit::Reply as Scripted;

use super::exchange::{form, post};
use super::gateway::Gateway;
use super::vendor::{GENERATE, Vendor};

/// Two seconds of silence.
fn wav(seconds: usize) -> Vec<u8> {
    let samples = vec![0_u8; seconds * 48_000];
    let mut file =
        b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\xc0\x5d\0\0\x80\xbb\0\0\x02\0\x10\0data"
            .to_vec();
    file.extend_from_slice(
        &u32::try_from(samples.len())
            .expect("a short file")
            .to_le_bytes(),
    );
    file.extend_from_slice(&samples);
    file
}

#[test]
fn a_recording_is_written_down_in_every_format_and_charged_by_seconds() {
    let gateway = Gateway::start();
    let mut last = String::new();
    for (format, kind, sign) in [
        (
            "json",
            "application/json",
            "\"text\":\"The demo model heard talk.wav.",
        ),
        ("text", "text/plain", "The demo model heard talk.wav."),
        ("srt", "text/plain", "00:00:00,000 --> 00:00:01,000"),
        ("verbose_json", "application/json", "\"segments\""),
        ("vtt", "text/vtt", "WEBVTT"),
        ("diarized_json", "application/json", "\"speaker\":\"A\""),
    ] {
        let texts = [("model", "demo-transcribe"), ("response_format", format)];
        // The options come after the file as often as before it.
        for before in [0, 1, 2] {
            let body = form(&texts, before, ("file", "talk.wav", &wav(2)));
            let answer = gateway.post_form("/v1/audio/transcriptions", &body);
            assert_eq!(answer.status, 200, "{answer:?}");
            assert!(
                answer.header("content-type").starts_with(kind),
                "{answer:?}"
            );
            assert!(answer.text().contains(sign), "{format}: {}", answer.text());
            last = answer.header("x-request-id").to_owned();
        }
    }
    let row = gateway.row_of(&last);
    assert_eq!(row.charge_nanos, 20_000);
}

#[test]
fn plain_formats_tell_nothing_and_the_recording_is_measured() {
    let gateway = Gateway::start();
    let texts = [("model", "demo-transcribe"), ("response_format", "text")];
    let body = form(&texts, 2, ("file", "talk.wav", &wav(3)));
    let answer = gateway.post_form("/v1/audio/transcriptions", &body);
    let row = gateway.row_of(answer.header("x-request-id"));
    assert_eq!((row.charge_nanos, row.is_estimated), (30_000, true));
}

#[test]
fn a_large_recording_streams_through() {
    let gateway = Gateway::start();
    let texts = [("model", "demo-transcribe"), ("language", "de")];
    // The model before the file: nothing need be held. After it: held up to a bound.
    for before in [1, 0] {
        let body = form(&texts, before, ("file", "long.wav", &wav(100)));
        let answer = gateway.post_form("/v1/audio/transcriptions", &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.text().contains("It sounds for 100 seconds."));
    }
    let body = form(&texts, 0, ("file", "long.wav", &wav(700)));
    let answer = gateway.post_form("/v1/audio/transcriptions", &body);
    assert_eq!(answer.failure(), (413, "request_too_large".to_owned()));
    let body = form(&texts, 1, ("file", "long.wav", &wav(700)));
    let answer = gateway.post_form("/v1/audio/transcriptions", &body);
    assert_eq!(answer.status, 200);
    assert_eq!(
        gateway.row_of(answer.header("x-request-id")).charge_nanos,
        7_000_000
    );
}

#[test]
fn transcripts_stream_and_translations_are_whole() {
    let gateway = Gateway::start();
    let texts = [("model", "demo-transcribe"), ("stream", "true")];
    let body = form(&texts, 2, ("file", "talk.wav", &wav(2)));
    let answer = gateway.post_form("/v1/audio/transcriptions", &body);
    let events = answer.events();
    assert!(events.len() > 3);
    assert_eq!(events[0]["type"], "transcript.text.delta");
    assert_eq!(events.last().unwrap()["type"], "transcript.text.done");
    let body = form(
        &[("model", "demo-transcribe")],
        1,
        ("file", "talk.wav", &wav(2)),
    );
    let translated = gateway.post_form("/v1/audio/translations", &body);
    assert!(
        translated.json()["text"]
            .as_str()
            .unwrap()
            .contains("translated")
    );
    let row = gateway.row_of(answer.header("x-request-id"));
    assert_eq!((row.charge_nanos, row.is_stream), (20_000, true));
    let row = gateway.row_of(translated.header("x-request-id"));
    assert_eq!(
        (row.charge_nanos, row.endpoint.as_str()),
        (20_000, "/v1/audio/translations")
    );
}

#[test]
fn text_is_spoken_and_charged_by_characters() {
    let gateway = Gateway::start();
    let speak = |more: serde_json::Value| {
        let mut body = json!({"model": "demo-speech", "input": "Hello you", "voice": "alloy"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        gateway.post_bytes(
            "/v1/audio/speech",
            "application/json",
            body.to_string().as_bytes(),
        )
    };
    let whole = speak(json!({}));
    assert_eq!(
        (whole.status, whole.header("content-type")),
        (200, "audio/wav")
    );
    assert!(whole.body.starts_with(b"RIFF"));
    for (format, kind, start) in [
        ("flac", "audio/flac", &b"fLaC"[..]),
        ("mp3", "audio/mpeg", b"\xff\xfb"),
        ("aac", "audio/aac", b"\xff\xf1"),
        ("opus", "audio/opus", b"OggS"),
    ] {
        let file = speak(json!({ "response_format": format }));
        assert_eq!(file.header("content-type"), kind);
        assert!(file.body.starts_with(start), "{format}");
    }
    let pcm = speak(json!({"response_format": "pcm"}));
    assert_eq!(pcm.body.len(), 9 * 960 * 2);
    let events = speak(json!({"stream_format": "sse", "response_format": "pcm"})).events();
    let sound: Vec<u8> = events
        .iter()
        .flat_map(|it| {
            STANDARD
                .decode(it["audio"].as_str().unwrap_or_default())
                .unwrap()
        })
        .collect();
    assert_eq!(sound, pcm.body);
    assert_eq!(events.last().unwrap()["type"], "speech.audio.done");
    let row = gateway.row_of(whole.header("x-request-id"));
    assert_eq!((row.charge_nanos, row.is_estimated), (9_000, false));
}

#[test]
fn what_is_wrong_with_a_form_is_told() {
    let gateway = Gateway::start();
    let path = "/v1/audio/transcriptions";
    assert_eq!(
        gateway.post_bytes(path, "application/json", b"{}").status,
        415
    );
    let answer = gateway.post_bytes(path, "multipart/form-data", b"x");
    assert_eq!(answer.failure(), (400, "invalid_request".to_owned()));
    let kind = "multipart/form-data; boundary=BoUnd";
    let cut = &form(&[("model", "demo-transcribe")], 1, ("file", "a.wav", b"x"))[..80];
    assert_eq!(gateway.post_bytes(path, kind, cut).status, 400);
    assert_eq!(gateway.post_bytes(path, kind, b"").status, 400);
    for (texts, param) in [
        (
            vec![("model", "demo-transcribe"), ("response_format", "xml")],
            "response_format",
        ),
        (
            vec![("model", "demo-transcribe"), ("model", "demo-transcribe")],
            "model",
        ),
        (vec![("language", "de")], "model"),
    ] {
        let body = form(&texts, texts.len(), ("file", "a.wav", b"x"));
        let answer = gateway.post_form(path, &body);
        assert_eq!(answer.json()["error"]["param"], param, "{answer:?}");
        assert_eq!(answer.status, 400);
    }
    let body = form(&[("model", "demo-transcribe")], 1, ("other", "a.wav", b"x"));
    let answer = gateway.post_form(path, &body);
    assert_eq!(
        (answer.status, answer.json()["error"]["param"].as_str()),
        (400, Some("other"))
    );
}

#[test]
fn models_of_google_translate_a_recording() {
    let vendor = Vendor::speaking(GENERATE);
    let said = json!({"candidates": [{"content": {"parts": [{"text": "Good morning."}]}}],
        "usageMetadata": {"promptTokenCount": 64, "candidatesTokenCount": 3, "totalTokenCount": 67}});
    let path = "/v1beta/models/up:generateContent";
    vendor.upstream().on(path, Scripted::json(&said));
    let bearer = format!("Bearer {}", vendor.token);
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "multipart/form-data; boundary=BoUnd"),
    ];
    let ask = form(&[("model", "m")], 0, ("file", "a.wav", b"RIFF....WAVE"));
    let answer = post(
        vendor.gate.address,
        "/v1/audio/translations",
        &headers,
        &ask,
    );
    assert_eq!(answer.json()["text"], "Good morning.", "{answer:?}");
    let sent = vendor.upstream().only_request().json();
    let asked = sent["contents"][0]["parts"][0]["text"].as_str();
    assert!(asked.is_some_and(|text| text.contains("English")), "{sent}");
}
