//! Feeds a file of any format to the scanner of this format, piece by piece.

use super::flac::Flac;
use super::frames::Frames;
use super::mp4::Mp4;
use super::ogg::Ogg;
use super::recording::Duration;
use super::wav::Wav;
use super::webm::WebM;

/// Bytes that tell the format.
const MAGIC_BYTES: usize = 12;
/// Maximum number of bytes that a scanner may wait for: a page of Ogg.
const MAX_PENDING_BYTES: usize = 66_000;

/// A scanner of one format.
pub(super) trait Scan {
    /// Reads the bytes at a position of the file. Returns how many of them are read, which may be more than there are,
    /// or `None` if more bytes are needed.
    fn step(&mut self, position: u64, bytes: &[u8]) -> Option<u64>;

    /// Returns the duration of a file of this length, or `None` if the format is not known well enough.
    fn duration(&self, length: u64) -> Option<Duration>;

    /// Reports whether the duration is known without reading the rest of the file.
    fn is_exact(&self) -> bool {
        false
    }
}

/// A file as far as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Feed {
    /// Bytes that no scanner has read.
    pending: Vec<u8>,
    /// Number of bytes to leave out after the pending ones.
    skip: u64,
    position: u64,
    format: Format,
}

#[derive(Debug, Clone, Default)]
enum Format {
    /// Too few bytes have been read.
    #[default]
    Undecided,
    Unknown,
    Wav(Wav),
    Flac(Flac),
    Frames(Frames),
    Ogg(Box<Ogg>),
    Mp4(Box<Mp4>),
    WebM(Box<WebM>),
}

impl Format {
    fn of(start: &[u8]) -> Self {
        match start {
            [b'R', b'I', b'F', b'F' | b'X', .., b'W', b'A', b'V', b'E']
            | [b'R', b'F', b'6', b'4', .., b'W', b'A', b'V', b'E'] => Self::Wav(Wav::default()),
            [b'f', b'L', b'a', b'C', ..] => Self::Flac(Flac::default()),
            [b'O', b'g', b'g', b'S', ..] => Self::Ogg(Box::default()),
            [0x1a, 0x45, 0xdf, 0xa3, ..] => Self::WebM(Box::default()),
            [_, _, _, _, b'f', b't', b'y', b'p', ..]
            | [_, _, _, _, b'm', b'o', b'o', b'v', ..]
            | [_, _, _, _, b'm', b'd', b'a', b't', ..] => Self::Mp4(Box::default()),
            [b'I', b'D', b'3', ..] => Self::Frames(Frames::default()),
            [0xff, second, ..] if *second >= 0xe0 => Self::Frames(Frames::default()),
            _ => Self::Unknown,
        }
    }

    fn scanner(&self) -> Option<&dyn Scan> {
        match self {
            Self::Undecided | Self::Unknown => None,
            Self::Wav(wav) => Some(wav),
            Self::Flac(flac) => Some(flac),
            Self::Frames(frames) => Some(frames),
            Self::Ogg(ogg) => Some(&**ogg),
            Self::Mp4(mp4) => Some(&**mp4),
            Self::WebM(webm) => Some(&**webm),
        }
    }

    fn scanner_mut(&mut self) -> Option<&mut dyn Scan> {
        match self {
            Self::Undecided | Self::Unknown => None,
            Self::Wav(wav) => Some(wav),
            Self::Flac(flac) => Some(flac),
            Self::Frames(frames) => Some(frames),
            Self::Ogg(ogg) => Some(&mut **ogg),
            Self::Mp4(mp4) => Some(&mut **mp4),
            Self::WebM(webm) => Some(&mut **webm),
        }
    }
}

impl Feed {
    /// Returns the number of bytes so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Returns the duration of a file of this length, or `None` if it is not known.
    pub(super) fn duration(&self, length: u64) -> Option<Duration> {
        self.format.scanner()?.duration(length)
    }

    /// Reports whether the duration is known without reading the rest of the file.
    pub(super) fn is_exact(&self) -> bool {
        self.format.scanner().is_some_and(Scan::is_exact)
    }

    /// Takes the next bytes.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.position = self.position.saturating_add(bytes.len() as u64);
        if matches!(self.format, Format::Unknown) {
            return;
        }
        let left_out = usize::try_from(self.skip).map_or(bytes.len(), |skip| skip.min(bytes.len()));
        self.skip -= left_out as u64;
        self.pending.extend_from_slice(&bytes[left_out..]);
        if matches!(self.format, Format::Undecided) {
            if self.pending.len() < MAGIC_BYTES {
                return;
            }
            self.format = Format::of(&self.pending[..MAGIC_BYTES]);
        }
        self.scan();
    }

    fn scan(&mut self) {
        let start = self.position - self.pending.len() as u64;
        let Some(scanner) = self.format.scanner_mut() else {
            self.pending = Vec::new();
            return;
        };
        let mut at = 0;
        while at < self.pending.len() {
            let rest = &self.pending[at..];
            let read = match scanner.step(start + at as u64, rest) {
                // Always forward, whatever the file contains.
                Some(read) => read.max(1),
                None if rest.len() > MAX_PENDING_BYTES => 1,
                None => break,
            };
            let here = usize::try_from(read).map_or(rest.len(), |read| read.min(rest.len()));
            at += here;
            self.skip = read - here as u64;
        }
        self.pending.drain(..at);
    }
}
