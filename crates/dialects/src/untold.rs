//! What an answer used and its upstream has not told: counted from what was said. The charge and the client of an answer
//! that is written anew go by the same count.

use crate::canonical::Usage;
use crate::convert::Outcome;
use crate::said::Said;
use crate::{CountInput, ReplyContext};

impl Outcome {
    /// Whether the answer is worth anything.
    pub fn is_worth_something(&self) -> bool {
        let told = self.usage.as_ref().and_then(|told| told.output);
        self.has_content || told.unwrap_or(0) > 0
    }

    /// The usage with what is missing in it: `input` counts the prompt, `count` counts what was said. None:
    /// the upstream has told both, or the answer is worth nothing.
    pub fn with_untold(
        &self,
        input: impl FnOnce() -> u64,
        count: fn(&Said) -> u64,
    ) -> Option<Usage> {
        let is_told = |told: &Usage| told.input.is_some() && told.output.is_some();
        if self.usage.as_ref().is_some_and(is_told) || !self.is_worth_something() {
            return None;
        }
        let mut usage = self.usage.clone().unwrap_or_default();
        if usage.input.is_none() {
            let of = |count: Option<u64>| count.unwrap_or(0);
            let caches = of(usage.cache_read).saturating_add(usage.cache_write());
            let media = of(usage.input_audio).saturating_add(of(usage.input_image));
            usage.input = Some(input().max(caches).max(media));
        }
        if usage.output.is_none() {
            usage.output = Some(count(&self.said).max(usage.reasoning.unwrap_or(0)));
        }
        Some(usage)
    }
}

/// Tells clients what their upstream has not.
#[derive(Debug, Clone)]
pub(crate) struct Untold {
    estimated_input: u64,
    count_input: Option<CountInput>,
    count: Option<fn(&Said) -> u64>,
}

impl Untold {
    /// What is told of answers in this context.
    pub(crate) fn new(context: &ReplyContext) -> Self {
        Self {
            estimated_input: context.estimated_input,
            count_input: context.count_input.clone(),
            count: context.count_said,
        }
    }

    /// The whole usage of an answer that has come to its end, where the upstream has not told it.
    pub(crate) fn of(&self, outcome: &Outcome) -> Option<Usage> {
        let counted = self.count_input.as_ref();
        let input = || counted.map_or(self.estimated_input, |count| (count.0)());
        outcome.with_untold(input, self.count?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(usage: Option<Usage>) -> Outcome {
        let mut outcome = Outcome {
            usage,
            has_content: true,
            ..Outcome::default()
        };
        outcome.said.hear("Hello");
        outcome
    }

    fn bytes(said: &Said) -> u64 {
        said.bytes
    }

    #[test]
    fn only_what_is_missing_is_counted() {
        let counts = |usage: Usage| {
            let whole = outcome(Some(usage)).with_untold(|| 40, bytes);
            whole.map(|whole| (whole.input, whole.output))
        };
        let (input, output) = (Some(7), Some(2));
        let told = |input, output| Usage {
            input,
            output,
            ..Usage::default()
        };
        assert_eq!(counts(told(input, output)), None);
        assert_eq!(counts(told(input, None)), Some((input, Some(5))));
        assert_eq!(counts(told(None, output)), Some((Some(40), output)));
        assert_eq!(counts(told(input, Some(0))), None);
        let parts = Usage {
            cache_read: Some(30),
            cache_write_5m: Some(20),
            reasoning: Some(9),
            ..Usage::default()
        };
        assert_eq!(counts(parts), Some((Some(50), Some(9))));
        let silent = outcome(None).with_untold(|| 40, bytes);
        assert_eq!(silent, Some(told(Some(40), Some(5))));
    }

    #[test]
    fn an_answer_without_content_is_worth_nothing() {
        let empty = Outcome::default();
        assert!(!empty.is_worth_something());
        assert_eq!(empty.with_untold(|| 40, bytes), None);
    }
}
