//! Finds one member of a frame without parsing it: the text is walked from the front, strings in
//! strides, and left as soon as the member is found. In most frames `type` stands first.

use memchr::memchr2;

/// A server frame's type. A frame that is no object, or whose type has escapes in it, has none.
pub fn event_type(frame: &str) -> Option<&str> {
    let text = member(frame, "type")?;
    let text = text.strip_prefix('"')?.strip_suffix('"')?;
    (!text.contains('\\')).then_some(text)
}

/// A member's JSON text. The frame is the vendor's: it is not checked, and of a member given twice
/// the first counts.
pub fn member<'a>(frame: &'a str, name: &str) -> Option<&'a str> {
    let bytes = frame.as_bytes();
    let mut at = expect(bytes, skip_space(bytes, 0), b'{')?;
    loop {
        let key = skip_space(bytes, at);
        let key_end = string_end(bytes, key)?;
        let value = expect(bytes, skip_space(bytes, key_end), b':')?;
        let value = skip_space(bytes, value);
        let value_end = value_end(bytes, value)?;
        if frame.get(key + 1..key_end - 1)? == name {
            return frame.get(value..value_end);
        }
        at = expect(bytes, skip_space(bytes, value_end), b',')?;
    }
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    from + space.count()
}

/// The place after this byte.
fn expect(bytes: &[u8], at: usize, wanted: u8) -> Option<usize> {
    (*bytes.get(at)? == wanted).then_some(at + 1)
}

/// The place after a string that begins here.
fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = expect(bytes, from, b'"')?;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The place after a value that begins here.
fn value_end(bytes: &[u8], from: usize) -> Option<usize> {
    match bytes.get(from)? {
        b'"' => string_end(bytes, from),
        b'{' | b'[' => nested_end(bytes, from),
        _ => {
            let is_part =
                |byte: &&u8| !matches!(byte, b',' | b'}' | b']') && !byte.is_ascii_whitespace();
            let length = bytes[from..].iter().take_while(is_part).count();
            (length > 0).then_some(from + length)
        }
    }
}

fn nested_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}
