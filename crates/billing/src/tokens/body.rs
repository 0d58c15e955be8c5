//! A bound for a body that goes through unread.

use super::media::IMAGE_MOST;
use super::request::REPLY;

/// What vendors tell the model about tools, once.
const TOOLS: u64 = 400;

/// The most tokens that a body is taken for without reading it: its bytes, and an allowance for
/// each picture or file that it may point to. Far too high for bodies with media inside; where it
/// is not affordable, read the body and use [`super::count_request`].
pub fn bound_body(bytes: usize, pointers: usize) -> u64 {
    bytes as u64 + pointers as u64 * IMAGE_MOST + TOOLS + REPLY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_no_more_tokens_than_bytes_and_allowances() {
        assert_eq!(bound_body(57, 0), 57 + TOOLS + REPLY);
        assert!(bound_body(70, 3) >= IMAGE_MOST + 70);
    }
}
