//! Bytes on their way to the client. Pieces that are ready together leave in one write; a piece
//! that is alone leaves without being copied.

use bytes::{Bytes, BytesMut};

/// What waits to be sent.
#[derive(Debug, Default)]
pub struct Joined {
    first: Bytes,
    rest: BytesMut,
}

impl Joined {
    /// Adds a piece.
    pub fn push(&mut self, piece: Bytes) {
        if self.is_empty() {
            self.first = piece;
        } else {
            self.extend(&piece);
        }
    }

    /// Adds a copy of these bytes.
    pub fn extend(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        if !self.first.is_empty() {
            let first = std::mem::take(&mut self.first);
            self.rest.reserve(first.len() + bytes.len());
            self.rest.extend_from_slice(&first);
        }
        self.rest.extend_from_slice(bytes);
    }

    /// How much waits.
    pub fn len(&self) -> usize {
        self.first.len() + self.rest.len()
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything that waits.
    pub fn take(&mut self) -> Bytes {
        if self.rest.is_empty() {
            return std::mem::take(&mut self.first);
        }
        self.rest.split().freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_is_alone_is_not_copied() {
        let piece = Bytes::from(vec![1; 100]);
        let mut joined = Joined::default();
        joined.push(piece.clone());
        assert_eq!(joined.take().as_ptr(), piece.as_ptr());
        assert!(joined.is_empty());
    }

    #[test]
    fn pieces_leave_together_and_in_order() {
        let mut joined = Joined::default();
        joined.push(Bytes::from_static(b"a"));
        joined.extend(b"b");
        joined.push(Bytes::from_static(b"c"));
        joined.extend(b"");
        assert_eq!(joined.len(), 3);
        assert_eq!(joined.take(), "abc");
        joined.extend(b"d");
        joined.push(Bytes::from_static(b"e"));
        assert_eq!(joined.take(), "de");
    }
}
