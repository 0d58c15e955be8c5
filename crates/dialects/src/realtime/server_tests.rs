//! Frames of the server, closes, estimates.

use super::*;
use crate::canonical::FailureKind;
use crate::spoil::{fixture, fixtures, spoiled};

fn frame(name: &str) -> String {
    String::from_utf8(fixture("realtime", name)).unwrap()
}

fn done(name: &str) -> ResponseDone {
    match ServerEvent::read(&frame(name)) {
        ServerEvent::ResponseDone(done) => done,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_type_is_found_wherever_it_stands() {
    for (frame, expected) in [
        (r#"{"type":"a.b"}"#, Some("a.b")),
        (
            r#" { "x" : "\"type\":\"no\"" , "y":[{"type":"no"},"]"], "type" : "a" }"#,
            Some("a"),
        ),
        (r#"{"x":-1.5e3,"y":null,"type":"a"}"#, Some("a")),
        (r#"{"nested":{"type":"no"}}"#, None),
        (r#"{"type":7}"#, None),
        (r#"{"type":"a\u002eb"}"#, None),
        (r#"["type","a"]"#, None),
        (r#"{"type"#, None),
        (r#"{"type":"a"#, None),
        (r#"{"x":,"type":"a"}"#, None),
        ("", None),
    ] {
        assert_eq!(event_type(frame), expected, "{frame}");
    }
}

#[test]
fn the_scan_agrees_with_a_parser() {
    for (name, body) in fixtures("realtime", "") {
        let text = String::from_utf8(body).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(event_type(&text), value["type"].as_str(), "{name}");
        for (key, member_value) in value.as_object().unwrap() {
            let raw = member(&text, key).unwrap();
            assert_eq!(
                &serde_json::from_str::<serde_json::Value>(raw).unwrap(),
                member_value
            );
        }
    }
}

#[test]
fn a_finished_response_tells_every_kind_of_token() {
    let done = done("server-response-done.json");
    assert_eq!(done.id.as_deref(), Some("resp_1"));
    assert!(done.is_charged());
    let usage = done.usage.unwrap();
    assert_eq!(
        usage,
        RealtimeUsage {
            input_text: 119,
            input_audio: 13,
            input_image: 0,
            cached_text: 60,
            cached_audio: 4,
            cached_image: 0,
            output_text: 30,
            output_audio: 91,
        }
    );
    assert_eq!((usage.input(), usage.output()), (132, 121));
    assert_eq!(usage.usage().cache_read, Some(64));
}

#[test]
fn a_cancelled_response_is_charged_and_a_failed_one_is_not() {
    let cancelled = done("server-response-cancelled.json");
    assert_eq!(cancelled.status, ResponseStatus::Cancelled);
    assert!(cancelled.is_charged());
    let usage = cancelled.usage.unwrap();
    // Cached tokens that are not told apart are text first.
    assert_eq!((usage.cached_text, usage.cached_audio), (5, 3));
    assert_eq!((usage.output_text, usage.output_audio), (5, 0));
    let failed = done("server-response-failed.json");
    assert!(!failed.is_charged());
    assert_eq!(failed.usage, None);
}

#[test]
fn what_is_not_told_apart_is_never_lost() {
    let read = |usage: &str| {
        let frame = format!(
            r#"{{"type":"response.done","response":{{"output_modalities":["audio"],"usage":{usage}}}}}"#
        );
        match ServerEvent::read(&frame) {
            ServerEvent::ResponseDone(done) => done.usage,
            other => panic!("{other:?}"),
        }
    };
    let usage = read(r#"{"input_tokens":10,"output_tokens":7}"#).unwrap();
    assert_eq!((usage.input_text, usage.output_audio), (10, 7));
    let usage =
        read(r#"{"input_tokens":10,"input_token_details":{"audio_tokens":4,"cached_tokens":99}}"#)
            .unwrap();
    assert_eq!((usage.input_text, usage.input_audio), (6, 4));
    assert_eq!((usage.cached_text, usage.cached_audio), (6, 4));
    assert_eq!(read("{}"), None);
    assert_eq!(read("null"), None);
    assert_eq!(read(r#"{"input_tokens":-5}"#), None);
}

#[test]
fn other_events_are_told_apart() {
    assert_eq!(
        ServerEvent::read(&frame("server-audio-delta.json")),
        ServerEvent::OutputAudio
    );
    assert_eq!(
        ServerEvent::read(&frame("server-response-created.json")),
        ServerEvent::ResponseCreated
    );
    assert_eq!(
        ServerEvent::read(r#"{"type":"rate_limits.updated"}"#),
        ServerEvent::Other
    );
    assert_eq!(ServerEvent::read("nonsense"), ServerEvent::Other);
    let ServerEvent::Session(session) = ServerEvent::read(&frame("server-session-created.json"))
    else {
        panic!("no session");
    };
    assert!(session.is_new);
    assert_eq!(session.model.as_deref(), Some("talk-one"));
    assert_eq!(session.transcription_model.as_deref(), Some("hear-one"));
    assert_eq!(session.expires_at, Some(1_760_003_600));
    let ServerEvent::Error(error) = ServerEvent::read(&frame("server-error.json")) else {
        panic!("no error");
    };
    assert_eq!(error.code.as_deref(), Some("unknown_parameter"));
    assert_eq!(error.caused_by.as_deref(), Some("c1"));
    let ServerEvent::TranscriptionDone {
        item_id,
        transcript,
        units,
    } = ServerEvent::read(&frame("server-transcription.json"))
    else {
        panic!("no transcription");
    };
    assert_eq!(transcript, "hello");
    assert_eq!(
        (item_id.as_str(), units.milliseconds),
        ("item_1", Some(2500))
    );
}

#[test]
fn whatever_is_written_is_heard() {
    for kind in [
        "output_text",
        "text",
        "output_audio_transcript",
        "audio_transcript",
        "function_call_arguments",
        "mcp_call_arguments",
    ] {
        let frame = format!(r#"{{"type":"response.{kind}.delta","delta":"a \"b\" \u00e9"}}"#);
        let expected = ServerEvent::OutputText("a \"b\" é".to_owned());
        assert_eq!(ServerEvent::read(&frame), expected, "{kind}");
    }
    let no_text = r#"{"type":"response.output_text.delta","delta":7}"#;
    assert_eq!(ServerEvent::read(no_text), ServerEvent::Other);
}

#[test]
fn a_transcript_is_heard_as_it_is_written() {
    let kind = "conversation.item.input_audio_transcription";
    let delta = format!(r#"{{"type":"{kind}.delta","delta":"Hi"}}"#);
    let expected = ServerEvent::TranscriptionText("Hi".to_owned());
    assert_eq!(ServerEvent::read(&delta), expected);
    let failed = format!(r#"{{"type":"{kind}.failed","error":{{}}}}"#);
    assert_eq!(ServerEvent::read(&failed), ServerEvent::TranscriptionFailed);
}

#[test]
fn a_session_tells_what_every_response_reads() {
    let standing = |session: &str| {
        let frame = format!(r#"{{"type":"session.updated","session":{session}}}"#);
        match ServerEvent::read(&frame) {
            ServerEvent::Session(session) => session.standing.sample,
            other => panic!("{other:?}"),
        }
    };
    let both = standing(r#"{"instructions":"Be brief.","tools":[{"name":"now"}]}"#);
    assert_eq!(both, r#"Be brief.[{"name":"now"}]"#);
    assert_eq!(standing(r#"{"instructions":"","tools":[]}"#), "");
    assert_eq!(standing("{}"), "");
}

#[test]
fn a_session_tells_how_its_sound_is_written() {
    let formats = |session: &str| {
        let frame = format!(r#"{{"type":"session.updated","session":{session}}}"#);
        match ServerEvent::read(&frame) {
            ServerEvent::Session(session) => (session.input_format, session.output_format),
            other => panic!("{other:?}"),
        }
    };
    let (pcm16, g711) = (Some(AudioFormat::Pcm16), Some(AudioFormat::G711));
    assert_eq!(
        formats(
            r#"{"audio":{"input":{"format":{"rate":24000,"type":"audio/pcm"}},
                "output":{"format":{"type":"audio/pcmu"}}}}"#
        ),
        (pcm16, g711)
    );
    assert_eq!(
        formats(r#"{"input_audio_format":"g711_alaw","output_audio_format":"pcm16"}"#),
        (g711, pcm16)
    );
    assert_eq!(
        formats(r#"{"audio":{"input":null,"output":{"format":{"type":"audio/new"}}}}"#),
        (None, None)
    );
}

#[test]
fn codes_that_must_not_be_sent_are_never_sent() {
    for (received, sent) in [
        (None, None),
        (Some(1000), Some(1000)),
        (Some(1001), Some(1001)),
        (Some(1004), Some(1011)),
        (Some(1005), None),
        (Some(1006), Some(1011)),
        (Some(1015), Some(1011)),
        (Some(401), Some(1011)),
        (Some(2999), Some(1011)),
        (Some(4000), Some(4000)),
        (Some(5000), Some(1011)),
    ] {
        assert_eq!(close_code(received), sent, "{received:?}");
    }
    assert_eq!(close_code_for(FailureKind::NoBalance), 1008);
    assert_eq!(close_code_for(FailureKind::UpstreamBad), 1011);
    assert_eq!(close_code_for(FailureKind::TooLarge), 1009);
    assert_eq!(close_reason(&"é".repeat(100)).len(), 122);
}

#[test]
fn audio_is_estimated_by_its_time() {
    let delta = frame("server-audio-delta.json");
    assert_eq!(member(&delta, "delta"), Some("\"AAAAAAAA\""));
    // One second of 16-bit samples is 64,000 characters of base64.
    assert_eq!(output_audio_tokens(64_000, AudioFormat::Pcm16), 20);
    assert_eq!(input_audio_tokens(64_000, AudioFormat::Pcm16), 10);
    assert_eq!(output_audio_tokens(64_000, AudioFormat::G711), 120);
    assert_eq!(output_audio_tokens(0, AudioFormat::G711), 0);
    assert_eq!(
        AudioFormat::from_name("audio/pcma"),
        Some(AudioFormat::G711)
    );
    assert_eq!(AudioFormat::from_name("mp3"), None);
}

#[test]
fn spoiled_frames_never_panic() {
    spoiled("realtime", "server-", |body| {
        if let Ok(frame) = std::str::from_utf8(body) {
            ServerEvent::read(frame);
            let _ = member(frame, "delta");
        }
    });
}
