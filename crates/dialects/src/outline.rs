//! A JSON answer seen from afar: its small members are kept, its large ones (images, audio, vectors)
//! run through uncopied. It takes chunks cut anywhere, so that an answer of any size goes to the
//! client as it comes. It judges no syntax: the bytes belong to the vendor.

use memchr::memchr2;
use serde_json::value::RawValue;

/// A member longer than this is not kept.
const MAX_MEMBER_BYTES: usize = 64 << 10;
/// A longer name is none that is looked for.
const MAX_NAME_BYTES: usize = 64;

/// Follows one JSON object.
#[derive(Debug, Clone)]
pub struct Outline {
    wanted: &'static [&'static str],
    counted: &'static str,
    place: Place,
    depth: usize,
    in_string: bool,
    escaped: bool,
    name: Vec<u8>,
    /// The member that is being kept, by its place in `wanted`.
    keeping: Option<usize>,
    counting: bool,
    kept: Vec<Option<Vec<u8>>>,
    count: u64,
}

/// Where the next byte belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    Name,
    Value,
    After,
    /// This is no object.
    Other,
}

impl Outline {
    /// Keeps the members of these names, and counts the objects in the list `counted`.
    pub fn new(wanted: &'static [&'static str], counted: &'static str) -> Self {
        Self {
            wanted,
            counted,
            place: Place::Before,
            depth: 0,
            in_string: false,
            escaped: false,
            name: Vec::new(),
            keeping: None,
            counting: false,
            kept: vec![None; wanted.len()],
            count: 0,
        }
    }

    /// Forgets everything: the next byte begins another object.
    pub fn reset(&mut self) {
        *self = Self::new(self.wanted, self.counted);
    }

    /// Takes the next bytes.
    pub fn push(&mut self, mut chunk: &[u8]) {
        while !chunk.is_empty() {
            let used = self.skip(chunk);
            chunk = &chunk[used..];
            if let Some((first, rest)) = chunk.split_first() {
                self.byte(*first);
                chunk = rest;
            }
        }
    }

    /// How many bytes say nothing: text inside of a string that is not kept.
    fn skip(&self, chunk: &[u8]) -> usize {
        let is_read = self.keeping.is_some() || (self.depth == 1 && self.place == Place::Name);
        if !self.in_string || self.escaped || is_read {
            return 0;
        }
        memchr2(b'"', b'\\', chunk).unwrap_or(chunk.len())
    }

    fn byte(&mut self, byte: u8) {
        match self.place {
            Place::Before => self.begin(byte),
            Place::After | Place::Other => {}
            Place::Name | Place::Value if self.in_string => {
                self.keep(byte);
                self.in_text(byte);
            }
            Place::Name | Place::Value => self.structure(byte),
        }
    }

    fn begin(&mut self, byte: u8) {
        match byte {
            b'{' => {
                self.depth = 1;
                self.place = Place::Name;
            }
            // White space and a byte order mark may come first.
            b' ' | b'\t' | b'\r' | b'\n' | 0xef | 0xbb | 0xbf => {}
            _ => self.place = Place::Other,
        }
    }

    fn in_text(&mut self, byte: u8) {
        let is_end = byte == b'"' && !self.escaped;
        self.escaped = byte == b'\\' && !self.escaped;
        if is_end {
            self.in_string = false;
        } else if self.depth == 1 && self.place == Place::Name && self.name.len() < MAX_NAME_BYTES {
            self.name.push(byte);
        }
    }

    fn structure(&mut self, byte: u8) {
        match (byte, self.depth) {
            (b':', 1) => return self.begin_value(),
            (b',', 1) => return self.end_value(Place::Name),
            (b'}', 1) => return self.end_value(Place::After),
            (b'"', _) => self.in_string = true,
            (b'{', 2) => {
                self.count += u64::from(self.counting);
                self.depth += 1;
            }
            (b'{' | b'[', _) => self.depth += 1,
            (b'}' | b']', 2..) => self.depth -= 1,
            _ => {}
        }
        self.keep(byte);
    }

    fn begin_value(&mut self) {
        self.place = Place::Value;
        let mut name = std::mem::take(&mut self.name);
        if name.contains(&b'\\') {
            name = unescaped(&name);
        }
        self.counting = name == self.counted.as_bytes();
        let found = self.wanted.iter().position(|it| it.as_bytes() == name);
        self.keeping = found;
        if let Some(slot) = found.and_then(|index| self.kept.get_mut(index)) {
            *slot = Some(Vec::new());
        }
    }

    fn end_value(&mut self, next: Place) {
        self.place = next;
        self.keeping = None;
        self.counting = false;
        self.name.clear();
    }

    fn keep(&mut self, byte: u8) {
        let Some(slot) = self.keeping.and_then(|index| self.kept.get_mut(index)) else {
            return;
        };
        match slot {
            Some(bytes) if bytes.len() < MAX_MEMBER_BYTES => bytes.push(byte),
            _ => {
                *slot = None;
                self.keeping = None;
            }
        }
    }

    /// A kept member that is complete, not too long, not `null` and valid.
    pub fn member(&self, name: &str) -> Option<&RawValue> {
        let index = self.wanted.iter().position(|it| *it == name)?;
        if self.keeping == Some(index) {
            return None;
        }
        let bytes = self.kept.get(index)?.as_ref()?;
        let raw: &RawValue = serde_json::from_slice(bytes).ok()?;
        Some(raw).filter(|raw| raw.get() != "null")
    }

    /// A kept member that is text.
    pub fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.member(name)?.get()).ok()
    }

    /// How many objects the counted list has so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether the object has come to its end.
    pub fn is_complete(&self) -> bool {
        self.place == Place::After
    }
}

/// The name of a member that is written with escapes.
#[cold]
fn unescaped(name: &[u8]) -> Vec<u8> {
    let quoted = [b"\"", name, b"\""].concat();
    let read = serde_json::from_slice::<String>(&quoted);
    read.map_or_else(|_| name.to_vec(), String::into_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spoil::Dice;

    const WANTED: &[&str] = &["usage", "size", "error"];
    const BODY: &str = "\u{feff}{\"created\":1,\"data\":[{\"b64_json\":\"x}\\\"{,\\\\\"},\
        {\"url\":\"a\",\"size\":\"no\",\"more\":[{},{}]}],\"size\" : \"1x1\" ,\
        \"usage\": {\"a\":[1,2,{\"b\":\"}\"}]},\"error\":null}";

    fn seen(chunks: &[&[u8]]) -> Outline {
        let mut outline = Outline::new(WANTED, "data");
        for chunk in chunks {
            outline.push(chunk);
        }
        outline
    }

    fn check(outline: &Outline) {
        assert_eq!(outline.text("size").as_deref(), Some("1x1"));
        assert_eq!(
            outline.member("usage").unwrap().get(),
            r#"{"a":[1,2,{"b":"}"}]}"#
        );
        assert!(outline.member("error").is_none());
        assert_eq!(outline.count(), 2);
        assert!(outline.is_complete());
    }

    #[test]
    fn small_members_are_kept_and_large_ones_counted_wherever_the_cuts_are() {
        check(&seen(&[BODY.as_bytes()]));
        for at in 0..BODY.len() {
            let (a, b) = BODY.as_bytes().split_at(at);
            check(&seen(&[a, b]));
            assert!(!seen(&[a]).is_complete());
        }
        let bytes: Vec<&[u8]> = BODY.as_bytes().chunks(1).collect();
        check(&seen(&bytes));
    }

    #[test]
    fn a_member_that_is_too_long_is_not_kept() {
        let body = format!(
            "{{\"usage\":\"{}\",\"size\":\"s\"}}",
            "x".repeat(MAX_MEMBER_BYTES + 9)
        );
        let outline = seen(&[body.as_bytes()]);
        assert!(outline.member("usage").is_none());
        assert_eq!(outline.text("size").as_deref(), Some("s"));
    }

    #[test]
    fn what_is_no_object_tells_nothing() {
        for body in ["[{\"usage\":1}]", "[DONE]", "", "\"usage\"", "<html>"] {
            let outline = seen(&[body.as_bytes()]);
            assert!(outline.member("usage").is_none() && !outline.is_complete());
        }
    }

    #[test]
    fn spoiled_bytes_never_panic() {
        let mut dice = Dice(0x0117);
        for _ in 0..2000 {
            let mut body = BODY.as_bytes().to_vec();
            dice.spoil_bytes(&mut body);
            let outline = seen(&[&body]);
            let _ = (outline.member("usage"), outline.text("size"));
        }
    }
}
