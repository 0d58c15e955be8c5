//! Token counting: the answer of `/v1/responses/input_tokens`. The body that asks is a request's.

use serde_json::json;

use crate::json;

/// Writes a count for a client.
pub fn write_count(tokens: u64) -> Vec<u8> {
    json::bytes(&json!({"object": "response.input_tokens", "input_tokens": tokens}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_written_as_clients_know_it() {
        assert_eq!(
            write_count(42),
            br#"{"object":"response.input_tokens","input_tokens":42}"#
        );
    }
}
