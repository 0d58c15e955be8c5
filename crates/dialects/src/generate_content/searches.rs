//! Searches of the vendor's own tool that an answer tells of: they have a price of their own. Newer models are priced by the
//! query, older ones by the answer that has searched at all.

use std::collections::BTreeSet;

use memchr::memmem;
use serde_json::Value;

use crate::canonical::Usage;

/// Where the queries stand in grounding metadata.
const QUERIES: &str = "webSearchQueries";
/// No answer searches more often.
const MOST: usize = 1000;
/// Generations whose searches are counted once.
const BY_ANSWER: [&str; 2] = ["gemini-1", "gemini-2"];

/// The queries of one answer.
#[derive(Debug, Default)]
pub(super) struct Searches(BTreeSet<String>);

impl Searches {
    /// Notes what a candidate's grounding metadata tells; says whether there was anything new. A query that is repeated, or
    /// empty, is none.
    pub(super) fn note(&mut self, grounding: &Value) -> bool {
        let queries = grounding.get(QUERIES).and_then(Value::as_array);
        let before = self.0.len();
        for query in queries.into_iter().flatten().filter_map(Value::as_str) {
            if !query.is_empty() && self.0.len() < MOST {
                self.0.insert(query.to_owned());
            }
        }
        self.0.len() > before
    }

    /// The same of metadata that is not read yet.
    pub(super) fn note_text(&mut self, grounding: &str) -> bool {
        memmem::find(grounding.as_bytes(), QUERIES.as_bytes()).is_some()
            && serde_json::from_str(grounding).is_ok_and(|read| self.note(&read))
    }

    /// Tells the searches of this model with its other counts.
    pub(super) fn tell(&self, model: &str, usage: &mut Usage) {
        let most = if is_charged_by_answer(model) {
            1
        } else {
            u64::MAX
        };
        usage.tell_searches((self.0.len() as u64).min(most));
    }
}

/// Whether the vendor charges the searches of this model once by an answer, however many there are.
pub fn is_charged_by_answer(model: &str) -> bool {
    BY_ANSWER
        .iter()
        .any(|generation| model.contains(generation))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::canonical::usage::SEARCHES;

    #[test]
    fn queries_are_counted_once_each_or_once_in_all() {
        let mut searches = Searches::default();
        let first = json!({"webSearchQueries": ["", "a", "b", "a"]});
        assert!(searches.note_text(&first.to_string()));
        assert!(!searches.note(&json!({"webSearchQueries": ["b"]})));
        assert!(!searches.note_text("{}"));
        for (model, count) in [("gemini-3.1-pro-preview", 2), ("gemini-2.5-flash", 1)] {
            let mut usage = Usage::default();
            searches.tell(model, &mut usage);
            assert_eq!(usage.hosted_tools[SEARCHES], count, "{model}");
        }
        let mut usage = Usage::default();
        Searches::default().tell("gemini-3-flash", &mut usage);
        assert_eq!(usage, Usage::default());
    }
}
