//! One record: its length, a checksum, and a row as JSON. What a crash tore is recognised.

use sha2::{Digest, Sha256};

use crate::wallet::row::Row;

/// Length and checksum.
pub const HEAD: usize = 12;
/// A longer record is damage: rows are some hundreds of bytes, errors and lines included.
pub const LONGEST: usize = 16 * 1024 * 1024;

/// Adds a row to the bytes of a batch.
pub fn write(row: &Row, batch: &mut Vec<u8>) -> serde_json::Result<()> {
    let body = serde_json::to_vec(row)?;
    let length = u32::try_from(body.len()).map_err(serde::ser::Error::custom)?;
    batch.extend_from_slice(&length.to_le_bytes());
    batch.extend_from_slice(&checksum(length, &body));
    batch.extend_from_slice(&body);
    Ok(())
}

/// How long the body is that this head announces.
pub fn body_length(head: &[u8; HEAD]) -> usize {
    let [a, b, c, d, ..] = *head;
    u32::from_le_bytes([a, b, c, d]) as usize
}

/// The row of a record; none where head and body do not belong together.
pub fn read(head: &[u8; HEAD], body: &[u8]) -> Option<Row> {
    let length = u32::try_from(body.len()).ok()?;
    if head[4..] != checksum(length, body) {
        return None;
    }
    serde_json::from_slice(body).ok()
}

fn checksum(length: u32, body: &[u8]) -> [u8; 8] {
    let digest = Sha256::new()
        .chain_update(length.to_le_bytes())
        .chain_update(body)
        .finalize();
    let mut first = [0; 8];
    first.copy_from_slice(&digest[..8]);
    first
}
