//! Takes chunked framing off a body, whatever the pieces in which it arrives.

/// Where in the framing the next byte belongs.
#[derive(Debug, Default)]
enum Place {
    #[default]
    Size,
    Data(usize),
    /// The line end after a chunk's data, with so many bytes to come.
    AfterData(usize),
    Trailer,
}

/// The state between two reads.
#[derive(Debug, Default)]
pub(super) struct Chunked {
    place: Place,
    line: Vec<u8>,
}

impl Chunked {
    /// Hands the data in these bytes to `take`; true once the body has ended.
    pub fn feed(&mut self, mut bytes: &[u8], mut take: impl FnMut(&[u8])) -> bool {
        while !bytes.is_empty() {
            match self.place {
                Place::Data(left) => {
                    let (data, rest) = bytes.split_at(left.min(bytes.len()));
                    take(data);
                    bytes = rest;
                    self.place = match left - data.len() {
                        0 => Place::AfterData(2),
                        left => Place::Data(left),
                    };
                }
                Place::AfterData(left) => {
                    let skipped = left.min(bytes.len());
                    bytes = &bytes[skipped..];
                    self.place = match left - skipped {
                        0 => Place::Size,
                        left => Place::AfterData(left),
                    };
                }
                Place::Size | Place::Trailer => {
                    let Some(end) = memchr::memchr(b'\n', bytes) else {
                        self.line.extend_from_slice(bytes);
                        return false;
                    };
                    self.line.extend_from_slice(&bytes[..end]);
                    bytes = &bytes[end + 1..];
                    if self.end_line() {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Reads the line that is now complete; true when it ends the body.
    fn end_line(&mut self) -> bool {
        let line = String::from_utf8_lossy(&self.line).trim().to_owned();
        self.line.clear();
        if matches!(self.place, Place::Trailer) {
            return line.is_empty();
        }
        let digits = line.split(';').next().unwrap_or_default();
        self.place = match usize::from_str_radix(digits, 16) {
            Ok(0) | Err(_) => Place::Trailer,
            Ok(size) => Place::Data(size),
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &[u8] = b"5\r\nhello\r\n6;a=b\r\n world\r\n0\r\n\r\n";

    #[test]
    fn the_data_is_the_same_however_it_is_cut() {
        for size in 1..=BODY.len() {
            let (mut chunked, mut data, mut is_over) = (Chunked::default(), Vec::new(), false);
            for piece in BODY.chunks(size) {
                assert!(!is_over, "cut into {size}");
                is_over = chunked.feed(piece, |bytes| data.extend_from_slice(bytes));
            }
            assert!(is_over && data == b"hello world", "cut into {size}");
        }
    }
}
