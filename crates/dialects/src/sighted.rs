//! What words a body holds that matter before it is read: one search for all of them, since a large
//! body is dear to go through. A word that is not there cannot have been meant; one that is there may
//! mean nothing.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::ids;

/// What words a body holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sighted {
    /// How often something is announced that is not in the body itself.
    pub pointers: usize,
    /// A vendor's own tool that searches.
    pub searches: bool,
    /// Answers of other kinds than text.
    pub modalities: bool,
    /// What a vendor is to keep in its cache.
    pub cache_control: bool,
    /// Sound.
    pub audio: bool,
    /// Pictures.
    pub image: bool,
    /// A value of our own making, from an earlier answer.
    pub own_values: bool,
}

/// What a word says.
#[derive(Clone, Copy)]
enum Meaning {
    Pointer,
    ImagePointer,
    AudioPointer,
    Searches,
    Modalities,
    CacheControl,
    Audio,
    Image,
    OwnValue,
}

/// Words in all dialects. Those that stand within another come after it and are meant by it too.
const WORDS: [(&str, Meaning); 17] = [
    ("\"image_url\"", Meaning::ImagePointer),
    ("\"input_audio\"", Meaning::AudioPointer),
    ("\"url\"", Meaning::Pointer),
    ("\"file_id\"", Meaning::Pointer),
    ("\"file_data\"", Meaning::Pointer),
    ("\"fileData\"", Meaning::Pointer),
    ("\"file_url\"", Meaning::Pointer),
    ("\"web_search", Meaning::Searches),
    ("\"google_search", Meaning::Searches),
    ("\"googleSearch", Meaning::Searches),
    ("odalities", Meaning::Modalities),
    ("cache_control", Meaning::CacheControl),
    ("audio", Meaning::Audio),
    ("image", Meaning::Image),
    // The beginning of every signature that we wrap.
    ("Z3cx", Meaning::OwnValue),
    ("__thought__", Meaning::OwnValue),
    (ids::ITEM_MARK, Meaning::OwnValue),
];

static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostFirst)
        .build(WORDS.map(|(word, _)| word))
        .expect("a few short words")
});

impl Sighted {
    /// Looks through a body.
    pub fn of(body: &[u8]) -> Self {
        let mut sighted = Self::default();
        for found in SEARCH.find_iter(body) {
            sighted.note(WORDS[found.pattern().as_usize()].1);
        }
        sighted
    }

    fn note(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Pointer => self.pointers += 1,
            Meaning::ImagePointer => {
                self.pointers += 1;
                self.image = true;
            }
            Meaning::AudioPointer => {
                self.pointers += 1;
                self.audio = true;
            }
            Meaning::Searches => self.searches = true,
            Meaning::Modalities => self.modalities = true,
            Meaning::CacheControl => self.cache_control = true,
            Meaning::Audio => self.audio = true,
            Meaning::Image => self.image = true,
            Meaning::OwnValue => self.own_values = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_seen_wherever_it_stands() {
        let body = r#"{"content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}],
            "input_audio":{},"file_id":"f","cache_control":{},"modalities":["text"]}"#;
        let seen = Sighted {
            pointers: 5,
            searches: false,
            modalities: true,
            cache_control: true,
            audio: true,
            image: true,
            own_values: false,
        };
        assert_eq!(Sighted::of(body.as_bytes()), seen);
        for (word, _) in WORDS {
            let text = format!("{}{word}{}", "x".repeat(100), "y".repeat(100));
            assert_ne!(Sighted::of(text.as_bytes()), Sighted::default(), "{word}");
        }
        assert!(Sighted::of(br#"{"tools":[{"type":"web_search_20250305"}]}"#).searches);
        assert!(Sighted::of(br#"{"id":"call_1__thought__eA"}"#).own_values);
        let plain = br#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
        assert_eq!(Sighted::of(plain), Sighted::default());
    }
}
