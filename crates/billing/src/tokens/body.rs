//! A bound for a body that goes through unread.

use memchr::memmem;

use super::media::IMAGE_MOST;
use super::request::{REPLY, TOOLS};

/// Words that announce something that is not in the body itself, in all dialects.
const POINTERS: [&[u8]; 7] = [
    b"\"image_url\"",
    b"\"url\"",
    b"\"file_id\"",
    b"\"file_data\"",
    b"\"fileData\"",
    b"\"file_url\"",
    b"\"input_audio\"",
];

/// The most tokens that a body is taken for without reading it: its bytes, and an allowance for
/// each picture or file that it may point to. Far too high for bodies with media inside; where it
/// is not affordable, read the body and use [`super::bound_request`], then
/// [`super::count_request`].
pub fn bound_body(body: &[u8]) -> u64 {
    let pointers: usize = POINTERS
        .iter()
        .map(|word| memmem::find_iter(body, word).count())
        .sum();
    body.len() as u64 + pointers as u64 * IMAGE_MOST + TOOLS + REPLY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_no_more_tokens_than_bytes_and_allowances() {
        let body = br#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
        assert_eq!(bound_body(body), body.len() as u64 + TOOLS + REPLY);
        let body = br#"{"content":[{"type":"image_url","image_url":{"url":"https://x/y.png"}}]}"#;
        assert!(bound_body(body) >= IMAGE_MOST + body.len() as u64);
    }
}
