//! Finds the end of a body in chunks. The grammar is at least as strict as that of the HTTP library, so that both agree on
//! the end of every body that is accepted.

/// A body in chunks, as far as it has been received.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChunkScanner {
    state: State,
    remaining: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    SizeStart,
    Size,
    /// White space or an extension after the size.
    AfterSize,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// At the start of a trailer line.
    LineStart,
    Line,
    LineLf,
    EndLf,
}

/// Position of the scanner after some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    /// All bytes belong to the body, which continues.
    More,
    /// The body ends after this many bytes.
    End(usize),
    /// The byte at this position is invalid.
    Invalid(usize),
}

impl ChunkScanner {
    /// Scans the next bytes.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Scanned {
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if self.state == State::Data {
                let available = (bytes.len() - at) as u64;
                let skipped = self.remaining.min(available);
                self.remaining -= skipped;
                // Not more than the number of bytes in memory.
                at += usize::try_from(skipped).unwrap_or(bytes.len());
                if self.remaining == 0 {
                    self.state = State::DataCr;
                }
                continue;
            }
            at += 1;
            match self.step(*byte) {
                Some(true) => return Scanned::End(at),
                Some(false) => {}
                None => return Scanned::Invalid(at - 1),
            }
        }
        Scanned::More
    }

    /// Takes a byte outside of chunk data. Returns whether the body ends, or `None` if it is invalid.
    fn step(&mut self, byte: u8) -> Option<bool> {
        self.state = match (self.state, byte) {
            (State::SizeStart | State::Size, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = char::from(byte).to_digit(16)?;
                self.remaining = self.remaining.checked_mul(16)?;
                self.remaining += u64::from(digit);
                State::Size
            }
            (State::Size | State::AfterSize, b'\r') => State::SizeLf,
            (State::Size, b'\t' | b' ' | b';') => State::AfterSize,
            (State::AfterSize, byte) if byte != b'\n' => State::AfterSize,
            (State::SizeLf, b'\n') if self.remaining == 0 => State::LineStart,
            (State::SizeLf, b'\n') => State::Data,
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => State::SizeStart,
            (State::LineStart, b'\r') => State::EndLf,
            (State::Line, b'\r') => State::LineLf,
            (State::LineStart | State::Line, byte) if byte != b'\n' => State::Line,
            (State::LineLf, b'\n') => State::LineStart,
            (State::EndLf, b'\n') => return Some(true),
            _ => return None,
        };
        Some(false)
    }
}
