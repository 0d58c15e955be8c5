//! Bytes on their way to the client. Pieces that are ready together leave in one write; a piece
//! that is alone leaves without being copied.

use bytes::Bytes;

/// Pieces are small and come one after the other: room for so many bytes is made at once.
const ROOM: usize = 2048;

/// What waits to be sent.
#[derive(Debug, Default)]
pub struct Joined {
    first: Bytes,
    rest: Vec<u8>,
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
        if !bytes.is_empty() {
            self.end().extend_from_slice(bytes);
        }
    }

    /// Where more can be written.
    pub fn end(&mut self) -> &mut Vec<u8> {
        if self.rest.capacity() == 0 {
            self.rest.reserve(self.first.len() + ROOM);
        }
        if !self.first.is_empty() {
            self.rest
                .extend_from_slice(&std::mem::take(&mut self.first));
        }
        &mut self.rest
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
        std::mem::take(&mut self.rest).into()
    }

    /// Everything from there on; what stands before still waits.
    pub fn split_off(&mut self, from: usize) -> Bytes {
        if from == 0 {
            return self.take();
        }
        if self.rest.is_empty() {
            return self.first.split_off(from);
        }
        self.rest.split_off(from).into()
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

    #[test]
    fn the_end_leaves_apart_from_what_came_before() {
        let mut joined = Joined::default();
        joined.push(Bytes::from_static(b"ab"));
        assert_eq!(joined.split_off(2), "");
        assert_eq!(joined.split_off(1), "b");
        joined.end().extend_from_slice(b"cd");
        assert_eq!(joined.split_off(1), "cd");
        assert_eq!(joined.split_off(0), "a");
        assert!(joined.is_empty());
    }
}
