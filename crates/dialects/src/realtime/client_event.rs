//! A client's frame. What is checked is what is sent: it is walked whole, so that no second `type` and
//! no second `model` can slip by; audio is stepped over, never copied.

use serde_json::value::RawValue;

use super::brought::{Asked, Brought};
use super::limits;
use crate::canonical::Failure;
use crate::fields::{Fields, quoted, wrong};

const MAX_ID_CHARACTERS: usize = 512;

/// A client's event, as far as it concerns the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientEvent {
    /// What it is.
    pub kind: ClientEventKind,
    /// Its id, for an answer that says what is wrong with it.
    pub event_id: Option<String>,
}

/// What a client's event is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEventKind {
    /// Changes the session, and may name models.
    SessionUpdate(SessionModels),
    /// Brings an item into the conversation.
    ItemCreate(Brought),
    /// Asks for a response.
    ResponseCreate(Asked),
    /// Brings audio.
    AppendAudio,
    /// Anything else.
    Other,
}

/// What a session is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionKind {
    /// A conversation with a model.
    Conversation,
    /// Writing down what is said, and nothing else.
    Transcription,
}

impl SessionKind {
    /// Its name in a session.
    pub fn name(self) -> &'static str {
        match self {
            Self::Conversation => "realtime",
            Self::Transcription => "transcription",
        }
    }
}

/// The models that a session update names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionModels {
    /// What the session is said to be for.
    pub kind: Option<String>,
    /// The model of the conversation.
    pub model: Option<String>,
    /// The model that writes down what the user says: a second one that is charged for.
    pub transcription: Option<String>,
}

impl ClientEvent {
    /// Reads a frame. One that is no event is answered with an error event and not sent on; the
    /// session lives on.
    pub fn read(frame: &str) -> Result<Self, Failure> {
        let fields = Fields::read(frame.as_bytes()).map_err(|mut failure| {
            if failure.param.as_deref() == Some("body") {
                failure.param = None;
                failure.code = Some("invalid_json".to_owned());
                failure.message = failure.message.replace("request body", "event");
            }
            failure
        })?;
        let kind = fields.required_string("type")?;
        let event_id = fields.string("event_id")?;
        if event_id
            .as_ref()
            .is_some_and(|id| id.chars().count() > MAX_ID_CHARACTERS)
        {
            return Err(wrong("event_id", "at most 512 characters"));
        }
        let kind = match kind.as_ref() {
            "session.update" | "transcription_session.update" => {
                limits::check(&fields, "session")?;
                ClientEventKind::SessionUpdate(session_models(&fields)?)
            }
            "response.create" => {
                limits::check(&fields, "response")?;
                ClientEventKind::ResponseCreate(Asked::read(fields.raw("response")))
            }
            "conversation.item.create" => {
                let item = fields.raw("item");
                ClientEventKind::ItemCreate(item.map(Brought::of_item).unwrap_or_default())
            }
            "input_audio_buffer.append" | "session.input_audio_buffer.append" => {
                ClientEventKind::AppendAudio
            }
            _ => ClientEventKind::Other,
        };
        Ok(Self {
            kind,
            event_id: event_id.map(std::borrow::Cow::into_owned),
        })
    }
}

fn session_models(fields: &Fields<'_>) -> Result<SessionModels, Failure> {
    let Some(session) = fields.raw("session") else {
        return Ok(SessionModels::default());
    };
    let session = Fields::of(session, "session")?;
    let kind = session.string("type")?;
    let model = session.string("model")?;
    let mut transcription = None;
    for path in TRANSCRIPTION_PATHS {
        if let Some(found) = model_at(&session, path)? {
            transcription = Some(found);
        }
    }
    Ok(SessionModels {
        kind: kind.map(std::borrow::Cow::into_owned),
        model: model.map(std::borrow::Cow::into_owned),
        transcription,
    })
}

/// Where a session names the model that writes down what the user says; the second is how older
/// clients say it.
const TRANSCRIPTION_PATHS: [&[&str]; 2] = [
    &["audio", "input", "transcription"],
    &["input_audio_transcription"],
];

fn model_at(fields: &Fields<'_>, path: &[&str]) -> Result<Option<String>, Failure> {
    let Some((name, rest)) = path.split_first() else {
        return Ok(fields.string("model")?.map(std::borrow::Cow::into_owned));
    };
    match fields.raw(name) {
        Some(raw) => model_at(&Fields::of(raw, name)?, rest),
        None => Ok(None),
    }
}

impl SessionModels {
    /// Refuses to make another kind of session of one: it was admitted and is charged as what it is.
    pub fn check_kind(&self, opened: SessionKind) -> Result<(), Failure> {
        match &self.kind {
            Some(kind) if kind != opened.name() => Err(Failure::bad_request(
                "session.type",
                "The type of a session cannot be changed.",
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a change to another model than the one that the session was opened with.
    pub fn check_model(&self, authorised: &str) -> Result<(), Failure> {
        match &self.model {
            Some(model) if model != authorised => Err(Failure::bad_request(
                "session.model",
                "The model of a session cannot be changed.",
            )),
            _ => Ok(()),
        }
    }

    /// The update with the names that the upstream has for the models; everything else is the
    /// client's own text.
    pub fn rename(frame: &str, model: &str, transcription: &str) -> Result<String, Failure> {
        let fields = Fields::read(frame.as_bytes())?;
        let Some(session) = fields.raw("session") else {
            return Ok(frame.to_owned());
        };
        let inner = Fields::of(session, "session")?;
        let mut changes = Vec::new();
        if inner.raw("model").is_some() {
            changes.push(("model", quoted(model)));
        }
        for path in TRANSCRIPTION_PATHS {
            if let Some((name, rest)) = path.split_first()
                && let Some(raw) = inner.raw(name)
                && let Some(text) = renamed(raw, rest, transcription)?
            {
                changes.push((name, text));
            }
        }
        let session = into_text(inner.with(&changes))?;
        into_text(fields.with(&[("session", session)]))
    }
}

/// An object with the model at this path renamed; `None` where it names none.
fn renamed(raw: &RawValue, path: &[&str], model: &str) -> Result<Option<String>, Failure> {
    let fields = Fields::of(raw, "session")?;
    let change = match path.split_first() {
        None => fields.raw("model").map(|_| ("model", quoted(model))),
        Some((name, rest)) => match fields.raw(name) {
            Some(raw) => renamed(raw, rest, model)?.map(|text| (*name, text)),
            None => None,
        },
    };
    change
        .map(|change| into_text(fields.with(&[change])))
        .transpose()
}

fn into_text(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| wrong("session", "text"))
}
