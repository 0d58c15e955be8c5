//! Token counts. Amazon counts the prompt beside its caches, the canonical form with them.

use dialects::canonical::Usage;
use serde::Deserialize;

/// Counts as they come.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Counts {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_write_input_tokens: Option<u64>,
    cache_details: Option<Vec<CacheDetail>>,
}

/// What was written to a cache of one life time.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CacheDetail {
    ttl: String,
    input_tokens: u64,
}

impl Counts {
    /// The same in canonical arithmetic.
    pub(super) fn usage(&self) -> Usage {
        let details = self.cache_details.as_deref().unwrap_or_default();
        let of = |ttl: &str| {
            let counts = details.iter().filter(|detail| detail.ttl == ttl);
            counts.fold(0u64, |sum, detail| sum.saturating_add(detail.input_tokens))
        };
        let hour = of("1h");
        let written = self.cache_write_input_tokens;
        let all_written = written.unwrap_or(0).max(of("5m").saturating_add(hour));
        let read = self.cache_read_input_tokens;
        Usage {
            input: self.input_tokens.map(|fresh| {
                let cached = all_written.saturating_add(read.unwrap_or(0));
                fresh.saturating_add(cached)
            }),
            cache_read: read,
            // What is not told to live an hour lives five minutes.
            cache_write_5m: (written.is_some() || !details.is_empty())
                .then_some(all_written - hour),
            cache_write_1h: (hour > 0).then_some(hour),
            output: self.output_tokens,
            ..Usage::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prompt_counts_its_caches() {
        let counts: Counts = serde_json::from_str(
            r#"{"inputTokens":20,"outputTokens":7,"totalTokens":1127,"cacheReadInputTokens":1000,
                "cacheWriteInputTokens":100,"cacheDetails":[{"ttl":"1h","inputTokens":60}]}"#,
        )
        .unwrap();
        let usage = counts.usage();
        assert_eq!((usage.input, usage.output), (Some(1120), Some(7)));
        assert_eq!(usage.cache_read, Some(1000));
        assert_eq!(
            (usage.cache_write_5m, usage.cache_write_1h),
            (Some(40), Some(60))
        );
    }

    #[test]
    fn what_is_not_counted_is_not_told() {
        let counts: Counts = serde_json::from_str(r#"{"inputTokens":3,"outputTokens":0}"#).unwrap();
        let usage = counts.usage();
        assert_eq!((usage.input, usage.output), (Some(3), Some(0)));
        assert_eq!((usage.cache_read, usage.cache_write_5m), (None, None));
    }
}
