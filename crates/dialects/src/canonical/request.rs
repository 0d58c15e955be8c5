//! A generation request. Every optional field is an `Option`: zero is a value, absent stays absent.

use serde_json::{Number, Value};

use super::{Extra, Part, Schema, Tool, ToolChoice};
use crate::DialectId;

/// Fields that chat completions and responses spell alike and no other dialect knows. They stay in
/// `extra`, and each of the two writes them for clients of the other.
pub const ALIKE: [&str; 3] = [
    "prompt_cache_options",
    "prompt_cache_retention",
    "moderation",
];

/// What a client asks a model to generate.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The dialect that this request was read from; `extra` fields belong to it.
    pub source: DialectId,
    /// The model's name, as the client gave it (or as routing replaced it).
    pub model: String,
    /// System text before the first turn, block by block.
    pub system: Vec<Part>,
    /// Whether `system` came as a bare string, as blocks, or not at all.
    pub system_shape: ContentShape,
    /// The conversation in its original order, nothing merged.
    pub turns: Vec<Turn>,
    /// Tools that the model may call.
    pub tools: Vec<Tool>,
    /// Which of them it may or must call.
    pub tool_choice: ToolChoice,
    /// Sampling parameters.
    pub sampling: Sampling,
    /// The cap on generated tokens, reasoning included.
    pub max_output: Option<u64>,
    /// Strings that end the generation.
    pub stop: Vec<String>,
    /// How many choices are wanted (`n`, `candidateCount`).
    pub choices: Option<u32>,
    /// The form that the answer must have.
    pub output: OutputFormat,
    /// Whether and how hard the model should reason.
    pub reasoning: Reasoning,
    /// Kinds of output wanted, lower case: `text`, `audio`, `image`.
    pub modalities: Option<Vec<String>>,
    /// Voice and format of generated audio, `{voice, format}` in the words of chat completions.
    pub audio: Option<Value>,
    /// `low`, `medium` or `high`.
    pub verbosity: Option<String>,
    /// The end user behind the client (`safety_identifier`, `user`, `metadata.user_id`).
    pub end_user: Option<String>,
    /// Routing hint for the prompt cache.
    pub cache_key: Option<String>,
    /// The service tier in the source dialect's own words.
    pub tier: Option<String>,
    /// Client's key-value pairs (chat completions and responses).
    pub metadata: Option<Value>,
    /// Whether the vendor should keep the answer.
    pub store: Option<bool>,
    /// Predicted output.
    pub prediction: Option<Value>,
    /// Present when the answer is to be streamed.
    pub stream: Option<StreamOptions>,
    /// Fields that no other dialect knows, but for those in [`ALIKE`].
    pub extra: Extra,
}

impl Request {
    /// A request with nothing in it but its dialect and model.
    pub fn new(source: DialectId, model: impl Into<String>) -> Self {
        Self {
            source,
            model: model.into(),
            system: Vec::new(),
            system_shape: ContentShape::Absent,
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::default(),
            sampling: Sampling::default(),
            max_output: None,
            stop: Vec::new(),
            choices: None,
            output: OutputFormat::Text,
            reasoning: Reasoning::default(),
            modalities: None,
            audio: None,
            verbosity: None,
            end_user: None,
            cache_key: None,
            tier: None,
            metadata: None,
            store: None,
            prediction: None,
            stream: None,
            extra: Extra::new(),
        }
    }
}

/// One message of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Who speaks.
    pub role: Role,
    /// What is said, part by part. Tool results are parts of a `User` turn.
    pub parts: Vec<Part>,
    /// How the content was spelled, so that the same dialect can be written back alike.
    pub shape: ContentShape,
    /// The speaker's name (chat completions).
    pub name: Option<String>,
    /// Fields that only the source dialect knows (ids, status, phase, the exact role name …).
    pub extra: Extra,
}

impl Turn {
    /// A turn with these parts, spelled as a list.
    pub fn new(role: Role, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            shape: ContentShape::Parts,
            name: None,
            extra: Extra::new(),
        }
    }
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person or program that asks; also carries tool results.
    User,
    /// The model.
    Assistant,
    /// System or developer text between turns. Text before the first turn is `Request::system`.
    System,
}

/// How a content field was spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentShape {
    /// A list of parts.
    Parts,
    /// One bare string.
    Text,
    /// `null`.
    Null,
    /// The field was not there.
    Absent,
}

/// Sampling parameters; numbers keep their text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sampling {
    /// Randomness.
    pub temperature: Option<Number>,
    /// Nucleus.
    pub top_p: Option<Number>,
    /// Candidates considered.
    pub top_k: Option<Number>,
    /// Penalty by frequency.
    pub frequency_penalty: Option<Number>,
    /// Penalty by presence.
    pub presence_penalty: Option<Number>,
    /// Seed.
    pub seed: Option<Number>,
    /// Token id → bias.
    pub logit_bias: Option<Value>,
    /// Whether log probabilities of the chosen tokens are wanted.
    pub logprobs: Option<bool>,
    /// How many alternatives to each token.
    pub top_logprobs: Option<u32>,
}

/// The form that the answer must have.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum OutputFormat {
    /// Free text; nothing was asked.
    #[default]
    Text,
    /// Free text, and the client said so (`{"type":"text"}`, `text/plain`).
    PlainText,
    /// Any one JSON object.
    JsonObject,
    /// JSON that fits a schema.
    JsonSchema {
        /// The schema's name (chat completions and responses require one).
        name: Option<String>,
        /// What the schema is for.
        description: Option<String>,
        /// The schema.
        schema: Schema,
        /// Whether the vendor must enforce it.
        strict: Option<bool>,
    },
    /// One of the values of an enum schema, as bare text (generate content's `text/x.enum`).
    Enum {
        /// A string schema with an `enum`.
        schema: Schema,
    },
}

/// Whether and how hard the model should reason.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reasoning {
    /// On, off, or the model's own choice.
    pub mode: ReasoningMode,
    /// How hard.
    pub effort: Option<Effort>,
    /// How many tokens it may spend (`-1` never stands here: that is `ReasoningMode::Auto`).
    pub budget: Option<u64>,
    /// How much of it the client wants to see.
    pub show: ReasoningShow,
    /// The summary style in the source's own words (`auto`, `concise`, `detailed`).
    pub summary: Option<String>,
    /// Fields beside these that only the source dialect knows.
    pub extra: Extra,
}

/// On, off, or the model's own choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReasoningMode {
    /// Nothing was said.
    #[default]
    Unset,
    /// Not at all.
    Off,
    /// As the model sees fit.
    Auto,
    /// On.
    On,
}

/// How much reasoning the client wants to see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReasoningShow {
    /// Nothing was said.
    #[default]
    Unset,
    /// Nothing of it.
    None,
    /// A summary, or whatever the vendor shows.
    Summary,
}

/// Reasoning effort, weakest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effort {
    /// No reasoning.
    None,
    /// The least there is.
    Minimal,
    /// Little.
    Low,
    /// The usual.
    Medium,
    /// Much.
    High,
    /// Very much.
    ExtraHigh,
    /// All there is.
    Max,
    /// A word that we do not know, kept for the dialect that said it.
    Other(String),
}

impl Effort {
    /// Reads a vendor's word, in any case.
    pub fn read(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "none" => Self::None,
            "minimal" => Self::Minimal,
            "low" => Self::Low,
            "medium" => Self::Medium,
            "high" => Self::High,
            "xhigh" => Self::ExtraHigh,
            "max" => Self::Max,
            _ => Self::Other(word.to_owned()),
        }
    }

    /// The word for it, lower case.
    pub fn word(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::ExtraHigh => "xhigh",
            Self::Max => "max",
            Self::Other(word) => word,
        }
    }
}

/// Wishes about the stream.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StreamOptions {
    /// Whether the client asked for a usage chunk (chat and legacy completions).
    pub include_usage: Option<bool>,
    /// Other stream options, known to the source dialect only.
    pub extra: Extra,
}
