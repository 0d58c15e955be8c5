//! The rows of PostgreSQL's COPY: a line each, cells between tabs, until a line `\.`.

use std::io::BufRead;

use super::bytes::Bytes;
use crate::imports::error::ImportError;
use crate::imports::table::{LONGEST_CELL, Tables};

/// Reads the rows up to their end; without tables they are passed over.
pub(super) fn read_rows<R: BufRead>(
    bytes: &mut Bytes<R>,
    name: &str,
    columns: &[String],
    mut tables: Option<&mut Tables>,
) -> Result<(), ImportError> {
    let most = match tables {
        Some(_) => LONGEST_CELL.saturating_mul(4),
        None => 2,
    };
    loop {
        let Some(line) = bytes.line(most + 1)? else {
            return Err(bytes.wrong("it ends in the middle of a table: the dump was cut"));
        };
        if line == b"\\." {
            return Ok(());
        }
        let Some(tables) = tables.as_deref_mut() else {
            continue;
        };
        if line.len() > most {
            return Err(bytes.wrong("a row is too long"));
        }
        let cells = line.split(|byte| *byte == b'\t').map(|cell| {
            if cell == b"\\N" {
                return Ok(None);
            }
            let text = String::from_utf8(unescaped(cell));
            text.map(Some)
                .map_err(|_| bytes.wrong("a text is not UTF-8; dump with --encoding=UTF8"))
        });
        let cells = cells.collect::<Result<Vec<_>, _>>()?;
        tables.add(name, columns, cells)?;
    }
}

fn unescaped(cell: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(cell.len());
    let mut rest = cell.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            text.push(byte);
            continue;
        }
        text.push(match rest.next() {
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'v') => 11,
            Some(other) => other,
            None => b'\\',
        });
    }
    text
}
