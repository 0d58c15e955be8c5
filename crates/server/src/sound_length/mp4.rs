//! MP4 and its relatives: the packets that the tables of its tracks and fragments list.

use super::audio_entry::AudioEntry;
use super::feed::Scan;
use super::numbers::{number, scale};
use super::recording::Duration;

/// Boxes that contain boxes.
const CONTAINERS: [&[u8; 4]; 8] = [
    b"moov", b"trak", b"mdia", b"minf", b"stbl", b"moof", b"traf", b"mvex",
];
const MAX_DEPTH: usize = 16;
const MAX_TRACKS: usize = 64;
/// Bytes of a box that are read.
const MAX_READ_BYTES: u64 = 4096;

/// An MP4 file as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Mp4 {
    /// Where the open containers end.
    ends: Vec<u64>,
    tracks: Vec<Track>,
    /// The track of the fragment that is being read.
    fragment_of: Option<usize>,
    /// Bytes of a table of durations that are still to be read.
    durations_left: u64,
    /// Longest duration that a header claims, in milliseconds.
    claimed: u64,
    is_malformed: bool,
}

#[derive(Debug, Clone, Default)]
struct Track {
    id: u64,
    is_audio: bool,
    timescale: u64,
    entry: Option<AudioEntry>,
    packets: u64,
    /// Sum of the durations of its packets, in units of its time scale.
    listed: u64,
}

impl Scan for Mp4 {
    fn step(&mut self, position: u64, bytes: &[u8]) -> Option<u64> {
        if self.is_malformed {
            return Some(u64::MAX);
        }
        if self.durations_left >= 8 {
            return self.step_durations(bytes);
        }
        while self.ends.last().is_some_and(|end| *end <= position) {
            self.ends.pop();
        }
        let (head, size) = box_size(bytes)?;
        let kind: [u8; 4] = bytes.get(4..8)?.try_into().ok()?;
        let end = position.saturating_add(size);
        let is_inside = self.ends.last().is_none_or(|parent| end <= *parent);
        if size < head || !is_inside || self.ends.len() > MAX_DEPTH {
            self.is_malformed = true;
            return Some(u64::MAX);
        }
        if CONTAINERS.contains(&&kind) {
            self.ends.push(end);
            self.begin(kind);
            return Some(head);
        }
        let wanted = match &kind {
            b"mvhd" | b"mdhd" | b"tkhd" | b"hdlr" | b"stsd" | b"stsz" | b"stz2" | b"stts"
            | b"tfhd" | b"trun" => (size - head).min(MAX_READ_BYTES),
            _ => return Some(size),
        };
        if &kind == b"stts" {
            number(bytes, usize::try_from(head).ok()? + 4, 4)?;
            self.durations_left = (size - head).saturating_sub(8);
            self.is_malformed = !self.durations_left.is_multiple_of(8);
            return Some(head + 8);
        }
        let payload = bytes.get(usize::try_from(head).ok()?..)?;
        let payload = payload.get(..usize::try_from(wanted).ok()?)?;
        self.read(kind, payload);
        Some(size)
    }

    fn duration(&self, _: u64) -> Option<Duration> {
        let of_track = |track: &Track| {
            let counted = track.entry?.milliseconds(track.packets);
            let listed = scale(track.listed, 1000, track.timescale);
            Some((counted, listed))
        };
        let mut audio = self.tracks.iter().filter(|track| track.is_audio).peekable();
        audio.peek()?;
        let mut duration = Duration {
            claimed: self.claimed,
            counted: 0,
        };
        for track in audio {
            let (counted, listed) = of_track(track)?;
            duration.counted = duration.counted.max(counted);
            duration.claimed = duration.claimed.max(listed);
        }
        (!self.is_malformed).then_some(duration)
    }

    /// Fragments follow the tables of tracks.
    fn is_exact(&self) -> bool {
        self.fragment_of.is_none() && self.tracks.iter().any(|track| track.packets > 0)
    }
}

impl Mp4 {
    fn begin(&mut self, kind: [u8; 4]) {
        match &kind {
            b"trak" if self.tracks.len() >= MAX_TRACKS => self.is_malformed = true,
            b"trak" => self.tracks.push(Track::default()),
            b"traf" => self.fragment_of = None,
            _ => {}
        }
    }

    fn step_durations(&mut self, bytes: &[u8]) -> Option<u64> {
        let (count, duration) = (number(bytes, 0, 4)?, number(bytes, 4, 4)?);
        if let Some(track) = self.tracks.last_mut() {
            track.listed = track.listed.saturating_add(count * duration);
        }
        self.durations_left -= 8;
        Some(8)
    }

    fn read(&mut self, kind: [u8; 4], payload: &[u8]) {
        let kind = &kind;
        let field = |at, count| number(payload, at, count).unwrap_or(0);
        let is_long = payload.first().is_some_and(|version| *version != 0);
        if matches!(kind, b"mvhd" | b"mdhd") {
            let (timescale, count) = if is_long {
                (field(20, 4), field(24, 8))
            } else {
                (field(12, 4), field(16, 4))
            };
            // All ones stand for a duration that is not known.
            let is_known = count != u64::MAX && (is_long || count != u64::from(u32::MAX));
            if is_known {
                self.claimed = self.claimed.max(scale(count, 1000, timescale));
            }
            if kind == b"mdhd"
                && let Some(track) = self.tracks.last_mut()
            {
                track.timescale = timescale;
            }
            return;
        }
        if kind == b"tfhd" {
            let id = field(4, 4);
            self.fragment_of = self.tracks.iter().position(|track| track.id == id);
            return;
        }
        let track = if kind == b"trun" {
            self.fragment_of.and_then(|at| self.tracks.get_mut(at))
        } else {
            self.tracks.last_mut()
        };
        let Some(track) = track else { return };
        match kind {
            b"tkhd" => track.id = if is_long { field(20, 4) } else { field(12, 4) },
            b"hdlr" => track.is_audio |= payload.get(8..12) == Some(b"soun"),
            b"stsd" => track.entry = AudioEntry::read(payload),
            b"trun" => track.packets = track.packets.saturating_add(field(4, 4)),
            _ => track.packets = track.packets.max(field(8, 4)),
        }
    }
}

/// Returns the size of a box, and that of its header.
fn box_size(bytes: &[u8]) -> Option<(u64, u64)> {
    Some(match number(bytes, 0, 4)? {
        0 => (8, u64::MAX),
        1 => (16, number(bytes, 8, 8)?),
        size => (8, size),
    })
}
