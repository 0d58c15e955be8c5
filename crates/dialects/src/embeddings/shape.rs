//! The vendors' shapes.

/// How an upstream takes texts and gives vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `/v1/embeddings`, the format of ours: OpenAI, Azure, vLLM, TEI and most others.
    OpenAi,
    /// `:batchEmbedContents` of generate content.
    Google,
    /// `:embedContent` with one text a call (newer models on Vertex).
    GoogleSingle,
    /// `:predict` (older models on Vertex).
    VertexPredict,
    /// `/v2/embed`
    Cohere,
    /// `/v1/embeddings` of Jina: ours, with other names for the encoding.
    Jina,
    /// `/v1/embeddings` of Voyage.
    Voyage,
    /// `/api/embed`
    Ollama,
    /// `/embed` of Text Embeddings Inference.
    Tei,
    /// Amazon's Titan on Bedrock: one text a call.
    Titan,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::OpenAi,
        Self::Google,
        Self::GoogleSingle,
        Self::VertexPredict,
        Self::Cohere,
        Self::Jina,
        Self::Voyage,
        Self::Ollama,
        Self::Tei,
        Self::Titan,
    ];

    /// How many inputs one call takes; more are sent in several calls.
    pub fn max_inputs(self, model: &str) -> usize {
        match self {
            Self::OpenAi | Self::Jina | Self::Ollama => super::MAX_INPUTS,
            Self::Google => 100,
            Self::GoogleSingle | Self::Titan => 1,
            Self::VertexPredict if model.contains("gemini-embedding") => 1,
            Self::VertexPredict => 250,
            Self::Cohere => 96,
            Self::Voyage => 1000,
            Self::Tei => 32,
        }
    }

    /// Whether its bodies are those of generate content.
    pub(super) fn is_google(self) -> bool {
        matches!(self, Self::Google | Self::GoogleSingle)
    }

    /// Fields of a client's body, beyond our own, that this upstream understands as they are.
    pub(super) fn own_fields(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &[],
            Self::Google | Self::GoogleSingle | Self::VertexPredict => &["title"],
            Self::Cohere => &["input_type", "truncate", "max_tokens", "priority"],
            Self::Jina => &[
                "task",
                "late_chunking",
                "truncate",
                "normalized",
                "embedding_type",
            ],
            Self::Voyage => &["input_type", "truncation", "output_dtype"],
            Self::Ollama => &["truncate", "options", "keep_alive"],
            Self::Tei => &[
                "normalize",
                "truncate",
                "truncation_direction",
                "prompt_name",
            ],
            Self::Titan => &["normalize"],
        }
    }
}
