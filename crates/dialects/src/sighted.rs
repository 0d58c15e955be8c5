//! What words a body holds that matter before it is read: one search for all of them, since a large
//! body is dear to go through. A word that is not there cannot have been meant; one that is there may
//! mean nothing.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::ids;

/// Words that matter, each whatever a dialect calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// A vendor's own tool that searches.
    Searches,
    /// Answers of other kinds than text.
    Modalities,
    /// What a vendor is to keep in its cache.
    CacheControl,
    /// Sound.
    Audio,
    /// Pictures.
    Image,
    /// A value of our own making, from an earlier answer.
    OwnValue,
    /// Something that a vendor keeps; see [`crate::vendor_state()`].
    VendorState,
}

/// What words a body holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sighted {
    /// How often something is announced that is not in the body itself.
    pub pointers: usize,
    /// A bit for each word.
    words: u8,
}

/// Spellings in all dialects: whether one announces something that is elsewhere, and which word it is.
/// Those that stand within another come after it; it is both.
const SPELLINGS: [(&str, bool, Option<Word>); 29] = [
    ("\"image_url\"", true, Some(Word::Image)),
    ("\"input_audio\"", true, Some(Word::Audio)),
    ("\"url\"", true, None),
    ("\"file_id\"", true, Some(Word::VendorState)),
    ("\"file_data\"", true, None),
    ("\"fileData\"", true, None),
    ("\"file_url\"", true, None),
    ("\"file_ids\"", false, Some(Word::VendorState)),
    ("\"fileUri\"", false, Some(Word::VendorState)),
    ("\"file_uri\"", false, Some(Word::VendorState)),
    ("\"container", false, Some(Word::VendorState)),
    ("\"cachedContent\"", false, Some(Word::VendorState)),
    ("\"cached_content\"", false, Some(Word::VendorState)),
    ("\"conversation\"", false, Some(Word::VendorState)),
    ("\"prompt\"", false, Some(Word::VendorState)),
    ("\"item_reference\"", false, Some(Word::VendorState)),
    ("\"vector_store_ids\"", false, Some(Word::VendorState)),
    ("\"fileSearchStoreNames\"", false, Some(Word::VendorState)),
    ("\"web_search", false, Some(Word::Searches)),
    ("\"google_search", false, Some(Word::Searches)),
    ("\"googleSearch", false, Some(Word::Searches)),
    ("odalities", false, Some(Word::Modalities)),
    ("cache_control", false, Some(Word::CacheControl)),
    ("audio", false, Some(Word::Audio)),
    ("image", false, Some(Word::Image)),
    // The beginning of every signature that we wrap.
    ("Z3cx", false, Some(Word::OwnValue)),
    // The signature of a thought that has none.
    ("\"signature\":\"\"", false, Some(Word::OwnValue)),
    ("__thought__", false, Some(Word::OwnValue)),
    (ids::ITEM_MARK, false, Some(Word::OwnValue)),
];

/// So much of a long string is looked at.
const BEGINNING: usize = 256;

static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(SPELLINGS.map(|(spelling, ..)| spelling))
        .expect("a few short words")
});

impl Sighted {
    /// Looks through a body.
    pub fn of(body: &[u8]) -> Self {
        Self::around(body, &[])
    }

    /// The same but for what stands inside of these strings beyond their beginning: whatever matters is a name,
    /// a short value, or how a long one begins.
    pub(crate) fn around(body: &[u8], long_strings: &[Range<usize>]) -> Self {
        let mut sighted = Self::default();
        let mut from = 0;
        for string in long_strings {
            sighted.look(&body[from..string.start + BEGINNING]);
            from = string.end - 1;
        }
        sighted.look(&body[from..]);
        sighted
    }

    fn look(&mut self, text: &[u8]) {
        for found in SEARCH.find_iter(text) {
            let (_, is_pointer, word) = SPELLINGS[found.pattern().as_usize()];
            self.pointers += usize::from(is_pointer);
            self.words |= word.map_or(0, Word::bit);
        }
    }

    /// Whether the body holds this word.
    pub fn has(&self, word: Word) -> bool {
        self.words & word.bit() != 0
    }
}

impl Word {
    fn bit(self) -> u8 {
        1 << self as u8
    }
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn every_word_is_seen_wherever_it_stands() {
        let body = r#"{"content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}],
            "input_audio":{},"file_id":"f","cache_control":{},"modalities":["text"]}"#;
        let sighted = Sighted::of(body.as_bytes());
        assert_eq!(sighted.pointers, 5);
        for word in [
            Word::Modalities,
            Word::CacheControl,
            Word::Audio,
            Word::Image,
        ] {
            assert!(sighted.has(word), "{word:?}");
        }
        assert!(!sighted.has(Word::Searches) && !sighted.has(Word::OwnValue));
        for (spelling, ..) in SPELLINGS {
            let text = format!("{}{spelling}{}", "x".repeat(100), "y".repeat(100));
            assert_ne!(
                Sighted::of(text.as_bytes()),
                Sighted::default(),
                "{spelling}"
            );
        }
        let searching = br#"{"tools":[{"type":"web_search_20250305"}]}"#;
        assert!(Sighted::of(searching).has(Word::Searches));
        let own_tool =
            br#"{"tools":[{"type":"function","function":{"name":"search"}}],"max_uses":9}"#;
        assert!(!Sighted::of(own_tool).has(Word::Searches));
        let returned = br#"{"id":"call_1__thought__eA"}"#;
        assert!(Sighted::of(returned).has(Word::OwnValue));
        let long = format!(r#"["data:image/png;base64,{}"]"#, "image".repeat(1000));
        let string = 1..long.len() - 1;
        let around = Sighted::around(long.as_bytes(), from_ref(&string));
        assert!(around.has(Word::Image) && !around.has(Word::Audio));
        let text = format!(r#"["{} image",{{"cache_control":1}}]"#, "a".repeat(1000));
        let string = 1..text.find(",{").unwrap();
        let around = Sighted::around(text.as_bytes(), from_ref(&string));
        assert!(around.has(Word::CacheControl) && !around.has(Word::Image));
        let plain = br#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
        assert_eq!(Sighted::of(plain), Sighted::default());
    }
}
