//! What tells one conversation from another without reading it: the model and the beginning of what
//! the user said first. It stays the same from turn to turn, so that a conversation finds its prompt
//! cache warm. System text is left out: some clients put a line there that changes with every run.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::sync::LazyLock;

use foldhash::quality::FixedState;
use memchr::memmem::Finder;

/// So much of the first words counts.
const LOOKED_AT: usize = 512;

/// What stands before that, the first that is found; made ready to be looked for once.
static WORDS: LazyLock<[Finder<'static>; 4]> =
    LazyLock::new(|| ["\"user\"", "\"input\"", "\"contents\"", "\"prompt\""].map(Finder::new));

/// The conversation's key; none where nobody has said anything.
pub fn of(model: &str, body: &[u8]) -> Option<u64> {
    let at = WORDS.iter().find_map(|word| word.find(body))?;
    // What a role stands in may come after what was said, which is then part of the turn before.
    let end = body.len().min(at + LOOKED_AT);
    // The same on all nodes, and after a restart.
    let mut hasher = FixedState::default().build_hasher();
    model.hash(&mut hasher);
    hasher.write(&body[at..end]);
    Some(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(system: &str, first: &str, more: &str) -> Option<u64> {
        let padding = "x".repeat(LOOKED_AT);
        let body = format!(
            r#"{{"messages":[{{"role":"system","content":"{system}"}},
            {{"role":"user","content":"{first}{padding}"}}{more}]}}"#
        );
        of("m", body.as_bytes())
    }

    #[test]
    fn a_conversation_keeps_its_key_from_turn_to_turn() {
        let first = key("a", "Hi", "");
        assert!(first.is_some());
        assert_eq!(
            first,
            key("b", "Hi", r#",{"role":"assistant","content":"Yes"}"#)
        );
        assert_ne!(first, key("a", "Ho", ""));
        assert_eq!(of("m", b"{}"), None);
    }
}
