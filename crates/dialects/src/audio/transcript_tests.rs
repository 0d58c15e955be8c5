//! Transcripts: their forms, formats and streams.

use serde_json::{Value, json};

use super::*;
use crate::canonical::{Failure, FailureKind};
use crate::spoil::{fixture, spoiled};
use crate::units::Units;

fn used(format: TranscriptFormat, body: &[u8]) -> Result<Units, Failure> {
    let mut tap = TranscriptTap::new(format);
    body.chunks(5).for_each(|chunk| tap.push(chunk));
    tap.finish()
}

fn verbose() -> Transcript {
    let body = fixture("audio", "reply-verbose.json");
    Transcript::read(TranscriptFormat::VerboseJson, &body).unwrap()
}

fn text(transcript: &Transcript, format: TranscriptFormat) -> String {
    String::from_utf8(transcript.write(format).unwrap()).unwrap()
}

#[test]
fn form_parts_are_read_and_checked() {
    let parts = [
        ("timestamp_granularities[]", "word"),
        ("timestamp_granularities[]", "segment"),
        ("response_format", "verbose_json"),
        ("model", "hear-one"),
        ("stream", "true"),
        ("temperature", "0.5"),
        ("chunking_strategy[type]", "server_vad"),
    ];
    let options = TranscriptionOptions::from_parts(parts).unwrap();
    assert_eq!(options.model.as_deref(), Some("hear-one"));
    assert_eq!(options.format, TranscriptFormat::VerboseJson);
    assert!(options.stream);
    for (name, value) in [
        ("response_format", "xml"),
        ("stream", "yes"),
        ("temperature", "1.5"),
        ("temperature", "warm"),
        ("model", ""),
    ] {
        let failure = TranscriptionOptions::from_parts([(name, value)]).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(name));
    }
    assert!(TranscriptionOptions::from_parts([("model", "a"), ("model", "b")]).is_err());
}

#[test]
fn lists_go_on_with_brackets_and_other_parts_as_they_are() {
    assert_eq!(
        part_name("timestamp_granularities"),
        "timestamp_granularities[]"
    );
    assert_eq!(part_name("include[]"), "include[]");
    assert_eq!(
        part_name("chunking_strategy[type]"),
        "chunking_strategy[type]"
    );
}

#[test]
fn usage_is_in_tokens_or_in_seconds_or_not_told() {
    let json = used(TranscriptFormat::Json, &fixture("audio", "reply-json.json")).unwrap();
    assert_eq!(json.tokens.input, Some(14));
    assert_eq!(json.tokens.input_audio, Some(13));
    assert_eq!(json.tokens.output, Some(4));
    assert_eq!(json.milliseconds, None);
    let verbose = fixture("audio", "reply-verbose.json");
    let verbose = used(TranscriptFormat::VerboseJson, &verbose).unwrap();
    assert_eq!(verbose.milliseconds, Some(9000));
    let diarized = fixture("audio", "reply-diarized.json");
    let diarized = used(TranscriptFormat::DiarizedJson, &diarized).unwrap();
    assert_eq!(diarized.milliseconds, Some(27_400));
    let old = fixture("audio", "reply-verbose-old.json");
    let old = used(TranscriptFormat::VerboseJson, &old).unwrap();
    assert_eq!(old.milliseconds, Some(9000));
    assert!(
        used(TranscriptFormat::Json, br#"{"text":"a"}"#)
            .unwrap()
            .is_silent()
    );
    let srt = fixture("audio", "reply-plain.srt");
    assert!(used(TranscriptFormat::Srt, &srt).unwrap().is_silent());
}

#[test]
fn a_cut_or_failed_answer_is_a_failure() {
    for body in ["", "{\"text\":", "{\"error\":{\"message\":\"no\"}}"] {
        let failure = used(TranscriptFormat::Json, body.as_bytes()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::UpstreamBad, "{body}");
    }
}

#[test]
fn segments_become_subtitles_and_text() {
    let transcript = verbose();
    assert_eq!(
        text(&transcript, TranscriptFormat::Srt),
        "1\n00:00:00,000 --> 00:00:00,900\nHello there.\n\n\
         2\n01:01:01,500 --> 01:01:02,250\nAll aboard.\n\n"
    );
    assert_eq!(
        text(&transcript, TranscriptFormat::Vtt),
        "WEBVTT\n\n00:00:00.000 --> 00:00:00.900\nHello there.\n\n\
         01:01:01.500 --> 01:01:02.250\nAll aboard.\n\n"
    );
    assert_eq!(
        text(&transcript, TranscriptFormat::Text),
        "Hello there. All aboard.\n"
    );
    assert_eq!(
        text(&transcript, TranscriptFormat::Json),
        r#"{"text":"Hello there. All aboard."}"#
    );
}

#[test]
fn subtitles_become_segments() {
    for (format, name) in [
        (TranscriptFormat::Srt, "reply-plain.srt"),
        (TranscriptFormat::Vtt, "reply-plain.vtt"),
    ] {
        let transcript = Transcript::read(format, &fixture("audio", name)).unwrap();
        assert!(
            transcript.text.starts_with("Hello there. All aboard."),
            "{name}"
        );
        assert_eq!(transcript.milliseconds, Some(3_662_250));
        let body: Value =
            serde_json::from_str(&text(&transcript, TranscriptFormat::VerboseJson)).unwrap();
        assert_eq!(body["task"], "transcribe");
        assert_eq!(body["segments"][1]["start"], json!(3661.5));
        assert_eq!(body["segments"][0]["end"], json!(0.9));
        assert_eq!(body["duration"], json!(3662.25));
    }
}

#[test]
fn every_timed_format_keeps_the_segments() {
    let segments = verbose().segments;
    for format in [
        TranscriptFormat::Srt,
        TranscriptFormat::Vtt,
        TranscriptFormat::VerboseJson,
    ] {
        let written = verbose().write(format).unwrap();
        let read = Transcript::read(format, &written).unwrap();
        let times = |list: &[Segment]| -> Vec<(u64, u64)> {
            list.iter().map(|it| (it.start_ms, it.end_ms)).collect()
        };
        assert_eq!(times(&read.segments), times(&segments));
    }
}

#[test]
fn speakers_are_kept_and_never_made_up() {
    let body = fixture("audio", "reply-diarized.json");
    let transcript = Transcript::read(TranscriptFormat::DiarizedJson, &body).unwrap();
    let written: Value =
        serde_json::from_str(&text(&transcript, TranscriptFormat::DiarizedJson)).unwrap();
    let mut expected: Value = serde_json::from_slice(&body).unwrap();
    expected.as_object_mut().unwrap().shift_remove("usage");
    assert_eq!(written, expected);
    let failure = verbose().write(TranscriptFormat::DiarizedJson).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unsupported);
}

#[test]
fn text_that_looks_like_subtitles_breaks_none() {
    let transcript = Transcript {
        segments: vec![Segment {
            end_ms: 1,
            text: "a\n\nb --> c\n".to_owned(),
            ..Segment::default()
        }],
        ..Transcript::default()
    };
    let written = transcript.write(TranscriptFormat::Vtt).unwrap();
    let read = Transcript::read(TranscriptFormat::Vtt, &written).unwrap();
    assert_eq!(read.segments[0].text, "a\nb -> c");
    assert_eq!(read.segments.len(), 1);
}

#[test]
fn a_text_without_times_has_no_subtitles() {
    let body = br#"{"text":"Hello."}"#;
    let transcript = Transcript::read(TranscriptFormat::Json, body).unwrap();
    assert!(transcript.write(TranscriptFormat::Srt).is_err());
    let timed = Transcript {
        milliseconds: Some(1500),
        ..transcript
    };
    assert_eq!(
        text(&timed, TranscriptFormat::Srt),
        "1\n00:00:00,000 --> 00:00:01,500\nHello.\n\n"
    );
}

#[test]
fn streamed_transcripts_are_settled_by_their_last_event() {
    let stream = fixture("audio", "stream-transcript.sse");
    let mut tap = StreamTap::default();
    stream.chunks(17).for_each(|chunk| tap.push(chunk));
    assert!(tap.has_content());
    let units = tap.close().unwrap();
    assert_eq!(units.tokens.input_audio, Some(14));
    assert_eq!(units.tokens.output, Some(2));
    let mut cut = StreamTap::default();
    cut.push(&stream[..stream.len() / 2]);
    assert_eq!(cut.close().unwrap_err().kind, FailureKind::UpstreamBad);
}

#[test]
fn spoiled_answers_never_panic() {
    spoiled("audio", "reply-", |body| {
        for format in TranscriptFormat::ALL {
            let _ = used(format, body);
            if let Ok(transcript) = Transcript::read(format, body) {
                for target in TranscriptFormat::ALL {
                    let _ = transcript.write(target);
                }
            }
        }
    });
    spoiled("audio", "stream-", |stream| {
        let mut tap = StreamTap::default();
        tap.push(stream);
        let _ = tap.close();
    });
}
