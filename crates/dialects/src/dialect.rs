//! What every dialect can do. A dialect's module implements [`Dialect`] with one reader and one
//! writer each for requests, replies, streams and errors; nothing in it knows another dialect.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::canonical::{Event, EventSink, Extra, Failure, Reply, Request};
use crate::said::Said;

/// Names a wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DialectId {
    /// `/v1/chat/completions`
    ChatCompletions,
    /// `/v1/completions`
    TextCompletions,
    /// `/v1/messages`
    Messages,
    /// `/v1beta/models/{model}:generateContent`
    GenerateContent,
    /// `/v1/responses`
    Responses,
}

impl DialectId {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::ChatCompletions,
        Self::TextCompletions,
        Self::Messages,
        Self::GenerateContent,
        Self::Responses,
    ];

    /// Its name in configuration files and logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat",
            Self::TextCompletions => "completions",
            Self::Messages => "messages",
            Self::GenerateContent => "generate",
            Self::Responses => "responses",
        }
    }

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|id| id.name() == name)
    }
}

/// What a request's path says beside its body.
#[derive(Debug, Clone, Default)]
pub struct PathHints {
    /// The model, where it is in the path (generate content).
    pub model: Option<String>,
    /// Whether the path asks for a stream (generate content).
    pub stream: bool,
}

/// How a stream is cut into frames.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Framing {
    /// Server-sent events.
    #[default]
    ServerSentEvents,
    /// One JSON array, written piece by piece (generate content without `alt=sse`).
    JsonArray,
}

/// What the way back needs to know of the way there. Made once for each attempt.
#[derive(Debug, Clone, Default)]
pub struct ReplyContext {
    /// An id for the answer, where the upstream gives none. Made by the caller: no randomness here.
    pub id: String,
    /// The request's own id, for error frames of dialects that carry one.
    pub request_id: String,
    /// The time of the answer in unix seconds, where the upstream gives none.
    pub created: u64,
    /// The model's name, where the upstream gives none.
    pub model: String,
    /// Whether the client asked for a usage chunk (chat and legacy completions).
    pub include_usage: bool,
    /// How the client's stream is framed.
    pub framing: Framing,
    /// About how many tokens the input is, for dialects that tell it before the upstream does.
    pub estimated_input: u64,
    /// Counts the input, if the upstream does not tell it. None: the estimate is used.
    pub count_input: Option<CountInput>,
    /// Counts what was said, where the upstream does not tell. None: then the client is told as little.
    pub count_said: Option<fn(&Said) -> u64>,
    /// Tool names as the upstream knows them → as the client declared them, where they differ.
    pub tool_names: BTreeMap<String, ToolOrigin>,
    /// Client's tools that take free text and were sent as functions, by the client's name.
    pub free_tools: Vec<String>,
    /// Strings that end the answer, where the upstream cannot be told of them.
    pub stop: Vec<String>,
    /// The tool that stands in for a structured answer, where the upstream has no such mode.
    pub answer_tool: Option<String>,
    /// Whether reasoning is shown to the client. [`crate::convert::convert_request`] sets it: across
    /// dialects unless the client asked not to see any, and always where both speak one dialect,
    /// because the vendor has heard the wish itself. Signatures travel either way, and generate
    /// content shows what there is.
    pub show_reasoning: bool,
    /// Whether the client calls tools by the deprecated function interface (chat), which knows one
    /// call at a time and no ids.
    pub old_functions: bool,
    /// The prompt that a legacy completion echoes.
    pub echoed_prompt: Option<String>,
    /// Fields of the request that a responses answer repeats.
    pub echo: Extra,
}

/// Counts the input of a call.
#[derive(Clone)]
pub struct CountInput(pub Arc<dyn Fn() -> u64 + Send + Sync>);

impl fmt::Debug for CountInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CountInput")
    }
}

impl ReplyContext {
    /// The answer's id: the upstream's, where it gave one.
    pub(crate) fn id_or<'a>(&'a self, given: &'a str) -> &'a str {
        if given.is_empty() { &self.id } else { given }
    }

    /// The model's name: the upstream's, where it gave one.
    pub(crate) fn model_or<'a>(&'a self, given: &'a str) -> &'a str {
        if given.is_empty() { &self.model } else { given }
    }
}

/// A tool as the client declared it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOrigin {
    /// Its name.
    pub name: String,
    /// Its namespace (responses).
    pub namespace: Option<String>,
}

/// Bytes that were written, and what could not be said in them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Written {
    /// The body.
    pub body: Vec<u8>,
    /// Names of what was left out, for the header `x-modelgate-dropped`.
    pub dropped: Vec<String>,
}

/// Adds a name to a list that says each name once.
pub fn name_once(names: &mut Vec<String>, name: &str) {
    if names.len() < MAX_DROPPED_NAMES && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Further names of dropped fields are not recorded: they can be of a client's or a vendor's making.
const MAX_DROPPED_NAMES: usize = 64;

/// A wire format for text generation.
pub trait Dialect: Send + Sync {
    /// Its name.
    fn id(&self) -> DialectId;

    /// Reads a client's request, faithfully.
    fn read_request(&self, body: &[u8], path: &PathHints) -> Result<Request, Failure>;

    /// The same for a body that [`crate::scan::scan`] has found nothing wrong with: what it checks is
    /// not checked again.
    fn read_scanned(&self, body: &[u8], path: &PathHints) -> Result<Request, Failure> {
        self.read_request(body, path)
    }

    /// Writes a request that the passes have made fit for this dialect. `request.source` equal to
    /// this dialect means that `extra` fields and original spellings are written again.
    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure>;

    /// Reads a whole answer.
    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure>;

    /// Writes a whole answer.
    fn write_reply(&self, reply: &Reply, context: &ReplyContext) -> Written;

    /// A fresh reader for one streamed answer.
    fn stream_reader(&self) -> Box<dyn StreamReader>;

    /// A fresh writer for one streamed answer.
    fn stream_writer(&self, context: &ReplyContext) -> Box<dyn StreamWriter>;

    /// Writes a failed call's body. `status` is the HTTP status that the edge chose.
    fn write_error(&self, failure: &Failure, status: u16, request_id: &str) -> Vec<u8>;
}

/// One frame of a streamed answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The event's name, where the frame has one.
    pub event: Option<&'a str>,
    /// Its data; UTF-8 where the vendor keeps to the standard.
    pub data: &'a [u8],
}

impl<'a> Frame<'a> {
    /// A frame without a name.
    pub fn new(data: &'a [u8]) -> Self {
        Self { event: None, data }
    }
}

/// Reads a streamed answer, frame by frame.
pub trait StreamReader: Send {
    /// Takes the next frame and hands on what it means.
    fn frame(&mut self, frame: Frame<'_>, sink: &mut dyn EventSink);

    /// The upstream has closed. A stream that did not come to its end is an error.
    fn close(&mut self, sink: &mut dyn EventSink);
}

/// Writes a streamed answer, event by event. Frames are complete after each event: what is in
/// `out` can be sent at once.
pub trait StreamWriter: Send {
    /// Writes what this event means to the client.
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>);

    /// Goes on with an answer that somebody else has begun: the beginning is not written again.
    /// Nothing to know for dialects whose frames stand for themselves.
    fn go_on(&mut self, _begun: &Begun) {}
}

/// The beginning of a streamed answer that went through as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Begun {
    /// The answer's id.
    pub id: String,
    /// The model's name.
    pub model: String,
    /// When it was made, in unix seconds.
    pub created: Option<u64>,
    /// How many frames there were.
    pub frames: u64,
}
