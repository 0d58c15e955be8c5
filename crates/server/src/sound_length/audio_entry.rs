//! The description of an audio track: how long each of its packets sounds.

use super::numbers::{number, scale};

const AAC_RATES: [u64; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];
/// Kinds of streams in an `mp4a` entry.
const AAC: [u64; 4] = [0x40, 0x66, 0x67, 0x68];
const MP3: [u64; 2] = [0x69, 0x6b];
/// Lowest rate of MP3.
const MIN_MP3_RATE: u64 = 8_000;

/// Samples of a packet, and their rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AudioEntry {
    samples: u64,
    rate: u64,
}

impl AudioEntry {
    /// Reads the first entry of a `stsd` box. Returns `None` if packets of this codec have no fixed duration.
    pub(super) fn read(payload: &[u8]) -> Option<Self> {
        let rate = number(payload, 40, 4)? >> 16;
        let of = |samples, rate| Some(Self { samples, rate });
        match payload.get(12..16)? {
            b"mp4a" => Self::of_mp4a(payload, rate),
            b"alac" => of(4096, rate),
            b"samr" => of(160, 8_000),
            b"sawb" => of(320, 16_000),
            b".mp3" => of(1152, rate.max(MIN_MP3_RATE)),
            _ => None,
        }
    }

    /// Returns the duration of this many packets.
    pub(super) fn milliseconds(&self, packets: u64) -> u64 {
        scale(packets.saturating_mul(self.samples), 1000, self.rate)
    }

    /// The decoder reads the rate of AAC from its own description and not from the entry.
    fn of_mp4a(payload: &[u8], rate: u64) -> Option<Self> {
        let at = memchr::memmem::find(payload, b"esds")?;
        let esds = payload.get(at + 8..)?;
        // An elementary stream (3) contains a decoder's configuration (4), and that what the decoder itself reads (5).
        let (_, stream) = descriptor(esds, 3)?;
        let (kind, config) = descriptor(stream.get(3..)?, 4)?;
        if MP3.contains(&kind) {
            return Some(Self {
                samples: 1152,
                rate: rate.max(MIN_MP3_RATE),
            });
        }
        let (_, specific) = descriptor(config.get(13..)?, 5)?;
        if !AAC.contains(&kind) {
            return None;
        }
        let bits = number(specific, 0, 2)?;
        let (object, index) = (bits >> 11, (bits >> 7) & 15);
        if object == 31 {
            return None;
        }
        let rate = if index == 15 {
            (number(specific, 1, 4)? >> 7) & 0xff_ffff
        } else {
            *AAC_RATES.get(usize::try_from(index).ok()?)?
        };
        Some(Self {
            samples: 1024,
            rate,
        })
    }
}

/// Returns the content of a descriptor with this tag, and its first byte.
fn descriptor(bytes: &[u8], tag: u8) -> Option<(u64, &[u8])> {
    if *bytes.first()? != tag {
        return None;
    }
    // The length takes up to four bytes, of which all but the last have their highest bit set.
    let length = bytes.get(1..5.min(bytes.len()))?;
    let last = length.iter().position(|byte| byte & 0x80 == 0)?;
    let content = bytes.get(2 + last..)?;
    Some((number(content, 0, 1)?, content))
}
