//! Searches that chat completions' usage does not tell of: those that the client asked for, and those of models that search
//! by themselves before they answer.

use memchr::memmem;

/// What stands in the names of OpenAI's models that search without being asked to, such as `gpt-4o-search-preview`.
const IN_NAMES: &[u8] = b"-search-";
/// What those of Perplexity begin with.
const BEFORE_NAMES: &str = "sonar";
/// Lists in an answer that say what was found.
const FOUND: [&[u8]; 3] = [b"\"annotations\"", b"\"citations\"", b"\"search_results\""];

/// Whether the upstream searches for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Searching {
    /// No.
    No,
    /// Its model does so by itself; the answer shows whether it did.
    IfShown,
    /// Yes.
    Yes,
}

impl Searching {
    /// What is known of an answer of this model, which was asked to search or not.
    pub fn of(model: &str, is_asked: bool) -> Self {
        if is_asked {
            Self::Yes
        } else if searches_by_itself(model) {
            Self::IfShown
        } else {
            Self::No
        }
    }

    /// What is known once this much of the answer has come.
    pub fn see(&mut self, answer: &[u8]) {
        if *self == Self::IfShown && shows_search(answer) {
            *self = Self::Yes;
        }
    }
}

/// Whether a model of this name searches without being asked to.
pub fn searches_by_itself(model: &str) -> bool {
    let name = model.strip_prefix("perplexity/").unwrap_or(model);
    // Every call comes by here: nothing is prepared for so short a look.
    let mut parts = model.as_bytes().windows(IN_NAMES.len());
    name.starts_with(BEFORE_NAMES) || parts.any(|part| part == IN_NAMES)
}

/// Whether one of the lists is there, and not empty.
fn shows_search(answer: &[u8]) -> bool {
    FOUND.iter().any(|name| {
        memmem::find_iter(answer, name).any(|at| {
            let rest = answer[at + name.len()..].trim_ascii_start();
            let list = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
            let first = list.and_then(|list| list.strip_prefix(b"["));
            first
                .is_some_and(|first| !matches!(first.trim_ascii_start().first(), None | Some(b']')))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_known_by_what_it_found() {
        let found = [
            r#"{"choices":[{"message":{"content":"a","annotations":[{"type":"url_citation"}]}}]}"#,
            r#"{"choices":[], "citations" : ["https://a.example"]}"#,
            r#"{"search_results":[{"title":"a"}]}"#,
        ];
        let nothing = [
            r#"{"choices":[{"message":{"content":"a","annotations":[]}}]}"#,
            r#"{"citations":null,"search_results": [ ]}"#,
            r#"{"choices":[{"message":{"content":"\"citations\":[\"a\"]"}}]}"#,
        ];
        for (answers, is_shown) in [(found, Searching::Yes), (nothing, Searching::IfShown)] {
            for answer in answers {
                let mut searching = Searching::of("gpt-4o-search-preview", false);
                searching.see(answer.as_bytes());
                assert_eq!(searching, is_shown, "{answer}");
            }
        }
    }

    #[test]
    fn models_that_do_not_search_are_not_looked_at() {
        for model in ["gpt-4o", "deep-research", "research-preview"] {
            let mut searching = Searching::of(model, false);
            searching.see(br#"{"citations":["a"]}"#);
            assert_eq!(searching, Searching::No, "{model}");
        }
        assert_eq!(Searching::of("gpt-4o", true), Searching::Yes);
        assert_eq!(Searching::of("sonar-pro", false), Searching::IfShown);
    }
}
