//! Tokens of one realtime response, in every kind that has a price of its own.

use serde_json::value::RawValue;

use crate::canonical::Usage;
use crate::units::{Counts, Kinds};

/// What one response used. Cached tokens are a part of the input of their kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RealtimeUsage {
    /// Text that was read.
    pub input_text: u64,
    /// Audio that was heard.
    pub input_audio: u64,
    /// Images that were seen.
    pub input_image: u64,
    /// Of the text: cached.
    pub cached_text: u64,
    /// Of the audio: cached.
    pub cached_audio: u64,
    /// Of the images: cached.
    pub cached_image: u64,
    /// Text that was written.
    pub output_text: u64,
    /// Audio that was spoken.
    pub output_audio: u64,
}

impl RealtimeUsage {
    /// Reads a `usage` object; nothing where it tells nothing. `speaks`: whether the response is
    /// audio, for output that is not told apart.
    pub(super) fn read(raw: Option<&RawValue>, speaks: bool) -> Option<Self> {
        let counts = Counts::read(raw);
        if counts.is_silent() {
            return None;
        }
        let mut usage = Self::default();
        usage.take_input(&counts);
        usage.take_cached(counts.cached, counts.cached_kinds);
        let text = counts.output_kinds.text.unwrap_or(0);
        let audio = counts.output_kinds.audio.unwrap_or(0);
        let told = text.saturating_add(audio);
        let untold = counts.usage().output.unwrap_or(0).saturating_sub(told);
        let (more_text, more_audio) = if speaks { (0, untold) } else { (untold, 0) };
        usage.output_text = text.saturating_add(more_text);
        usage.output_audio = audio.saturating_add(more_audio);
        Some(usage)
    }

    /// Input that is not told apart is text.
    fn take_input(&mut self, counts: &Counts) {
        let kinds = counts.input_kinds;
        self.input_audio = kinds.audio.unwrap_or(0);
        self.input_image = kinds.image.unwrap_or(0);
        let other = self.input_audio.saturating_add(self.input_image);
        let rest = counts.usage().input.unwrap_or(0).saturating_sub(other);
        self.input_text = kinds.text.unwrap_or(0).max(rest);
    }

    /// Cached tokens that are not told apart are text first, then audio, then images; never more than
    /// there is of a kind.
    fn take_cached(&mut self, total: Option<u64>, kinds: Kinds) {
        self.cached_text = kinds.text.unwrap_or(0).min(self.input_text);
        self.cached_audio = kinds.audio.unwrap_or(0).min(self.input_audio);
        self.cached_image = kinds.image.unwrap_or(0).min(self.input_image);
        if kinds != Kinds::default() {
            return;
        }
        let mut rest = total.unwrap_or(0);
        for (cached, input) in [
            (&mut self.cached_text, self.input_text),
            (&mut self.cached_audio, self.input_audio),
            (&mut self.cached_image, self.input_image),
        ] {
            *cached = rest.min(input);
            rest -= *cached;
        }
    }

    /// Everything that went in.
    pub fn input(&self) -> u64 {
        self.input_text
            .saturating_add(self.input_audio)
            .saturating_add(self.input_image)
    }

    /// Everything that came out.
    pub fn output(&self) -> u64 {
        self.output_text.saturating_add(self.output_audio)
    }

    /// The same in the arithmetic of the other operations, where a cached token is just that.
    pub fn usage(&self) -> Usage {
        let cached = self.cached_text.saturating_add(self.cached_audio);
        Usage {
            input: Some(self.input()),
            cache_read: Some(cached.saturating_add(self.cached_image)),
            input_audio: Some(self.input_audio),
            input_image: Some(self.input_image),
            output: Some(self.output()),
            output_audio: Some(self.output_audio),
            ..Usage::default()
        }
    }
}
