//! Counts the `data:` lines of an event stream, whatever the pieces in which it arrives.

use memchr::memmem::Finder;

const WORD: &[u8] = b"data:";

/// The count, and the end of the last piece: a word may be cut.
pub(super) struct Events {
    finder: Finder<'static>,
    tail: Vec<u8>,
    count: u64,
}

impl Events {
    pub fn new() -> Self {
        Self {
            finder: Finder::new(WORD),
            tail: Vec::with_capacity(2 * WORD.len()),
            count: 0,
        }
    }

    pub fn feed(&mut self, piece: &[u8]) {
        let kept = WORD.len() - 1;
        // Only a word that begins in the tail can be found here: neither side holds a whole one.
        let had = self.tail.len();
        self.tail.extend_from_slice(&piece[..piece.len().min(kept)]);
        if had > 0 && self.finder.find(&self.tail).is_some_and(|at| at < had) {
            self.count += 1;
        }
        self.count += self.finder.find_iter(piece).count() as u64;
        if piece.len() >= kept {
            self.tail.clear();
            self.tail.extend_from_slice(&piece[piece.len() - kept..]);
        } else {
            let surplus = self.tail.len().saturating_sub(kept);
            self.tail.drain(..surplus);
        }
    }

    /// The words so far.
    pub fn seen(&self) -> u64 {
        self.count
    }

    /// The words so far; counting begins anew.
    pub fn take(&mut self) -> u64 {
        self.tail.clear();
        std::mem::take(&mut self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_once_however_the_stream_is_cut() {
        let stream = b"data: one\n\ndata: two\n\nda\ndata:data:\n\n";
        for size in 1..=stream.len() {
            let mut events = Events::new();
            for piece in stream.chunks(size) {
                events.feed(piece);
            }
            assert_eq!(events.take(), 4, "cut into {size}");
        }
    }
}
