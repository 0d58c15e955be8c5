//! Characters that a JSON text escapes although no encoder has to: letters, digits and the few marks that names and ids
//! consist of. A text that spells names in this way means the same as one that does not; spelled out, it can be searched.

/// The beginning of every escape that can stand for such a character.
pub(crate) const BEGINNING: &str = "\\u00";

/// The same text with these characters spelled out. Everything else stays as it is.
pub fn spelled_out(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut from, mut at) = (0, 0);
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let escape = at + found;
        let digits = text[escape..].strip_prefix(BEGINNING.as_bytes());
        if let Some(character) = digits.and_then(needless) {
            out.extend_from_slice(&text[from..escape]);
            out.push(character);
            from = escape + BEGINNING.len() + 2;
            at = from;
        } else {
            // An escaped backslash begins no escape.
            at = escape + 2;
        }
    }
    out.extend_from_slice(&text[from..]);
    out
}

/// The character that the two digits after [`BEGINNING`] stand for, if no encoder escapes it.
pub(crate) fn needless(digits: &[u8]) -> Option<u8> {
    let [high, low] = *digits.first_chunk()?;
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let character = u8::try_from(digit(high)? << 4 | digit(low)?).ok()?;
    let is_plain =
        character.is_ascii_alphanumeric() || matches!(character, b'_' | b'-' | b'.' | b':' | b'/');
    is_plain.then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_that_need_no_escape_are_spelled_out() {
        for (text, out) in [
            (r#"{"conversatio\u006e":1}"#, r#"{"conversation":1}"#),
            (r#"["\u0066ile\u002Dabc"]"#, r#"["file-abc"]"#),
            // What ends a string, begins an escape or is escaped by careful encoders stays.
            (
                r#"["\u0022\u005c\u003c\u0026\u00e9\n"]"#,
                r#"["\u0022\u005c\u003c\u0026\u00e9\n"]"#,
            ),
            (r#"["\\u006e","\\\u006e"]"#, r#"["\\u006e","\\n"]"#),
        ] {
            let spelled = spelled_out(text.as_bytes());
            assert_eq!(String::from_utf8(spelled).unwrap(), out);
        }
    }

    #[test]
    fn a_text_that_is_cut_is_no_reason_to_fail() {
        for text in ["\\", "a\\u00", "a\\u006", "\\u0061\\"] {
            assert!(spelled_out(text.as_bytes()).len() <= text.len());
        }
    }

    #[test]
    fn the_value_stays_the_same() {
        let text = r#"{"a\u0062":["\\u0063","\u005c\u0064","\ud83d\ude00\u007a",1.50]}"#;
        let before: serde_json::Value = serde_json::from_str(text).unwrap();
        let after: serde_json::Value =
            serde_json::from_slice(&spelled_out(text.as_bytes())).unwrap();
        assert_eq!(before, after);
    }
}
