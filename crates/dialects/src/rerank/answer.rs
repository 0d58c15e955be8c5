//! The client's answer: the union of what clients of the known vendors look for.

use serde_json::{Value, json};

use super::upstream_read::{self, Ranked, Ranking};
use super::{Document, Request, Shape};
use crate::canonical::Failure;
use crate::json;
use crate::units::Units;

/// What the answer needs beside the upstream's bodies.
#[derive(Debug, Clone, Default)]
pub struct AnswerContext {
    /// An id, where the upstream gives none.
    pub id: String,
    /// The model's name, where the upstream gives none.
    pub model: String,
    /// Our own count of the tokens, where the upstream tells none: the query once for each document,
    /// and the documents.
    pub estimated_tokens: u64,
}

/// The client's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The body.
    pub body: Vec<u8>,
    /// What it used, in tokens and in search units: the price says which counts.
    pub units: Units,
    /// Whether the tokens are our own estimate.
    pub tokens_estimated: bool,
    /// Whether the search units are our own count.
    pub search_units_estimated: bool,
}

/// Puts the answer together from what came back of each call, in their order.
pub fn answer<B: AsRef<[u8]>>(
    request: &Request,
    shape: Shape,
    bodies: &[B],
    context: &AnswerContext,
) -> Result<Answer, Failure> {
    let ranking = upstream_read::read(shape, bodies, request.documents.len())?;
    let tokens = ranking.tokens.unwrap_or(context.estimated_tokens);
    let search_units = ranking
        .search_units
        .unwrap_or_else(|| request.search_units());
    let mut units = Units::of_input(Some(tokens));
    units.search_units = Some(search_units);
    Ok(Answer {
        body: write(request, &ranking, context, tokens, search_units),
        units,
        tokens_estimated: ranking.tokens.is_none(),
        search_units_estimated: ranking.search_units.is_none(),
    })
}

fn write(
    request: &Request,
    ranking: &Ranking<'_>,
    context: &AnswerContext,
    tokens: u64,
    search_units: u64,
) -> Vec<u8> {
    let mut out = br#"{"id":"#.to_vec();
    json::write_str(&mut out, ranking.id.as_deref().unwrap_or(&context.id));
    out.extend_from_slice(br#","object":"list","model":"#);
    json::write_str(&mut out, ranking.model.as_deref().unwrap_or(&context.model));
    out.extend_from_slice(br#","results":["#);
    let top = request.top_n.unwrap_or(request.documents.len());
    for (place, ranked) in best_first(&ranking.results).iter().take(top).enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_result(request, ranked, &mut out);
    }
    out.push(b']');
    let tail = json!({
        "usage": {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens},
        "meta": {
            "billed_units": {"search_units": search_units},
            "tokens": {"input_tokens": tokens},
        },
    });
    out.push(b',');
    out.extend_from_slice(json::text(&tail).trim_start_matches('{').as_bytes());
    out
}

/// By score; equals stay in the vendor's order.
fn best_first<'a>(results: &[Ranked<'a>]) -> Vec<Ranked<'a>> {
    let score = |ranked: &Ranked<'_>| ranked.score.parse::<f64>().unwrap_or(f64::MIN);
    let mut sorted = results.to_vec();
    sorted.sort_by(|a, b| score(b).total_cmp(&score(a)));
    sorted
}

fn write_result(request: &Request, ranked: &Ranked<'_>, out: &mut Vec<u8>) {
    let head = format!(
        r#"{{"index":{},"relevance_score":{}"#,
        ranked.index, ranked.score
    );
    out.extend_from_slice(head.as_bytes());
    let document = request.documents.get(ranked.index);
    if let Some(document) = document.filter(|_| request.return_documents) {
        let value = match document {
            Document::Text(text) => json!({ "text": text }),
            Document::Object(map) => Value::Object(map.clone()),
        };
        out.extend_from_slice(br#","document":"#);
        json::write(out, &value);
    }
    out.push(b'}');
}
