//! The one function that decides what may stand in a segment of an upstream's path. Model names come
//! from clients and end up in URLs that carry our credential, so everything unusual is refused.

/// The longest name; Amazon's resource names reach into the hundreds.
const LONGEST: usize = 512;

/// A name that must not become part of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the model's name cannot be part of a path")]
pub struct BadPathSegment;

/// The name as one segment of a path, percent-encoded.
///
/// A slash becomes `%2F` and a colon `%3A` (vendors put a verb behind a colon). Names with parts that a
/// server might resolve (`..`, empty parts), with an encoding of their own (`%`), or with characters
/// that no vendor's model has, are refused rather than encoded: somewhere on the way there may be a
/// server that decodes twice.
pub fn path_segment(name: &str) -> Result<String, BadPathSegment> {
    let is_known = |b: u8| b.is_ascii_alphanumeric() || b"-._~:@/+,=".contains(&b);
    let has_bad_part = || name.split('/').any(|part| matches!(part, "" | "." | ".."));
    if name.len() > LONGEST || !name.bytes().all(is_known) || has_bad_part() {
        return Err(BadPathSegment);
    }
    let mut segment = String::with_capacity(name.len() + 8);
    for character in name.chars() {
        match character {
            '/' => segment.push_str("%2F"),
            ':' => segment.push_str("%3A"),
            '+' => segment.push_str("%2B"),
            ',' => segment.push_str("%2C"),
            '=' => segment.push_str("%3D"),
            plain => segment.push(plain),
        }
    }
    Ok(segment)
}

/// A text as a value in a query, percent-encoded; any text may stand there.
pub(crate) fn query_value(text: &str) -> String {
    use std::fmt::Write as _;

    let mut value = String::with_capacity(text.len() + 8);
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            value.push(char::from(byte));
        } else {
            write!(value, "%{byte:02X}").expect("a string takes every write");
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_takes_any_text() {
        assert_eq!(query_value("a b&c=é/.."), "a%20b%26c%3D%C3%A9%2F..");
    }

    #[test]
    fn names_of_real_models_pass() {
        for (name, segment) in [
            ("gpt-4o-mini", "gpt-4o-mini"),
            ("gemini-2.5-flash", "gemini-2.5-flash"),
            ("claude-3-5-sonnet@20240620", "claude-3-5-sonnet@20240620"),
            ("anthropic.claude-v2:1", "anthropic.claude-v2%3A1"),
            ("meta-llama/Llama-3.1-8B", "meta-llama%2FLlama-3.1-8B"),
            ("ft:gpt-4o-mini:acme::x1", "ft%3Agpt-4o-mini%3Aacme%3A%3Ax1"),
            ("a..b", "a..b"),
            (
                "arn:aws:bedrock:us-east-1:1:application-inference-profile/x",
                "arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Aapplication-inference-profile%2Fx",
            ),
        ] {
            assert_eq!(path_segment(name).as_deref(), Ok(segment), "{name}");
        }
    }

    #[test]
    fn hostile_names_are_refused() {
        let long = "a".repeat(LONGEST + 1);
        for name in [
            "",
            ".",
            "..",
            "../files",
            "a/../../v1/files",
            "a/..",
            "a/./b",
            "/etc",
            "a/",
            "a//b",
            "..%2ffiles",
            "%2e%2e",
            "%252e",
            "a?key=1",
            "a#b",
            "a;b",
            "a&b=c",
            "a\\..\\b",
            "a b",
            " a",
            "a\t",
            "a\r\nHost: evil",
            "a\0b",
            "a\u{7f}",
            "．．／files",
            "gpt\u{202e}4",
            "a\"b",
            "a'b",
            "<a>",
            "a|b",
            "a*",
            "{a}",
            "$(a)",
            "`a`",
            long.as_str(),
        ] {
            assert_eq!(path_segment(name), Err(BadPathSegment), "{name:?}");
        }
    }

    #[test]
    fn a_verb_cannot_be_smuggled_in() {
        let segment = path_segment("gemini:predict").unwrap();
        assert!(!segment.contains(':'));
    }
}
