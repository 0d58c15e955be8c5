//! Request bodies with a `Content-Encoding`: what the gateway decodes, and decoding with a limit on the result.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Cursor, Read};

use brotli_decompressor::Decompressor;
use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind};
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use http::{HeaderMap, header};
use ruzstd::decoding::FrameDecoder;

use super::refusals;
use crate::body_memory::MemoryGuard;
use crate::refusal::Refusal;

/// Maximum number of encodings on top of each other.
const MAX_CODINGS: usize = 2;
/// Maximum window of zstd, which is also the maximum for HTTP (RFC 9659).
const MAX_WINDOW_BYTES: u64 = 8 << 20;
/// Maximum number of gzip members or zstd frames in one body: each costs time, also if nothing is in it.
const MAX_MEMBERS: usize = 256;
/// Output between two checks of the limits.
const CHUNK_BYTES: usize = 64 * 1024;

/// An encoding of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Returns the encodings that the headers name, in the order in which they were applied.
pub fn codings(headers: &HeaderMap) -> Result<Vec<Coding>, Failure> {
    let mut codings = Vec::new();
    for value in headers.get_all(header::CONTENT_ENCODING) {
        let text = value.to_str().map_err(|_| unsupported("that value"))?;
        for name in text.split(',').map(str::trim) {
            codings.extend(coding(name)?);
        }
        if codings.len() > MAX_CODINGS {
            return Err(unsupported("more than two encodings"));
        }
    }
    Ok(codings)
}

fn coding(name: &str) -> Result<Option<Coding>, Failure> {
    Ok(Some(match name.to_ascii_lowercase().as_str() {
        "" | "identity" => return Ok(None),
        "gzip" | "x-gzip" => Coding::Gzip,
        "deflate" => Coding::Deflate,
        "br" => Coding::Brotli,
        "zstd" => Coding::Zstd,
        _ => return Err(unsupported("that encoding")),
    }))
}

fn unsupported(what: &str) -> Failure {
    let text = format!(
        "The content encoding is not supported ({what}): use gzip, deflate, br or zstd, or send the body as it is."
    );
    Failure::new(FailureKind::UnsupportedMedia, text)
}

/// A body that is being decoded.
pub struct Decoding {
    reader: Box<dyn Read + Send>,
    decoded: Vec<u8>,
    limit: usize,
    memory: MemoryGuard,
}

impl Decoding {
    /// Begins to decode a body. The memory of the result is reserved with the guard as it grows; a result beyond the
    /// limit is an error.
    pub fn new(
        body: Bytes,
        codings: &[Coding],
        limit: usize,
        memory: MemoryGuard,
    ) -> Result<Self, Failure> {
        let mut reader: Box<dyn BufRead + Send> = Box::new(Cursor::new(body));
        for coding in codings.iter().rev() {
            let decoder = decoder(*coding, reader).map_err(|error| invalid(&error))?;
            // Each stage is bounded: one encoding may expand to what the next one makes nothing of.
            let left = limit as u64;
            reader = Box::new(BufReader::new(AtMost { decoder, left }));
        }
        Ok(Self {
            reader,
            decoded: Vec::new(),
            limit,
            memory,
        })
    }

    /// Decodes until the body has ended or this many bytes more are there; returns whether it has ended.
    pub fn advance(&mut self, bytes: usize) -> Result<bool, Failure> {
        let until = self.decoded.len().saturating_add(bytes);
        while self.decoded.len() < until {
            let before = self.decoded.len();
            let mut chunk = self.reader.by_ref().take(CHUNK_BYTES as u64);
            let read = chunk.read_to_end(&mut self.decoded);
            let count = read.map_err(|error| invalid(&error))?;
            self.memory.grow(count).map_err(refusals::no_body_memory)?;
            if self.decoded.len() > self.limit {
                return Err(Refusal::BodyTooLarge.as_failure());
            }
            if self.decoded.len() < before + CHUNK_BYTES {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns what was decoded, with its reservation.
    pub fn into_bytes(self) -> Bytes {
        self.memory.into_bytes(self.decoded.into())
    }
}

fn invalid(error: &io::Error) -> Failure {
    if is_too_long(error) {
        return Refusal::BodyTooLarge.as_failure();
    }
    let text = "The request body is not what its content encoding says.";
    Failure::bad_request("body", text)
}

/// Whether a stage's limit is among the causes of an error. Decoders wrap errors of what they read from.
fn is_too_long(error: &(dyn Error + 'static)) -> bool {
    let inner = error.downcast_ref().and_then(io::Error::get_ref);
    error.is::<TooLong>()
        || inner.is_some_and(|inner| is_too_long(inner))
        || error.source().is_some_and(is_too_long)
}

type Source = Box<dyn BufRead + Send>;

fn decoder(coding: Coding, mut source: Source) -> io::Result<Box<dyn Read + Send>> {
    Ok(match coding {
        Coding::Gzip => Box::new(GzipMembers {
            member: Some(GzDecoder::new(source)),
            count: 1,
        }),
        Coding::Deflate if has_zlib_header(source.fill_buf()?) => {
            Box::new(ZlibDecoder::new(source))
        }
        // Not what the standard says, but what some clients send.
        Coding::Deflate => Box::new(DeflateDecoder::new(source)),
        Coding::Brotli => Box::new(Decompressor::new(source, CHUNK_BYTES)),
        Coding::Zstd => Box::new(ZstdDecoder::new(source)),
    })
}

/// Whether this begins like a zlib stream (RFC 1950).
fn has_zlib_header(start: &[u8]) -> bool {
    match start {
        [method, flags, ..] => {
            method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
        }
        _ => false,
    }
}

/// All members of a gzip body, one after the other.
struct GzipMembers {
    member: Option<GzDecoder<Source>>,
    count: usize,
}

impl Read for GzipMembers {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(out)?;
            if count > 0 {
                return Ok(count);
            }
            let Some(member) = self.member.take() else {
                break;
            };
            let mut source = member.into_inner();
            if source.fill_buf()?.is_empty() {
                break;
            }
            self.count = next_member(self.count)?;
            self.member = Some(GzDecoder::new(source));
        }
        Ok(0)
    }
}

fn next_member(count: usize) -> io::Result<usize> {
    if count == MAX_MEMBERS {
        return Err(io::Error::other("too many members"));
    }
    Ok(count + 1)
}

/// All frames of a zstd body, one after the other.
struct ZstdDecoder {
    source: Source,
    frames: FrameDecoder,
    is_begun: bool,
    count: usize,
}

impl ZstdDecoder {
    fn new(source: Source) -> Self {
        let mut frames = FrameDecoder::new();
        frames.set_max_window_size(MAX_WINDOW_BYTES);
        Self {
            source,
            frames,
            is_begun: false,
            count: 0,
        }
    }
}

impl Read for ZstdDecoder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        use ruzstd::decoding::BlockDecodingStrategy::UptoBlocks;
        use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
        while self.frames.can_collect() == 0 {
            if self.is_begun && !self.frames.is_finished() {
                let decoded = self.frames.decode_blocks(&mut self.source, UptoBlocks(1));
                decoded.map_err(io::Error::other)?;
                continue;
            }
            if self.is_begun && has_wrong_checksum(&self.frames) {
                return Err(io::Error::other("the checksum is wrong"));
            }
            if self.source.fill_buf()?.is_empty() {
                return Ok(0);
            }
            self.count = next_member(self.count)?;
            match self.frames.reset(&mut self.source) {
                Ok(()) => self.is_begun = true,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => skip(&mut self.source, u64::from(length))?,
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        self.frames.read(out)
    }
}

fn has_wrong_checksum(frames: &FrameDecoder) -> bool {
    let told = frames.get_checksum_from_data();
    told.is_some() && told != frames.get_calculated_checksum()
}

fn skip(source: &mut Source, length: u64) -> io::Result<()> {
    let skipped = io::copy(&mut source.take(length), &mut io::sink())?;
    if skipped < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// A reader that fails after so many bytes.
struct AtMost<R> {
    decoder: R,
    left: u64,
}

#[derive(Debug, thiserror::Error)]
#[error("the decoded body is longer than the limit")]
struct TooLong;

impl<R: Read> Read for AtMost<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.decoder.read(out)?;
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or_else(|| io::Error::other(TooLong))?;
        Ok(count)
    }
}

#[cfg(test)]
#[path = "content_encoding_tests.rs"]
mod tests;
