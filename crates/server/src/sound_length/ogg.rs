//! Ogg: the packets of its logical streams. Opus and FLAC packets say how long they sound; of Vorbis packets it is known how
//! long they sound at most.

use super::feed::Scan;
use super::flac::FrameHeader;
use super::numbers::{number, number_from_low, scale};
use super::opus;
use super::recording::Duration;

/// Bytes of a page before its segment table.
const HEAD_BYTES: usize = 27;
/// Logical streams that are counted; all others are measured by their size.
const MAX_STREAMS: usize = 64;
const FIRST_PAGE: u8 = 2;
const CONTINUED: u8 = 1;

/// An Ogg file as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Ogg {
    streams: Vec<Stream>,
    has_unknown: bool,
}

#[derive(Debug, Clone)]
struct Stream {
    serial: u64,
    codec: Codec,
    rate: u64,
    packets: u64,
    microseconds: u64,
    /// Highest position, in samples.
    granule: u64,
}

#[derive(Debug, Clone, Copy)]
enum Codec {
    Opus,
    Flac,
    /// With the samples of a long block.
    Vorbis(u64),
}

impl Scan for Ogg {
    fn step(&mut self, _: u64, bytes: &[u8]) -> Option<u64> {
        if bytes.len() < HEAD_BYTES {
            return None;
        }
        if !bytes.starts_with(b"OggS") {
            let next = memchr::memmem::find(&bytes[1..], b"OggS");
            return Some(next.map_or(bytes.len() - 3, |at| at + 1) as u64);
        }
        let segments = bytes.get(HEAD_BYTES..HEAD_BYTES + usize::from(bytes[26]))?;
        let start = HEAD_BYTES + segments.len();
        let size: usize = segments.iter().map(|length| usize::from(*length)).sum();
        let body = bytes.get(start..start + size)?;
        self.read_page(bytes, segments, body);
        Some((start + size) as u64)
    }

    fn duration(&self, _: u64) -> Option<Duration> {
        if self.has_unknown || self.streams.is_empty() {
            return None;
        }
        let of_streams = self.streams.iter().map(Stream::duration);
        Some(of_streams.fold(Duration::default(), |sum, one| Duration {
            claimed: sum.claimed.saturating_add(one.claimed),
            counted: sum.counted.saturating_add(one.counted),
        }))
    }
}

impl Ogg {
    fn read_page(&mut self, head: &[u8], segments: &[u8], body: &[u8]) {
        let serial = number_from_low(head, 14, 4).unwrap_or(0);
        if head[5] & FIRST_PAGE != 0 {
            match Stream::begin(serial, body) {
                Some(stream) if self.streams.len() < MAX_STREAMS => self.streams.push(stream),
                _ => self.has_unknown = true,
            }
            return;
        }
        let mut streams = self.streams.iter_mut().rev();
        let Some(stream) = streams.find(|stream| stream.serial == serial) else {
            return;
        };
        let granule = number_from_low(head, 6, 8).filter(|granule| *granule != u64::MAX);
        stream.granule = stream.granule.max(granule.unwrap_or(0));
        let (mut at, mut length) = (0, 0);
        let mut is_continued = head[5] & CONTINUED != 0;
        for segment in segments {
            length += usize::from(*segment);
            if *segment < 255 {
                if !is_continued {
                    stream.add(&body[at..at + length]);
                }
                (at, length, is_continued) = (at + length, 0, false);
            }
        }
        // The rest of a packet may be on the next page.
        if length > 0 && !is_continued {
            stream.add(&body[at..]);
        }
    }
}

impl Stream {
    fn begin(serial: u64, packet: &[u8]) -> Option<Self> {
        let (codec, rate) = if packet.starts_with(b"OpusHead") {
            (Codec::Opus, 48_000)
        } else if packet.starts_with(b"\x01vorbis") {
            let long_block = 1 << (packet.get(28)? >> 4);
            (Codec::Vorbis(long_block), number_from_low(packet, 12, 4)?)
        } else if packet.starts_with(b"\x7fFLAC") {
            (Codec::Flac, number(packet, 27, 3)? >> 4)
        } else {
            return None;
        };
        Some(Self {
            serial,
            codec,
            rate,
            packets: 0,
            microseconds: 0,
            granule: 0,
        })
    }

    /// Counts a packet, of which the beginning is enough.
    fn add(&mut self, packet: &[u8]) {
        self.packets += 1;
        self.microseconds += match self.codec {
            Codec::Opus if packet.starts_with(b"OpusTags") => 0,
            Codec::Opus => opus::microseconds(packet),
            Codec::Flac => {
                FrameHeader::read(packet).map_or(0, |frame| frame.microseconds(self.rate))
            }
            // Packets with headers are odd.
            Codec::Vorbis(_) if packet.first().is_some_and(|first| first & 1 == 1) => 0,
            Codec::Vorbis(long_block) => scale(long_block / 2, 1_000_000, self.rate),
        };
    }

    fn duration(&self) -> Duration {
        let claimed = scale(self.granule, 1000, self.rate);
        let counted = self.microseconds.div_ceil(1000);
        // Short blocks of Vorbis sound shorter than it was counted; a position that is much lower is not believed.
        let is_vorbis = matches!(self.codec, Codec::Vorbis(_));
        let counted = if is_vorbis && claimed <= counted && claimed > counted / 3 * 2 {
            claimed
        } else {
            counted
        };
        Duration { claimed, counted }
    }
}
