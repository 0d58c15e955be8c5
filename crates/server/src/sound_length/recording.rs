//! An audio file as it passes, and its duration.

use super::feed::Feed;
use super::numbers::scale;

/// Fewest bytes per second of speech in usual codecs. Files of an unknown format are measured by it.
const MIN_BYTES_PER_SECOND: u64 = 500;
/// Most bytes per second of any format: eight channels of 32 bits at 192,000 samples.
pub(super) const MAX_BYTES_PER_SECOND: u64 = 6_144_000;

/// An audio file as it passes.
#[derive(Debug, Clone, Default)]
pub struct Recording {
    feed: Feed,
}

/// Duration of a file as far as it was read, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Duration {
    /// Duration that the file claims.
    pub(super) claimed: u64,
    /// Duration of the frames or samples in it.
    pub(super) counted: u64,
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
