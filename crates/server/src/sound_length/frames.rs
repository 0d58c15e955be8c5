//! Streams of frames that say how long they are: MP3 (and its older layers), and AAC with ADTS headers.

use super::feed::Scan;
use super::numbers::{number, scale};
use super::recording::Duration;

/// Kilobits per second, by the number in the header: layers 1, 2 and 3 of the first version, layers 1 and 2 or 3 of later
/// ones.
const KILOBITS: [[u64; 15]; 5] = [
    [
        0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448,
    ],
    [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384,
    ],
    [
        0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
    ],
    [
        0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256,
    ],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const RATES: [u64; 3] = [44_100, 48_000, 32_000];
const AAC_RATES: [u64; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    7_350,
];
/// Most bytes per second of such a stream: AAC with eight channels.
const MAX_BYTES_PER_SECOND: u64 = 288_000;
/// Bytes of the longest header.
const HEADER_BYTES: usize = 7;

/// A stream of frames as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Frames {
    microseconds: u64,
    count: u64,
    /// Bytes of tags, in which there is no sound.
    tag_bytes: u64,
    /// Whether something else follows a tag.
    is_other: bool,
}

struct Frame {
    bytes: u64,
    microseconds: u64,
}

impl Scan for Frames {
    fn step(&mut self, position: u64, bytes: &[u8]) -> Option<u64> {
        if self.count == 0 && bytes.starts_with(b"ID3") {
            let size = tag_bytes(bytes)?;
            self.tag_bytes += size;
            return Some(size);
        }
        if self.is_other || (self.count == 0 && position > 0 && bytes.starts_with(b"fLaC")) {
            self.is_other = true;
            return Some(u64::MAX);
        }
        let Some(at) = memchr::memchr(0xff, bytes) else {
            return Some(bytes.len() as u64);
        };
        if at > 0 {
            return Some(at as u64);
        }
        if bytes.len() < HEADER_BYTES {
            return None;
        }
        let Some(frame) = mpeg(bytes).or_else(|| aac(bytes)) else {
            return Some(1);
        };
        self.count += 1;
        self.microseconds += frame.microseconds;
        Some(frame.bytes)
    }

    fn duration(&self, length: u64) -> Option<Duration> {
        if self.is_other || self.count == 0 {
            return None;
        }
        let bytes = length.saturating_sub(self.tag_bytes);
        Some(Duration {
            claimed: scale(bytes, 1000, MAX_BYTES_PER_SECOND),
            counted: self.microseconds.div_ceil(1000),
        })
    }
}

/// Returns the size of an ID3 tag, whose digits have seven bits.
fn tag_bytes(bytes: &[u8]) -> Option<u64> {
    let size = number(bytes, 6, 4)?;
    let size = (0..4).fold(0, |sum, place| {
        sum | ((size >> (8 * place)) & 0x7f) << (7 * place)
    });
    let has_footer = bytes.get(5)? & 0x10 != 0;
    Some(size + if has_footer { 20 } else { 10 })
}

fn mpeg(bytes: &[u8]) -> Option<Frame> {
    let head = number(bytes, 0, 4)?;
    let (version, layer) = ((head >> 19) & 3, 4 - ((head >> 17) & 3));
    if head >> 21 != 0x7ff || version == 1 || layer == 4 {
        return None;
    }
    let is_first = version == 3;
    let table = match (is_first, layer) {
        (true, layer) => usize::try_from(layer - 1).ok()?,
        (false, 1) => 3,
        (false, _) => 4,
    };
    let kilobits = *KILOBITS[table].get(usize::try_from((head >> 12) & 15).ok()?)?;
    let rate = *RATES.get(usize::try_from((head >> 10) & 3).ok()?)?;
    let rate = match version {
        3 => rate,
        2 => rate / 2,
        _ => rate / 4,
    };
    let samples = match (layer, is_first) {
        (1, _) => 384,
        (3, false) => 576,
        _ => 1152,
    };
    let padding = ((head >> 9) & 1) * if layer == 1 { 4 } else { 1 };
    // A frame of a free format does not say how long it is: the next one is looked for.
    let bytes = if kilobits == 0 {
        4
    } else {
        samples * kilobits * 125 / rate + padding
    };
    let microseconds = scale(samples, 1_000_000, rate);
    Some(Frame {
        bytes,
        microseconds,
    })
}

fn aac(bytes: &[u8]) -> Option<Frame> {
    let head = number(bytes, 0, 7)?;
    if head >> 44 != 0xfff || (head >> 41) & 3 != 0 {
        return None;
    }
    let rate = *AAC_RATES.get(usize::try_from((head >> 34) & 15).ok()?)?;
    let bytes = (head >> 13) & 0x1fff;
    let blocks = (head & 3) + 1;
    let microseconds = scale(blocks * 1024, 1_000_000, rate);
    (bytes >= 7).then_some(Frame {
        bytes,
        microseconds,
    })
}
