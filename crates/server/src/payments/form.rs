//! Bodies of the kind `application/x-www-form-urlencoded`, as providers take them.

use std::fmt::Write as _;

/// Writes fields in their order.
pub fn encode(fields: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (name, value) in fields {
        if !text.is_empty() {
            text.push('&');
        }
        percent(&mut text, name);
        text.push('=');
        percent(&mut text, value);
    }
    text
}

fn percent(text: &mut String, value: &str) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_something_in_a_form_is_escaped() {
        let fields = [
            ("line_items[0][quantity]", "1"),
            ("url", "https://a/?b={C}&ü"),
        ];
        assert_eq!(
            encode(&fields),
            "line_items%5B0%5D%5Bquantity%5D=1&url=https%3A%2F%2Fa%2F%3Fb%3D%7BC%7D%26%C3%BC"
        );
    }
}
