//! What words a body holds that matter before it is read: one search for all of them, since a large
//! body is dear to go through. A word that is not there cannot have been meant; one that is there may
//! mean nothing.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{escapes, ids};

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
    /// Something that a vendor keeps; see [`crate::vendor_state`].
    VendorState,
    /// A character that is escaped without need: other words may be spelled so that they are not found. See
    /// [`crate::escapes`].
    Escaped,
}

/// What words a body holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sighted {
    /// How often something is announced that is not in the body itself.
    pub pointers: usize,
    /// A bit for each word.
    words: u8,
}

/// What a spelling is. Some depend on what stands around them; so there are few enough to be searched for at once.
#[derive(Clone, Copy)]
enum Spelling {
    /// A word, whatever stands around it.
    Of(Word),
    /// An address.
    Url,
    /// Sound, or the announcement of some.
    Audio,
    /// Pictures, or the announcement of one.
    Image,
    /// Names and values that begin so.
    File,
    /// A name that ends in one of these.
    Name(Word, &'static [&'static str]),
    /// An escape.
    Escape,
}

/// Spellings in all dialects. With more than 32 of them the search takes half as long again.
const SPELLINGS: [(&str, Spelling); 32] = {
    use Spelling::{Audio, Escape, File, Image, Name, Of, Url};
    const STATE: Spelling = Of(Word::VendorState);
    [
        ("\"url\"", Url),
        ("\"file", File),
        ("\"container", STATE),
        (
            "\"cached",
            Name(Word::VendorState, &["Content", "_content"]),
        ),
        ("\"conv_", STATE),
        ("\"web_search", Of(Word::Searches)),
        ("\"google", Name(Word::Searches, &["_search", "Search"])),
        ("odalities", Of(Word::Modalities)),
        ("cache_control", Of(Word::CacheControl)),
        ("audio", Audio),
        ("image", Image),
        // The beginning of every signature that we wrap.
        ("Z3cx", Of(Word::OwnValue)),
        // The signature of a thought that has none.
        ("\"signature\":\"\"", Of(Word::OwnValue)),
        ("__thought__", Of(Word::OwnValue)),
        (ids::ITEM_MARK, Of(Word::OwnValue)),
        (escapes::BEGINNING, Escape),
        ("\"fallback_credit", STATE),
        ("\"vertex", STATE),
        ("\"resp_", STATE),
        ("\"vs_", STATE),
        ("\"cntr_", STATE),
        ("\"thread", STATE),
        ("\"projects/", STATE),
        ("\"msg_", STATE),
        ("\"pmpt_", STATE),
        ("\"batch_", STATE),
        ("\"continuation", STATE),
        ("\"skill", STATE),
        ("\"previous_", STATE),
        ("\"user_prof", STATE),
        ("\"workspace_", STATE),
        ("\"gs:", STATE),
    ]
};

/// What follows `"file` where a name announces content that is elsewhere.
const ANNOUNCED_FILES: [&str; 4] = ["_id\"", "_data\"", "Data\"", "_url\""];
/// What follows it where a name or a value is an id, or may be one.
const KEPT_FILES: [&str; 7] = ["_", "-", "s/", "s\\", "Id", "Uri", "Search"];
/// Names and words that begin like an id and are none.
const OTHER_FILES: [&str; 5] = ["_data\"", "_url\"", "_path\"", "_name\"", "_search\""];

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
            let (_, spelling) = SPELLINGS[found.pattern().as_usize()];
            self.note(spelling, &text[..found.start()], &text[found.end()..]);
        }
    }

    /// Notes what a spelling means between what is before and what is behind it.
    fn note(&mut self, spelling: Spelling, before: &[u8], behind: &[u8]) {
        match spelling {
            Spelling::Of(word) => self.add(word),
            Spelling::Url => self.pointers += 1,
            Spelling::Audio => {
                self.add(Word::Audio);
                let is_pointer = before.ends_with(b"\"input_") && behind.starts_with(b"\"");
                self.pointers += usize::from(is_pointer);
            }
            Spelling::Image => {
                self.add(Word::Image);
                let is_pointer = before.ends_with(b"\"") && behind.starts_with(b"_url\"");
                self.pointers += usize::from(is_pointer);
            }
            Spelling::File => {
                self.pointers += usize::from(begins(behind, &ANNOUNCED_FILES));
                if begins(behind, &KEPT_FILES) && !begins(behind, &OTHER_FILES) {
                    self.add(Word::VendorState);
                }
            }
            Spelling::Name(word, endings) if begins(behind, endings) => self.add(word),
            Spelling::Escape if escapes::needless(behind).is_some() => self.add(Word::Escaped),
            Spelling::Name(..) | Spelling::Escape => {}
        }
    }

    fn add(&mut self, word: Word) {
        self.words |= word.bit();
    }

    /// Whether the body holds this word.
    pub fn has(&self, word: Word) -> bool {
        self.words & word.bit() != 0
    }
}

fn begins(text: &[u8], beginnings: &[&str]) -> bool {
    beginnings
        .iter()
        .any(|one| text.starts_with(one.as_bytes()))
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
        for (spelling, what) in SPELLINGS {
            let behind = match what {
                Spelling::Name(_, endings) => endings[0],
                Spelling::File => "_id",
                Spelling::Escape => "61",
                _ => "",
            };
            let text = format!("{}{spelling}{behind}{}", "x".repeat(100), "y".repeat(100));
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
        let plain =
            br#"{"model":"m","messages":[{"role":"user","content":"hi"}],"file_path":"files"}"#;
        assert_eq!(Sighted::of(plain), Sighted::default());
    }

    #[test]
    fn a_word_that_is_escaped_is_seen_once_it_is_spelled_out() {
        for (body, word) in [
            (r#"{"file\u005fid":"f"}"#, Word::VendorState),
            (r#"{"a":"\u0066ile-1"}"#, Word::VendorState),
            (r#"{"tools":[{"type":"\u0077eb_search"}]}"#, Word::Searches),
            (r#"{"cach\u0065_control":{}}"#, Word::CacheControl),
        ] {
            let sighted = Sighted::of(body.as_bytes());
            assert!(sighted.has(Word::Escaped) && !sighted.has(word), "{body}");
            let spelled = escapes::spelled_out(body.as_bytes());
            let sighted = Sighted::of(&spelled);
            assert!(!sighted.has(Word::Escaped) && sighted.has(word), "{body}");
        }
        let usual = br#"{"content":"caf\u00e9 \u003cb\u003e \u4f60 \"quoted\"\n"}"#;
        assert_eq!(Sighted::of(usual), Sighted::default());
    }

    #[test]
    fn an_escape_is_seen_in_a_name_of_any_length() {
        let escape = |name: String, byte: u8| name + &format!("\\u{byte:04x}");
        let name = "fileSearchStoreNames".bytes().fold(String::new(), escape);
        let text = format!(r#"{{"{name}{}":1}}"#, " ".repeat(600));
        let string = 1..text.len() - 3;
        assert!(Sighted::around(text.as_bytes(), from_ref(&string)).has(Word::Escaped));
    }
}
