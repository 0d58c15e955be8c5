//! The demo model's ranking: the share of the query's words that a document has.

use std::collections::HashSet;

use dialects::canonical::Failure;
use dialects::rerank::Request;
use serde_json::{Value, json};

use super::answer::Answer;
use super::embeddings::words;
use super::tokens;

/// Answers `/rerank`.
pub(super) fn rank(model: &str, body: &[u8], id: &str) -> Result<Answer, Failure> {
    let request = Request::read(body)?;
    let query: HashSet<String> = words(request.query_text()).into_iter().collect();
    let mut used = 0;
    let mut scored: Vec<(usize, u32)> = Vec::new();
    for (index, document) in request.documents.iter().enumerate() {
        let text = request.text_of(document);
        used += tokens::count(&text) + tokens::count(request.query_text());
        scored.push((index, score(&query, &text)));
    }
    // A stable sort keeps equals in the client's order.
    scored.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
    let top = request.top_n.unwrap_or(scored.len());
    let results: Vec<Value> = scored
        .iter()
        .take(top)
        .map(|(index, score)| json!({"index": index, "relevance_score": f64::from(*score) / 1e4}))
        .collect();
    Ok(Answer::json(&json!({
        "id": format!("rerank-{id}"),
        "model": model,
        "object": "list",
        "results": results,
        "usage": {"total_tokens": used, "prompt_tokens": used},
        "meta": {"billed_units": {"search_units": request.search_units()}},
    })))
}

/// In ten-thousandths; a document that says more beside it scores a little less.
fn score(query: &HashSet<String>, text: &str) -> u32 {
    let said: HashSet<String> = words(text).into_iter().collect();
    let share = |part: usize, whole: usize, most: usize| {
        u32::try_from(part * most / whole.max(1)).unwrap_or_default()
    };
    let shared = query.intersection(&said).count();
    share(shared, query.len(), 9_000) + share(shared, said.len(), 900) + 50
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_that_answers_comes_first() {
        let body = r#"{"model":"m","query":"red fox","documents":["a whale","the red fox","fox"],"top_n":2}"#;
        let answer = rank("demo-rerank", body.as_bytes(), "1").unwrap();
        let answer: Value = serde_json::from_slice(&answer.pieces[0].bytes).unwrap();
        assert_eq!(answer["results"][0]["index"], 1);
        assert_eq!(answer["results"][1]["index"], 2);
        assert!(answer["results"][2].is_null());
        assert_eq!(answer["meta"]["billed_units"]["search_units"], 1);
    }
}
