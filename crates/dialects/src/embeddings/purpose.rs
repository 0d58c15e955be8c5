//! What the vectors are for. Every vendor has its own field and its own words for it; ours has none,
//! so a client says it in the words of any vendor.

use serde_json::Value;

use super::Shape;
use crate::canonical::Extra;

/// What vectors are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Questions that look for documents.
    Query,
    /// Documents that are looked for.
    Document,
    /// Texts compared with each other.
    Similarity,
    /// Input of a classifier.
    Classification,
    /// Input of a clustering.
    Clustering,
    /// Questions that look for answers.
    QuestionAnswering,
    /// Statements that look for evidence.
    FactVerification,
    /// Questions that look for code.
    CodeQuery,
}

/// The fields by which vendors name a purpose.
pub(super) const FIELDS: [&str; 3] = ["task_type", "input_type", "task"];

/// A purpose in the words of each vendor; `""` where it has none.
struct Words {
    purpose: Purpose,
    google: &'static str,
    cohere: &'static str,
    jina: &'static str,
    voyage: &'static str,
}

/// Where vendors share a word, the first purpose is what it means.
const WORDS: [Words; 8] = [
    Words {
        purpose: Purpose::Query,
        google: "RETRIEVAL_QUERY",
        cohere: "search_query",
        jina: "retrieval.query",
        voyage: "query",
    },
    Words {
        purpose: Purpose::Document,
        google: "RETRIEVAL_DOCUMENT",
        cohere: "search_document",
        jina: "retrieval.passage",
        voyage: "document",
    },
    Words {
        purpose: Purpose::Similarity,
        google: "SEMANTIC_SIMILARITY",
        cohere: "",
        jina: "text-matching",
        voyage: "",
    },
    Words {
        purpose: Purpose::Classification,
        google: "CLASSIFICATION",
        cohere: "classification",
        jina: "classification",
        voyage: "",
    },
    Words {
        purpose: Purpose::Clustering,
        google: "CLUSTERING",
        cohere: "clustering",
        jina: "separation",
        voyage: "",
    },
    Words {
        purpose: Purpose::QuestionAnswering,
        google: "QUESTION_ANSWERING",
        cohere: "search_query",
        jina: "retrieval.query",
        voyage: "query",
    },
    Words {
        purpose: Purpose::FactVerification,
        google: "FACT_VERIFICATION",
        cohere: "search_query",
        jina: "retrieval.query",
        voyage: "query",
    },
    Words {
        purpose: Purpose::CodeQuery,
        google: "CODE_RETRIEVAL_QUERY",
        cohere: "search_query",
        jina: "retrieval.query",
        voyage: "query",
    },
];

impl Purpose {
    /// The purpose that a word of any vendor means.
    pub fn from_word(word: &str) -> Option<Self> {
        let is_it = |it: &&Words| [it.google, it.cohere, it.jina, it.voyage].contains(&word);
        let found = WORDS.iter().filter(|_| !word.is_empty()).find(is_it);
        found.map(|it| it.purpose)
    }

    /// The first purpose that the vendors' fields name.
    pub(super) fn find(extra: &Extra) -> Option<Self> {
        let words = FIELDS.iter().filter_map(|name| extra.get(*name));
        words.filter_map(Value::as_str).find_map(Self::from_word)
    }

    /// The word of this purpose for an upstream.
    pub fn word(self, shape: Shape) -> Option<&'static str> {
        let words = WORDS.iter().find(|it| it.purpose == self)?;
        let word = match shape {
            Shape::Google | Shape::GoogleSingle | Shape::VertexPredict => words.google,
            Shape::Cohere => words.cohere,
            Shape::Jina => words.jina,
            Shape::Voyage => words.voyage,
            Shape::OpenAi | Shape::Ollama | Shape::Tei | Shape::Titan => "",
        };
        Some(word).filter(|word| !word.is_empty())
    }
}
