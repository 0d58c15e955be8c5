//! What a server's frame means to metering and to the session. Most frames mean nothing, and nothing
//! of them is parsed but their type.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{AudioFormat, RealtimeUsage, event_type, member};
use crate::said::Said;
use crate::units::{Counts, Units, count};

/// What a frame means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEvent {
    /// The session began, or was changed.
    Session(Session),
    /// A response began.
    ResponseCreated,
    /// A response ended.
    ResponseDone(ResponseDone),
    /// A piece of what the user said was written down.
    TranscriptionText(String),
    /// What the user said was written down by a model of its own, which is charged for too.
    TranscriptionDone {
        /// The item that was written down.
        item_id: String,
        /// What was written.
        transcript: String,
        /// What it used, in tokens or in time.
        units: Box<Units>,
    },
    /// What the user said could not be written down.
    TranscriptionFailed,
    /// A failure; the session mostly goes on.
    Error(ErrorEvent),
    /// A piece of speech; [`super::member`] finds its `delta`.
    OutputAudio,
    /// A piece of what is written: text, the transcript of speech, or arguments of a function.
    OutputText(String),
    /// Anything else.
    Other,
}

/// A session as the server tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// Whether it just began.
    pub is_new: bool,
    /// Its id.
    pub id: Option<String>,
    /// Its model.
    pub model: Option<String>,
    /// The model that writes down what the user says.
    pub transcription_model: Option<String>,
    /// When it ends, in unix seconds.
    pub expires_at: Option<u64>,
    /// What every response reads before the conversation: instructions and tools.
    pub standing: Said,
    /// How the user's sound is written.
    pub input_format: Option<AudioFormat>,
    /// How the model's sound is written.
    pub output_format: Option<AudioFormat>,
}

/// How a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseDone {
    /// Its id: with the session's, what makes its charge unique.
    pub id: Option<String>,
    /// How it ended.
    pub status: ResponseStatus,
    /// What it used; where nothing is told, it is estimated.
    pub usage: Option<RealtimeUsage>,
}

/// How a response ended. All but a failed one are charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseStatus {
    /// It is whole.
    Completed,
    /// It was interrupted.
    Cancelled,
    /// It was cut.
    Incomplete,
    /// It failed.
    Failed,
    /// The vendor says something new.
    Other,
}

impl ResponseDone {
    /// Whether it is charged.
    pub fn is_charged(&self) -> bool {
        self.status != ResponseStatus::Failed
    }
}

/// A failure as the server tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorEvent {
    /// Its type.
    pub kind: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// What happened.
    pub message: Option<String>,
    /// The client's event that caused it.
    pub caused_by: Option<String>,
}

impl ServerEvent {
    /// Reads a frame. One that cannot be read means nothing: it belongs to the vendor, and goes on.
    pub fn read(frame: &str) -> Self {
        let event = match event_type(frame) {
            Some("response.output_audio.delta" | "response.audio.delta") => Some(Self::OutputAudio),
            Some(
                "response.output_text.delta"
                | "response.text.delta"
                | "response.output_audio_transcript.delta"
                | "response.audio_transcript.delta"
                | "response.function_call_arguments.delta"
                | "response.mcp_call_arguments.delta",
            ) => delta(frame).map(Self::OutputText),
            Some("response.created") => Some(Self::ResponseCreated),
            Some("response.done") => response_done(frame),
            Some("conversation.item.input_audio_transcription.delta") => {
                delta(frame).map(Self::TranscriptionText)
            }
            Some("conversation.item.input_audio_transcription.completed") => transcription(frame),
            Some("conversation.item.input_audio_transcription.failed") => {
                Some(Self::TranscriptionFailed)
            }
            Some("session.created" | "transcription_session.created") => session(frame, true),
            Some("session.updated" | "transcription_session.updated") => session(frame, false),
            Some("error") => error(frame),
            _ => None,
        };
        event.unwrap_or(Self::Other)
    }
}

fn delta(frame: &str) -> Option<String> {
    serde_json::from_str(member(frame, "delta")?).ok()
}

#[derive(Deserialize)]
struct DoneFrame<'a> {
    #[serde(borrow)]
    response: Response<'a>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default, alias = "modalities")]
    output_modalities: Option<&'a RawValue>,
}

fn response_done(frame: &str) -> Option<ServerEvent> {
    let DoneFrame { response } = serde_json::from_str(frame).ok()?;
    let speaks = response
        .output_modalities
        .is_some_and(|raw| raw.get().contains("\"audio\""));
    Some(ServerEvent::ResponseDone(ResponseDone {
        id: response.id.map(Cow::into_owned),
        status: match response.status.as_deref() {
            Some("completed") => ResponseStatus::Completed,
            Some("cancelled") => ResponseStatus::Cancelled,
            Some("incomplete") => ResponseStatus::Incomplete,
            Some("failed") => ResponseStatus::Failed,
            _ => ResponseStatus::Other,
        },
        usage: RealtimeUsage::read(response.usage, speaks),
    }))
}

#[derive(Deserialize)]
struct TranscriptionFrame<'a> {
    #[serde(borrow, default)]
    item_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    transcript: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

fn transcription(frame: &str) -> Option<ServerEvent> {
    let read: TranscriptionFrame<'_> = serde_json::from_str(frame).ok()?;
    let counts = Counts::read(read.usage);
    Some(ServerEvent::TranscriptionDone {
        item_id: read.item_id.map(Cow::into_owned).unwrap_or_default(),
        transcript: read.transcript.map(Cow::into_owned).unwrap_or_default(),
        units: Box::new(Units {
            tokens: counts.usage(),
            milliseconds: counts.milliseconds,
            ..Units::default()
        }),
    })
}

#[derive(Deserialize)]
struct SessionFrame<'a> {
    #[serde(borrow)]
    session: SessionBody<'a>,
}

#[derive(Deserialize)]
struct SessionBody<'a> {
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    expires_at: Option<&'a RawValue>,
    #[serde(borrow, default)]
    instructions: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    audio: Option<Audio<'a>>,
    #[serde(borrow, default)]
    input_audio_transcription: Option<Transcription<'a>>,
    #[serde(borrow, default)]
    input_audio_format: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_audio_format: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Audio<'a> {
    #[serde(borrow, default)]
    input: Option<AudioSide<'a>>,
    #[serde(borrow, default)]
    output: Option<AudioSide<'a>>,
}

#[derive(Default, Deserialize)]
struct AudioSide<'a> {
    #[serde(borrow, default)]
    format: Option<&'a RawValue>,
    #[serde(borrow, default)]
    transcription: Option<Transcription<'a>>,
}

#[derive(Deserialize)]
struct Transcription<'a> {
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
}

fn session(frame: &str, is_new: bool) -> Option<ServerEvent> {
    let SessionFrame { session } = serde_json::from_str(frame).ok()?;
    let audio = session.audio.unwrap_or_default();
    let (input, output) = (
        audio.input.unwrap_or_default(),
        audio.output.unwrap_or_default(),
    );
    let transcription = input.transcription.or(session.input_audio_transcription);
    let format = |new: Option<&RawValue>, old: Option<&RawValue>| {
        new.or(old).and_then(|raw| AudioFormat::read(raw.get()))
    };
    let mut standing = Said::default();
    standing.hear(&session.instructions.unwrap_or_default());
    let tools = session.tools.map_or("", RawValue::get);
    standing.hear(if tools == "[]" { "" } else { tools });
    Some(ServerEvent::Session(Session {
        standing,
        is_new,
        id: session.id.map(Cow::into_owned),
        model: session.model.map(Cow::into_owned),
        transcription_model: transcription.and_then(|it| it.model.map(Cow::into_owned)),
        expires_at: count(session.expires_at),
        input_format: format(input.format, session.input_audio_format),
        output_format: format(output.format, session.output_audio_format),
    }))
}

#[derive(Deserialize)]
struct ErrorFrame<'a> {
    #[serde(borrow)]
    error: ErrorBody<'a>,
}

#[derive(Deserialize)]
struct ErrorBody<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    code: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    event_id: Option<Cow<'a, str>>,
}

fn error(frame: &str) -> Option<ServerEvent> {
    let ErrorFrame { error } = serde_json::from_str(frame).ok()?;
    Some(ServerEvent::Error(ErrorEvent {
        kind: error.kind.map(Cow::into_owned),
        code: error.code.map(Cow::into_owned),
        message: error.message.map(Cow::into_owned),
        caused_by: error.event_id.map(Cow::into_owned),
    }))
}
