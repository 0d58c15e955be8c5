//! What a message is made of.

use serde_json::{Value, json};

use super::Extra;
use crate::{DialectId, Signature};

/// One part of a message or of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// A mark that ends a cached prefix here.
    pub cache: Option<CacheMark>,
    /// The vendor's proof that it made this part (thought signature, encrypted reasoning).
    pub signature: Option<Signature>,
    /// Fields that only the source dialect knows.
    pub extra: Extra,
}

impl Part {
    /// A part of this kind, without marks.
    pub fn new(kind: PartKind) -> Self {
        Self {
            kind,
            cache: None,
            signature: None,
            extra: Extra::new(),
        }
    }

    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(PartKind::Text {
            text: text.into(),
            annotations: Vec::new(),
        })
    }

    /// The text, if this is a text part.
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            PartKind::Text { text, .. } => Some(text),
            _ => None,
        }
    }
}

/// The kinds of parts.
#[derive(Debug, Clone, PartialEq)]
pub enum PartKind {
    /// Text, with citations where the vendor gave them.
    Text {
        /// The words.
        text: String,
        /// Where they come from.
        annotations: Vec<Annotation>,
    },
    /// The model's refusal, in words.
    Refusal(String),
    /// An image, a recording, a film or a document.
    Media(Media),
    /// The model's reasoning; its signature is the part's.
    Thinking(Thinking),
    /// The model calls a client's tool.
    ToolCall(ToolCall),
    /// What the tool answered.
    ToolResult(ToolResult),
    /// A hosted tool's call or result, or any block that only its own dialect understands.
    Hosted(Hosted),
}

/// The model's reasoning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thinking {
    /// The words; empty where the vendor shows only a signature.
    pub text: String,
    /// Whether these are the thoughts themselves or a summary of them.
    pub form: ThinkingForm,
}

/// What a thinking part shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingForm {
    /// The thoughts themselves.
    Raw,
    /// A summary.
    Summary,
    /// Nothing readable: the signature holds it all (redacted thinking, encrypted reasoning).
    Redacted,
}

/// A call of a client's tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id that pairs call and result; empty where the vendor gave none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The namespace that the tool was declared in (responses).
    pub namespace: Option<String>,
    /// What the tool is called with.
    pub arguments: Arguments,
}

/// The arguments of a call. JSON stays text: number spelling and key order are the model's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arguments {
    /// The text of a JSON object.
    Json(String),
    /// Text that should be JSON and is not (cut by a limit, or malformed).
    Broken(String),
    /// Free text for a custom tool.
    Free(String),
}

impl Arguments {
    /// The text, whatever it is.
    pub fn text(&self) -> &str {
        match self {
            Self::Json(text) | Self::Broken(text) | Self::Free(text) => text,
        }
    }

    /// Always an object, for dialects whose calls hold one: so a call's result still finds it.
    pub fn object(&self) -> Value {
        match self {
            Self::Json(text) => match serde_json::from_str(text) {
                Ok(input @ Value::Object(_)) => input,
                Ok(value) => json!({"value": value}),
                Err(_) => json!({"_raw": text}),
            },
            Self::Broken(text) => json!({"_raw": text}),
            Self::Free(text) => json!({"input": text}),
        }
    }
}

/// The answer of a client's tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The id of the call that it answers.
    pub call_id: String,
    /// The tool's name, where the dialect says it.
    pub name: Option<String>,
    /// Whether the tool failed.
    pub is_error: Option<bool>,
    /// Whether this answers a custom tool (responses tells them apart).
    pub is_free: bool,
    /// What it said.
    pub parts: Vec<Part>,
    /// How the content was spelled.
    pub shape: super::ContentShape,
}

/// A block of one dialect that has no counterpart; kept as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Hosted {
    /// The dialect that understands it.
    pub dialect: DialectId,
    /// The whole block.
    pub raw: Value,
}

/// Something to see or hear, or a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// What it is.
    pub class: MediaClass,
    /// Where its content is.
    pub source: MediaSource,
    /// Its file name.
    pub name: Option<String>,
    /// How closely an image should be looked at (`auto`, `low`, `high`, `original`).
    pub detail: Option<String>,
    /// A document's title.
    pub title: Option<String>,
    /// Words about a document that the model should know.
    pub context: Option<String>,
    /// Whether the answer should cite the document, as the messages dialect says it.
    pub citations: Option<Value>,
}

impl Media {
    /// Media of this class from this source.
    pub fn new(class: MediaClass, source: MediaSource) -> Self {
        Self {
            class,
            source,
            name: None,
            detail: None,
            title: None,
            context: None,
            citations: None,
        }
    }
}

/// The kinds of media.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MediaClass {
    /// A picture.
    Image,
    /// A recording.
    Audio,
    /// A film.
    Video,
    /// A document (PDF, plain text, …).
    Document,
}

impl MediaClass {
    /// Its name, where it is told that it could not be said.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
            Self::Document => "document",
        }
    }
}

/// Where media content is.
#[derive(Debug, Clone, PartialEq)]
pub enum MediaSource {
    /// In the request itself.
    Inline {
        /// Its media type, lower case, without parameters where they mean nothing.
        mime: String,
        /// Standard base64.
        data: String,
    },
    /// At an address.
    Url {
        /// The address.
        url: String,
        /// Its media type, where the client said it.
        mime: Option<String>,
    },
    /// A file that was uploaded to a vendor before; it never crosses vendors.
    File {
        /// The vendor's id.
        id: String,
        /// The dialect whose vendor knows it.
        dialect: DialectId,
    },
    /// Plain text given as a document.
    Text(String),
    /// A document made of parts.
    Parts(Vec<Part>),
}

/// Where a piece of an answer comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Annotation {
    /// A page on the web.
    Url {
        /// Its address.
        url: String,
        /// Its title.
        title: Option<String>,
        /// First character of the cited range in this part's text.
        start: Option<u64>,
        /// One past the last character.
        end: Option<u64>,
        /// The annotation as its own dialect wrote it.
        raw: Option<(DialectId, Value)>,
    },
    /// Another kind, which only its own dialect understands.
    Other {
        /// That dialect.
        dialect: DialectId,
        /// The whole annotation.
        raw: Value,
    },
}

/// A mark that ends a cached prefix.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheMark {
    /// How long the prefix should live (`5m`, `1h`), where the client said it.
    pub ttl: Option<String>,
    /// The mark as its own dialect wrote it.
    pub raw: Option<(DialectId, Value)>,
}
