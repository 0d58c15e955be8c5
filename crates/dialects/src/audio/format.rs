//! The formats that transcripts and speech come in.

use crate::canonical::Failure;
use crate::fields::one_of;

/// How a transcript is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TranscriptFormat {
    /// The text, in an object.
    #[default]
    Json,
    /// The text alone.
    Text,
    /// `SubRip` subtitles.
    Srt,
    /// Text, segments, language and duration.
    VerboseJson,
    /// `WebVTT` subtitles.
    Vtt,
    /// Segments with their speakers.
    DiarizedJson,
}

impl TranscriptFormat {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Json,
        Self::Text,
        Self::Srt,
        Self::VerboseJson,
        Self::Vtt,
        Self::DiarizedJson,
    ];

    /// Its name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Text => "text",
            Self::Srt => "srt",
            Self::VerboseJson => "verbose_json",
            Self::Vtt => "vtt",
            Self::DiarizedJson => "diarized_json",
        }
    }

    /// Reads a name.
    pub fn read(name: &str) -> Result<Self, Failure> {
        let names = Self::ALL.map(Self::name);
        one_of("response_format", Some(name), &names)?;
        let found = Self::ALL.into_iter().find(|it| it.name() == name);
        Ok(found.unwrap_or_default())
    }

    /// The media type of what is written.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json | Self::VerboseJson | Self::DiarizedJson => "application/json",
            Self::Text | Self::Srt => "text/plain; charset=utf-8",
            Self::Vtt => "text/vtt; charset=utf-8",
        }
    }

    /// Whether an answer in it tells what was used.
    pub fn is_json(self) -> bool {
        matches!(self, Self::Json | Self::VerboseJson | Self::DiarizedJson)
    }
}

/// How speech is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpeechFormat {
    /// MP3.
    Mp3,
    /// Opus in an Ogg container.
    Opus,
    /// AAC.
    Aac,
    /// FLAC.
    Flac,
    /// WAV.
    Wav,
    /// 16-bit samples without a header.
    Pcm,
}

impl SpeechFormat {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Mp3,
        Self::Opus,
        Self::Aac,
        Self::Flac,
        Self::Wav,
        Self::Pcm,
    ];

    /// Its name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mp3 => "mp3",
            Self::Opus => "opus",
            Self::Aac => "aac",
            Self::Flac => "flac",
            Self::Wav => "wav",
            Self::Pcm => "pcm",
        }
    }

    /// Reads a name.
    pub fn read(name: &str) -> Result<Self, Failure> {
        let names = Self::ALL.map(Self::name);
        one_of("response_format", Some(name), &names)?;
        let found = Self::ALL.into_iter().find(|it| it.name() == name);
        Ok(found.unwrap_or(Self::Mp3))
    }

    /// The media type, where the gateway makes the audio itself; an upstream's own is passed on.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Mp3 => "audio/mpeg",
            Self::Opus => "audio/opus",
            Self::Aac => "audio/aac",
            Self::Flac => "audio/flac",
            Self::Wav => "audio/wav",
            Self::Pcm => "audio/pcm",
        }
    }
}
