//! A client's `/v1/audio/speech`.

use serde_json::Value;

use super::SpeechFormat;
use crate::canonical::Failure;
use crate::fields::{Fields, in_range, missing, one_of, wrong};

/// How many characters are spoken at most, and how many instructions may have.
const MAX_CHARACTERS: usize = 4096;

/// A client's request.
#[derive(Debug, Clone, PartialEq)]
pub struct SpeechRequest {
    /// The model.
    pub model: String,
    /// What is spoken.
    pub input: String,
    /// Who speaks.
    pub voice: Voice,
    /// How it is spoken.
    pub instructions: Option<String>,
    /// The file format, where one is asked for.
    pub format: Option<SpeechFormat>,
    /// How fast it is spoken.
    pub speed: Option<f64>,
    /// How the answer is sent.
    pub stream_format: StreamFormat,
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Voice {
    /// A voice of the vendor's, by its name.
    Name(String),
    /// A voice of the customer's, by its id.
    Id(String),
}

/// How speech is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StreamFormat {
    /// The file's own bytes, as they are made.
    #[default]
    Audio,
    /// Server-sent events, with the usage in the last.
    Events,
}

impl SpeechRequest {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields = Fields::read(body)?;
        let input = fields.required_string("input")?.into_owned();
        let instructions = fields.string("instructions")?;
        check_length("input", &input)?;
        check_length("instructions", instructions.as_deref().unwrap_or_default())?;
        let format = fields.string("response_format")?;
        let stream_format = fields.string("stream_format")?;
        one_of("stream_format", stream_format.as_deref(), &["audio", "sse"])?;
        Ok(Self {
            model: fields.required_string("model")?.into_owned(),
            input,
            voice: read_voice(&fields)?,
            instructions: instructions.map(std::borrow::Cow::into_owned),
            format: format.map(|it| SpeechFormat::read(&it)).transpose()?,
            speed: in_range("speed", fields.number("speed")?, &(0.25..=4.0))?,
            stream_format: match stream_format.as_deref() {
                Some("sse") => StreamFormat::Events,
                _ => StreamFormat::Audio,
            },
        })
    }

    /// What is charged for by models that are priced by characters.
    pub fn characters(&self) -> u64 {
        self.input.chars().count() as u64
    }

    /// The client's body for an upstream that knows the model by this name; fields that are not
    /// known here go with it.
    pub fn forward(body: &[u8], model: &str) -> Result<Vec<u8>, Failure> {
        Ok(Fields::read(body)?.with_model(model))
    }
}

fn check_length(name: &str, text: &str) -> Result<(), Failure> {
    if text.chars().count() > MAX_CHARACTERS {
        return Err(wrong(name, &format!("at most {MAX_CHARACTERS} characters")));
    }
    Ok(())
}

fn read_voice(fields: &Fields<'_>) -> Result<Voice, Failure> {
    let voice: Value = fields
        .parsed("voice", EXPECTED)?
        .ok_or_else(|| missing("voice"))?;
    match (&voice, voice["id"].as_str()) {
        (Value::String(name), _) if !name.is_empty() => Ok(Voice::Name(name.clone())),
        (Value::Object(_), Some(id)) if !id.is_empty() => Ok(Voice::Id(id.to_owned())),
        _ => Err(wrong("voice", EXPECTED)),
    }
}

const EXPECTED: &str = "a voice's name or an object with its `id`";
