//! Transcripts of the demo model, in all formats and as streams. It does not listen: it tells what
//! was sent and how long it sounds.

use dialects::audio::{Segment, Transcript, TranscriptFormat, TranscriptionOptions};
use dialects::canonical::Failure;
use serde_json::{Value, json};

use super::answer::{Answer, EVENTS};
use super::form::Form;
use super::tokens;

/// Answers `/v1/audio/transcriptions` and `/v1/audio/translations`.
pub(super) fn transcribe(form: &Form, to_english: bool) -> Result<Answer, Failure> {
    let options = TranscriptionOptions::from_parts(form.texts())?;
    let file = form.file("file")?;
    let length = file.recording.milliseconds();
    let transcript = transcript(file.head.file_name.as_deref(), length, &options, to_english);
    let usage = json!({"type": "duration", "seconds": length.div_ceil(1000)});
    if options.stream && !to_english {
        return Ok(streamed(&transcript, options.format, &usage));
    }
    let mut body = transcript.write(options.format)?;
    if options.format.is_json() {
        let mut value: Value = serde_json::from_slice(&body).unwrap_or_default();
        value["usage"] = usage;
        if to_english && !value["task"].is_null() {
            value["task"] = json!("translate");
        }
        body = value.to_string().into_bytes();
    }
    Ok(Answer::whole(options.format.content_type(), body))
}

fn transcript(
    name: Option<&str>,
    length: u64,
    options: &TranscriptionOptions,
    to_english: bool,
) -> Transcript {
    let verb = if to_english { "translated" } else { "heard" };
    let name = name.unwrap_or("the recording");
    let seconds = length.div_ceil(1000);
    let sentences = [
        format!("The demo model {verb} {name}."),
        format!("It sounds for {seconds} seconds."),
    ];
    let half = length / 2;
    let segments = sentences.iter().zip([(0, half), (half, length)]);
    let segments = segments
        .zip(["A", "B"])
        .map(|((text, (start, end)), who)| Segment {
            start_ms: start,
            end_ms: end,
            text: text.clone(),
            speaker: Some(who.to_owned()),
        });
    Transcript {
        text: sentences.join(" "),
        language: Some(
            options
                .language
                .clone()
                .unwrap_or_else(|| "english".to_owned()),
        ),
        milliseconds: Some(length),
        segments: segments.collect(),
    }
}

fn streamed(transcript: &Transcript, format: TranscriptFormat, usage: &Value) -> Answer {
    let mut events: Vec<Value> = tokens::each(&transcript.text)
        .map(|token| json!({"type": "transcript.text.delta", "delta": token}))
        .collect();
    if format == TranscriptFormat::DiarizedJson {
        events.extend(transcript.segments.iter().enumerate().map(|(index, it)| {
            let (start, end) = (seconds(it.start_ms), seconds(it.end_ms));
            json!({"type": "transcript.text.segment", "id": format!("seg_{}", index + 1),
                "start": start, "end": end, "text": it.text, "speaker": it.speaker})
        }));
    }
    events.push(json!({"type": "transcript.text.done", "text": transcript.text, "usage": usage}));
    let frames = events.iter().map(|event| format!("data: {event}\n\n"));
    Answer::streamed(EVENTS, frames)
}

fn seconds(milliseconds: u64) -> f64 {
    f64::from(u32::try_from(milliseconds).unwrap_or(u32::MAX)) / 1000.0
}
