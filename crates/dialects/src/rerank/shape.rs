//! The vendors' shapes.

/// How many texts Text Embeddings Inference takes a call, unless its operator allows more; more
/// documents are sent in several calls.
pub(super) const TEI_TEXTS: usize = 32;

/// How an upstream takes documents and gives scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// Ours: Jina, vLLM, `SiliconFlow`, Xinference and most others.
    Compatible,
    /// `/v2/rerank` of Cohere: documents are texts.
    Cohere,
    /// `/v1/rerank` of Voyage.
    Voyage,
    /// `/rerank` of Text Embeddings Inference.
    Tei,
    /// The native rerank service of `DashScope`.
    DashScope,
    /// The ranking service of Vertex.
    Vertex,
}

impl Shape {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Compatible,
        Self::Cohere,
        Self::Voyage,
        Self::Tei,
        Self::DashScope,
        Self::Vertex,
    ];

    /// Fields of a client's body, beyond the common ones, that this upstream understands. `None`:
    /// all of them.
    pub(super) fn own_fields(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Compatible => None,
            Self::Cohere => Some(&["max_tokens_per_doc", "priority"]),
            Self::Voyage => Some(&["truncation"]),
            Self::Tei => Some(&["truncate", "truncation_direction", "raw_scores"]),
            Self::DashScope => Some(&["instruct"]),
            Self::Vertex => Some(&[]),
        }
    }
}
