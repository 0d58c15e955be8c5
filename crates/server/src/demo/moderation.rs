//! Verdicts of the demo model: a content is flagged by plain words, each for one category.

use dialects::canonical::Failure;
use dialects::moderations::Request;
use serde_json::{Map, Value, json};

use super::answer::Answer;
use super::embeddings::words;
use super::tokens;

/// The categories of the vendor whose format this is, and the words that stand for them here.
const CATEGORIES: [(&str, &[&str]); 13] = [
    ("harassment", &["insult", "idiot"]),
    ("harassment/threatening", &["threaten"]),
    ("hate", &["hate"]),
    ("hate/threatening", &[]),
    ("illicit", &["smuggle"]),
    ("illicit/violent", &["bomb"]),
    ("self-harm", &["suicide"]),
    ("self-harm/intent", &[]),
    ("self-harm/instructions", &[]),
    ("sexual", &["porn"]),
    ("sexual/minors", &[]),
    ("violence", &["kill", "murder"]),
    ("violence/graphic", &["gore"]),
];

/// Answers `/v1/moderations`.
pub(super) fn moderate(model: &str, body: &[u8], id: &str) -> Result<Answer, Failure> {
    let request = Request::read(body)?;
    let is_parts = serde_json::from_slice::<Value>(body)
        .is_ok_and(|body| body["input"].get(0).is_some_and(Value::is_object));
    let used: u64 = request.texts.iter().map(|text| tokens::count(text)).sum();
    // Parts are one content, texts are one each.
    let results: Vec<Value> = if is_parts {
        vec![verdict(&request.texts.join(" "), request.images > 0)]
    } else {
        let texts = request.texts.iter();
        texts.map(|text| verdict(text, false)).collect()
    };
    Ok(Answer::json(&json!({
        "id": format!("modr-{id}"),
        "model": model,
        "results": results,
        "usage": {"prompt_tokens": used.max(1), "total_tokens": used.max(1)},
    })))
}

fn verdict(text: &str, has_image: bool) -> Value {
    let said = words(text);
    let (mut categories, mut scores, mut applied) = (Map::new(), Map::new(), Map::new());
    let mut is_flagged = false;
    for (category, signs) in CATEGORIES {
        let is_met = said.iter().any(|word| signs.contains(&word.as_str()));
        is_flagged |= is_met;
        categories.insert(category.to_owned(), json!(is_met));
        scores.insert(
            category.to_owned(),
            json!(if is_met { 0.98 } else { 0.0001 }),
        );
        let kinds: &[&str] = if has_image {
            &["text", "image"]
        } else {
            &["text"]
        };
        applied.insert(category.to_owned(), json!(kinds));
    }
    json!({
        "flagged": is_flagged,
        "categories": categories,
        "category_scores": scores,
        "category_applied_input_types": applied,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Value {
        let answer = moderate("demo-moderation", body.as_bytes(), "1").unwrap();
        serde_json::from_slice(&answer.pieces[0].bytes).unwrap()
    }

    #[test]
    fn words_are_flagged_in_their_category_alone() {
        let answer = answer(r#"{"input":["I will kill you","a nice day"]}"#);
        assert_eq!(answer["results"][0]["flagged"], true);
        assert_eq!(answer["results"][0]["categories"]["violence"], true);
        assert_eq!(answer["results"][0]["categories"]["hate"], false);
        assert_eq!(answer["results"][1]["flagged"], false);
    }

    #[test]
    fn parts_are_one_content() {
        let body = r#"{"input":[{"type":"text","text":"gore"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}"#;
        let answer = answer(body);
        assert_eq!(answer["results"].as_array().unwrap().len(), 1);
        assert_eq!(answer["results"][0]["categories"]["violence/graphic"], true);
    }
}
