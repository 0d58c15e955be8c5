//! Speech requests and streams.

use serde_json::{Value, json};

use super::*;
use crate::spoil::{fixture, spoiled};

fn read(field: &str, value: Value) -> Result<SpeechRequest, crate::canonical::Failure> {
    let mut body = json!({"model": "m", "input": "a", "voice": "alloy"});
    body[field] = value;
    SpeechRequest::read(&serde_json::to_vec(&body).unwrap())
}

#[test]
fn a_request_is_read_whole() {
    let request = SpeechRequest::read(&fixture("audio", "speech-full.json")).unwrap();
    assert_eq!(request.voice, Voice::Id("voice_7".to_owned()));
    assert_eq!(request.format, Some(SpeechFormat::Pcm));
    assert_eq!(request.speed, Some(1.5));
    assert_eq!(request.stream_format, StreamFormat::Events);
    let request = SpeechRequest::read(&fixture("audio", "speech-plain.json")).unwrap();
    assert_eq!(request.voice, Voice::Name("alloy".to_owned()));
    assert_eq!(request.characters(), 20);
    assert_eq!(request.stream_format, StreamFormat::Audio);
}

#[test]
fn bad_fields_are_refused_by_name() {
    for (field, value) in [
        ("model", Value::Null),
        ("input", json!("")),
        ("input", json!("🚢".repeat(4097))),
        ("instructions", json!("x".repeat(4097))),
        ("voice", Value::Null),
        ("voice", json!("")),
        ("voice", json!({})),
        ("voice", json!({"id": 7})),
        ("response_format", json!("ogg")),
        ("speed", json!(0.2)),
        ("speed", json!(4.1)),
        ("speed", json!("1")),
        ("stream_format", json!("ws")),
    ] {
        let failure = read(field, value.clone()).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(field), "{value}");
    }
    assert_eq!(
        read("input", json!("🚢".repeat(4096)))
            .unwrap()
            .characters(),
        4096
    );
    assert!(read("speed", json!(4)).is_ok());
}

#[test]
fn every_format_has_a_media_type() {
    for format in SpeechFormat::ALL {
        assert_eq!(SpeechFormat::read(format.name()), Ok(format));
        assert!(format.content_type().starts_with("audio/"));
    }
    for format in TranscriptFormat::ALL {
        assert_eq!(TranscriptFormat::read(format.name()), Ok(format));
        assert_eq!(
            format.is_json(),
            format.content_type() == "application/json"
        );
    }
}

#[test]
fn unknown_fields_go_through() {
    let body = br#"{"model":"m","input":"a","voice":"v","stream":true}"#;
    assert_eq!(
        SpeechRequest::forward(body, "up").unwrap(),
        br#"{"model":"up","input":"a","voice":"v","stream":true}"#
    );
}

#[test]
fn streamed_speech_puts_out_audio_tokens() {
    let mut tap = StreamTap::default();
    for chunk in fixture("audio", "stream-speech.sse").chunks(3) {
        tap.push(chunk);
    }
    let units = tap.close().unwrap();
    assert_eq!(units.tokens.input, Some(14));
    assert_eq!(units.tokens.output_audio, Some(101));
    let mut failed = StreamTap::default();
    failed.push(&fixture("audio", "stream-speech-error.sse"));
    let failure = failed.close().unwrap_err();
    assert_eq!(failure.message, "The upstream failed.");
    assert_eq!(failure.upstream_text.as_deref(), Some("The voice is gone."));
}

#[test]
fn wav_headers_are_written_and_taken_off() {
    let wav = wav_of_pcm(&[1, 2, 3, 4], 24_000);
    assert_eq!(wav.len(), 48);
    assert_eq!(&wav[..4], b"RIFF");
    assert_eq!(wav[4..8], 40_u32.to_le_bytes());
    assert_eq!(wav[24..28], 24_000_u32.to_le_bytes());
    assert_eq!(wav[28..32], 48_000_u32.to_le_bytes());
    assert_eq!(wav[40..44], 4_u32.to_le_bytes());
    assert_eq!(pcm_of_wav(&wav), Some(&[1, 2, 3, 4][..]));
    let mut streamed = wav.clone();
    streamed[40..44].copy_from_slice(&[0xff; 4]);
    assert_eq!(pcm_of_wav(&streamed), Some(&[1, 2, 3, 4][..]));
    for cut in 0..44 {
        assert_eq!(pcm_of_wav(&wav[..cut]), None);
    }
}

#[test]
fn spoiled_requests_never_panic() {
    spoiled("audio", "speech-", |body| {
        if let Ok(request) = SpeechRequest::read(body) {
            let forwarded = SpeechRequest::forward(body, "up").expect("a body");
            let again = SpeechRequest::read(&forwarded).expect("the same request");
            assert_eq!(again.characters(), request.characters());
        }
    });
}
