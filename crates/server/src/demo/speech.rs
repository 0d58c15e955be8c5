//! Speech of the demo model, as a file or as events, in pieces either way.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dialects::audio::{SpeechFormat, SpeechRequest, StreamFormat};
use dialects::canonical::Failure;
use serde_json::{Value, json};

use super::answer::{Answer, EVENTS};
use super::{sound, tokens};

/// How much of a file comes at once.
const PIECE: usize = 16 * 1024;
/// Samples behind each token of sound.
const SAMPLES_A_TOKEN: usize = 1_200;

/// Answers `/v1/audio/speech`.
pub(super) fn speak(body: &[u8]) -> Result<Answer, Failure> {
    let request = SpeechRequest::read(body)?;
    let notes = sound::notes(&request.input, request.speed.unwrap_or(1.0));
    let format = request.format.unwrap_or(SpeechFormat::Wav);
    let file = sound::encode(&notes, format);
    let pieces = file.chunks(PIECE);
    if request.stream_format == StreamFormat::Audio {
        return Ok(Answer::streamed(
            format.content_type(),
            pieces.map(<[u8]>::to_vec),
        ));
    }
    let (input, output) = (
        tokens::count(&request.input),
        sound::play(&notes).len().div_ceil(SAMPLES_A_TOKEN),
    );
    let mut events: Vec<Value> = pieces
        .map(|piece| json!({"type": "speech.audio.delta", "audio": STANDARD.encode(piece)}))
        .collect();
    events.push(
        json!({"type": "speech.audio.done", "usage": {"input_tokens": input,
        "output_tokens": output, "total_tokens": input + output as u64}}),
    );
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    Ok(Answer::streamed(EVENTS, frames))
}

#[cfg(test)]
mod tests {
    use dialects::audio::{StreamTap, pcm_of_wav};

    use super::*;

    fn said(format: &str) -> Vec<u8> {
        let body = format!(r#"{{"model":"m","input":"Hello you","voice":"alloy"{format}}}"#);
        let answer = speak(body.as_bytes()).unwrap();
        answer
            .pieces
            .iter()
            .flat_map(|it| it.bytes.to_vec())
            .collect()
    }

    #[test]
    fn a_text_sounds_as_long_as_it_is() {
        let pcm = said(r#","response_format":"pcm""#);
        assert_eq!(pcm.len(), 9 * 960 * 2);
        assert!(pcm.iter().any(|byte| *byte != 0));
        assert_eq!(pcm_of_wav(&said("")), Some(&pcm[..]));
        for (format, start) in [
            ("flac", &b"fLaC"[..]),
            ("mp3", b"\xff\xfb"),
            ("aac", b"\xff\xf1"),
            ("opus", b"OggS"),
        ] {
            let file = said(&format!(r#","response_format":"{format}""#));
            assert!(file.starts_with(start), "{format}");
        }
        let fast = said(r#","response_format":"pcm","speed":2"#);
        assert_eq!(fast.len(), pcm.len() / 2);
    }

    #[test]
    fn events_hold_the_same_file_and_tell_what_was_used() {
        let events = said(r#","stream_format":"sse""#);
        let mut tap = StreamTap::default();
        tap.push(&events);
        assert!(tap.close().unwrap().tokens.output > Some(0));
        let text = String::from_utf8(events).unwrap();
        let mut file = Vec::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let event: Value = serde_json::from_str(line).unwrap();
            file.extend(
                STANDARD
                    .decode(event["audio"].as_str().unwrap_or_default())
                    .unwrap(),
            );
        }
        assert_eq!(file, said(""));
    }
}
