//! Duration of audio files, measured as they pass. No sound is decoded, but the frames and packets that a decoder would
//! decode are counted: what a file claims about itself is only a lower bound. Memory is bounded and time is linear, whatever
//! the file contains.

mod feed;
mod flac;
mod frames;
mod mp4;
mod ogg;
mod opus;
mod wav;
mod webm;

#[cfg(test)]
mod tests;

use feed::Feed;

/// Fewest bytes per second of speech in usual codecs. Files of an unknown format are measured by it.
const MIN_BYTES_PER_SECOND: u64 = 500;
/// Most bytes per second of any format: eight channels of 32 bits at 192,000 samples.
const MAX_BYTES_PER_SECOND: u64 = 6_144_000;

/// An audio file as it passes.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    feed: Feed,
}

/// Duration of a file as far as it was read, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Duration {
    /// Duration that the file claims.
    claimed: u64,
    /// Duration of the frames or samples in it.
    counted: u64,
}

impl Recording {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.feed.push(bytes);
    }

    /// Returns the number of bytes so far.
    pub fn length(&self) -> u64 {
        self.feed.position()
    }

    /// Returns the duration in milliseconds.
    pub fn milliseconds(&self) -> u64 {
        self.milliseconds_of(self.length())
    }

    /// Returns the duration in milliseconds of a file of this length, of which perhaps only the beginning has passed.
    pub fn milliseconds_of(&self, length: u64) -> u64 {
        let seen = self.length();
        let Some(Duration { claimed, counted }) = self.feed.duration(length) else {
            return most(length);
        };
        let counted = if length > seen && seen > 0 && !self.feed.is_exact() {
            scale(counted, length, seen)
        } else {
            counted
        };
        // A claim that the size does not allow is a mistake, unless the frames confirm it.
        let at_least = scale(length, 1000, MAX_BYTES_PER_SECOND);
        counted.max(claimed.min(most(length))).max(at_least)
    }
}

/// Returns the longest duration of speech in usual codecs that a file of this size has, in milliseconds.
pub fn most(bytes: u64) -> u64 {
    scale(bytes, 1000, MIN_BYTES_PER_SECOND)
}

/// Returns `value * times / by`, rounded up.
fn scale(value: u64, times: u64, by: u64) -> u64 {
    if by == 0 {
        return 0;
    }
    let scaled = (u128::from(value) * u128::from(times)).div_ceil(u128::from(by));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Returns a number of up to eight bytes, the highest first.
fn number(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let read = bytes.get(at..at.checked_add(count)?)?;
    Some(
        read.iter()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

/// Returns a number of up to eight bytes, the lowest first.
fn number_from_low(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let read = bytes.get(at..at.checked_add(count)?)?;
    let digits = read.iter().rev();
    Some(digits.fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
}
