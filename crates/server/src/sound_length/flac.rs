//! FLAC: the samples of its frames. Silence takes few bytes, so that nothing follows from the size.

use super::feed::Scan;
use super::numbers::{number, scale};
use super::recording::Duration;

/// Bytes of the longest frame header.
const HEADER_BYTES: usize = 16;
const RATES: [u64; 12] = [
    0, 88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/// A FLAC file as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Flac {
    is_begun: bool,
    is_in_frames: bool,
    rate: u64,
    claimed: u64,
    microseconds: u64,
}

impl Scan for Flac {
    fn step(&mut self, _: u64, bytes: &[u8]) -> Option<u64> {
        if !self.is_begun {
            self.is_begun = true;
            return Some(4);
        }
        if self.is_in_frames {
            return self.step_frame(bytes);
        }
        let (kind, size) = (*bytes.first()?, number(bytes, 1, 3)?);
        if kind.trailing_zeros() >= 7 {
            let facts = number(bytes, 14, 8)?;
            self.rate = facts >> 44;
            self.claimed = scale(facts & 0xf_ffff_ffff, 1000, self.rate);
        }
        self.is_in_frames = kind & 0x80 != 0;
        Some(4 + size)
    }

    fn duration(&self, _: u64) -> Option<Duration> {
        Some(Duration {
            claimed: self.claimed,
            counted: self.microseconds.div_ceil(1000),
        })
    }
}

impl Flac {
    fn step_frame(&mut self, bytes: &[u8]) -> Option<u64> {
        let Some(at) = memchr::memchr(0xff, bytes) else {
            return Some(bytes.len() as u64);
        };
        if at > 0 {
            return Some(at as u64);
        }
        if bytes.len() < HEADER_BYTES {
            // At the end of a file there is no room for a frame any more.
            return None;
        }
        let Some(frame) = FrameHeader::read(bytes) else {
            return Some(1);
        };
        self.microseconds += frame.microseconds(self.rate);
        Some(frame.bytes)
    }
}

/// The header of a frame.
pub(super) struct FrameHeader {
    bytes: u64,
    samples: u64,
    /// Samples of a second, or zero if the file has one rate.
    rate: u64,
}

impl FrameHeader {
    /// Reads a header. Returns `None` if these bytes are none, as their checksum tells.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if number(bytes, 0, 2)? & 0xfffe != 0xfff8 {
            return None;
        }
        let codes = number(bytes, 2, 1)?;
        let mut at = 4 + coded_bytes(*bytes.get(4)?)?;
        let mut field = |count: usize| {
            let value = number(bytes, at, count);
            at += count;
            value
        };
        let samples = match codes >> 4 {
            1 => 192,
            code @ 2..=5 => 576 << (code - 2),
            6 => field(1)? + 1,
            7 => field(2)? + 1,
            code @ 8..=15 => 256 << (code - 8),
            _ => return None,
        };
        let rate = match codes & 15 {
            12 => field(1)? * 1000,
            13 => field(2)?,
            14 => field(2)? * 10,
            15 => return None,
            code => *RATES.get(usize::try_from(code).ok()?)?,
        };
        let is_whole = *bytes.get(at)? == checksum(&bytes[..at]);
        is_whole.then_some(Self {
            bytes: at as u64 + 1,
            samples,
            rate,
        })
    }

    /// Returns the duration of the frame in a file of this rate.
    pub(super) fn microseconds(&self, of_file: u64) -> u64 {
        let rate = if self.rate == 0 { of_file } else { self.rate };
        scale(self.samples, 1_000_000, rate)
    }
}

/// Returns the number of bytes of a number that is coded like a character of UTF-8.
fn coded_bytes(first: u8) -> Option<usize> {
    match first.leading_ones() {
        0 => Some(1),
        ones @ 2..=7 => Some(ones as usize),
        _ => None,
    }
}

/// CRC-8 with the polynomial x⁸ + x² + x + 1.
fn checksum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum, byte| {
        (0..8).fold(sum ^ byte, |sum, _| {
            (sum << 1) ^ if sum & 0x80 == 0 { 0 } else { 7 }
        })
    })
}
