//! A dump as bytes that come one by one, with the number of the line for messages.

use std::io::BufRead;

use crate::imports::error::ImportError;

/// The bytes of a dump.
pub(super) struct Bytes<R> {
    reader: R,
    line: u64,
    /// A byte that was looked at and is still to come.
    next: Option<u8>,
}

impl<R: BufRead> Bytes<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            line: 1,
            next: None,
        }
    }

    /// The next byte, without taking it.
    pub(super) fn peek(&mut self) -> Result<Option<u8>, ImportError> {
        if self.next.is_none() {
            self.next = self.read()?;
        }
        Ok(self.next)
    }

    /// Takes the next byte.
    pub(super) fn take(&mut self) -> Result<Option<u8>, ImportError> {
        let byte = match self.next.take() {
            Some(byte) => Some(byte),
            None => self.read()?,
        };
        if byte == Some(b'\n') {
            self.line += 1;
        }
        Ok(byte)
    }

    /// Takes the next byte; a dump that ends here was cut.
    pub(super) fn must(&mut self) -> Result<u8, ImportError> {
        let byte = self.take()?;
        byte.ok_or_else(|| self.wrong("it ends in the middle of a statement: the dump was cut"))
    }

    /// Takes the rest of the line, without its end; at most so many bytes are kept.
    pub(super) fn line(&mut self, most: usize) -> Result<Option<Vec<u8>>, ImportError> {
        if self.peek()?.is_none() {
            return Ok(None);
        }
        let mut line = Vec::new();
        while let Some(byte) = self.take()? {
            if byte == b'\n' {
                break;
            }
            if line.len() < most {
                line.push(byte);
            }
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Ok(Some(line))
    }

    /// What is wrong, and where.
    pub(super) fn wrong(&self, what: &str) -> ImportError {
        ImportError::source(format!("line {} of the dump: {what}", self.line))
    }

    fn read(&mut self) -> Result<Option<u8>, ImportError> {
        let unreadable =
            |error: std::io::Error| ImportError::source(format!("it cannot be read: {error}"));
        let byte = self.reader.fill_buf().map_err(unreadable)?.first().copied();
        if byte.is_some() {
            self.reader.consume(1);
        }
        Ok(byte)
    }
}
