//! Speech and transcripts by models of generate content.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::form::LISTS;
use super::{
    SpeechFormat, SpeechRequest, Transcript, TranscriptionOptions, Voice, part_name, pcm_of_wav,
    wav_of_pcm,
};
use crate::canonical::{Failure, Usage};
use crate::google_media::MediaReply;
use crate::json;

/// Well-known voices, and voices of such models that come near.
const VOICES: [(&str, &str); 13] = [
    ("alloy", "Kore"),
    ("ash", "Charon"),
    ("ballad", "Algieba"),
    ("cedar", "Orus"),
    ("coral", "Aoede"),
    ("echo", "Puck"),
    ("fable", "Iapetus"),
    ("marin", "Leda"),
    ("nova", "Callirrhoe"),
    ("onyx", "Fenrir"),
    ("sage", "Autonoe"),
    ("shimmer", "Zephyr"),
    ("verse", "Umbriel"),
];
const DEFAULT_RATE: u32 = 24_000;

/// The format that such a model's speech can be given in: it makes plain samples, so a header is all
/// that can be added.
pub fn speech_format(request: &SpeechRequest) -> Result<SpeechFormat, Failure> {
    match request.format {
        None | Some(SpeechFormat::Wav) => Ok(SpeechFormat::Wav),
        Some(SpeechFormat::Pcm) => Ok(SpeechFormat::Pcm),
        Some(_) => Err(Failure::unsupported(
            "response_format",
            "This model gives `pcm` and `wav` alone.",
        )),
    }
}

/// Writes the body of a call for speech.
pub fn write_speech_call(request: &SpeechRequest) -> Result<Vec<u8>, Failure> {
    speech_format(request)?;
    if request
        .speed
        .is_some_and(|speed| (speed - 1.0).abs() > 1e-9)
    {
        let message = "This model speaks at its own speed.";
        return Err(Failure::unsupported("speed", message));
    }
    let Voice::Name(voice) = &request.voice else {
        let message = "This model takes voices by name.";
        return Err(Failure::unsupported("voice", message));
    };
    let known = VOICES.iter().find(|(name, _)| name == voice);
    let voice = known.map_or(voice.as_str(), |(_, voice)| voice);
    let text = match request.instructions.as_deref().map(str::trim) {
        None | Some("") => request.input.clone(),
        Some(how) => format!("{}: {}", how.trim_end_matches([':', '.']), request.input),
    };
    let body = json!({
        "contents": [{"role": "user", "parts": [{ "text": text }]}],
        "generationConfig": {
            "responseModalities": ["AUDIO"],
            "speechConfig": {"voiceConfig": {"prebuiltVoiceConfig": {"voiceName": voice}}},
        },
    });
    Ok(json::text(&body).into_bytes())
}

/// Speech that such a model made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Speech {
    /// 16-bit mono samples.
    pub samples: Vec<u8>,
    /// How many samples make a second.
    pub rate: u32,
    /// Tokens.
    pub usage: Option<Usage>,
}

impl Speech {
    /// Reads an answer, or one event of a streamed one.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let reply = MediaReply::read(body)?;
        if reply.media.is_empty() {
            return Err(reply.refusal("audio"));
        }
        let mut speech = Self {
            samples: Vec::new(),
            rate: DEFAULT_RATE,
            usage: reply.usage,
        };
        for (media_type, data) in reply.media {
            let bytes = STANDARD
                .decode(data)
                .map_err(|_| Failure::upstream("The upstream's audio cannot be read."))?;
            let media_type = media_type.unwrap_or_default();
            speech.rate = rate(&media_type).unwrap_or(speech.rate);
            // Newer models send a file with its header.
            speech
                .samples
                .extend_from_slice(pcm_of_wav(&bytes).unwrap_or(&bytes));
        }
        Ok(speech)
    }

    /// The bytes for the client.
    pub fn write(&self, format: SpeechFormat) -> Vec<u8> {
        match format {
            SpeechFormat::Pcm => self.samples.clone(),
            _ => wav_of_pcm(&self.samples, self.rate),
        }
    }

    /// The same as server-sent events: all of it in one, and the usage in the last.
    pub fn write_events(&self, format: SpeechFormat) -> Vec<u8> {
        let usage = self.usage.clone().unwrap_or_default();
        let (input, output) = (usage.input.unwrap_or(0), usage.output.unwrap_or(0));
        let events = [
            json!({"type": "speech.audio.delta", "audio": STANDARD.encode(self.write(format))}),
            json!({"type": "speech.audio.done", "usage": {"input_tokens": input,
                "output_tokens": output, "total_tokens": input.saturating_add(output)}}),
        ];
        let mut out = Vec::new();
        for event in events {
            out.extend_from_slice(b"data: ");
            json::write(&mut out, &event);
            out.extend_from_slice(b"\n\n");
        }
        out
    }

    /// Its length.
    pub fn milliseconds(&self) -> u64 {
        let bytes = self.samples.len() as u64;
        (bytes * 500).div_ceil(u64::from(self.rate.max(1)))
    }
}

/// The rate that a media type like `audio/L16;codec=pcm;rate=24000` names.
fn rate(media_type: &str) -> Option<u32> {
    let mut named = media_type.split(';').map(str::trim);
    let rate = named.find_map(|it| it.strip_prefix("rate="))?;
    rate.parse()
        .ok()
        .filter(|rate| (1000..=384_000).contains(rate))
}

/// Writes the body of a call for a transcript, or for a translation to English.
pub fn write_transcript_call(
    options: &TranscriptionOptions,
    media_type: &str,
    base64: &str,
    to_english: bool,
) -> Vec<u8> {
    let mut wish = if to_english {
        "Translate what is said in this audio to English. Answer with the translation alone."
            .to_owned()
    } else {
        "Write down what is said in this audio, word by word. Answer with the transcript alone."
            .to_owned()
    };
    if let Some(language) = &options.language {
        wish.push_str(" The language spoken is ");
        wish.push_str(language);
        wish.push('.');
    }
    if let Some(prompt) = &options.prompt {
        wish.push_str(" It may help to know: ");
        wish.push_str(prompt);
    }
    let body = json!({
        "contents": [{"role": "user", "parts": [
            {"text": wish},
            {"inlineData": {"mimeType": media_type, "data": base64}},
        ]}],
        "generationConfig": {"temperature": 0, "responseModalities": ["TEXT"]},
    });
    json::text(&body).into_bytes()
}

/// Names of what a client asked for and such a call cannot say. `asks`: whether the form has a text of
/// this name. Lists come with brackets or without.
pub fn dropped(asks: impl Fn(&str) -> bool) -> Vec<String> {
    let unsaid = ["temperature", "chunking_strategy"]
        .into_iter()
        .chain(LISTS);
    let asked = unsaid.filter(|name| asks(name) || asks(&part_name(name)));
    asked.map(str::to_owned).collect()
}

/// Reads an answer with a transcript. Times and speakers are never in it, so only the formats
/// `json` and `text` can be made of it.
pub fn read_transcript(body: &[u8]) -> Result<(Transcript, Option<Usage>), Failure> {
    let reply = MediaReply::read(body)?;
    if reply.words.trim().is_empty() {
        return Err(reply.refusal("transcript"));
    }
    let transcript = Transcript {
        text: reply.words.trim().to_owned(),
        ..Transcript::default()
    };
    Ok((transcript, reply.usage))
}
