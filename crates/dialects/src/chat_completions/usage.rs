//! Token counts. Reads the vendor's members and those of others that speak this dialect; writes
//! the vendor's.

use serde_json::{Map, Value};

use super::counts::{COMPLETION, Counts, Details, PROMPT};
use crate::canonical::Usage;
use crate::tree::{Members, Node};

/// A count; some vendors send whole numbers as `12.0`.
fn count(node: &Node<'_>) -> Option<u64> {
    let Node::Number(text) = node else {
        return None;
    };
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts of floats saturate, and nothing below zero comes here"
        )]
        (number.is_finite() && number >= 0.0).then_some(number as u64)
    })
}

/// Reads `usage`.
pub(crate) fn read(usage: &Members<'_>) -> Usage {
    let (mut counts, mut input, mut output) =
        (Counts::default(), Details::default(), Details::default());
    for (name, node) in usage.iter() {
        match counts.named(name.as_bytes()) {
            Some(known) => *known = count(node),
            None if name == PROMPT => input = details(node),
            None if name == COMPLETION => output = details(node),
            None => {}
        }
    }
    counts.usage(&input, &output)
}

fn details(node: &Node<'_>) -> Details {
    let mut details = Details::default();
    if let Node::Object(members) = node {
        for (name, node) in members.iter() {
            if let Some(known) = details.named(name.as_bytes()) {
                *known = count(node);
            }
        }
    }
    details
}

/// A count under its name, where it is known.
type Named = (&'static str, Option<u64>);

/// The counts of the prompt and of the answer as a whole.
fn whole(usage: &Usage) -> [Named; 3] {
    [
        ("prompt_tokens", Some(usage.input.unwrap_or(0))),
        ("completion_tokens", Some(usage.output.unwrap_or(0))),
        ("total_tokens", Some(usage.total())),
    ]
}

/// The counts of the prompt's parts; `least` stands in for the one that clients look for.
fn of_prompt(usage: &Usage, least: Option<u64>) -> [Named; 4] {
    let has_write = usage.cache_write_5m.is_some()
        || usage.cache_write_1h.is_some()
        || usage.cache_write_other.is_some();
    [
        ("cached_tokens", usage.cache_read.or(least)),
        ("cache_write_tokens", has_write.then(|| usage.cache_write())),
        ("audio_tokens", usage.input_audio),
        ("image_tokens", usage.input_image),
    ]
}

/// The same of the answer's parts.
fn of_completion(usage: &Usage, least: Option<u64>) -> [Named; 5] {
    [
        ("reasoning_tokens", usage.reasoning.or(least)),
        ("audio_tokens", usage.output_audio),
        ("image_tokens", usage.output_image),
        ("accepted_prediction_tokens", usage.prediction_accepted),
        ("rejected_prediction_tokens", usage.prediction_rejected),
    ]
}

/// Writes `usage`. One of this dialect has the members that it had; a foreign one always has the
/// cache and reasoning counts, because clients look there without asking.
pub fn write(usage: &Usage, same: bool) -> Value {
    let zero = (!same).then_some(0);
    let mut written = known(&whole(usage));
    for (key, details) in [
        (PROMPT, known(&of_prompt(usage, zero))),
        (COMPLETION, known(&of_completion(usage, zero))),
    ] {
        if !details.is_empty() {
            written.insert(key.to_owned(), Value::Object(details));
        }
    }
    Value::Object(written)
}

fn known(counts: &[Named]) -> Map<String, Value> {
    let known = counts.iter();
    known
        .filter_map(|(key, count)| Some(((*key).to_owned(), Value::from((*count)?))))
        .collect()
}

/// Whether writing this usage gives these members again, a `null` among them like an absent one.
pub(crate) fn is_all_of(usage: &Usage, members: &Members<'_>) -> bool {
    are_said(&whole(usage), members, &[PROMPT, COMPLETION])
        && agree(&of_prompt(usage, None), members.get(PROMPT))
        && agree(&of_completion(usage, None), members.get(COMPLETION))
}

fn agree<const N: usize>(counts: &[Named; N], said: Option<&Node<'_>>) -> bool {
    let has_some = counts.iter().any(|(_, count)| count.is_some());
    match said {
        None | Some(Node::Null) => !has_some,
        Some(Node::Object(details)) => has_some && are_said(counts, details, &[]),
        Some(_) => false,
    }
}

/// Whether the members are these counts, spelled as we do, and nothing else but `others`.
fn are_said<const N: usize>(counts: &[Named; N], members: &Members<'_>, others: &[&str]) -> bool {
    let mut is_said = counts.map(|(_, count)| count.is_none());
    for (name, node) in members.iter() {
        let mut known = counts.iter();
        match known.position(|(key, count)| *key == name && count.is_some()) {
            Some(place) => is_said[place] = node.as_u64() == counts[place].1,
            None if matches!(node, Node::Null) || others.contains(&name) => {}
            None => return false,
        }
    }
    is_said == [true; N]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::json::same;

    fn read(usage: &Value) -> Usage {
        let nothing = Map::new();
        super::read(&Members::of(usage.as_object().unwrap_or(&nothing)))
    }

    #[test]
    fn all_is_said_where_writing_would_give_the_same() {
        for original in [
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":4}),
            json!({"prompt_tokens":1,"completion_tokens":2}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cost":null}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cost":5}),
            json!({"prompt_tokens":1,"completion_tokens":2.0,"total_tokens":3}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
                "prompt_tokens_details":{"cached_tokens":0,"audio_tokens":null},
                "completion_tokens_details":{"reasoning_tokens":1}}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
                "prompt_tokens_details":{"cached_tokens":0,"text_tokens":1}}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
                "prompt_tokens_details":{}}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
                "prompt_tokens_details":{"audio_tokens":null}}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,
                "prompt_tokens_details":null,"completion_tokens_details":7}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"cached_tokens":1}),
            json!({"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"num_search_queries":1}),
        ] {
            let usage = read(&original);
            let members = Members::of(original.as_object().unwrap());
            let is_same = same(&write(&usage, true), &original);
            assert_eq!(is_all_of(&usage, &members), is_same, "{original}");
        }
    }

    #[test]
    fn a_foreign_usage_adds_caches_to_the_prompt() {
        // Read elsewhere as {input 20, creation 100, read 900, output 50}.
        let usage = Usage {
            input: Some(1020),
            cache_read: Some(900),
            cache_write_5m: Some(60),
            cache_write_1h: Some(40),
            output: Some(50),
            ..Usage::default()
        };
        let written = write(&usage, false);
        assert_eq!(
            written,
            json!({"prompt_tokens":1020,"completion_tokens":50,"total_tokens":1070,
                "prompt_tokens_details":{"cached_tokens":900,"cache_write_tokens":100},
                "completion_tokens_details":{"reasoning_tokens":0}})
        );
    }

    #[test]
    fn counts_of_other_vendors_are_found() {
        let deepseek = json!({"prompt_tokens":10,"completion_tokens":2.0,
            "prompt_cache_hit_tokens":4,"prompt_cache_miss_tokens":6});
        let usage = read(&deepseek);
        assert_eq!(usage.cache_read, Some(4));
        assert_eq!(usage.output, Some(2));
        assert_eq!(read(&json!({"cached_tokens":3})).cache_read, Some(3));
        let searched = read(&json!({"num_search_queries":4}));
        assert_eq!(searched.hosted_tools["web_search_requests"], 4);
        assert_eq!(read(&json!({"prompt_tokens":"x"})).input, None);
        assert_eq!(read(&Value::Null), Usage::default());
    }
}
