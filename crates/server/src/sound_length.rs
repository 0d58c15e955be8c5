//! How long a recording sounds, from what its file says of itself: no sound is decoded. What a file
//! claims is hostile: no claim is believed that the file's size does not allow.

/// No codec of speech needs fewer bytes for a second.
const FEWEST_BYTES_A_SECOND: u64 = 500;
/// What a second takes in a file that tells nothing: sound of 64 kilobits.
const USUAL_BYTES_A_SECOND: u64 = 8_000;
/// How much of a file's beginning is looked at.
const START: usize = 64 * 1024;
/// How much of its end.
const TAIL: usize = 64 * 1024;

/// Kilobits a second of MP3 frames, by the number in their head: of the first version of the format,
/// and of the later ones.
const FIRST: [u64; 16] = [
    0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0,
];
const SECOND: [u64; 16] = [
    0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0,
];

/// A file as it passes by.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    start: Vec<u8>,
    tail: Vec<u8>,
    length: u64,
}

impl Recording {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let room = START - self.start.len();
        self.start
            .extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.length = self.length.saturating_add(bytes.len() as u64);
        self.tail
            .extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
    }

    /// How many bytes have passed.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// How long it sounds, in milliseconds: told by the file, or what is usual for its size.
    pub fn milliseconds(&self) -> u64 {
        self.milliseconds_of(self.length)
    }

    /// The same for a file of this length, of which perhaps only the beginning has passed.
    pub fn milliseconds_of(&self, length: u64) -> u64 {
        let told = wav(&self.start, length)
            .or_else(|| flac(&self.start))
            .or_else(|| ogg(&self.start, &self.tail))
            .or_else(|| mp4(&self.start).or_else(|| mp4(&self.tail)))
            .or_else(|| mp3(&self.start, length));
        match told {
            Some(told) => told.min(most(length)),
            None => length.saturating_mul(1000) / USUAL_BYTES_A_SECOND,
        }
    }
}

/// How long a file of this size can sound at most, in milliseconds.
pub fn most(bytes: u64) -> u64 {
    bytes.saturating_mul(1000) / FEWEST_BYTES_A_SECOND
}

fn number(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let read = bytes.get(at..at.checked_add(count)?)?;
    Some(
        read.iter()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

fn number_from_low(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let read = bytes.get(at..at.checked_add(count)?)?;
    Some(
        read.iter()
            .rev()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

fn ratio(count: u64, a_second: u64) -> Option<u64> {
    (a_second > 0).then(|| count.saturating_mul(1000).div_ceil(a_second))
}

/// The bytes of its data by the bytes of a second; a header may claim more data than there are.
fn wav(start: &[u8], length: u64) -> Option<u64> {
    if !start.starts_with(b"RIFF") || start.get(8..12)? != b"WAVE" {
        return None;
    }
    let (mut at, mut a_second) = (12_usize, 0);
    loop {
        let size = number_from_low(start, at + 4, 4)?;
        match start.get(at..at + 4)? {
            b"fmt " => a_second = number_from_low(start, at + 16, 4)?,
            b"data" => {
                let rest = length.saturating_sub(at as u64 + 8);
                return ratio(size.min(rest), a_second);
            }
            _ => {}
        }
        let next = usize::try_from(size + size % 2).ok()?;
        at = at.checked_add(8)?.checked_add(next)?;
    }
}

fn flac(start: &[u8]) -> Option<u64> {
    start.strip_prefix(b"fLaC")?;
    let facts = number(start, 18, 8)?;
    let samples = facts & 0xf_ffff_ffff;
    ratio(samples, facts >> 44).filter(|_| samples > 0)
}

/// The last page says how many samples there were.
fn ogg(start: &[u8], tail: &[u8]) -> Option<u64> {
    start.strip_prefix(b"OggS")?;
    let last = memchr::memmem::rfind(tail, b"OggS")?;
    let samples = number_from_low(tail, last + 6, 8)?;
    let a_second = match memchr::memmem::find(start, b"\x01vorbis") {
        Some(at) => number_from_low(start, at + 12, 4)?,
        None => 48_000,
    };
    ratio(samples, a_second)
}

fn mp4(bytes: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find(bytes, b"mvhd")? + 4;
    let (a_second, count) = match bytes.get(at)? {
        0 => (number(bytes, at + 12, 4)?, number(bytes, at + 16, 4)?),
        _ => (number(bytes, at + 20, 4)?, number(bytes, at + 24, 8)?),
    };
    ratio(count, a_second)
}

/// Its size by the bits of its first frame.
fn mp3(start: &[u8], length: u64) -> Option<u64> {
    let skipped = match start.strip_prefix(b"ID3") {
        Some(_) => {
            let size = number(start, 6, 4)?;
            let size = (0..4).fold(0, |sum, place| {
                sum | (size >> (8 * place) & 0x7f) << (7 * place)
            });
            usize::try_from(size + 10).ok()?
        }
        None => 0,
    };
    let head = number(start, skipped, 4)?;
    let is_first_version = head >> 19 & 3 == 3;
    if head >> 21 != 0x7ff || head >> 17 & 3 != 1 || head >> 19 & 3 == 1 {
        return None;
    }
    let index = usize::try_from(head >> 12 & 15).ok()?;
    let kilobits = if is_first_version { FIRST } else { SECOND }[index];
    let bytes = length.saturating_sub(skipped as u64);
    ratio(bytes, kilobits * 125)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(pieces: &[&[u8]]) -> u64 {
        let mut recording = Recording::default();
        for piece in pieces {
            recording.push(piece);
        }
        recording.milliseconds()
    }

    #[test]
    fn files_tell_how_long_they_sound() {
        let wav = dialects::audio::wav_of_pcm(&vec![0; 96_000], 24_000);
        assert_eq!(length(&[&wav]), 2000);
        assert_eq!(length(&[&wav[..100], &wav[100..]]), 2000);
        let mut flac = b"fLaC\x80\0\0\x22\x10\0\x10\0\0\0\0\0\0\0".to_vec();
        flac.extend_from_slice(&[0x05, 0xdc, 0x00, 0xf0, 0, 0, 0xbb, 0x80]);
        assert_eq!(length(&[&flac, &[0; 9000]]), 2000);
        // 128 kilobits.
        assert_eq!(length(&[b"\xff\xfb\x90\xc0", &vec![0; 31_996]]), 2000);
        let mvhd = b"\0\0\0\x6cmvhd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\xe8\0\0\x07\xd0";
        assert_eq!(length(&[&[1; 5000], mvhd]), 2000);
        let ogg = b"OggS\0\0\0\0\0\0\0\0\0\0OpusHead";
        let last = b"OggS\0\x04\0\x77\x01\0\0\0\0\0";
        assert_eq!(length(&[ogg, &vec![0; 70_000], last]), 2000);
    }

    #[test]
    fn no_claim_is_believed_beyond_the_files_size() {
        let mut wav = dialects::audio::wav_of_pcm(&[0; 1000], 24_000);
        wav[40..44].copy_from_slice(&u32::MAX.to_le_bytes());
        wav[28..32].copy_from_slice(&1_u32.to_le_bytes());
        assert_eq!(length(&[&wav]), most(wav.len() as u64));
        assert_eq!(length(&[b"nothing known"]), 1);
        assert_eq!(length(&[]), 0);
    }
}
