//! How deep in its brackets a JSON text stands, byte by byte, wherever it is cut.

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
