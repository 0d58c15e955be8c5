//! Tokens of audio, where a session breaks before the upstream has counted them. Connection time and
//! silence are free: only what a response was made of counts.

use super::member;

/// How audio is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AudioFormat {
    /// 16-bit samples, 24,000 a second.
    Pcm16,
    /// One byte a sample, 8,000 a second.
    G711,
}

impl AudioFormat {
    /// Reads a session's format: an object with a `type`, or a name as older sessions have it.
    pub(super) fn read(json: &str) -> Option<Self> {
        let name = member(json, "type").unwrap_or(json);
        Self::from_name(name.trim_matches('"'))
    }

    /// Reads a format's name, in the words of newer and of older clients.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "audio/pcm" | "pcm16" => Some(Self::Pcm16),
            "audio/pcmu" | "audio/pcma" | "g711_ulaw" | "g711_alaw" => Some(Self::G711),
            _ => None,
        }
    }

    fn bytes_a_second(self) -> u64 {
        match self {
            Self::Pcm16 => 48_000,
            Self::G711 => 8_000,
        }
    }

    /// How long this much base64 sounds.
    pub fn milliseconds(self, base64_bytes: u64) -> u64 {
        let bytes = base64_bytes / 4 * 3;
        bytes.saturating_mul(1000) / self.bytes_a_second()
    }
}

/// Tokens that were heard: one for each 100 ms.
pub fn input_audio_tokens(base64_bytes: u64, format: AudioFormat) -> u64 {
    format.milliseconds(base64_bytes).div_ceil(100)
}

/// Tokens that were spoken: one for each 50 ms.
pub fn output_audio_tokens(base64_bytes: u64, format: AudioFormat) -> u64 {
    format.milliseconds(base64_bytes).div_ceil(50)
}
