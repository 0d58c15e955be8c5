//! WAV: the bytes of its data by the bytes of a second, which follow from rate, channels and bits.

use super::feed::Scan;
use super::numbers::{number_from_low, scale};
use super::recording::{Duration, MAX_BYTES_PER_SECOND};

/// Chunks without sound that usually follow the data.
const METADATA: [&[u8; 4]; 12] = [
    b"LIST", b"id3 ", b"ID3 ", b"bext", b"fact", b"cue ", b"smpl", b"inst", b"JUNK", b"PAD ",
    b"iXML", b"_PMX",
];
/// Formats whose samples have a fixed size: PCM, floating point, A-law, µ-law.
const FIXED_SIZE: [u64; 4] = [1, 3, 6, 7];
const EXTENSIBLE: u64 = 0xfffe;
/// Bytes of a `fmt ` chunk that are read.
const FORMAT_BYTES: u64 = 26;

/// A WAV file as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Wav {
    is_begun: bool,
    /// Bytes of a second; the lowest number that any of the fields allow.
    bytes_per_second: Option<u64>,
    /// Whether the samples have no fixed size.
    is_compressed: bool,
    /// Where the data begins.
    data_at: Option<u64>,
    /// Bytes after that which are not data, as their chunks claim.
    metadata_bytes: u64,
    /// Where the last of these chunks ends.
    metadata_end: u64,
    /// Whether all that follows is data.
    is_in_data: bool,
}

impl Scan for Wav {
    fn step(&mut self, position: u64, bytes: &[u8]) -> Option<u64> {
        if !self.is_begun {
            self.is_begun = true;
            return Some(12);
        }
        if self.is_in_data {
            return Some(u64::MAX);
        }
        let size = number_from_low(bytes, 4, 4)?;
        let whole = 8 + size + size % 2;
        let id = bytes.get(..4)?;
        if id == b"fmt " {
            if (bytes.len() as u64) < 8 + size.min(FORMAT_BYTES) {
                return None;
            }
            self.read_format(bytes.get(8..)?);
            return Some(whole);
        }
        Some(self.step_data(position, id, (size, whole)))
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn duration(&self, length: u64) -> Option<Duration> {
        if self.is_compressed {
            return None;
        }
        let absent = self.metadata_end.saturating_sub(length);
        let metadata = self.metadata_bytes.saturating_sub(absent);
        let data = length
            .saturating_sub(self.data_at?)
            .saturating_sub(metadata);
        Some(Duration {
            claimed: 0,
            counted: scale(data, 1000, self.bytes_per_second?),
        })
    }
}

impl Wav {
    fn step_data(&mut self, position: u64, id: &[u8], (size, whole): (u64, u64)) -> u64 {
        let is_metadata = METADATA.iter().any(|known| *known == id);
        match self.data_at {
            None if id == b"data" => {
                self.data_at = Some(position + 8);
                // The size is not known to those who write a stream.
                self.is_in_data = size == 0 || size >= u64::from(u32::MAX) - 1;
                8 + if self.is_in_data { 0 } else { size + size % 2 }
            }
            None => whole,
            Some(_) if is_metadata => {
                self.metadata_bytes += whole;
                self.metadata_end = position + whole;
                whole
            }
            Some(_) if id == b"data" => {
                self.metadata_bytes += 8;
                whole
            }
            // More data than the header claims.
            Some(_) => {
                self.is_in_data = true;
                1
            }
        }
    }

    fn read_format(&mut self, format: &[u8]) {
        let field = |at, count| number_from_low(format, at, count).unwrap_or(0);
        let kind = match field(0, 2) {
            EXTENSIBLE => field(24, 2),
            kind => kind,
        };
        let (channels, rate, bits) = (field(2, 2), field(4, 4), field(14, 2));
        let frame = [field(12, 2), channels * bits.div_ceil(8)];
        let frame = frame.into_iter().filter(|bytes| *bytes > 0).min();
        self.is_compressed |= !FIXED_SIZE.contains(&kind);
        let lowest = frame
            .map_or(0, |frame| frame * rate)
            .clamp(1, MAX_BYTES_PER_SECOND);
        self.bytes_per_second = Some(
            self.bytes_per_second
                .map_or(lowest, |known| known.min(lowest)),
        );
    }
}
