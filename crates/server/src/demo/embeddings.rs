//! Vectors of the demo model. Each word has a direction of its own and a text is the sum of its
//! words, so that texts that share words are near each other.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dialects::canonical::Failure;
use dialects::embeddings::{Encoding, Request};
use dialects::fields::Fields;
use serde_json::Value;

use super::answer::{Answer, JSON};
use super::tokens;

/// How long vectors are where nobody says.
const DIMENSIONS: u64 = 256;
/// How long they can be.
const MOST_DIMENSIONS: u64 = 4096;

/// Answers `/v1/embeddings`.
pub(super) fn embed(model: &str, body: &[u8]) -> Result<Answer, Failure> {
    let request = Request::read(body)?;
    let dimensions = request.dimensions.unwrap_or(DIMENSIONS);
    if dimensions > MOST_DIMENSIONS {
        let text = format!("`dimensions` must not be more than {MOST_DIMENSIONS}.");
        return Err(Failure::bad_request("dimensions", text));
    }
    let inputs = inputs(body)?;
    let mut out = String::from(r#"{"object":"list","data":["#);
    let mut used = 0;
    for (index, input) in inputs.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        let _ = write!(
            out,
            r#"{comma}{{"object":"embedding","index":{index},"embedding":"#
        );
        write_vector(&mut out, &vector(input, dimensions), request.encoding);
        out.push('}');
        used += match input {
            Value::Array(ids) => ids.len() as u64,
            input => tokens::count(text_of(input)),
        };
    }
    let name = Value::from(model);
    let usage = format!(r#"{{"prompt_tokens":{used},"total_tokens":{used}}}"#);
    let _ = write!(out, r#"],"model":{name},"usage":{usage}}}"#);
    Ok(Answer::whole(JSON, out))
}

/// The inputs one by one: texts, objects with a text, or lists of token ids.
fn inputs(body: &[u8]) -> Result<Vec<Value>, Failure> {
    let input: Option<Value> = Fields::read(body)?.parsed("input", "a string or a list")?;
    Ok(match input.unwrap_or_default() {
        Value::Array(list) if !list.first().is_some_and(Value::is_number) => list,
        one => vec![one],
    })
}

fn text_of(input: &Value) -> &str {
    let text = input.as_str().or_else(|| input.get("text")?.as_str());
    text.unwrap_or_default()
}

/// A vector of length one.
fn vector(input: &Value, dimensions: u64) -> Vec<f32> {
    let words: Vec<String> = match input {
        Value::Array(ids) => ids.iter().map(Value::to_string).collect(),
        input => words(text_of(input)),
    };
    let mut sum = vec![0.0_f64; usize::try_from(dimensions).unwrap_or_default()];
    for word in &words {
        let mut state = seed(word);
        for place in &mut sum {
            *place += direction(&mut state);
        }
    }
    let length = sum.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length == 0.0
        && let Some(first) = sum.first_mut()
    {
        *first = 1.0;
    }
    let length = if length == 0.0 { 1.0 } else { length };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "vectors are sent with 32 bits a number"
    )]
    sum.iter().map(|x| (x / length) as f32).collect()
}

/// The words of a text, without case and punctuation.
pub(super) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn seed(word: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    word.bytes().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The next number between -1 and 1.
fn direction(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let top = u32::try_from(mixed >> 32).unwrap_or(u32::MAX);
    f64::from(top) / f64::from(u32::MAX) * 2.0 - 1.0
}

fn write_vector(out: &mut String, vector: &[f32], encoding: Encoding) {
    match encoding {
        Encoding::Float => {
            out.push('[');
            for (index, number) in vector.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                let _ = write!(out, "{comma}{number}");
            }
            out.push(']');
        }
        Encoding::Base64 => {
            let bytes: Vec<u8> = vector
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            let _ = write!(out, "\"{}\"", STANDARD.encode(bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> Value {
        let answer = embed("demo-embedding", body.as_bytes()).unwrap();
        serde_json::from_slice(&answer.pieces[0].bytes).unwrap()
    }

    fn floats(answer: &Value, index: usize) -> Vec<f64> {
        let list = answer["data"][index]["embedding"].as_array().unwrap();
        list.iter().map(|it| it.as_f64().unwrap()).collect()
    }

    #[test]
    fn vectors_have_length_one_and_texts_that_share_words_are_near() {
        let body = r#"{"model":"m","input":["the red fox runs","the red fox sleeps","tax law"]}"#;
        let answer = answer(body);
        let [a, b, c] = [0, 1, 2].map(|index| floats(&answer, index));
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert!((dot(&a, &a) - 1.0).abs() < 1e-5);
        assert!(dot(&a, &b) > 0.5 && dot(&a, &c) < 0.3);
        assert_eq!(answer["usage"]["prompt_tokens"], 11);
    }

    #[test]
    fn both_encodings_hold_the_same_numbers_and_tokens_count_as_tokens() {
        let floats = floats(
            &answer(r#"{"model":"m","input":[1,2,3],"dimensions":8}"#),
            0,
        );
        let body = r#"{"model":"m","input":[1,2,3],"dimensions":8,"encoding_format":"base64"}"#;
        let answer = answer(body);
        let text = answer["data"][0]["embedding"].as_str().unwrap();
        let bytes = STANDARD.decode(text).unwrap();
        let read = |chunk: &[u8]| f64::from(f32::from_le_bytes(chunk.try_into().unwrap()));
        let decoded: Vec<f64> = bytes.chunks(4).map(read).collect();
        assert_eq!(decoded.len(), 8);
        for (a, b) in decoded.iter().zip(&floats) {
            assert!((a - b).abs() < 1e-6);
        }
        assert_eq!(answer["usage"]["prompt_tokens"], 3);
    }
}
