//! Amazon's binary event stream, written: what Bedrock sends in the tests.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An event of Converse.
pub fn event(name: &str, payload: &str) -> Vec<u8> {
    message(name, payload.as_bytes())
}

/// An event of a model's maker, wrapped.
pub fn chunk(data: &str) -> Vec<u8> {
    let payload = serde_json::json!({ "bytes": STANDARD.encode(data), "p": "abc" });
    message("chunk", payload.to_string().as_bytes())
}

fn message(name: &str, payload: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    for (key, value) in [
        (":event-type", name),
        (":content-type", "application/json"),
        (":message-type", "event"),
    ] {
        head.push(u8::try_from(key.len()).expect("a short name"));
        head.extend_from_slice(key.as_bytes());
        head.push(7);
        head.extend_from_slice(
            &u16::try_from(value.len())
                .expect("a short value")
                .to_be_bytes(),
        );
        head.extend_from_slice(value.as_bytes());
    }
    let total = 12 + head.len() + payload.len() + 4;
    let mut bytes = u32::try_from(total)
        .expect("a short frame")
        .to_be_bytes()
        .to_vec();
    bytes.extend_from_slice(
        &u32::try_from(head.len())
            .expect("a short head")
            .to_be_bytes(),
    );
    bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
    bytes.extend_from_slice(&head);
    bytes.extend_from_slice(payload);
    bytes.extend_from_slice(&crc32(&bytes).to_be_bytes());
    bytes
}

/// Bit by bit, unlike the reader's table: the two check each other.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
        crc
    })
}
