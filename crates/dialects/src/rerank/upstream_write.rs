//! The bodies that go to an upstream: one, or several where it takes fewer documents a call.
//! Documents never come back from it: they are taken from the request, where every vendor's answer
//! points by index.

use serde_json::{Map, Value, json};

use super::shape::TEI_TEXTS;
use super::{Document, Request, Shape};
use crate::canonical::Failure;
use crate::json;

/// What goes to the upstream for one client's request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// The bodies, in the order of the documents; at least one.
    pub bodies: Vec<Vec<u8>>,
    /// Names of what could not be said, for the header `x-modelgate-dropped`.
    pub dropped: Vec<String>,
}

/// Writes the calls for an upstream. `model` is its name there.
pub fn write_calls(request: &Request, shape: Shape, model: &str) -> Result<Calls, Failure> {
    let bodies = match shape {
        Shape::Compatible => vec![compatible(request, model)],
        Shape::Cohere => vec![cohere(request, model)?],
        Shape::Voyage => vec![voyage(request, model)?],
        Shape::Tei => tei(request)?,
        Shape::DashScope => vec![dashscope(request, model)?],
        Shape::Vertex => vec![vertex(request, model)?],
    };
    let is_own = |name: &String| {
        let own = shape.own_fields();
        own.is_none_or(|own| own.contains(&name.as_str()))
    };
    let finished = |mut body: Value| {
        let target = match shape {
            Shape::DashScope => body["parameters"].as_object_mut(),
            _ => body.as_object_mut(),
        };
        if let Some(target) = target {
            let own = request.extra.iter().filter(|(name, _)| is_own(name));
            target.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        }
        json::text(&body).into_bytes()
    };
    // What counts of an object is in its text already.
    let is_lost = |name: &&String| !is_own(name) && *name != "rank_fields";
    Ok(Calls {
        bodies: bodies.into_iter().map(finished).collect(),
        dropped: request.extra.keys().filter(is_lost).cloned().collect(),
    })
}

fn compatible(request: &Request, model: &str) -> Value {
    let documents: Vec<Value> = request
        .documents
        .iter()
        .map(|document| match document {
            Document::Text(text) => json!(text),
            Document::Object(map) => json!(map),
        })
        .collect();
    let mut body = json!({
        "model": model,
        "query": request.query,
        "documents": documents,
        "return_documents": false,
    });
    set_top(&mut body, "top_n", request);
    body
}

fn cohere(request: &Request, model: &str) -> Result<Value, Failure> {
    let mut body = json!({
        "model": model,
        "query": query(request)?,
        "documents": texts(request)?,
    });
    set_top(&mut body, "top_n", request);
    Ok(body)
}

fn voyage(request: &Request, model: &str) -> Result<Value, Failure> {
    let mut body = json!({
        "model": model,
        "query": query(request)?,
        "documents": texts(request)?,
    });
    set_top(&mut body, "top_k", request);
    Ok(body)
}

/// It would rather fail than cut a long text, unless told. Its scores are of one document each, so
/// those of several calls can be compared.
fn tei(request: &Request) -> Result<Vec<Value>, Failure> {
    let (query, texts) = (query(request)?, texts(request)?);
    let parts = texts.chunks(TEI_TEXTS);
    let body = |texts| json!({"query": query, "texts": texts, "truncate": true});
    Ok(parts.map(body).collect())
}

fn dashscope(request: &Request, model: &str) -> Result<Value, Failure> {
    let mut parameters = json!({ "return_documents": false });
    set_top(&mut parameters, "top_n", request);
    Ok(json!({
        "model": model,
        "input": {"query": query(request)?, "documents": texts(request)?},
        "parameters": parameters,
    }))
}

/// Records are named by their index.
fn vertex(request: &Request, model: &str) -> Result<Value, Failure> {
    let record = |(index, text): (usize, String)| json!({"id": index.to_string(), "content": text});
    let records: Vec<Value> = texts(request)?
        .into_iter()
        .enumerate()
        .map(record)
        .collect();
    let mut body = json!({
        "model": model,
        "query": query(request)?,
        "records": records,
        "ignoreRecordDetailsInResponse": true,
    });
    set_top(&mut body, "topN", request);
    Ok(body)
}

/// No top means all; a vendor's own default may be less, so it stays unsaid only where it is all.
fn set_top(body: &mut Value, name: &str, request: &Request) {
    if let (Some(top), Some(map)) = (request.top_n, body.as_object_mut()) {
        map.insert(name.to_owned(), json!(top));
    }
}

fn query(request: &Request) -> Result<&str, Failure> {
    match request.query.as_object().filter(|map| !is_text(map)) {
        Some(_) => Err(Failure::unsupported(
            "query",
            "This model takes text queries alone.",
        )),
        None => Ok(request.query_text()),
    }
}

fn is_text(map: &Map<String, Value>) -> bool {
    map.len() == 1 && map.get("text").is_some_and(Value::is_string)
}

fn texts(request: &Request) -> Result<Vec<String>, Failure> {
    let text = |(index, document): (usize, &Document)| match document {
        Document::Object(map) if map.contains_key("image") => Err(Failure::unsupported(
            format!("documents[{index}]"),
            "This model ranks text alone.",
        )),
        document => Ok(request.text_of(document)),
    };
    request.documents.iter().enumerate().map(text).collect()
}
