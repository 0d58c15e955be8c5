//! A client's request.

use serde_json::{Map, Value};

use crate::canonical::{Extra, Failure};
use crate::fields::{Fields, missing, wrong};
use crate::json;

const KNOWN: [&str; 6] = [
    "model",
    "query",
    "documents",
    "top_n",
    "top_k",
    "return_documents",
];

/// A client's request.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The model.
    pub model: String,
    /// The question; some models take an image, as an object.
    pub query: Value,
    /// The documents.
    pub documents: Vec<Document>,
    /// How many results are wanted; never more than there are documents.
    pub top_n: Option<usize>,
    /// Whether results carry their documents.
    pub return_documents: bool,
    /// Of documents that are objects: the fields that count, in their order.
    pub rank_fields: Vec<String>,
    /// Fields that only some vendors know, `rank_fields` among them.
    pub extra: Extra,
}

/// One document.
#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    /// A text.
    Text(String),
    /// An object; its meaning is the client's and the model's.
    Object(Map<String, Value>),
}

impl Request {
    /// Reads a body.
    pub fn read(body: &[u8]) -> Result<Self, Failure> {
        let fields = Fields::read(body)?;
        let model = fields.required_string("model")?.into_owned();
        let documents = read_documents(&fields)?;
        let extra = fields.extra(&KNOWN)?;
        Ok(Self {
            model,
            query: read_query(&fields)?,
            top_n: read_top(&fields, documents.len())?,
            return_documents: fields.boolean("return_documents")?.unwrap_or(false),
            rank_fields: fields
                .parsed("rank_fields", "a list of strings")?
                .unwrap_or_default(),
            documents,
            extra,
        })
    }

    /// How many search units this is, where the upstream does not tell: one for each hundred
    /// documents begun.
    pub fn search_units(&self) -> u64 {
        (self.documents.len() as u64).div_ceil(100).max(1)
    }

    /// The texts that a model reads, for an estimate: a cross-encoder reads the query once for
    /// each document.
    pub fn query_text(&self) -> &str {
        match &self.query {
            Value::String(text) => text,
            query => query
                .get("text")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        }
    }

    /// A document as text: of an object its text, or its fields as lines.
    pub fn text_of(&self, document: &Document) -> String {
        match document {
            Document::Text(text) => text.clone(),
            Document::Object(map) => object_text(map, &self.rank_fields),
        }
    }
}

/// An object as text: the fields that count as `name: value` lines, or all of them where it has
/// none of those; a lone text is just that.
fn object_text(map: &Map<String, Value>, fields: &[String]) -> String {
    let line = |name: &str, value: &Value| match value {
        Value::String(text) => format!("{name}: {text}"),
        value => format!("{name}: {}", json::text(value)),
    };
    let counting = fields.iter();
    let lines: Vec<String> = counting
        .filter_map(|name| Some(line(name, map.get(name)?)))
        .collect();
    if !lines.is_empty() {
        return lines.join("\n");
    }
    match map.get("text") {
        Some(Value::String(text)) if map.len() == 1 => text.clone(),
        _ => {
            let lines: Vec<String> = map.iter().map(|(name, value)| line(name, value)).collect();
            lines.join("\n")
        }
    }
}

fn read_query(fields: &Fields<'_>) -> Result<Value, Failure> {
    let query: Value = fields
        .parsed("query", "a string")?
        .ok_or_else(|| missing("query"))?;
    match &query {
        Value::String(text) if text.is_empty() => Err(wrong("query", "a string that is not empty")),
        Value::String(_) => Ok(query),
        Value::Object(map) if !map.is_empty() => Ok(query),
        _ => Err(wrong("query", "a string")),
    }
}

fn read_documents(fields: &Fields<'_>) -> Result<Vec<Document>, Failure> {
    let list: Vec<Value> = fields
        .parsed("documents", "a list of strings or objects")?
        .ok_or_else(|| missing("documents"))?;
    if list.is_empty() {
        return Err(wrong("documents", "a list that is not empty"));
    }
    let document = |(index, value)| match value {
        Value::String(text) => Ok(Document::Text(text)),
        Value::Object(map) => Ok(Document::Object(map)),
        _ => Err(wrong(
            &format!("documents[{index}]"),
            "a string or an object",
        )),
    };
    list.into_iter().enumerate().map(document).collect()
}

/// `top_k` is another vendor's name for the same.
fn read_top(fields: &Fields<'_>, documents: usize) -> Result<Option<usize>, Failure> {
    for name in ["top_n", "top_k"] {
        match fields.whole(name)? {
            Some(0) => return Err(wrong(name, "at least 1")),
            Some(top) => {
                let top = usize::try_from(top).unwrap_or(usize::MAX);
                return Ok(Some(top.min(documents)));
            }
            None => {}
        }
    }
    Ok(None)
}
