//! How HTTP/1.1 is spelled, for requests that go out and for answers that go back.

use bytes::{BufMut as _, BytesMut};

/// What stands behind each chunk.
pub const AFTER_CHUNK: &[u8] = b"\r\n";
/// The last chunk, which is empty, and the end of the body.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

/// Adds a header to a head.
pub fn header_line(head: &mut BytesMut, name: &str, value: &[u8]) {
    head.put_slice(name.as_bytes());
    head.put_slice(b": ");
    head.put_slice(value);
    head.put_slice(b"\r\n");
}

/// Adds the header that says how long the body is.
pub fn length_line(head: &mut BytesMut, length: u64) {
    let mut digits = itoa::Buffer::new();
    header_line(head, "content-length", digits.format(length).as_bytes());
}

/// Adds what stands in front of a chunk of this length. It must not be empty: that is the last one.
pub fn chunk_line(before: &mut BytesMut, length: usize) {
    let digits = (usize::BITS - length.leading_zeros()).div_ceil(4);
    for place in (0..digits).rev() {
        before.put_u8(b"0123456789abcdef"[(length >> (4 * place)) & 0xf]);
    }
    before.put_slice(b"\r\n");
}

/// Whether a word is in the list that a header's value is.
pub fn has_word(list: &[u8], word: &str) -> bool {
    let is_word = |said: &[u8]| said.trim_ascii().eq_ignore_ascii_case(word.as_bytes());
    list.is_ascii() && list.split(|byte| *byte == b',').any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_lines() {
        let mut head = BytesMut::from("GET / HTTP/1.1\r\n");
        header_line(&mut head, "x-a", b"b c");
        length_line(&mut head, 1_204);
        assert_eq!(
            head,
            "GET / HTTP/1.1\r\nx-a: b c\r\ncontent-length: 1204\r\n"
        );
    }

    #[test]
    fn chunks_say_their_length() {
        for length in [1, 9, 15, 16, 255, 256, 4096, 1_000_000, usize::MAX] {
            let mut before = BytesMut::from("head");
            chunk_line(&mut before, length);
            assert_eq!(before, format!("head{length:x}\r\n"));
        }
    }

    #[test]
    fn words_are_found_in_lists() {
        for list in ["close", "Close", "keep-alive, close", "x ,CLOSE , y"] {
            assert!(has_word(list.as_bytes(), "close"), "{list}");
        }
        for list in ["", "closed", "x close", "\u{e9}, close"] {
            assert!(!has_word(list.as_bytes(), "close"), "{list}");
        }
    }
}
