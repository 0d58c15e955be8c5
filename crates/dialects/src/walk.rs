//! Walks through JSON text value by value and says where each stands, without building anything. As
//! strict as a parser about the text's form; what strings and numbers mean is left to the caller.

#![expect(
    clippy::inline_always,
    reason = "a step is a few instructions, and a body has thousands of steps"
)]

use std::borrow::Cow;
use std::ops::Range;

use crate::body_counts::BodyCounts;
use crate::canonical::Failure;
use crate::plain::{plain_end, short_end};
use crate::usual::Usual;

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
    /// The last string that was looked through has escapes.
    is_escaped: bool,
    /// Strings from this length on are remembered.
    long: usize,
    /// The first escape that stands for half of a character.
    lone: Option<usize>,
    passed: Passed,
}

/// What a walk came past.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Passed {
    /// The most lists and objects around one place.
    pub(crate) depth: u32,
    /// Where long strings stand, quotes included; the first of them, where there are very many.
    pub(crate) long_strings: Vec<Range<usize>>,
    /// How much there was.
    pub(crate) counts: BodyCounts,
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
            long: usize::MAX,
            lone: None,
            passed: Passed::default(),
        }
    }

    /// The kind of the value that stands here.
    #[inline]
    pub(crate) fn kind(&mut self) -> Result<Kind, Broken> {
        Ok(match self.peek() {
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
    #[inline]
    pub(crate) fn skip(&mut self) -> Result<&'a [u8], Broken> {
        let first = self.peek();
        let from = self.at;
        self.pass(first)?;
        Ok(&self.text[from..self.at])
    }

    /// Goes past the value that stands here.
    #[inline]
    pub(crate) fn past(&mut self) -> Result<(), Broken> {
        let first = self.peek();
        self.pass(first)
    }

    /// Goes past the string that stands here; says where it stands, quotes included.
    #[inline(always)]
    pub(crate) fn text(&mut self) -> Result<Range<usize>, Broken> {
        let from = self.at;
        self.string()?;
        Ok(from..self.at)
    }

    /// The same for a number.
    #[inline(always)]
    pub(crate) fn numeral(&mut self) -> Result<Range<usize>, Broken> {
        let from = self.at;
        self.number()?;
        Ok(from..self.at)
    }

    /// Whether the value that stands here begins with this byte.
    #[inline(always)]
    pub(crate) fn begins(&mut self, byte: u8) -> bool {
        self.peek() == byte
    }

    /// Goes past null; past nothing where something else stands here.
    #[inline(always)]
    pub(crate) fn takes_null(&mut self) -> bool {
        self.peek();
        let found = self.text[self.at..].starts_with(b"null");
        if found {
            self.at += b"null".len();
        }
        found
    }

    /// Goes past the whole number that stands here; past nothing where something else does.
    #[inline]
    pub(crate) fn whole(&mut self) -> Option<u64> {
        let first = self.peek().wrapping_sub(b'0');
        if first > 9 {
            return None;
        }
        let (mut number, mut at) = (u64::from(first), self.at + 1);
        let after = loop {
            let byte = self.text.get(at).copied().unwrap_or_default();
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break byte;
            }
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        };
        let count = at - self.at;
        // A number of so many digits may be too large.
        let is_strange = count > 1 && (first == 0 || count >= 20);
        if is_strange || matches!(after, b'.' | b'e' | b'E') {
            return None;
        }
        self.at = at;
        Some(number)
    }

    /// The last string has escapes.
    pub(crate) fn is_escaped(&self) -> bool {
        self.is_escaped
    }

    /// How far it is.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The text from that place to this one.
    pub(crate) fn since(&self, from: usize) -> &'a [u8] {
        &self.text[from..self.at]
    }

    /// Goes past the value that begins here, with this byte.
    #[inline(never)]
    fn pass(&mut self, first: u8) -> Result<(), Broken> {
        if first == b'"' {
            return self.string();
        }
        self.pass_other(first)
    }

    /// The same for what is no string.
    #[inline(never)]
    fn pass_other(&mut self, first: u8) -> Result<(), Broken> {
        match first {
            b'{' | b'[' => self.nested(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    /// Goes past a list or an object with all that is in it.
    #[inline(never)]
    fn nested(&mut self) -> Result<(), Broken> {
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
                    return Ok(());
                }
                let (byte, is_object) = (self.peek(), open.is_object & 1 == 1);
                match byte {
                    b',' if is_object => {
                        self.at += 1;
                        self.name()?;
                        break;
                    }
                    b',' => {
                        self.at += 1;
                        break;
                    }
                    b'}' if is_object => open.leave(),
                    b']' if !is_object => open.leave(),
                    _ => return Err(self.broken()),
                }
                self.at += 1;
            }
        }
    }

    /// Goes past a value without children, or into one that has some. Says whether it went in.
    fn enter(&mut self, open: &mut Open) -> Result<bool, Broken> {
        match self.peek() {
            b'{' => {
                self.open(open, true)?;
                if !self.takes(b'}') {
                    self.name()?;
                    return Ok(true);
                }
                open.leave();
            }
            b'[' => {
                self.open(open, false)?;
                if !self.takes(b']') {
                    return Ok(true);
                }
                open.leave();
            }
            first => {
                let is_entry = first == b'"' && open.is_object & 1 == 0;
                self.passed.counts.add(usize::from(is_entry));
                self.pass(first)?;
            }
        }
        Ok(false)
    }

    fn open(&mut self, open: &mut Open, is_object: bool) -> Result<(), Broken> {
        open.enter(is_object).ok_or_else(|| self.broken())?;
        self.passed.depth = self.passed.depth.max(open.depth);
        self.passed.counts.add(usize::from(is_object));
        self.at += 1;
        Ok(())
    }

    /// Goes through the members of the object that stands here. `each` is given a member's name and
    /// goes past its value.
    #[inline]
    pub(crate) fn members(
        &mut self,
        mut each: impl FnMut(&[u8], &mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.object(|walk| walk.member(&mut each))
    }

    /// The same, but says where a member's name stands, quotes included.
    #[inline]
    pub(crate) fn named(
        &mut self,
        mut each: impl FnMut(Range<usize>, &mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.object(|walk| {
            let name = walk.name()?;
            each(name, walk)
        })
    }

    /// Goes through the object that stands here, whose members usually are these, in this order. `each`
    /// is told which of them it is, if any, and goes past its value.
    #[inline(always)]
    pub(crate) fn usual_members<T: Copy>(
        &mut self,
        usual: &[Usual<T>],
        mut each: impl FnMut(Option<T>, &mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let mut next = usual;
        self.object(|walk| {
            let what = match next.split_first() {
                Some((first, others)) if walk.takes_usual(first) => {
                    next = others;
                    Some(first.what)
                }
                _ => {
                    let place = walk.unusual(usual)?;
                    place.map(|place| {
                        next = &usual[place + 1..];
                        usual[place].what
                    })
                }
            };
            each(what, walk)
        })
    }

    /// Goes past the name that stands here and says which of these it is.
    #[inline(never)]
    fn unusual<T: Copy>(&mut self, usual: &[Usual<T>]) -> Result<Option<usize>, Broken> {
        let mut place = None;
        self.member(|name, _| {
            place = Usual::place(usual, name);
            Ok(())
        })?;
        Ok(place)
    }

    /// Goes through the object that stands here; `each` goes past a member.
    #[inline(always)]
    fn object(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.expect(b'{')?;
        self.descend()?;
        self.passed.counts.add(1);
        if !self.takes(b'}') {
            loop {
                each(self)?;
                if !self.takes(b',') {
                    self.expect(b'}')?;
                    break;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Goes past the name that stands here; `each` goes past what it names.
    #[inline(always)]
    fn member(
        &mut self,
        each: impl FnOnce(&[u8], &mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let text = self.text;
        let name = self.name()?;
        let name = match &text[name] {
            name if self.is_escaped => unescaped(name),
            [_, name @ .., _] => Cow::Borrowed(name),
            _ => return Err(self.broken()),
        };
        each(&name, self)
    }

    /// Goes through the entries of the list that stands here; `each` goes past one.
    pub(crate) fn entries(
        &mut self,
        mut each: impl FnMut(&mut Self) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        self.expect(b'[')?;
        self.descend()?;
        if !self.takes(b']') {
            loop {
                each(self)?;
                if !self.takes(b',') {
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
        self.peek();
        if self.at < self.text.len() {
            return Err(self.broken());
        }
        Ok(())
    }

    /// The text is no JSON from here on.
    pub(crate) fn broken(&self) -> Broken {
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

    /// The next byte that is no white space; zero, which nothing begins with, at the end.
    #[inline(always)]
    fn peek(&mut self) -> u8 {
        match self.text.get(self.at) {
            Some(byte) if *byte > b' ' => *byte,
            _ => self.peek_past_space(),
        }
    }

    /// Apart, since most texts are written without any.
    #[inline(never)]
    fn peek_past_space(&mut self) -> u8 {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.get(self.at) {
            self.at += 1;
            self.at += few_spaces(&self.text[self.at..]);
        }
        self.text.get(self.at).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn takes(&mut self, byte: u8) -> bool {
        let found = self.text.get(self.at) == Some(&byte) || self.peek() == byte;
        if found {
            self.at += 1;
        }
        found
    }

    /// Goes past this name and its colon; past nothing where another one stands here.
    #[inline(always)]
    fn takes_usual<T: Copy>(&mut self, usual: &Usual<T>) -> bool {
        self.peek();
        let found = usual.begins(&self.text[self.at..]);
        if found {
            self.at += usual.length;
        }
        found
    }

    #[inline(always)]
    fn expect(&mut self, byte: u8) -> Result<(), Broken> {
        if self.takes(byte) {
            return Ok(());
        }
        Err(self.broken())
    }

    /// Goes past a member's name and the colon after it; says where the name stands, quotes included.
    #[inline(always)]
    fn name(&mut self) -> Result<Range<usize>, Broken> {
        if self.peek() != b'"' {
            return Err(self.broken());
        }
        let name = self.text()?;
        self.expect(b':')?;
        Ok(name)
    }

    /// Goes past the string that begins here.
    #[inline(always)]
    fn string(&mut self) -> Result<(), Broken> {
        let at = short_end(self.text, self.at + 1);
        if self.text.get(at) != Some(&b'"') {
            return self.long_string(at);
        }
        self.is_escaped = false;
        self.at = at + 1;
        Ok(())
    }

    /// The same for one that is not both short and plain; it is plain up to this place.
    #[inline(never)]
    fn long_string(&mut self, mut at: usize) -> Result<(), Broken> {
        self.is_escaped = false;
        loop {
            match self.text.get(at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.is_escaped = true;
                    let end = past_escape(self.text, at)?;
                    // Surrogates begin with d, which no other escape of this length needs to be asked for.
                    let is_suspect = end == at + 6 && self.text[at + 2] | 0x20 == b'd';
                    let end = if is_suspect {
                        self.past_surrogate(at)
                    } else {
                        end
                    };
                    at = short_end(self.text, end);
                }
                Some(b' '..) => at = plain_end(self.text, at),
                _ => return Err(Broken(at)),
            }
        }
        let string = self.at..at + 1;
        self.at = string.end;
        if string.len() >= self.long {
            self.passed.remember(string);
        }
        Ok(())
    }

    /// Where the character ends whose first escape stands there; one that needs a second one and has none is noted.
    #[inline(never)]
    fn past_surrogate(&mut self, at: usize) -> usize {
        let half = |at: usize| {
            let escape = self.text.get(at..at + 6)?;
            let digits = escape.strip_prefix(b"\\u")?;
            u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        match (half(at), half(at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at + 12,
            (Some(0xd800..=0xdfff), _) => {
                self.lone.get_or_insert(at);
                at + 6
            }
            _ => at + 6,
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Broken> {
        if !self.text[self.at..].starts_with(word) {
            return Err(self.broken());
        }
        self.at += word.len();
        Ok(())
    }

    #[inline(never)]
    fn number(&mut self) -> Result<(), Broken> {
        let mut at = self.at;
        at += usize::from(self.text.get(at) == Some(&b'-'));
        at = match self.text.get(at) {
            Some(b'0') => at + 1,
            _ => self.past_digits(at)?,
        };
        if self.text.get(at) == Some(&b'.') {
            at = self.past_digits(at + 1)?;
        }
        if matches!(self.text.get(at), Some(b'e' | b'E')) {
            at += 1;
            at += usize::from(matches!(self.text.get(at), Some(b'+' | b'-')));
            at = self.past_digits(at)?;
        }
        self.at = at;
        Ok(())
    }

    /// Where the digits end that stand there; there must be some.
    #[inline]
    fn past_digits(&self, from: usize) -> Result<usize, Broken> {
        let mut at = from;
        while self.text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at == from { Err(Broken(at)) } else { Ok(at) }
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
    mut each: impl FnMut(&[u8], &mut Walk<'a>) -> Result<(), Broken>,
) -> Result<Passed, Failure> {
    if simdutf8::basic::from_utf8(body).is_err() {
        return Err(not_unicode(body));
    }
    let mut walk = Walk {
        long: LONG_STRING,
        ..Walk::new(body)
    };
    if walk.kind().map_err(Broken::in_body)? != Kind::Object {
        let message = "The request body must be a JSON object.";
        return Err(Failure::bad_request("body", message));
    }
    let walked = walk.members(|name, walk| {
        let (from, before) = (walk.at, walk.passed.counts.nodes());
        each(name, walk)?;
        let nodes = walk.passed.counts.nodes() - before;
        walk.passed.counts.member(name, from..walk.at, nodes);
        Ok(())
    });
    walked.and_then(|()| walk.end()).map_err(Broken::in_body)?;
    if let Some(at) = walk.lone {
        return Err(half_a_character(at));
    }
    Ok(walk.passed)
}

/// Refuses a body that is not UTF-8 or has escapes that stand for no character. Other faults are left to the reader of
/// the body.
pub fn check_unicode(body: &[u8]) -> Result<(), Failure> {
    if simdutf8::basic::from_utf8(body).is_err() {
        return Err(not_unicode(body));
    }
    let mut walk = Walk::new(body);
    // What is no JSON ends the walk early, and is refused by its reader.
    let _ = walk.past();
    walk.lone.map_or(Ok(()), |at| Err(half_a_character(at)))
}

#[cold]
fn half_a_character(at: usize) -> Failure {
    let message = format!("The request body has half of a surrogate pair (at byte {at}).");
    Failure::bad_request("body", message)
}

#[cold]
fn not_unicode(body: &[u8]) -> Failure {
    let end = simdutf8::compat::from_utf8(body).map_or_else(|error| error.valid_up_to(), str::len);
    let message = format!("The request body is not valid JSON: it is not UTF-8 (at byte {end}).");
    Failure::bad_request("body", message)
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

/// How many spaces a text begins with, of a few: lines are indented.
#[inline(always)]
fn few_spaces(text: &[u8]) -> usize {
    const SPACES: u64 = u64::from_le_bytes([b' '; 8]);
    let word = text.first_chunk().map(|word| u64::from_le_bytes(*word));
    word.map_or(0, |word| (word ^ SPACES).trailing_zeros() as usize / 8)
}

/// Where the escape ends that begins here.
#[inline(always)]
fn past_escape(text: &[u8], at: usize) -> Result<usize, Broken> {
    let (byte, digits) = match text.get(at + 1..) {
        Some([byte, digits @ ..]) => (*byte, digits),
        _ => return Err(Broken(at)),
    };
    if matches!(byte, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') {
        return Ok(at + 2);
    }
    let is_escape = byte == b'u'
        && (digits.first_chunk::<4>())
            .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
    if is_escape {
        Ok(at + 6)
    } else {
        Err(Broken(at))
    }
}

/// What a string means, quotes included in what is given. A string that no text can hold (half of a
/// surrogate pair) stays as it is spelled.
pub(crate) fn unescaped(string: &[u8]) -> Cow<'_, [u8]> {
    let plain = &string[1..string.len() - 1];
    if plain_end(string, 1) + 1 == string.len() {
        return Cow::Borrowed(plain);
    }
    match serde_json::from_slice::<String>(string) {
        Ok(text) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(plain),
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;
