//! Items of an answer that a vendor charges for in addition to tokens.

use std::collections::BTreeMap;

use memchr::memmem;

use crate::canonical::Usage;
use crate::canonical::usage::SEARCHES;

/// Types of items, and the names of their prices.
const CHARGED: [(&str, &str); 5] = [
    ("web_search_call", SEARCHES),
    ("file_search_call", "file_search_requests"),
    ("code_interpreter_call", "code_interpreter_requests"),
    ("image_generation_call", "image_generation_requests"),
    // The vendor's own shell tells its output; a client sends that of its own.
    ("shell_call_output", "shell_requests"),
];

/// Returns whether a text may hold such an item.
pub(super) fn may_be_charged(text: &[u8]) -> bool {
    CHARGED
        .iter()
        .any(|(kind, _)| memmem::find(text, kind.as_bytes()).is_some())
}

/// How often each of them is there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct HostedItems(BTreeMap<&'static str, u64>);

impl HostedItems {
    /// Counts an item of this type. Returns whether it is charged.
    pub(super) fn note(&mut self, kind: &str) -> bool {
        let Some((_, charge)) = CHARGED.iter().find(|(known, _)| *known == kind) else {
            return false;
        };
        *self.0.entry(charge).or_default() += 1;
        true
    }

    /// Takes over larger counts.
    pub(super) fn at_least(mut self, other: Self) -> Self {
        for (charge, count) in other.0 {
            let mine = self.0.entry(charge).or_default();
            *mine = count.max(*mine);
        }
        self
    }

    /// Tells the counts with others of the answer.
    pub(super) fn tell(&self, usage: &mut Usage) {
        for (charge, count) in &self.0 {
            usage.hosted_tools.insert((*charge).to_owned(), *count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charged_items_are_counted_by_their_price() {
        let mut items = HostedItems::default();
        let kinds = [
            "web_search_call",
            "function_call",
            "web_search_call",
            "code_interpreter_call",
            "shell_call",
        ];
        let charged = kinds.map(|kind| items.note(kind));
        assert_eq!(charged, [true, false, true, true, false]);
        let mut more = HostedItems::default();
        more.note("code_interpreter_call");
        more.note("file_search_call");
        let mut usage = Usage::default();
        items.at_least(more).tell(&mut usage);
        assert_eq!(usage.hosted_tools[SEARCHES], 2);
        assert_eq!(usage.hosted_tools["code_interpreter_requests"], 1);
        assert_eq!(usage.hosted_tools["file_search_requests"], 1);
        assert!(
            may_be_charged(br#"{"type":"file_search_call"}"#)
                && !may_be_charged(br#"{"type":"function_call"}"#)
        );
    }
}
