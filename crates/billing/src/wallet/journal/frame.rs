//! One record: its length, a checksum, and a row as JSON. What a crash tore is recognised.

use std::io::{self, ErrorKind, Read};

use crate::wallet::row::Row;

/// Length and checksum.
pub const HEAD: usize = 12;
/// None is written that is longer, so that a longer one is damage: rows are some hundreds of bytes, errors and lines
/// included.
const LONGEST: usize = 16 * 1024 * 1024;

/// What a body is checked by.
pub type Checksum = [u8; 8];

/// Adds a row to the bytes of a batch; refuses one that could not be read again. What is in the batch is of no use then.
pub fn write(
    row: &Row,
    batch: &mut Vec<u8>,
    checksum: impl Fn(&[u8]) -> Checksum,
) -> serde_json::Result<()> {
    let head = batch.len();
    let body = head + HEAD;
    batch.resize(body, 0);
    serde_json::to_writer(&mut *batch, row)?;
    let length = batch.len() - body;
    if length > LONGEST {
        let reason = format!("{length} bytes are too many for a record");
        return Err(serde::ser::Error::custom(reason));
    }
    let length = u32::try_from(length).map_err(serde::ser::Error::custom)?;
    let checksum = checksum(&batch[body..]);
    batch[head..head + 4].copy_from_slice(&length.to_le_bytes());
    batch[head + 4..body].copy_from_slice(&checksum);
    Ok(())
}

/// The next row and the length of its record; none at the end, and where head and body do not belong together. A whole
/// record that this program does not understand was acknowledged to somebody and is an error, not an end.
pub fn next(
    reader: &mut impl Read,
    checksum: impl Fn(&[u8]) -> Checksum,
) -> io::Result<Option<(Row, u64)>> {
    let mut head = [0; HEAD];
    if !filled(reader, &mut head)? || body_length(&head) > LONGEST {
        return Ok(None);
    }
    let mut body = vec![0; body_length(&head)];
    if !filled(reader, &mut body)? {
        return Ok(None);
    }
    if head[4..] != checksum(&body) {
        return Ok(None);
    }
    let length = (head.len() + body.len()) as u64;
    Ok(Some((serde_json::from_slice(&body)?, length)))
}

/// Fills a buffer; false where the bytes end before.
fn filled(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// How long the body is that this head announces.
fn body_length(head: &[u8; HEAD]) -> usize {
    let [a, b, c, d, ..] = *head;
    u32::from_le_bytes([a, b, c, d]) as usize
}
