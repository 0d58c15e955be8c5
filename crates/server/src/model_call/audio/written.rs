//! Transcripts on their way back: through as they are, or written from what a model of Google said.

use billing::tokens;
use bytes::Bytes;
use dialects::audio::{
    StreamTap, TranscriptFormat, TranscriptTap, TranscriptionOptions, google::read_transcript,
};
use dialects::canonical::{Failure, Usage};
use dialects::units::Units;

use crate::model_call::form::Watcher;
use crate::model_call::metering::{self, Basis};
use crate::model_call::passing_answer::Listener;
use crate::model_call::task::{Arrival, Used};
use crate::model_call::whole_answer::Reading;

/// The longest answer that is taken whole.
const LONGEST: usize = 16 << 20;

/// Counts what a transcript used.
pub struct TranscriptListener {
    watcher: Watcher,
    basis: Basis,
    tap: Tap,
    said: u64,
    told: Units,
}

enum Tap {
    Nothing,
    Whole(TranscriptTap),
    Events(Box<StreamTap>),
}

impl TranscriptListener {
    /// A listener to the transcript of this form's recording.
    pub fn new(watcher: Watcher, basis: Basis) -> Self {
        Self {
            watcher,
            basis,
            tap: Tap::Nothing,
            said: 0,
            told: Units::default(),
        }
    }
}

impl Listener for TranscriptListener {
    fn begin(&mut self, is_events: bool) -> Arrival {
        self.tap = if is_events {
            Tap::Events(Box::default())
        } else {
            // By now the whole form has passed.
            let texts = self.watcher.texts();
            let parts = texts.iter().map(|(name, value)| (&**name, &**value));
            let options = TranscriptionOptions::from_parts(parts).unwrap_or_default();
            Tap::Whole(TranscriptTap::new(options.format))
        };
        match self.tap {
            // An error must not reach the client as the beginning of a transcript.
            Tap::Whole(_) => Arrival::Whole { longest: LONGEST },
            Tap::Nothing | Tap::Events(_) => Arrival::Pieces,
        }
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        self.push(&body);
        self.close()?;
        Ok(body)
    }

    fn push(&mut self, bytes: &[u8]) {
        self.said = self.said.saturating_add(bytes.len() as u64);
        match &mut self.tap {
            Tap::Nothing => {}
            Tap::Whole(tap) => tap.push(bytes),
            Tap::Events(tap) => tap.push(bytes),
        }
    }

    fn failure(&self) -> Option<Failure> {
        match &self.tap {
            Tap::Events(tap) => tap.failure().cloned(),
            _ => None,
        }
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.told = match &mut self.tap {
            Tap::Nothing => Units::default(),
            Tap::Whole(tap) => tap.finish()?,
            Tap::Events(tap) => tap.close()?,
        };
        Ok(())
    }

    fn used(&mut self, _: bool) -> Used {
        metering::used(&self.told, &measured(&self.watcher, self.said), self.basis)
    }
}

/// What we measured ourselves: the recording's length, and about how much was said.
fn measured(watcher: &Watcher, said: u64) -> Units {
    let milliseconds = watcher.milliseconds();
    Units {
        milliseconds: Some(milliseconds),
        tokens: Usage {
            // Vendors count ten tokens for a second that is heard.
            input: Some(milliseconds.div_ceil(100)),
            input_audio: Some(milliseconds.div_ceil(100)),
            output: Some(tokens::approximate(said)),
            ..Usage::default()
        },
        ..Units::default()
    }
}

/// A transcript that a model of Google said.
pub struct Written {
    format: TranscriptFormat,
    watcher: Watcher,
    basis: Basis,
    is_stream: bool,
}

impl Written {
    /// How it is to be written. What needs times or speakers cannot be had from such a model.
    pub fn new(
        options: &TranscriptionOptions,
        watcher: Watcher,
        basis: Basis,
    ) -> Result<Self, Failure> {
        let format = options.format;
        if !matches!(format, TranscriptFormat::Json | TranscriptFormat::Text) {
            let text = "This model writes `json` and `text` alone.";
            return Err(Failure::unsupported("response_format", text));
        }
        Ok(Self {
            format,
            watcher,
            basis,
            is_stream: options.stream,
        })
    }

    /// The media type of the client's body.
    pub fn content_type(&self) -> &'static str {
        if self.is_stream {
            "text/event-stream; charset=utf-8"
        } else {
            self.format.content_type()
        }
    }
}

impl Reading for Written {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        let (transcript, usage) = read_transcript(&body)?;
        let told = Units {
            tokens: usage.unwrap_or_default(),
            ..Units::default()
        };
        let counted = measured(&self.watcher, transcript.text.len() as u64);
        let used = metering::used(&told, &counted, self.basis);
        let body = if self.is_stream {
            let event = |kind: &str, name: &str| {
                let mut event = serde_json::json!({"type": format!("transcript.text.{kind}")});
                event[name] = serde_json::json!(transcript.text);
                format!("data: {event}\n\n")
            };
            (event("delta", "delta") + &event("done", "text")).into()
        } else {
            transcript.write(self.format)?.into()
        };
        Ok((body, used))
    }
}
