//! What can be asked of a vendor, and in which formats it is asked.

use dialects::{DialectId, UpstreamDialect};

use crate::vendors::bedrock::Converse;

/// What a call wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// Text generation, streamed or not.
    Generate,
    /// How many tokens a request has.
    CountTokens,
    /// Vectors.
    Embed,
    /// Judging a content.
    Moderate,
    /// Drawing an image.
    GenerateImage,
    /// Changing images.
    EditImage,
    /// Variations of an image.
    VaryImage,
    /// Speech to text in its own language.
    Transcribe,
    /// Speech to English text.
    Translate,
    /// Text to speech.
    Speak,
    /// Ordering documents by how well they answer.
    Rerank,
    /// A conversation over a WebSocket.
    Realtime,
    /// Writing down over a WebSocket what is said.
    TranscribeLive,
    /// Which models there are.
    ListModels,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Generate,
        Self::CountTokens,
        Self::Embed,
        Self::Moderate,
        Self::GenerateImage,
        Self::EditImage,
        Self::VaryImage,
        Self::Transcribe,
        Self::Translate,
        Self::Speak,
        Self::Rerank,
        Self::Realtime,
        Self::TranscribeLive,
        Self::ListModels,
    ];

    /// Its name in logs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Generate => "generate",
            Self::CountTokens => "count_tokens",
            Self::Embed => "embed",
            Self::Moderate => "moderate",
            Self::GenerateImage => "generate_image",
            Self::EditImage => "edit_image",
            Self::VaryImage => "vary_image",
            Self::Transcribe => "transcribe",
            Self::Translate => "translate",
            Self::Speak => "speak",
            Self::Rerank => "rerank",
            Self::Realtime => "realtime",
            Self::TranscribeLive => "transcribe_live",
            Self::ListModels => "list_models",
        }
    }
}

/// The shape of the bodies of an operation at a vendor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A dialect for text generation.
    Text(DialectId),
    /// Amazon's own shape for text generation.
    Converse,
    /// The shape that most vendors share, which is OpenAI's; for rerank Jina's.
    Common,
    /// The same, of which the vendor takes images as files of a form alone.
    Form,
    /// Google AI Studio's: `batchEmbedContents`, `countTokens`.
    Google,
    /// Vertex AI's `instances` and `predictions`.
    Predict,
    /// Cohere's second version.
    Cohere,
    /// Voyage's: nearly the common one, with fields of its own.
    Voyage,
    /// Hugging Face's text embeddings inference: texts in, a bare array out.
    TextEmbeddingsInference,
    /// Amazon Titan's: one text in, one vector out.
    Titan,
}

impl Format {
    /// The text dialect, where it is one.
    pub fn dialect(self) -> Option<DialectId> {
        match self {
            Self::Text(dialect) => Some(dialect),
            _ => None,
        }
    }

    /// What is spoken in it, where it is a format for text: a dialect, or a provider's private one.
    pub fn text(self) -> Option<&'static dyn UpstreamDialect> {
        match self {
            Self::Text(dialect) => Some(dialects::convert::upstream_dialect(dialect)),
            Self::Converse => Some(&Converse),
            _ => None,
        }
    }
}
