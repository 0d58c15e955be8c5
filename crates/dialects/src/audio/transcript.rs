//! A transcript, read from any format.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{TranscriptFormat, subtitles};
use crate::canonical::Failure;
use crate::units::milliseconds;

/// A transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The whole text.
    pub text: String,
    /// The language, as the vendor names it.
    pub language: Option<String>,
    /// The length of the audio.
    pub milliseconds: Option<u64>,
    /// The text in pieces, each with its time.
    pub segments: Vec<Segment>,
}

/// A piece of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Segment {
    /// When it begins.
    pub start_ms: u64,
    /// When it ends.
    pub end_ms: u64,
    /// What is said.
    pub text: String,
    /// Who says it.
    pub speaker: Option<String>,
}

#[derive(Deserialize)]
struct Body<'a> {
    text: String,
    #[serde(default)]
    language: Option<String>,
    #[serde(borrow, default)]
    duration: Option<&'a RawValue>,
    #[serde(borrow, default)]
    segments: Option<Vec<Piece<'a>>>,
}

#[derive(Deserialize)]
struct Piece<'a> {
    #[serde(borrow, default)]
    start: Option<&'a RawValue>,
    #[serde(borrow, default)]
    end: Option<&'a RawValue>,
    #[serde(default)]
    text: String,
    #[serde(default)]
    speaker: Option<String>,
}

impl Transcript {
    /// Reads an upstream's answer in this format.
    pub fn read(format: TranscriptFormat, body: &[u8]) -> Result<Self, Failure> {
        match format {
            TranscriptFormat::Srt | TranscriptFormat::Vtt => {
                let segments = subtitles::read(utf8(body)?);
                let lines: Vec<&str> = segments.iter().map(|it| it.text.as_str()).collect();
                Ok(Self {
                    text: lines.join(" "),
                    milliseconds: segments.iter().map(|it| it.end_ms).max(),
                    segments,
                    ..Self::default()
                })
            }
            TranscriptFormat::Text => Ok(Self {
                text: utf8(body)?.trim_end_matches('\n').to_owned(),
                ..Self::default()
            }),
            _ => Self::read_json(body),
        }
    }

    fn read_json(body: &[u8]) -> Result<Self, Failure> {
        let body: Body<'_> = serde_json::from_slice(body).map_err(|_| unreadable())?;
        let segment = |piece: Piece<'_>| Segment {
            start_ms: milliseconds(piece.start).unwrap_or(0),
            end_ms: milliseconds(piece.end).unwrap_or(0),
            text: piece.text,
            speaker: piece.speaker,
        };
        Ok(Self {
            text: body.text,
            language: body.language,
            milliseconds: milliseconds(body.duration),
            segments: body
                .segments
                .unwrap_or_default()
                .into_iter()
                .map(segment)
                .collect(),
        })
    }
}

fn utf8(body: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(body).map_err(|_| unreadable())
}

fn unreadable() -> Failure {
    Failure::upstream("The upstream's answer is no transcript that can be read.")
}
