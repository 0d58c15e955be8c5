//! Frames of a stream that goes through as it is: a piece that ends inside of a frame keeps that
//! frame back, so that what the client has always ends with a whole frame, and an error frame can
//! follow at any time.

use bytes::{Bytes, BytesMut};
use dialects::tap::first_frames;

/// A longer frame goes through in parts: memory is bounded, whatever an upstream sends.
const MOST_HELD: usize = 64 * 1024;

/// The beginning of a frame whose end has not come.
#[derive(Debug, Default)]
pub struct Aligned {
    held: BytesMut,
    /// The client has the beginning of the frame that is being received.
    is_cut: bool,
}

impl Aligned {
    /// What can go to the client of this piece. `is_whole`: the piece ends between two frames.
    pub fn pass(&mut self, piece: Bytes, is_whole: bool) -> Bytes {
        if is_whole {
            self.is_cut = false;
            if self.held.is_empty() {
                return piece;
            }
            self.held.extend_from_slice(&piece);
            return self.held.split().freeze();
        }
        let end = last_frame_end(&piece);
        if self.held.is_empty() && end > 0 {
            self.is_cut = false;
            self.held.extend_from_slice(&piece[end..]);
            return piece.slice(..end);
        }
        let before = self.held.len();
        self.held.extend_from_slice(&piece);
        let end = match end {
            // What was held has no end of a frame: one that is not in the piece lies across their border.
            0 => {
                let from = before.saturating_sub(LONGEST_GAP - 1);
                match last_frame_end(&self.held[from..]) {
                    0 => 0,
                    end => from + end,
                }
            }
            end => before + end,
        };
        self.is_cut &= end == 0;
        if self.held.len() - end > MOST_HELD {
            self.is_cut = true;
            return self.held.split().freeze();
        }
        self.held.split_to(end).freeze()
    }

    /// What can go to the client of a piece in which only the first frames are good, so many of them.
    pub fn pass_frames(&mut self, piece: &[u8], count: usize) -> Bytes {
        let mut whole = self.held.split();
        whole.extend_from_slice(piece);
        if std::mem::take(&mut self.is_cut) {
            // An error frame must stand by itself, whatever the client makes of what it has.
            whole.extend_from_slice(b"\n\n");
            return whole.freeze();
        }
        first_frames(&whole, count).into()
    }

    /// The stream has ended: what is held goes out as it is.
    pub fn rest(&mut self) -> Bytes {
        self.held.split().freeze()
    }
}

/// The bytes of the longest end of a frame.
const LONGEST_GAP: usize = 4;

/// Where the last complete frame ends: after an empty line.
fn last_frame_end(bytes: &[u8]) -> usize {
    let mut end = bytes.len();
    while let Some(at) = memchr::memrchr2(b'\n', b'\r', &bytes[..end]) {
        if ends_frame(&bytes[..=at]) {
            return at + 1;
        }
        end = at;
    }
    0
}

/// Where the first complete frame ends.
pub fn first_frame_end(bytes: &[u8]) -> Option<usize> {
    let mut ends = memchr::memchr2_iter(b'\n', b'\r', bytes).map(|at| at + 1);
    ends.find(|end| ends_frame(&bytes[..*end]))
}

/// Whether these bytes end with an empty line.
pub fn ends_frame(bytes: &[u8]) -> bool {
    let gaps = [&b"\n\n"[..], b"\r\r", b"\r\n\r\n"];
    gaps.iter().any(|gap| bytes.ends_with(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_frames_pass() {
        let mut aligned = Aligned::default();
        let mut pass =
            |text: &'static str, whole| aligned.pass(Bytes::from_static(text.as_bytes()), whole);
        assert_eq!(pass("data: 1\n\n", true), "data: 1\n\n");
        assert_eq!(pass("data: 2\n\ndata:", false), "data: 2\n\n");
        assert_eq!(pass(" 3\n", false), "");
        assert_eq!(pass("\ndata: 4", false), "data: 3\n\n");
        assert_eq!(pass("4\r\n\r\n", true), "data: 44\r\n\r\n");
        assert_eq!(aligned.rest(), "");
    }

    #[test]
    fn only_the_good_frames_of_a_piece_pass() {
        let mut aligned = Aligned::default();
        assert!(
            aligned
                .pass(Bytes::from_static(b"data: {"), false)
                .is_empty()
        );
        let rest = b"}\n\ndata: {}\n\ndata: {]\n\n";
        assert_eq!(aligned.pass_frames(rest, 1), "data: {}\n\n");
        let long = Bytes::from(vec![b'x'; MOST_HELD + 1]);
        assert!(!aligned.pass(long, false).is_empty());
        assert_eq!(aligned.pass_frames(b"]\n\n", 0), "]\n\n\n\n");
    }

    #[test]
    fn the_first_frame_ends_with_an_empty_line() {
        for (bytes, end) in [
            ("data: 1\n\ndata: 2\n\n", Some(9)),
            ("data: 1\r\ndata: 2\r\n\r\ndata", Some(20)),
            ("data: 1\r\rdata", Some(9)),
            ("data: 1\n", None),
            ("", None),
        ] {
            assert_eq!(first_frame_end(bytes.as_bytes()), end, "{bytes:?}");
        }
    }

    #[test]
    fn a_frame_that_is_too_long_goes_through_in_parts() {
        let mut aligned = Aligned::default();
        let piece = Bytes::from(vec![b'x'; MOST_HELD]);
        assert!(aligned.pass(piece.clone(), false).is_empty());
        assert_eq!(aligned.pass(piece, false).len(), 2 * MOST_HELD);
    }
}
