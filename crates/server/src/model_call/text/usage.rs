//! What a text answer used, in the words of billing; counted by us where the upstream did not say.

use std::collections::BTreeMap;

use billing::pricing::{OtherUnits, Tokens, Usage};
use billing::tokens;
use dialects::canonical;
use dialects::canonical::usage::SEARCHES;
use dialects::convert::Outcome;
use dialects::said::Said;

use crate::model_call::task::Used;

/// What an answer used. `input` counts the prompt.
pub fn of(outcome: &Outcome, input: impl FnOnce() -> u64) -> Used {
    let whole = outcome.with_untold(input, said);
    let is_estimated = whole.is_some();
    let is_billable = outcome.is_worth_something();
    let used = whole.as_ref().or(outcome.usage.as_ref());
    Used {
        usage: Usage {
            tokens: used.map(tokens_of).unwrap_or_default(),
            other: OtherUnits {
                calls: u64::from(is_billable),
                hosted_tools: used.map_or_else(BTreeMap::new, |used| used.hosted_tools.clone()),
                ..OtherUnits::default()
            },
        },
        is_estimated,
        is_billable,
    }
}

/// A usage report that came in the middle of a stream is older than what was said since.
pub fn so_far(outcome: &Outcome, input: impl FnOnce() -> u64) -> Used {
    let mut used = of(outcome, input);
    let counted = said(&outcome.said);
    if used.is_billable && counted > used.usage.tokens.output {
        used.usage.tokens.output = counted;
        used.is_estimated = true;
    }
    used
}

/// The same of an answer that took one search at least, where the upstream does not tell how many.
pub fn with_a_search(mut used: Used) -> Used {
    let searches = &mut used.usage.other.hosted_tools;
    if used.is_billable && !searches.contains_key(SEARCHES) {
        searches.insert(SEARCHES.to_owned(), 1);
        used.is_estimated = true;
    }
    used
}

/// The same with charges of which no answer tells.
pub fn with_untold(mut used: Used, untold: &BTreeMap<String, u64>) -> Used {
    if used.is_billable {
        for (name, uses) in untold {
            let told = used.usage.other.hosted_tools.entry(name.clone());
            told.or_insert(*uses);
        }
    }
    used
}

/// The tokens of what was said: the sample is counted, the rest is taken to be alike.
pub fn said(said: &Said) -> u64 {
    let sample = said.sample.len() as u64;
    if sample == 0 {
        return tokens::approximate(said.bytes);
    }
    let counted = u128::from(tokens::count(&said.sample));
    let all = counted * u128::from(said.bytes) / u128::from(sample);
    u64::try_from(all).unwrap_or(u64::MAX)
}

/// Token counts as billing has them.
pub fn tokens_of(usage: &canonical::Usage) -> Tokens {
    let of = |count: Option<u64>| count.unwrap_or(0);
    Tokens {
        input: of(usage.input),
        cache_read: of(usage.cache_read),
        cache_write_5m: of(usage.cache_write_5m).saturating_add(of(usage.cache_write_other)),
        cache_write_1h: of(usage.cache_write_1h),
        audio_input: of(usage.input_audio),
        image_input: of(usage.input_image),
        output: of(usage.output),
        reasoning: of(usage.reasoning),
        audio_output: of(usage.output_audio),
        image_output: of(usage.output_image),
    }
}
