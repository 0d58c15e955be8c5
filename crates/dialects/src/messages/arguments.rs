//! A call's arguments towards a client of this dialect, which wants an object whatever the model
//! produced; and a scanner that says where an object in a stream ends.

use crate::canonical::Arguments;
use crate::json;
use crate::json_depth::JsonDepth;

/// The text of an object that says what the arguments say.
pub(super) fn object_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Json(text) if serde_json::from_str::<Object>(text).is_ok() => text.clone(),
        Arguments::Json(text) | Arguments::Broken(text) => match json::arguments(text) {
            Arguments::Json(text) => text,
            _ => repaired(text),
        },
        Arguments::Free(text) => {
            let mut out = br#"{"input":"#.to_vec();
            json::write_str(&mut out, text);
            out.push(b'}');
            String::from_utf8(out).expect("JSON that was just written is UTF-8")
        }
    }
}

type Object<'a> = std::collections::BTreeMap<String, &'a serde_json::value::RawValue>;

/// An object that was cut off, closed after its last whole value; `{}` where nothing can be saved.
fn repaired(text: &str) -> String {
    let text = text.trim_start();
    let mut closers: Vec<u8> = Vec::new();
    let mut whole = None;
    let mut brackets = JsonDepth::default();
    for (place, byte) in text.bytes().enumerate() {
        if !brackets.step(byte) {
            continue;
        }
        match byte {
            b'{' => closers.push(b'}'),
            b'[' => closers.push(b']'),
            b'}' | b']' if closers.last() == Some(&byte) => {
                closers.pop();
            }
            b'}' | b']' => break,
            _ => {}
        }
        // Right after an opening bracket, and before a comma, what stands is whole.
        match byte {
            b'{' | b'[' | b'}' | b']' => whole = Some((place + 1, closers.len())),
            b',' => whole = Some((place, closers.len())),
            _ => {}
        }
    }
    let Some((end, depth)) = whole else {
        return "{}".to_owned();
    };
    let mut saved = text[..end].to_owned();
    saved.extend(
        closers[..depth.min(closers.len())]
            .iter()
            .rev()
            .map(|closer| char::from(*closer)),
    );
    if serde_json::from_str::<Object>(&saved).is_ok() {
        return saved;
    }
    "{}".to_owned()
}

/// Follows an object that comes in pieces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ObjectScan {
    state: ScanState,
    brackets: JsonDepth,
}

/// How far the object is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum ScanState {
    /// Nothing but blanks so far.
    #[default]
    Before,
    /// It has begun.
    Inside,
    /// It is whole.
    Complete,
    /// What came first begins no object.
    NotObject,
}

impl ObjectScan {
    /// How far the object is.
    pub(super) fn state(self) -> ScanState {
        self.state
    }

    /// Takes the next piece; says how much of it belongs to the object.
    pub(super) fn feed(&mut self, piece: &str) -> usize {
        for (place, byte) in piece.bytes().enumerate() {
            match self.state {
                ScanState::Before | ScanState::Inside => self.step(byte),
                ScanState::Complete => return place,
                ScanState::NotObject => return piece.len(),
            }
        }
        piece.len()
    }

    fn step(&mut self, byte: u8) {
        self.brackets.step(byte);
        self.state = match (self.state, byte) {
            (ScanState::Before, b'{') => ScanState::Inside,
            (ScanState::Before, b' ' | b'\t' | b'\n' | b'\r') => ScanState::Before,
            (ScanState::Before, _) => ScanState::NotObject,
            _ if self.brackets.depth() == 0 => ScanState::Complete,
            (state, _) => state,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_objects_keep_their_text() {
        for text in [
            r#"{"n":1.0,"big":9007199254740993}"#,
            r#"{"s":"\ud800"}"#,
            "{}",
        ] {
            assert_eq!(object_text(&Arguments::Json(text.to_owned())), text);
        }
    }

    #[test]
    fn what_is_no_object_becomes_one() {
        let broken = |text: &str| object_text(&Arguments::Broken(text.to_owned()));
        assert_eq!(broken("[1]"), r#"{"value":[1]}"#);
        assert_eq!(broken(r#""{\"a\":1}""#), r#"{"a":1}"#);
        assert_eq!(broken(""), "{}");
        let free = Arguments::Free("say \"hi\"".to_owned());
        assert_eq!(object_text(&free), r#"{"input":"say \"hi\""}"#);
    }

    #[test]
    fn a_cut_object_keeps_its_whole_members() {
        let broken = |text: &str| object_text(&Arguments::Broken(text.to_owned()));
        assert_eq!(broken(r#"{"a":1,"b":"hal"#), r#"{"a":1}"#);
        assert_eq!(broken(r#"{"a":[1,{"b":2},"#), r#"{"a":[1,{"b":2}]}"#);
        assert_eq!(broken(r#"{"a":{"b":"x}]","#), r#"{"a":{"b":"x}]"}}"#);
        assert_eq!(broken(r#"{"a"#), "{}");
        assert_eq!(broken("not json"), "{}");
        assert_eq!(broken("{]"), "{}");
    }

    #[test]
    fn the_scanner_finds_the_end_across_pieces() {
        let mut scan = ObjectScan::default();
        for piece in [" ", r#"{"a":"}\"#, r#"""#, r#"{[","b":[{}"#] {
            assert_eq!(scan.feed(piece), piece.len());
        }
        assert_eq!(scan.state(), ScanState::Inside);
        assert_eq!(scan.feed("]}  {}"), 2);
        assert_eq!(scan.state(), ScanState::Complete);
        assert_eq!(scan.feed("more"), 0);
        let mut scan = ObjectScan::default();
        scan.feed("\"x");
        assert_eq!(scan.state(), ScanState::NotObject);
    }
}
