//! Reads a form as it comes: heads and data of its parts, in their order. What it keeps is at most
//! one head, and as much data as a boundary could hide in.

use bytes::{Buf, Bytes, BytesMut};
use futures_util::StreamExt;
use memchr::memmem;
use providers::BodyStream;

use super::PartHead;

/// The longest head of a part.
const LONGEST_HEAD: usize = 16 * 1024;
/// The most parts of a form.
const MOST_PARTS: usize = 256;
/// What ends a head.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// What comes next in a form.
#[derive(Debug, PartialEq, Eq)]
pub enum Item {
    /// A part begins.
    Head(PartHead),
    /// More of the part's data.
    Data(Bytes),
    /// The part has ended.
    PartEnd,
    /// The form has ended.
    End,
}

/// A form that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum BadForm {
    /// The client's body broke off, or is too long.
    #[error("the form broke off: {0}")]
    Broken(#[from] std::io::Error),
    /// It ended before its last boundary.
    #[error("the form ends before its last boundary")]
    Incomplete,
    /// It is no form.
    #[error("the form cannot be read: {0}")]
    Malformed(&'static str),
}

/// Where the reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the first boundary.
    Preamble,
    /// Right after a boundary.
    AfterBoundary,
    /// After a boundary that is not the last.
    Head,
    Data,
    Ended,
}

/// Reads one form.
pub struct FormReader {
    pieces: BodyStream,
    buffer: BytesMut,
    delimiter: Vec<u8>,
    place: Place,
    /// How much blank space stood between the boundary and its line end.
    padding: usize,
    /// How many bytes of the buffer are known to hold no end of a head.
    searched: usize,
    parts: usize,
    is_over: bool,
}

impl FormReader {
    /// A reader of these pieces, whose parts are divided by this boundary.
    pub fn new(pieces: BodyStream, boundary: &str) -> Self {
        Self {
            pieces,
            // The first boundary has no line before it: this stands in for it.
            buffer: BytesMut::from(&b"\r\n"[..]),
            delimiter: format!("\r\n--{boundary}").into_bytes(),
            place: Place::Preamble,
            padding: 0,
            searched: 0,
            parts: 0,
            is_over: false,
        }
    }

    /// What comes next. After the end there is nothing but the end.
    pub async fn next(&mut self) -> Result<Item, BadForm> {
        loop {
            let found = match self.place {
                Place::Preamble => {
                    self.skip_preamble();
                    None
                }
                Place::AfterBoundary => self.after_boundary()?,
                Place::Head => self.head()?,
                Place::Data => self.data(),
                Place::Ended => Some(Item::End),
            };
            if let Some(item) = found {
                return Ok(item);
            }
            self.more().await?;
        }
    }

    /// Takes another piece from the client.
    async fn more(&mut self) -> Result<(), BadForm> {
        if self.is_over {
            return Err(BadForm::Incomplete);
        }
        match self.pieces.next().await {
            Some(piece) => self.buffer.extend_from_slice(&piece?),
            None => self.is_over = true,
        }
        Ok(())
    }

    fn skip_preamble(&mut self) {
        if let Some(at) = memmem::find(&self.buffer, &self.delimiter) {
            self.buffer.advance(at + self.delimiter.len());
            self.place = Place::AfterBoundary;
        } else {
            let kept = self.delimiter.len() - 1;
            self.buffer.advance(self.buffer.len().saturating_sub(kept));
        }
    }

    /// The head that follows a boundary, or the form's end.
    fn after_boundary(&mut self) -> Result<Option<Item>, BadForm> {
        if self.buffer.len() < 2 {
            return Ok(None);
        }
        if self.buffer.starts_with(b"--") {
            self.place = Place::Ended;
            return Ok(Some(Item::End));
        }
        self.place = Place::Head;
        (self.padding, self.searched) = (0, 0);
        self.head()
    }

    /// The head of a part. What was searched of it is not searched again with every piece that comes.
    fn head(&mut self) -> Result<Option<Item>, BadForm> {
        // Blanks may follow the boundary.
        let blanks = self.buffer.iter().take_while(|byte| b" \t".contains(byte));
        let blanks = blanks.count();
        self.buffer.advance(blanks);
        self.padding += blanks;
        if self.buffer.len() < 2 && self.padding <= LONGEST_HEAD {
            return Ok(None);
        }
        if !self.buffer.starts_with(b"\r\n") {
            return Err(BadForm::Malformed("no line ends after a boundary"));
        }
        let from = self.searched.saturating_sub(HEAD_END.len() - 1);
        let Some(end) = memmem::find(&self.buffer[from..], HEAD_END) else {
            self.searched = self.buffer.len();
            if self.buffer.len() > LONGEST_HEAD {
                return Err(BadForm::Malformed("a part's head is too long"));
            }
            return Ok(None);
        };
        let end = from + end;
        self.parts += 1;
        if end > LONGEST_HEAD || self.parts > MOST_PARTS {
            return Err(BadForm::Malformed(
                "it has too many parts or too long heads",
            ));
        }
        let head = PartHead::read(&self.buffer[2..end.max(2)]);
        let head = head.ok_or(BadForm::Malformed("a part has no name"))?;
        self.buffer.advance(end + HEAD_END.len());
        self.place = Place::Data;
        Ok(Some(Item::Head(head)))
    }

    /// Data up to the next boundary, as far as it is here.
    fn data(&mut self) -> Option<Item> {
        match memmem::find(&self.buffer, &self.delimiter) {
            Some(0) => {
                self.buffer.advance(self.delimiter.len());
                self.place = Place::AfterBoundary;
                Some(Item::PartEnd)
            }
            Some(at) => Some(Item::Data(self.buffer.split_to(at).freeze())),
            None => {
                let sure = self.buffer.len().saturating_sub(self.delimiter.len() - 1);
                (sure > 0).then(|| Item::Data(self.buffer.split_to(sure).freeze()))
            }
        }
    }
}
