//! Token counts. The vendor counts the prompt beside its caches, the canonical form with them; and
//! a stream's later report leaves out what has not changed, so the vendor's own counters are kept
//! and turned over as a whole.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::extra::keep_rest;
use crate::canonical::{Extra, Usage};
use crate::json::{self, take};

/// The vendor's counters, as far as they were reported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counters {
    /// The prompt without what was read from or written to a cache.
    pub(super) input: Option<u64>,
    /// Written to a cache, in all.
    pub(super) written: Option<u64>,
    /// Of it, for five minutes.
    pub(super) written_5m: Option<u64>,
    /// Of it, for an hour.
    pub(super) written_1h: Option<u64>,
    /// Read from a cache.
    pub(super) read: Option<u64>,
    /// Generated, thinking included.
    pub(super) output: Option<u64>,
    /// Of it, thinking.
    pub(super) thinking: Option<u64>,
    /// Calls of hosted tools.
    pub(super) hosted_tools: BTreeMap<String, u64>,
}

impl Counters {
    /// Takes a whole reply's counters out of its `usage`; what is left goes to `extra`.
    pub(super) fn take(mut usage: Map<String, Value>, extra: &mut Extra) -> Self {
        let count = |map: &mut Map<String, Value>, key: &str| {
            let value = map.get(key).and_then(Value::as_u64);
            if value.is_some() || map.get(key).is_some_and(Value::is_null) {
                map.shift_remove(key);
            }
            value
        };
        let mut counters = Self {
            input: count(&mut usage, "input_tokens"),
            written: count(&mut usage, "cache_creation_input_tokens"),
            read: count(&mut usage, "cache_read_input_tokens"),
            output: count(&mut usage, "output_tokens"),
            ..Self::default()
        };
        if let Some(Value::Object(mut split)) = take(&mut usage, "cache_creation") {
            counters.written_5m = count(&mut split, "ephemeral_5m_input_tokens");
            counters.written_1h = count(&mut split, "ephemeral_1h_input_tokens");
            keep_rest(&mut usage, "cache_creation", split);
        }
        if let Some(Value::Object(mut details)) = take(&mut usage, "output_tokens_details") {
            counters.thinking = count(&mut details, "thinking_tokens");
            keep_rest(&mut usage, "output_tokens_details", details);
        }
        if let Some(Value::Object(calls)) = take(&mut usage, "server_tool_use") {
            counters.hosted_tools = hosted_calls(&calls);
        }
        usage.retain(|_, value| !value.is_null());
        keep_rest(extra, "usage", usage);
        counters
    }

    /// Takes over what a later report of the same stream says.
    pub(super) fn merge(&mut self, later: Self) {
        for (mine, theirs) in [
            (&mut self.input, later.input),
            (&mut self.written, later.written),
            (&mut self.written_5m, later.written_5m),
            (&mut self.written_1h, later.written_1h),
            (&mut self.read, later.read),
            (&mut self.output, later.output),
            (&mut self.thinking, later.thinking),
        ] {
            if theirs.is_some() {
                *mine = theirs;
            }
        }
        self.hosted_tools.extend(later.hosted_tools);
    }

    /// The same in canonical arithmetic.
    pub(super) fn usage(&self) -> Usage {
        let split = self
            .written_5m
            .unwrap_or(0)
            .saturating_add(self.written_1h.unwrap_or(0));
        let written = self.written.unwrap_or(0).max(split);
        // A total beyond the split was written for the usual five minutes.
        let five_minutes = written - self.written_1h.unwrap_or(0);
        let was_written = self.written.is_some() || self.written_5m.is_some();
        let input = self.input.map(|input| {
            input
                .saturating_add(written)
                .saturating_add(self.read.unwrap_or(0))
        });
        Usage {
            input,
            cache_read: self.read,
            cache_write_5m: was_written.then_some(five_minutes),
            cache_write_1h: self.written_1h,
            output: self.output,
            reasoning: self.thinking,
            hosted_tools: self.hosted_tools.clone(),
            ..Usage::default()
        }
    }
}

/// The numbers among a report's hosted-tool calls.
pub(super) fn hosted_calls(calls: &Map<String, Value>) -> BTreeMap<String, u64> {
    let counted = calls
        .iter()
        .filter_map(|(name, count)| Some((name.clone(), count.as_u64()?)));
    counted.collect()
}

/// Writes usage in this dialect's words: the four counters always, the others where they are known.
pub(super) fn write(usage: &Usage, tier: Option<&str>, out: &mut Vec<u8>) {
    let written = usage.cache_write();
    let read = usage.cache_read.unwrap_or(0);
    let input = usage.input.unwrap_or(0);
    let input = input.saturating_sub(read).saturating_sub(written);
    let mut member = |name: &[u8], count: u64| {
        out.extend_from_slice(name);
        json::write(out, &count);
    };
    member(br#"{"input_tokens":"#, input);
    member(br#","cache_creation_input_tokens":"#, written);
    member(br#","cache_read_input_tokens":"#, read);
    member(br#","output_tokens":"#, usage.output.unwrap_or(0));
    if let Some(hour) = usage.cache_write_1h {
        let rest = written.saturating_sub(hour);
        member(br#","cache_creation":{"ephemeral_5m_input_tokens":"#, rest);
        member(br#","ephemeral_1h_input_tokens":"#, hour);
        out.push(b'}');
    }
    if let Some(thinking) = usage.reasoning {
        out.extend_from_slice(br#","output_tokens_details":{"thinking_tokens":"#);
        json::write(out, &thinking);
        out.push(b'}');
    }
    if !usage.hosted_tools.is_empty() {
        out.extend_from_slice(br#","server_tool_use":"#);
        json::write(out, &serde_json::json!(usage.hosted_tools));
    }
    if let Some(tier) = tier {
        out.extend_from_slice(br#","service_tier":"#);
        json::write_str(out, tier);
    }
    out.push(b'}');
}

/// The tier in this dialect's words, where it has one.
pub(super) fn tier(tier: &str, same: bool) -> Option<&str> {
    match tier {
        _ if same => Some(tier),
        "default" | "standard" => Some("standard"),
        "priority" => Some("priority"),
        "batch" => Some("batch"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn write(usage: &Usage) -> Value {
        let mut out = Vec::new();
        super::write(usage, None, &mut out);
        serde_json::from_slice(&out).unwrap()
    }

    fn read(value: Value) -> Usage {
        let Value::Object(map) = value else {
            panic!("an object")
        };
        Counters::take(map, &mut Extra::new()).usage()
    }

    #[test]
    fn the_prompt_counts_its_caches_and_comes_apart_again() {
        let usage = read(json!({
            "input_tokens": 20, "cache_creation_input_tokens": 100,
            "cache_read_input_tokens": 900, "output_tokens": 50,
        }));
        assert_eq!(usage.input, Some(1020));
        assert_eq!(usage.cache_write_5m, Some(100));
        let back = write(&usage);
        assert_eq!(
            back,
            json!({"input_tokens": 20, "cache_creation_input_tokens": 100,
                   "cache_read_input_tokens": 900, "output_tokens": 50})
        );
    }

    #[test]
    fn the_split_of_cache_writes_survives_and_its_rest_is_short_lived() {
        let usage = read(json!({
            "input_tokens": 1, "cache_creation_input_tokens": 100, "output_tokens": 1,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 60},
        }));
        assert_eq!(usage.cache_write_5m, Some(40));
        assert_eq!(usage.cache_write_1h, Some(60));
        assert_eq!(
            write(&usage)["cache_creation"],
            json!({"ephemeral_5m_input_tokens": 40, "ephemeral_1h_input_tokens": 60})
        );
    }

    #[test]
    fn four_counters_are_written_whatever_is_known() {
        let written = write(&Usage::default());
        assert_eq!(
            written,
            json!({"input_tokens": 0, "cache_creation_input_tokens": 0,
                   "cache_read_input_tokens": 0, "output_tokens": 0})
        );
    }

    #[test]
    fn overlapping_caches_never_make_the_prompt_negative() {
        let usage = Usage {
            input: Some(10),
            cache_read: Some(8),
            cache_write_other: Some(8),
            ..Usage::default()
        };
        assert_eq!(write(&usage)["input_tokens"], json!(0));
    }
}
