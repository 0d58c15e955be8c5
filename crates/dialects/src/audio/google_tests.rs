//! Speech and transcripts by models of generate content.

use serde_json::{Value, json};

use super::google::*;
use super::*;
use crate::canonical::FailureKind;
use crate::spoil::{fixture, spoiled};

fn request(extra: &Value) -> SpeechRequest {
    let mut body = json!({"model": "m", "input": "good night", "voice": "alloy"});
    for (name, value) in extra.as_object().unwrap() {
        body[name] = value.clone();
    }
    SpeechRequest::read(&serde_json::to_vec(&body).unwrap()).unwrap()
}

#[test]
fn speech_is_asked_for_in_the_models_words() {
    let request = request(&json!({"instructions": "Say calmly:", "speed": 1.0}));
    let body: Value = serde_json::from_slice(&write_speech_call(&request).unwrap()).unwrap();
    assert_eq!(
        body,
        json!({"contents": [{"role": "user", "parts": [{"text": "Say calmly: good night"}]}],
            "generationConfig": {"responseModalities": ["AUDIO"], "speechConfig":
                {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": "Kore"}}}}})
    );
}

#[test]
fn what_such_a_model_cannot_do_is_refused() {
    for (extra, param) in [
        (json!({"response_format": "mp3"}), "response_format"),
        (json!({"speed": 2}), "speed"),
        (json!({"voice": {"id": "v"}}), "voice"),
    ] {
        let failure = write_speech_call(&request(&extra)).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Unsupported);
        assert_eq!(failure.param.as_deref(), Some(param));
    }
    assert_eq!(speech_format(&request(&json!({}))), Ok(SpeechFormat::Wav));
}

#[test]
fn samples_get_a_header_where_one_is_wanted() {
    let speech = Speech::read(&fixture("audio", "google-speech.json")).unwrap();
    assert_eq!(speech.rate, 16_000);
    assert_eq!(speech.write(SpeechFormat::Pcm), [1, 0, 2, 0, 3, 0, 4, 0]);
    let wav = speech.write(SpeechFormat::Wav);
    assert_eq!(pcm_of_wav(&wav), Some(&speech.samples[..]));
    assert_eq!(speech.usage.as_ref().unwrap().output_audio, Some(48));
    assert_eq!(speech.milliseconds(), 1);
    let mut tap = StreamTap::default();
    tap.push(&speech.write_events(SpeechFormat::Pcm));
    assert_eq!(tap.close().unwrap().tokens.output_audio, Some(48));
}

#[test]
fn a_transcript_has_text_alone() {
    let options = TranscriptionOptions {
        language: Some("en".to_owned()),
        ..TranscriptionOptions::default()
    };
    let body: Value =
        serde_json::from_slice(&write_transcript_call(&options, "audio/wav", "AA", false)).unwrap();
    assert_eq!(body["contents"][0]["parts"][1]["inlineData"]["data"], "AA");
    let wish = body["contents"][0]["parts"][0]["text"].as_str().unwrap();
    assert!(wish.ends_with("The language spoken is en."));
    let (transcript, usage) = read_transcript(&fixture("audio", "google-transcript.json")).unwrap();
    assert_eq!(transcript.text, "Hello there.");
    assert_eq!(usage.unwrap().input_audio, Some(50));
    assert!(transcript.write(TranscriptFormat::Text).is_ok());
    assert!(transcript.write(TranscriptFormat::VerboseJson).is_err());
}

#[test]
fn spoiled_answers_never_panic() {
    spoiled("audio", "google-", |body| {
        if let Ok(speech) = Speech::read(body) {
            speech.write_events(SpeechFormat::Wav);
            speech.milliseconds();
        }
        let _ = read_transcript(body);
    });
}

#[test]
fn what_a_call_cannot_say_is_named_with_brackets_or_without() {
    let asked = [
        "model",
        "language",
        "temperature",
        "include[]",
        "keywords",
        "prompt",
    ];
    let dropped = google::dropped(|name| asked.contains(&name));
    assert_eq!(dropped, ["temperature", "keywords", "include"]);
}
