//! The text parts of a transcription's or translation's form, as far as they are checked. Every part
//! goes to the upstream, in its order; only lists get the name that vendors look for.

use std::borrow::Cow;

use super::TranscriptFormat;
use crate::canonical::Failure;
use crate::fields::{flag, once, wrong};

/// Parts that may come several times; vendors look for their names with brackets.
pub(super) const LISTS: [&str; 6] = [
    "languages",
    "keywords",
    "include",
    "timestamp_granularities",
    "known_speaker_names",
    "known_speaker_references",
];

/// What a client asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TranscriptionOptions {
    /// The model.
    pub model: Option<String>,
    /// How the transcript is written.
    pub format: TranscriptFormat,
    /// Whether a stream is wanted. Some models ignore it: the answer's media type tells.
    pub stream: bool,
    /// The language that is spoken.
    pub language: Option<String>,
    /// Words that come before, or how to write.
    pub prompt: Option<String>,
}

impl TranscriptionOptions {
    /// Reads a form's text parts.
    pub fn from_parts<'p>(
        parts: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut seen = Vec::new();
        for (name, value) in parts {
            match name {
                "model" if value.is_empty() => {
                    return Err(wrong(name, "a string that is not empty"));
                }
                "model" => options.model = Some(value.to_owned()),
                "response_format" => options.format = TranscriptFormat::read(value)?,
                "language" => options.language = Some(value.to_owned()),
                "prompt" => options.prompt = Some(value.to_owned()),
                "temperature" => check_temperature(value)?,
                "stream" => options.stream = flag(name, value)?,
                _ => continue,
            }
            once(&mut seen, name)?;
        }
        Ok(options)
    }
}

fn check_temperature(value: &str) -> Result<(), Failure> {
    let number = value.trim().parse::<f64>();
    if number.is_ok_and(|number| (0.0..=1.0).contains(&number)) {
        return Ok(());
    }
    Err(wrong("temperature", "between 0 and 1"))
}

/// The name under which a part goes to the upstream.
pub fn part_name(name: &str) -> Cow<'_, str> {
    if LISTS.contains(&name) {
        Cow::Owned(format!("{name}[]"))
    } else {
        Cow::Borrowed(name)
    }
}
