//! How much an answer has said so far, for counting where the upstream does not tell: a sample of
//! its words and the length of all of them. Memory is bounded, whatever the upstream sends.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::DialectId;

/// As much is kept of the words.
const SAMPLE_BYTES: usize = 8 * 1024;

/// What was said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Said {
    /// The beginning of it.
    pub sample: String,
    /// How long all of it is.
    pub bytes: u64,
}

impl Said {
    /// Hears more words.
    pub fn hear(&mut self, words: &str) {
        self.bytes = self.bytes.saturating_add(words.len() as u64);
        let room = SAMPLE_BYTES.saturating_sub(self.sample.len());
        self.sample
            .push_str(&words[..words.floor_char_boundary(room)]);
    }

    /// Hears what was said later.
    pub fn add(&mut self, later: &Self) {
        let bytes = self.bytes.saturating_add(later.bytes);
        self.hear(&later.sample);
        self.bytes = bytes;
    }

    /// Hears a frame that goes through unread: the text of the members that hold words. Escapes are
    /// not undone; they are rare, and this is an estimate. Says where the words stand, quotes included, if
    /// they are all in one place.
    pub(crate) fn hear_frame(&mut self, dialect: DialectId, data: &[u8]) -> Option<Range<usize>> {
        let (mut place, mut count) = (0..0, 0);
        for member in members(dialect) {
            for at in member.find_iter(data) {
                let from = at + member.needle().len();
                let words = text(&data[from..]);
                self.hear(&String::from_utf8_lossy(words));
                place = from - 1..from + words.len() + 1;
                count += 1;
            }
        }
        (count == 1 && place.end <= data.len()).then_some(place)
    }
}

/// The members of a streamed frame that hold words, up to their opening quote.
fn members(dialect: DialectId) -> &'static [Finder<'static>] {
    static CHAT: LazyLock<[Finder<'static>; 4]> = LazyLock::new(|| {
        [
            &b"\"content\":\""[..],
            b"\"reasoning_content\":\"",
            b"\"reasoning\":\"",
            b"\"arguments\":\"",
        ]
        .map(Finder::new)
    });
    static MESSAGES: LazyLock<[Finder<'static>; 3]> = LazyLock::new(|| {
        [
            &b"\"text\":\""[..],
            b"\"thinking\":\"",
            b"\"partial_json\":\"",
        ]
        .map(Finder::new)
    });
    static TEXT: LazyLock<[Finder<'static>; 1]> =
        LazyLock::new(|| [Finder::new(&b"\"text\":\""[..])]);
    static RESPONSES: LazyLock<[Finder<'static>; 1]> =
        LazyLock::new(|| [Finder::new(&b"\"delta\":\""[..])]);
    match dialect {
        DialectId::ChatCompletions => &*CHAT,
        DialectId::Messages => &*MESSAGES,
        DialectId::TextCompletions | DialectId::GenerateContent => &*TEXT,
        DialectId::Responses => &*RESPONSES,
    }
}

/// The text up to its closing quote.
fn text(rest: &[u8]) -> &[u8] {
    let mut from = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &rest[from..]) {
        let at = from + found;
        if rest[at] == b'"' {
            return &rest[..at];
        }
        from = (at + 2).min(rest.len());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_frame_are_heard_and_nothing_else() {
        let mut said = Said::default();
        let frame = br#"{"id":"c","choices":[{"delta":{"content":"a \"b\" c"}}],"model":"m"}"#;
        let place = said.hear_frame(DialectId::ChatCompletions, frame);
        assert_eq!(said.sample, r#"a \"b\" c"#);
        assert_eq!(&frame[place.unwrap()], br#""a \"b\" c""#);
        let frame = br#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}"#;
        said.hear_frame(DialectId::Messages, frame);
        assert_eq!((said.bytes, said.sample.as_str()), (11, r#"a \"b\" chi"#));
    }

    #[test]
    fn words_in_several_places_or_without_an_end_have_no_place() {
        for frame in [
            r#"{"delta":{"content":"a","reasoning":"b"}}"#,
            r#"{"delta":{"content":"a"#,
            r#"{"delta":{}}"#,
        ] {
            let place = Said::default().hear_frame(DialectId::ChatCompletions, frame.as_bytes());
            assert_eq!(place, None, "{frame}");
        }
    }

    #[test]
    fn the_sample_is_bounded_and_the_length_is_not() {
        let mut said = Said::default();
        for _ in 0..3_000 {
            said.hear("größer");
        }
        assert_eq!(said.bytes, 3_000 * 8);
        assert!(said.sample.len() <= SAMPLE_BYTES);
    }
}
