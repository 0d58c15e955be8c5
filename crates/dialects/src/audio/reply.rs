//! A whole transcript that goes through. Formats of plain text tell nothing of what was used: then the
//! server measures the upload.

use serde_json::value::RawValue;

use super::TranscriptFormat;
use crate::canonical::Failure;
use crate::event_outline::failure_in;
use crate::outline::Outline;
use crate::units::{Counts, Units, milliseconds};

const WANTED: &[&str] = &["usage", "duration", "error", "message", "code", "text"];

/// Listens to one answer.
#[derive(Debug, Clone)]
pub struct TranscriptTap {
    format: TranscriptFormat,
    outline: Outline,
    is_empty: bool,
}

impl TranscriptTap {
    /// A tap for an answer in this format.
    pub fn new(format: TranscriptFormat) -> Self {
        Self {
            format,
            outline: Outline::new(WANTED, ""),
            is_empty: true,
        }
    }

    /// Listens to the next bytes, which go to the client as they are.
    pub fn push(&mut self, chunk: &[u8]) {
        self.is_empty &= chunk.is_empty();
        self.outline.push(chunk);
    }

    /// What the answer used, in tokens or in time; nothing where it does not tell.
    pub fn finish(&self) -> Result<Units, Failure> {
        if !self.format.is_json() {
            // An error is JSON, whatever was asked for. Subtitles and plain text are none.
            let failure = failure_in(&self.outline, true);
            return failure.map_or_else(|| Ok(Units::default()), Err);
        }
        if let Some(failure) = failure_in(&self.outline, self.outline.member("text").is_some()) {
            return Err(failure);
        }
        if self.is_empty || !self.outline.is_complete() {
            return Err(cut_off());
        }
        let used = used(self.outline.member("usage"));
        if !used.is_silent() {
            return Ok(used);
        }
        // A bare duration is not what the vendor charges for; it is rounded to whole seconds.
        let duration = milliseconds(self.outline.member("duration"));
        Ok(Units {
            milliseconds: duration.map(|it| it.div_ceil(1000) * 1000),
            ..Units::default()
        })
    }
}

fn cut_off() -> Failure {
    Failure::upstream("The upstream's answer was cut off.")
}

/// A usage in tokens or in seconds. Its `type` may be missing: what it holds tells.
pub(crate) fn used(raw: Option<&RawValue>) -> Units {
    let counts = Counts::read(raw);
    Units {
        tokens: counts.usage(),
        milliseconds: counts.milliseconds,
        ..Units::default()
    }
}
