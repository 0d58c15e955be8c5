//! Ids that we make up: always from what is there already, so that a retry, a stream and a whole
//! answer agree.

use sha2::{Digest, Sha256};

/// The first `length` hexadecimal digits of a hash over these pieces.
pub fn hash(pieces: &[&str], length: usize) -> String {
    let mut hasher = Sha256::new();
    for piece in pieces {
        // The length keeps ("ab","c") and ("a","bc") apart.
        hasher.update((piece.len() as u64).to_le_bytes());
        hasher.update(piece.as_bytes());
    }
    let mut text = hex::encode(hasher.finalize());
    text.truncate(length);
    text
}

/// An id for a tool call that its vendor gave none: `call_` and 24 digits from the answer's id, the
/// choice and the call's place in it.
pub fn call_id(reply_id: &str, choice: u32, ordinal: u32) -> String {
    let digits = hash(&[reply_id, &choice.to_string(), &ordinal.to_string()], 24);
    format!("call_{digits}")
}

/// What tells an item's id that we made from one that its vendor made and knows again.
pub const ITEM_MARK: &str = "_gw1";

/// An id for the output item at this place of an answer: the same in a stream and in a whole answer.
pub fn item_id(prefix: &str, reply_id: &str, place: usize) -> String {
    let digits = hash(&[reply_id, &place.to_string()], 24);
    format!("{prefix}{ITEM_MARK}{digits}")
}

/// Whether we made this item's id.
pub fn is_own_item(id: &str) -> bool {
    id.contains(ITEM_MARK)
}

/// A tool-call id that is legal everywhere and no longer than `longest`: itself where it is, else
/// a stand-in made from it, the same one each time.
pub fn legal_call_id(id: &str, longest: usize) -> std::borrow::Cow<'_, str> {
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !id.is_empty() && id.len() <= longest && id.bytes().all(legal) {
        return id.into();
    }
    format!("call_{}", hash(&[id], 24)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_each_time_and_differ_by_place() {
        assert_eq!(call_id("resp", 0, 1), call_id("resp", 0, 1));
        assert_ne!(call_id("resp", 0, 1), call_id("resp", 0, 2));
        assert_ne!(call_id("resp", 0, 1), call_id("resp", 1, 1));
        assert_eq!(call_id("r", 0, 0).len(), "call_".len() + 24);
    }

    #[test]
    fn an_item_id_of_ours_is_known_again() {
        assert_eq!(item_id("rs", "resp", 0), item_id("rs", "resp", 0));
        assert_ne!(item_id("rs", "resp", 0), item_id("rs", "resp", 1));
        assert!(item_id("fc", "resp", 2).starts_with("fc_"));
        assert!(is_own_item(&item_id("rs", "resp", 0)));
        assert!(!is_own_item("rs_68a1b2c3d4e5f60718293a4b5c6d7e8f"));
    }

    #[test]
    fn a_legal_id_stays_and_an_illegal_one_gets_a_stand_in() {
        assert_eq!(legal_call_id("toolu_1", 64), "toolu_1");
        assert_eq!(legal_call_id("a.b", 64), legal_call_id("a.b", 64));
        assert_ne!(legal_call_id("a.b", 64), legal_call_id("a:b", 64));
        assert!(legal_call_id(&"x".repeat(90), 40).len() <= 40);
        assert!(!legal_call_id("", 40).is_empty());
    }
}
