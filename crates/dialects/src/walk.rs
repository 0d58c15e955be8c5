//! Walks through JSON text value by value and says where each stands, without building anything. As
//! strict as a parser about the text's form; what strings and numbers mean is left to the caller.

use std::borrow::Cow;
use std::ops::Range;

use crate::canonical::Failure;

/// Deeper nesting is refused, as the parser does that reads a body whole.
const MAX_DEPTH: u32 = 127;

/// The text is no JSON from this byte on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Broken(pub(crate) usize);

impl Broken {
    /// What that means for a client's body.
    pub(crate) fn in_body(self) -> Failure {
        let message = format!("The request body is not valid JSON (at byte {}).", self.0);
        Failure::bad_request("body", message)
    }
}

/// What kind of value stands somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Number,
    Text,
    List,
    Object,
}

/// A place in a JSON text.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    /// Lists and objects that were entered.
    depth: u32,
    /// The last string has escapes.
    is_escaped: bool,
    passed: Passed,
}

/// What a walk came past.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Passed {
    /// The most lists and objects around one place.
    pub(crate) depth: u32,
    /// Where long strings stand, quotes included; the first of them, where there are very many.
    pub(crate) long_strings: Vec<Range<usize>>,
}

/// A string of so many bytes is a long one.
const LONG_STRING: usize = 512;
/// So many of them are remembered.
const MOST_LONG_STRINGS: usize = 1024;

impl<'a> Walk<'a> {
    /// The beginning of a text.
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            is_escaped: false,
            passed: Passed::default(),
        }
    }

    /// The kind of the value that stands here.
    pub(crate) fn kind(&mut self) -> Result<Kind, Broken> {
        Ok(match self.peek()? {
            b'"' => Kind::Text,
            b'{' => Kind::Object,
            b'[' => Kind::List,
            b't' | b'f' => Kind::Boolean,
            b'n' => Kind::Null,
            b'-' | b'0'..=b'9' => Kind::Number,
            _ => return Err(self.broken()),
        })
    }

    /// Goes past the value that stands here and gives its text.
    pub(crate) fn skip(&mut self) -> Result<&'a [u8], Broken> {
        self.peek()?;
        let from = self.at;
        let mut open = Open {
            is_object: 0,
            depth: self.depth,
        };
        loop {
            if self.enter(&mut open)? {
                continue;
            }
            loop {
                if open.depth == self.depth {
                    return Ok(&self.text[from..self.at]);
                }
                let (byte, is_object) = (self.peek()?, open.is_object & 1 == 1);
                self.at += 1;
                match byte {
                    b',' if is_object => {
                        self.name()?;
                        break;
                    }
                    b',' => break,
                    b'}' if is_object => open.leave(),
                    b']' if !is_object => open.leave(),
                    _ => return Err(Broken(self.at - 1)),
                }
            }
        }
    }

    /// Goes past a value without children, or into one that has some. Says whether it went in.
    fn enter(&mut self, open: &mut Open) -> Result<bool, Broken> {
        match self.peek()? {
            b'"' => {
                self.string()?;
            }
            b'{' => {
                self.open(open, true)?;
                if !self.takes(b'}')? {
                    self.name()?;
                    return Ok(true);
                }
                open.leave();
            }
            b'[' => {
                self.open(open, false)?;
                if !self.takes(b']')? {
                    return Ok(true);
                }
                open.leave();
            }
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            _ => self.number()?,
        }
        Ok(false)
    }

    fn open(&mut self, open: &mut Open, is_object: bool) -> Result<(), Broken> {
        open.enter(is_object).ok_or_else(|| self.broken())?;
        self.passed.depth = self.passed.depth.max(open.depth);
        self.at += 1;
        Ok(())
    }

    /// Goes through the members of the object that stands here. `each` is given a member's name and
    /// goes past its value.
    pub(crate) fn members(
        &mut self,
        mut each: impl FnMut(&[u8], &mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.expect(b'{')?;
        self.descend()?;
        if !self.takes(b'}')? {
            loop {
                let name = self.name()?;
                if self.is_escaped {
                    each(&unescaped(name), self)?;
                } else {
                    each(&name[1..name.len() - 1], self)?;
                }
                if !self.takes(b',')? {
                    self.expect(b'}')?;
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Goes through the entries of the list that stands here; `each` goes past one.
    pub(crate) fn entries(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.expect(b'[')?;
        self.descend()?;
        if !self.takes(b']')? {
            loop {
                each(self)?;
                if !self.takes(b',')? {
                    self.expect(b']')?;
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// The text ends here.
    pub(crate) fn end(&mut self) -> Result<(), Broken> {
        match self.peek() {
            Err(_) => Ok(()),
            Ok(_) => Err(self.broken()),
        }
    }

    fn broken(&self) -> Broken {
        Broken(self.at)
    }

    fn descend(&mut self) -> Result<(), Broken> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.broken());
        }
        self.passed.depth = self.passed.depth.max(self.depth);
        Ok(())
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Result<u8, Broken> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(self.broken()),
            }
        }
    }

    fn takes(&mut self, byte: u8) -> Result<bool, Broken> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    fn expect(&mut self, byte: u8) -> Result<(), Broken> {
        if self.takes(byte)? {
            return Ok(());
        }
        Err(self.broken())
    }

    /// A member's name, quotes included, and the colon after it.
    fn name(&mut self) -> Result<&'a [u8], Broken> {
        if self.peek()? != b'"' {
            return Err(self.broken());
        }
        let name = self.string()?;
        self.expect(b':')?;
        Ok(&self.text[name])
    }

    fn string(&mut self) -> Result<Range<usize>, Broken> {
        let from = self.at;
        self.at += 1;
        self.is_escaped = false;
        loop {
            self.at = plain_end(self.text, self.at);
            match self.text.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    if self.at - from >= LONG_STRING {
                        self.passed.remember(from..self.at);
                    }
                    return Ok(from..self.at);
                }
                Some(b'\\') => self.escape()?,
                _ => return Err(self.broken()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Broken> {
        self.is_escaped = true;
        match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.broken());
                }
                self.at += 6;
            }
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Broken> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.broken());
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Broken> {
        self.at += usize::from(self.text.get(self.at) == Some(&b'-'));
        match self.text.get(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.text.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.text.get(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Broken> {
        let rest = &self.text[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.broken());
        }
        self.at += count;
        Ok(())
    }
}

impl Passed {
    #[cold]
    fn remember(&mut self, string: Range<usize>) {
        if self.long_strings.len() < MOST_LONG_STRINGS {
            self.long_strings.push(string);
        }
    }
}

/// Goes through the members of a client's body, which must be an object and nothing else.
pub(crate) fn body_members<'a>(
    body: &'a [u8],
    each: impl FnMut(&[u8], &mut Walk<'a>) -> Result<(), Broken>,
) -> Result<Passed, Failure> {
    let mut walk = Walk::new(body);
    if walk.kind().map_err(Broken::in_body)? != Kind::Object {
        let message = "The request body must be a JSON object.";
        return Err(Failure::bad_request("body", message));
    }
    walk.members(each)
        .and_then(|()| walk.end())
        .map_err(Broken::in_body)?;
    Ok(walk.passed)
}

/// The lists and objects around a place, one bit each, the innermost last.
struct Open {
    is_object: u128,
    depth: u32,
}

impl Open {
    fn enter(&mut self, is_object: bool) -> Option<()> {
        self.depth += 1;
        self.is_object = self.is_object << 1 | u128::from(is_object);
        (self.depth <= MAX_DEPTH).then_some(())
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.is_object >>= 1;
    }
}

/// What a string means, quotes included in what is given. A string that no text can hold (half of a
/// surrogate pair) stays as it is spelled.
pub(crate) fn unescaped(string: &[u8]) -> Cow<'_, [u8]> {
    let plain = &string[1..string.len() - 1];
    if memchr::memchr(b'\\', plain).is_none() {
        return Cow::Borrowed(plain);
    }
    match serde_json::from_slice::<String>(string) {
        Ok(text) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(plain),
    }
}

/// Where a string's plain part ends: at a quote, a backslash or a control character. Eight bytes at
/// a time, for most strings are short; in the lowest byte that is marked the arithmetic is exact.
fn plain_end(text: &[u8], from: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let mut at = from;
    while let Some(bytes) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*bytes);
        let quote = word ^ (ONES * 0x22);
        let backslash = word ^ (ONES * 0x5c);
        let found = (word.wrapping_sub(ONES * 0x20) & !word)
            | (quote.wrapping_sub(ONES) & !quote)
            | (backslash.wrapping_sub(ONES) & !backslash);
        if found & HIGHS != 0 {
            return at + (found & HIGHS).trailing_zeros() as usize / 8;
        }
        at += 8;
        if at == from + LONG {
            at = past_plain_blocks(text, at);
        }
    }
    let is_plain = |byte: &u8| *byte >= 0x20 && *byte != b'"' && *byte != b'\\';
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| is_plain(byte)).count()
}

/// A string that is plain for so many bytes is taken for a long one.
const LONG: usize = 32;
const BLOCK: usize = 64;

/// Past the blocks from here on that are plain throughout. Written so that it becomes vector
/// instructions: no step depends on the one before.
fn past_plain_blocks(text: &[u8], from: usize) -> usize {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let (blocks, _) = text[from..].as_chunks::<BLOCK>();
    let holds_special = |block: &[u8; BLOCK]| {
        let marks = block.iter().map(is_special);
        marks.fold(false, |any, is_special| any | is_special)
    };
    let plain = blocks.iter().take_while(|block| !holds_special(block));
    from + plain.count() * BLOCK
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::de::IgnoredAny;
    use serde_json::value::RawValue;

    use super::*;

    fn walked(text: &[u8]) -> Result<&[u8], Broken> {
        let mut walk = Walk::new(text);
        let value = walk.skip()?;
        walk.end().map(|()| value)
    }

    /// The same through the other way of walking, one level at a time.
    fn stepped(text: &[u8]) -> Result<(), Broken> {
        fn step(walk: &mut Walk<'_>) -> Result<(), Broken> {
            match walk.kind()? {
                Kind::Object => walk.members(|_, walk| step(walk)),
                Kind::List => walk.entries(step),
                _ => walk.skip().map(|_| ()),
            }
        }
        let mut walk = Walk::new(text);
        step(&mut walk)?;
        walk.end()
    }

    fn agrees_with_the_parser(text: &[u8]) {
        let parsed = serde_json::from_slice::<IgnoredAny>(text).is_ok();
        let shown = String::from_utf8_lossy(text);
        assert_eq!(walked(text).is_ok(), parsed, "{shown}");
        assert_eq!(stepped(text).is_ok(), parsed, "{shown}");
    }

    #[test]
    fn it_is_as_strict_as_the_parser() {
        for text in [
            r#" {"a" : [1, -0.5e+7, true,false , null,"x\u00e9\n\/"], "":{} ,"b":[ ]} "#,
            "0",
            "-0",
            "01",
            "-",
            "1.",
            ".5",
            "1e",
            "1e5",
            "1E-5x",
            "+1",
            "--1",
            "0x1",
            "\"",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u123",
            "\"a\nb\"",
            "\"\u{7f}ü😀\"",
            "{",
            "}",
            "{}",
            "{,}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\" 1}",
            "[",
            "]",
            "[]",
            "[,]",
            "[1,]",
            "[1 2]",
            "[1}",
            "{\"a\":1]",
            "[[[]]]",
            "[]]",
            "tru",
            "true",
            "truefalse",
            "nul",
            "fals",
            "",
            " ",
            "1 1",
            "{}{}",
            "\u{feff}{}",
            "\"12345678\"",
            "\"1234567\\\"89012345\\\\\"",
            "\"1234567\u{1}\"",
        ] {
            agrees_with_the_parser(text.as_bytes());
        }
    }

    #[test]
    fn names_are_read_as_they_are_meant() {
        let mut names = Vec::new();
        let text = br#"{"a":1,"b\u0063\"":[{"x":2}],"\ud800":3}"#;
        let mut walk = Walk::new(text);
        let walked = walk.members(|name, walk| {
            names.push(String::from_utf8(name.to_vec()).expect("ASCII"));
            walk.skip().map(|_| ())
        });
        assert_eq!(walked, Ok(()));
        assert_eq!(names, ["a", "bc\"", "\\ud800"]);
    }

    #[test]
    fn the_end_of_a_string_is_found_wherever_it_stands() {
        for length in 0..300 {
            for special in [b'"', b'\\', b'\n', 0x1f] {
                let mut text = vec![b'a'; length];
                text.extend_from_slice("é\u{7f} ".as_bytes());
                let end = text.len();
                text.push(special);
                text.extend_from_slice(&[b'b'; 80]);
                assert_eq!(plain_end(&text, 0), end);
            }
            assert_eq!(plain_end(&vec![0xff; length], 0), length);
        }
    }

    #[test]
    fn deep_nesting_is_refused_however_it_is_met() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for (depth, fits) in [(127, true), (128, false), (100_000, false)] {
            let text = nested(depth);
            assert_eq!(walked(text.as_bytes()).is_ok(), fits, "{depth}");
            assert_eq!(stepped(text.as_bytes()).is_ok(), fits, "{depth}");
            let parsed = serde_json::from_str::<serde_json::Value>(&text);
            assert_eq!(parsed.is_ok(), fits, "{depth}");
        }
    }

    proptest! {
        #[test]
        fn spoiled_texts_are_judged_as_the_parser_judges_them(
            at in 0_usize..200,
            byte in proptest::sample::select(br#"{}[]",:\ntfu0123456789eE+-. abc"#.to_vec()),
        ) {
            let mut text = br#"{"model":"m","n":[1,-2.5e3,0],"deep":{"a":[{"b":"c\\\"\u00fc d"},null]},
                "flag":true,"text":"some longer words with \"quotes\" and\nbreaks","e":{}}"#.to_vec();
            let at = at % text.len();
            text[at] = byte;
            agrees_with_the_parser(&text);
            text.remove(at);
            agrees_with_the_parser(&text);
        }

        #[test]
        fn the_text_of_a_value_is_what_the_parser_gives(words in "\\PC{0,40}", number in any::<i64>()) {
            let text = format!("  [{}, {number}]  ", serde_json::Value::String(words));
            let raw: &RawValue = serde_json::from_str(&text).expect("JSON");
            prop_assert_eq!(walked(text.as_bytes()).expect("JSON"), raw.get().as_bytes());
        }
    }
}
