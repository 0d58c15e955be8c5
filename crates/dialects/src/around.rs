//! What stands around the words of a frame. Vendors repeat it byte by byte from frame to frame, so
//! that a frame which begins and ends like the one before needs no other look than at its words.

use std::borrow::Cow;
use std::ops::Range;

use crate::plain::plain_end;

/// More than this is not remembered for one stream.
const MAX_BYTES: usize = 4 << 10;

/// What stood around the words of the last frame that brought nothing else.
#[derive(Default)]
pub(crate) struct Around {
    /// Up to the words, their quote included. Empty: there was no such frame.
    before: Vec<u8>,
    /// From the quote after the words on.
    after: Vec<u8>,
}

impl Around {
    /// The words of a frame that is like the last one. What is no JSON string is left to a closer look.
    pub(crate) fn words<'a>(&self, frame: &'a [u8]) -> Option<Cow<'a, str>> {
        if self.before.is_empty() {
            return None;
        }
        let begun = frame.strip_prefix(self.before.as_slice())?;
        let plain = begun.strip_suffix(self.after.as_slice())?;
        if plain_end(plain, 0) < plain.len() {
            return self.unescaped(frame);
        }
        simdutf8::basic::from_utf8(plain).ok().map(Cow::Borrowed)
    }

    /// The words of a frame that is like the last one and has escapes in its words.
    #[cold]
    fn unescaped<'a>(&self, frame: &'a [u8]) -> Option<Cow<'a, str>> {
        let quoted = self.before.len() - 1..frame.len() - self.after.len() + 1;
        let words: String = serde_json::from_slice(frame.get(quoted)?).ok()?;
        Some(Cow::Owned(words))
    }

    /// Remembers a frame whose words stand there, quotes included.
    pub(crate) fn learn(&mut self, frame: &[u8], words: Range<usize>) {
        self.forget();
        let before = frame.get(..=words.start).unwrap_or_default();
        let after = frame.get(words.end - 1..).unwrap_or_default();
        if before.len() + after.len() <= MAX_BYTES {
            self.before.extend_from_slice(before);
            self.after.extend_from_slice(after);
        }
    }

    /// The next frame needs a closer look.
    pub(crate) fn forget(&mut self) {
        self.before.clear();
        self.after.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_like_the_last_one_is_known_by_its_words() {
        let frame = |words: &str| {
            format!(r#"{{"choices":[{{"index":1,"delta":{{"content":"{words}"}}}}],"x":"y"}}"#)
        };
        let mut around = Around::default();
        assert_eq!(around.words(frame("a").as_bytes()), None);
        let first = frame("a\\n");
        let at = first.find("\"a").unwrap();
        around.learn(first.as_bytes(), at..at + 5);
        for text in ["", "a", "größer \u{1f600}", "}]}"] {
            assert_eq!(around.words(frame(text).as_bytes()), Some(text.into()));
        }
        let escaped = frame(r#"a\n\"\u00e5"#);
        assert_eq!(around.words(escaped.as_bytes()), Some("a\n\"å".into()));
        for text in [r#"a","refusal":"b"#, "a\nb", r"\", r"\ud83d"] {
            assert_eq!(around.words(frame(text).as_bytes()), None, "{text}");
        }
        assert_eq!(around.words(&frame("a").as_bytes()[..20]), None);
        around.forget();
        assert_eq!(around.words(frame("a").as_bytes()), None);
    }
}
