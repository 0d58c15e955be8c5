//! Token counts. Reads the vendor's members and those of others that speak this dialect; writes
//! the vendor's.

use serde_json::{Map, Value, json};

use crate::canonical::Usage;

/// A count; some vendors send whole numbers as `12.0`.
fn count(map: &Value, key: &str) -> Option<u64> {
    let value = map.get(key)?;
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts of floats saturate, and nothing below zero comes here"
        )]
        (number.is_finite() && number >= 0.0).then_some(number as u64)
    })
}

/// Reads `usage`.
pub fn read(usage: &Value) -> Usage {
    let input = &usage["prompt_tokens_details"];
    let output = &usage["completion_tokens_details"];
    let first = |keys: &[(&Value, &str)]| keys.iter().find_map(|(map, key)| count(map, key));
    Usage {
        input: count(usage, "prompt_tokens"),
        cache_read: first(&[
            (input, "cached_tokens"),
            (usage, "cached_tokens"),
            (usage, "prompt_cache_hit_tokens"),
            (usage, "cache_read_input_tokens"),
        ]),
        cache_write_other: first(&[
            (input, "cache_write_tokens"),
            (input, "cache_creation_tokens"),
            (usage, "cache_creation_input_tokens"),
        ]),
        input_audio: count(input, "audio_tokens"),
        input_image: count(input, "image_tokens"),
        output: count(usage, "completion_tokens"),
        reasoning: first(&[(output, "reasoning_tokens"), (usage, "reasoning_tokens")]),
        output_audio: count(output, "audio_tokens"),
        output_image: count(output, "image_tokens"),
        prediction_accepted: count(output, "accepted_prediction_tokens"),
        prediction_rejected: count(output, "rejected_prediction_tokens"),
        ..Usage::default()
    }
}

/// Writes `usage`. One of this dialect has the members that it had; a foreign one always has the
/// cache and reasoning counts, because clients look there without asking.
pub fn write(usage: &Usage, same: bool) -> Value {
    let has_write = usage.cache_write_5m.is_some()
        || usage.cache_write_1h.is_some()
        || usage.cache_write_other.is_some();
    let zero = (!same).then_some(0);
    let prompt = members([
        ("cached_tokens", usage.cache_read.or(zero)),
        ("cache_write_tokens", has_write.then(|| usage.cache_write())),
        ("audio_tokens", usage.input_audio),
        ("image_tokens", usage.input_image),
    ]);
    let completion = members([
        ("reasoning_tokens", usage.reasoning.or(zero)),
        ("audio_tokens", usage.output_audio),
        ("image_tokens", usage.output_image),
        ("accepted_prediction_tokens", usage.prediction_accepted),
        ("rejected_prediction_tokens", usage.prediction_rejected),
    ]);
    let mut written = json!({
        "prompt_tokens": usage.input.unwrap_or(0),
        "completion_tokens": usage.output.unwrap_or(0),
        "total_tokens": usage.total(),
    });
    for (key, details) in [
        ("prompt_tokens_details", prompt),
        ("completion_tokens_details", completion),
    ] {
        if !details.is_empty() {
            written[key] = Value::Object(details);
        }
    }
    written
}

fn members<const N: usize>(counts: [(&str, Option<u64>); N]) -> Map<String, Value> {
    counts
        .into_iter()
        .filter_map(|(key, count)| Some((key.to_owned(), Value::from(count?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(read(&json!({"prompt_tokens":"x"})).input, None);
        assert_eq!(read(&Value::Null), Usage::default());
    }
}
