//! How deep in its brackets a JSON text stands, byte by byte, wherever it is cut.

/// Whether a JSON text nests deeper than `most`. Almost every text has fewer brackets than that in
/// all, which is found by a search; only others are followed byte by byte.
pub fn is_deeper_than(text: &[u8], most: usize) -> bool {
    if memchr::memchr2_iter(b'{', b'[', text).nth(most).is_none() {
        return false;
    }
    let mut place = JsonDepth::default();
    text.iter().any(|byte| {
        place.step(*byte);
        place.depth() > most
    })
}

/// Follows a JSON text. Does not check it: a bracket closes whichever was opened last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JsonDepth {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl JsonDepth {
    /// Takes the next byte; says whether it stands outside of strings.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        !self.in_string
    }

    /// How many brackets are open.
    pub(crate) fn depth(self) -> usize {
        self.depth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_brackets_outside_of_strings_make_a_text_deep() {
        let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!is_deeper_than(nested(8).as_bytes(), 8));
        assert!(is_deeper_than(nested(9).as_bytes(), 8));
        let wide = format!("[{}1]", "{},".repeat(100));
        assert!(!is_deeper_than(wide.as_bytes(), 8));
        let quoted = format!(r#"["\"{}"]"#, "[".repeat(100));
        assert!(!is_deeper_than(quoted.as_bytes(), 8));
        assert!(!is_deeper_than(b"", 8));
    }
}
