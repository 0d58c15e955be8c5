//! Token counts, both ways. This dialect counts as we do: the input includes what came from and
//! went to caches, the output includes reasoning.

use serde_json::{Map, Value, json};

use crate::canonical::Usage;

/// Reads a usage object. The vendor's own schema demands the details' usual members, so one that is
/// missing says that there was none.
pub(super) fn read(usage: &Map<String, Value>) -> Usage {
    let count = |key: &str| usage.get(key).and_then(Value::as_u64);
    let detail = |object: &str, key: &str| usage.get(object)?.get(key)?.as_u64();
    let input = |key: &str| detail("input_tokens_details", key);
    let output = |key: &str| detail("output_tokens_details", key);
    Usage {
        input: count("input_tokens"),
        cache_read: input("cached_tokens").or(Some(0)),
        cache_write_other: input("cache_write_tokens").or(Some(0)),
        input_audio: input("audio_tokens"),
        input_image: input("image_tokens"),
        output: count("output_tokens"),
        reasoning: output("reasoning_tokens").or(Some(0)),
        output_audio: output("audio_tokens"),
        output_image: output("image_tokens"),
        ..Usage::default()
    }
}

/// Writes counts. Both detail objects are always there, as strict clients demand.
pub(super) fn write(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input.unwrap_or(0),
        "input_tokens_details": {
            "cached_tokens": usage.cache_read.unwrap_or(0),
            "cache_write_tokens": usage.cache_write(),
        },
        "output_tokens": usage.output.unwrap_or(0),
        "output_tokens_details": {"reasoning_tokens": usage.reasoning.unwrap_or(0)},
        "total_tokens": usage.total(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_detail_objects_are_always_written() {
        let written = write(&Usage::default());
        assert_eq!(
            written,
            json!({"input_tokens": 0, "input_tokens_details": {"cached_tokens": 0,
                "cache_write_tokens": 0}, "output_tokens": 0,
                "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 0})
        );
    }

    #[test]
    fn cache_writes_of_every_kind_are_summed_into_one_count() {
        let usage = Usage {
            input: Some(1020),
            cache_read: Some(900),
            cache_write_5m: Some(60),
            cache_write_1h: Some(40),
            output: Some(50),
            ..Usage::default()
        };
        let written = write(&usage);
        assert_eq!(written["input_tokens_details"]["cache_write_tokens"], 100);
        assert_eq!(written["total_tokens"], 1070);
    }

    #[test]
    fn unknown_counts_and_nulls_do_no_harm() {
        let Value::Object(given) = json!({"input_tokens": null, "output_tokens": 3,
            "input_tokens_details": null, "output_tokens_details": {"other": 1}})
        else {
            unreachable!()
        };
        let usage = read(&given);
        assert_eq!((usage.input, usage.output), (None, Some(3)));
        assert_eq!((usage.cache_read, usage.reasoning), (Some(0), Some(0)));
    }
}
