//! `WebM` and Matroska: the packets in its blocks. Browsers record into such files without saying how long they are.

use super::feed::Scan;
use super::numbers::{number, scale};
use super::opus;
use super::recording::Duration;

const SEGMENT: u64 = 0x1853_8067;
const CLUSTER: u64 = 0x1f43_b675;
const TRACKS: u64 = 0x1654_ae6b;
const TRACK: u64 = 0xae;
const AUDIO: u64 = 0xe1;
const INFO: u64 = 0x1549_a966;
const BLOCK_GROUP: u64 = 0xa0;
const TRACK_NUMBER: u64 = 0xd7;
const CODEC: u64 = 0x86;
const RATE: u64 = 0xb5;
const TIMESTAMP_SCALE: u64 = 0x2a_d7b1;
const LENGTH: u64 = 0x4489;
const CLUSTER_TIMESTAMP: u64 = 0xe7;
const BLOCK: u64 = 0xa1;
const SIMPLE_BLOCK: u64 = 0xa3;

const MAX_TRACKS: usize = 64;
/// Bytes of an element that are read.
const MAX_READ_BYTES: u64 = 32;
/// Nanoseconds of a unit of time, where the file names none.
const DEFAULT_SCALE: u64 = 1_000_000;
/// Samples of a packet of Vorbis or AAC.
const SAMPLES: u64 = 1024;
const DEFAULT_RATE: u64 = 8_000;
/// Longest packet of Opus.
const MAX_OPUS_MICROSECONDS: u64 = 120_000;

/// A `WebM` file as far as it was read.
#[derive(Debug, Clone)]
pub(super) struct WebM {
    tracks: Vec<Track>,
    scale: u64,
    /// Claimed duration, and the latest time of a block, in units of time.
    length: u64,
    latest: u64,
    cluster_at: u64,
    has_unknown: bool,
}

#[derive(Debug, Clone, Default)]
struct Track {
    number: u64,
    codec: Codec,
    rate: u64,
    microseconds: u64,
    packets: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Codec {
    /// Not sound.
    #[default]
    Other,
    Opus,
    /// Packets with as many samples each.
    Fixed,
}

impl Default for WebM {
    fn default() -> Self {
        Self {
            tracks: Vec::new(),
            scale: DEFAULT_SCALE,
            length: 0,
            latest: 0,
            cluster_at: 0,
            has_unknown: false,
        }
    }
}

impl Scan for WebM {
    fn step(&mut self, _: u64, bytes: &[u8]) -> Option<u64> {
        let (id, id_bytes) = integer(bytes, false)?;
        let (size, size_bytes) = integer(bytes.get(id_bytes..)?, true)?;
        let head = id_bytes + size_bytes;
        if matches!(
            id,
            SEGMENT | CLUSTER | TRACKS | TRACK | AUDIO | INFO | BLOCK_GROUP
        ) {
            if id == TRACK {
                self.tracks.push(Track::default());
                self.has_unknown |= self.tracks.len() > MAX_TRACKS;
                self.tracks.truncate(MAX_TRACKS);
            }
            return Some(head as u64);
        }
        let wanted = usize::try_from(size.min(MAX_READ_BYTES)).ok()?;
        let content = bytes.get(head..head + wanted)?;
        self.read(id, content);
        Some(size.saturating_add(head as u64))
    }

    fn duration(&self, _: u64) -> Option<Duration> {
        let audio = self
            .tracks
            .iter()
            .filter(|track| track.codec != Codec::Other);
        let counted = audio.map(Track::milliseconds).max()?;
        let claimed = scale(self.length.max(self.latest), self.scale, 1_000_000);
        (!self.has_unknown).then_some(Duration { claimed, counted })
    }
}

impl WebM {
    fn read(&mut self, id: u64, content: &[u8]) {
        let value = || number(content, 0, content.len().min(8)).unwrap_or(0);
        match id {
            TIMESTAMP_SCALE => self.scale = value(),
            LENGTH => self.length = float(content),
            CLUSTER_TIMESTAMP => self.cluster_at = value(),
            BLOCK | SIMPLE_BLOCK => self.read_block(content),
            _ => {}
        }
        let Some(track) = self.tracks.last_mut() else {
            return;
        };
        match id {
            TRACK_NUMBER => track.number = value(),
            RATE => track.rate = float(content),
            CODEC => match content {
                b"A_OPUS" => track.codec = Codec::Opus,
                [b'A', b'_', b'V', b'O', b'R', ..] | [b'A', b'_', b'A', b'A', b'C', ..] => {
                    track.codec = Codec::Fixed;
                }
                [b'A', b'_', ..] => self.has_unknown = true,
                _ => {}
            },
            _ => {}
        }
    }

    /// Reads the number of the track, the time, and how many packets there are.
    fn read_block(&mut self, block: &[u8]) {
        let Some((number, at)) = integer(block, true) else {
            return;
        };
        let Some([high, low, flags, packet @ ..]) = block.get(at..) else {
            return;
        };
        let time = i64::from(i16::from_be_bytes([*high, *low]));
        self.latest = self.latest.max(self.cluster_at.saturating_add_signed(time));
        let is_laced = flags & 6 != 0;
        let packets = match packet {
            [more, ..] if is_laced => u64::from(*more) + 1,
            _ => 1,
        };
        if let Some(track) = self.tracks.iter_mut().find(|track| track.number == number) {
            track.packets += packets;
            track.microseconds += if is_laced {
                packets * MAX_OPUS_MICROSECONDS
            } else {
                opus::microseconds(packet)
            };
        }
    }
}

impl Track {
    fn milliseconds(&self) -> u64 {
        match self.codec {
            Codec::Other => 0,
            Codec::Opus => self.microseconds.div_ceil(1000),
            Codec::Fixed if self.rate == 0 => scale(self.packets * SAMPLES, 1000, DEFAULT_RATE),
            Codec::Fixed => scale(self.packets.saturating_mul(SAMPLES), 1000, self.rate),
        }
    }
}

/// Returns a number of variable length and the number of its bytes. The mark of the length belongs to ids, not to sizes.
fn integer(bytes: &[u8], is_size: bool) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let count = first.leading_zeros() as usize + 1;
    let value = number(bytes, 0, count.min(8))?;
    let mark = 1_u64.checked_shl(u32::try_from(7 * count).ok()?)?;
    Some((
        if is_size { value & (mark - 1) } else { value },
        count.min(8),
    ))
}

/// Returns the whole part of a floating point number.
fn float(content: &[u8]) -> u64 {
    let value: f64 = match content {
        [_, _, _, _] => content.try_into().map_or(0.0, f32::from_be_bytes).into(),
        _ => content.try_into().map_or(0.0, f64::from_be_bytes),
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a duration or a rate; the conversion saturates"
    )]
    let whole = value.ceil() as u64;
    whole
}
