//! A transcript in every response format.

use serde_json::{Value, json};

use super::{Segment, Transcript, TranscriptFormat, subtitles};
use crate::canonical::Failure;
use crate::json;

impl Transcript {
    /// Writes it. Subtitles without any time, and speakers where none is known, would be made up:
    /// they are refused.
    pub fn write(&self, format: TranscriptFormat) -> Result<Vec<u8>, Failure> {
        Ok(match format {
            TranscriptFormat::Json => json::text(&json!({"text": self.text})).into_bytes(),
            TranscriptFormat::Text => format!("{}\n", self.text.trim_end()).into_bytes(),
            TranscriptFormat::Srt => subtitles::write_srt(&self.timed()?).into_bytes(),
            TranscriptFormat::Vtt => subtitles::write_vtt(&self.timed()?).into_bytes(),
            TranscriptFormat::VerboseJson => self.verbose()?,
            TranscriptFormat::DiarizedJson => self.diarized()?,
        })
    }

    /// The segments; one for the whole text where there are none.
    fn timed(&self) -> Result<Vec<Segment>, Failure> {
        match (&self.segments[..], self.milliseconds) {
            ([], None) => Err(refused("This model does not tell times.")),
            ([], Some(milliseconds)) => Ok(vec![Segment {
                end_ms: milliseconds,
                text: self.text.clone(),
                ..Segment::default()
            }]),
            (segments, _) => Ok(segments.to_vec()),
        }
    }

    fn length(&self, segments: &[Segment]) -> u64 {
        let last = segments.iter().map(|it| it.end_ms).max();
        self.milliseconds.or(last).unwrap_or(0)
    }

    fn verbose(&self) -> Result<Vec<u8>, Failure> {
        let segments = self.timed()?;
        let list: Vec<Value> = segments
            .iter()
            .enumerate()
            .map(|(id, it)| {
                json!({"id": id, "start": seconds(it.start_ms), "end": seconds(it.end_ms),
                    "text": it.text})
            })
            .collect();
        let body = json!({
            "task": "transcribe",
            "language": self.language.as_deref().unwrap_or_default(),
            "duration": seconds(self.length(&segments)),
            "text": self.text,
            "segments": list,
        });
        Ok(json::text(&body).into_bytes())
    }

    fn diarized(&self) -> Result<Vec<u8>, Failure> {
        let has_speakers = self.segments.iter().all(|it| it.speaker.is_some());
        if self.segments.is_empty() || !has_speakers {
            return Err(refused("This model does not tell speakers apart."));
        }
        let list: Vec<Value> = self
            .segments
            .iter()
            .enumerate()
            .map(|(id, it)| {
                json!({"type": "transcript.text.segment", "id": format!("seg_{}", id + 1),
                    "start": seconds(it.start_ms), "end": seconds(it.end_ms),
                    "text": it.text, "speaker": it.speaker})
            })
            .collect();
        let body = json!({
            "task": "transcribe",
            "duration": seconds(self.length(&self.segments)),
            "text": self.text,
            "segments": list,
        });
        Ok(json::text(&body).into_bytes())
    }
}

fn seconds(milliseconds: u64) -> f64 {
    f64::from(u32::try_from(milliseconds).unwrap_or(u32::MAX)) / 1000.0
}

fn refused(message: &str) -> Failure {
    Failure::unsupported("response_format", message)
}
