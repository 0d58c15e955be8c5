//! Speech on its way back: through as it is made, or put into a file from a model of Google.

use std::sync::Arc;

use billing::tokens;
use bytes::Bytes;
use dialects::audio::google::{Speech, speech_format};
use dialects::audio::{SpeechFormat, SpeechRequest, StreamFormat, StreamTap};
use dialects::canonical::{Failure, Usage};
use dialects::error_body;
use dialects::units::Units;

use crate::model_call::metering::{self, Basis};
use crate::model_call::passing_answer::Listener;
use crate::model_call::task::{Arrival, Used};
use crate::model_call::whole_answer::Reading;
use crate::sound_length::Recording;

/// The longest answer that is taken whole.
const LONGEST: usize = 128 << 20;
/// Bytes of a second of bare samples.
const SAMPLES_A_SECOND: u64 = 48_000;

/// Counts what speech used.
pub struct SpeechListener {
    request: Arc<SpeechRequest>,
    basis: Basis,
    events: Option<StreamTap>,
    recording: Recording,
    /// The failure of an answer that is no sound.
    text: Option<Failure>,
    told: Units,
}

impl SpeechListener {
    /// A listener to the answer to this request.
    pub fn new(request: Arc<SpeechRequest>, basis: Basis) -> Self {
        Self {
            request,
            basis,
            events: None,
            recording: Recording::default(),
            text: None,
            told: Units::default(),
        }
    }

    /// How long it sounds; bare samples do not tell.
    fn milliseconds(&self) -> u64 {
        let bytes = self.recording.length();
        if self.events.is_some() {
            // Most of an event is base64.
            return (bytes / 4 * 3).saturating_mul(1000) / SAMPLES_A_SECOND;
        }
        match self.request.format {
            Some(SpeechFormat::Pcm) => bytes.saturating_mul(1000).div_ceil(SAMPLES_A_SECOND),
            _ => self.recording.milliseconds(),
        }
    }
}

impl Listener for SpeechListener {
    fn begin(&mut self, is_events: bool) -> Arrival {
        self.events = is_events.then(StreamTap::default);
        Arrival::Pieces
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn push(&mut self, bytes: &[u8]) {
        let is_first = self.recording.length() == 0;
        let is_sampled = self.request.format == Some(SpeechFormat::Pcm);
        if is_first && !is_sampled && self.events.is_none() && bytes.starts_with(b"{") {
            // No file of sound begins so.
            let message = "The upstream answered with text in place of sound.";
            self.text = Some(error_body::unusable(message, bytes));
        }
        self.recording.push(bytes);
        if let Some(tap) = &mut self.events {
            tap.push(bytes);
        }
    }

    fn failure(&self) -> Option<Failure> {
        if self.text.is_some() {
            return self.text.clone();
        }
        self.events.as_ref()?.failure().cloned()
    }

    fn close(&mut self) -> Result<(), Failure> {
        if let Some(tap) = &mut self.events {
            self.told = tap.close()?;
            // What comes out is sound, also where that is not said.
            self.told.tokens.output_audio = self.told.tokens.output;
        }
        Ok(())
    }

    fn used(&mut self, _: bool) -> Used {
        let counted = measured(&self.request, self.milliseconds());
        let mut told = self.told.clone();
        told.characters = Some(self.request.characters());
        metering::used(&told, &counted, self.basis)
    }
}

/// What we measured ourselves. A second of speech is about 20 tokens.
fn measured(request: &SpeechRequest, milliseconds: u64) -> Units {
    let spoken = milliseconds.div_ceil(50);
    Units {
        milliseconds: Some(milliseconds),
        tokens: Usage {
            input: Some(tokens::count(&request.input)),
            output: Some(spoken),
            output_audio: Some(spoken),
            ..Usage::default()
        },
        ..Units::default()
    }
}

/// Speech of a model of Google, which makes bare samples.
pub struct Spoken {
    request: Arc<SpeechRequest>,
    format: SpeechFormat,
    basis: Basis,
}

impl Spoken {
    /// How it is to be written.
    pub fn new(request: Arc<SpeechRequest>, basis: Basis) -> Result<Self, Failure> {
        let format = speech_format(&request)?;
        Ok(Self {
            request,
            format,
            basis,
        })
    }

    /// The media type of the client's body.
    pub fn content_type(&self) -> &'static str {
        match self.request.stream_format {
            StreamFormat::Events => "text/event-stream; charset=utf-8",
            StreamFormat::Audio => self.format.content_type(),
        }
    }
}

impl Reading for Spoken {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        let speech = Speech::read(&body)?;
        let counted = measured(&self.request, speech.milliseconds());
        let told = Units {
            tokens: speech.usage.clone().unwrap_or_default(),
            characters: Some(self.request.characters()),
            ..Units::default()
        };
        let used = metering::used(&told, &counted, self.basis);
        let body = match self.request.stream_format {
            StreamFormat::Events => speech.write_events(self.format),
            StreamFormat::Audio => speech.write(self.format),
        };
        Ok((body.into(), used))
    }
}
