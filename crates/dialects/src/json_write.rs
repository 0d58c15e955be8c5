//! Writing JSON into a buffer. Most of every body is text with nothing in it to escape, which is
//! looked for in long strides and copied as it is.

use serde_json::{Map, Value};

use crate::plain::text_end;

/// What can be written as JSON without asking whether it can.
pub trait ToJson {
    /// Appends it.
    fn write_json(&self, out: &mut Vec<u8>);
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write_json(&self, out: &mut Vec<u8>) {
        (**self).write_json(out);
    }
}

impl ToJson for Value {
    fn write_json(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Bool(true) => out.extend_from_slice(b"true"),
            Self::Bool(false) => out.extend_from_slice(b"false"),
            Self::Number(number) => out.extend_from_slice(number.as_str().as_bytes()),
            Self::String(text) => write_string(out, text),
            Self::Array(list) => list.write_json(out),
            Self::Object(map) => map.write_json(out),
        }
    }
}

impl ToJson for Map<String, Value> {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (place, (name, value)) in self.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_string(out, name);
            out.push(b':');
            value.write_json(out);
        }
        out.push(b'}');
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (place, item) in self.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            item.write_json(out);
        }
        out.push(b']');
    }
}

impl ToJson for u64 {
    fn write_json(&self, out: &mut Vec<u8>) {
        let mut digits = [b'0'; 20];
        let (mut first, mut rest) = (digits.len(), *self);
        loop {
            first -= 1;
            digits[first] += (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        out.extend_from_slice(&digits[first..]);
    }
}

impl ToJson for u32 {
    fn write_json(&self, out: &mut Vec<u8>) {
        u64::from(*self).write_json(out);
    }
}

/// Writes a string, quotes included.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut from = 0;
    loop {
        let end = text_end(bytes, from);
        out.extend_from_slice(&bytes[from..end]);
        let Some(byte) = bytes.get(end) else {
            break;
        };
        write_escape(out, *byte);
        from = end + 1;
    }
    out.push(b'"');
}

fn write_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digits = [byte >> 4, byte & 0xf].map(|digit| HEX[usize::from(digit)]);
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&digits);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(value: &impl ToJson) -> String {
        let mut out = Vec::new();
        value.write_json(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_are_written_as_the_serialiser_writes_them() {
        let number: Value = serde_json::from_str("1.50e+3").unwrap();
        let value = json!({"a": [1, -2, null, true, false, {}], "": [], "n": number, "é\"": "\u{7f}",
            "all": (0..0x30).map(char::from).collect::<String>()});
        assert_eq!(written(&value), value.to_string());
    }

    #[test]
    fn characters_are_escaped_wherever_they_stand() {
        for length in 0..100 {
            for special in ["\"", "\\", "\n", "\u{1}", "é"] {
                let text = format!("{}{special}{}", "a".repeat(length), "b".repeat(length / 2));
                let value = Value::String(text);
                assert_eq!(written(&value), value.to_string());
            }
        }
    }

    #[test]
    fn numbers_are_written_digit_by_digit() {
        for number in [0, 7, 10, 99, 1_780_000_000, u64::MAX] {
            assert_eq!(written(&number), number.to_string());
        }
    }
}
