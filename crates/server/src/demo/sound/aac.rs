//! An AAC encoder for single notes: each frame has one group of spectral lines that is not zero. Low
//! complexity, 48,000 samples a second, mono, with a header before each frame (ADTS).

use super::bits::Bits;
use super::tone::{Note, stretches};

const RATE: u64 = 48_000;
/// Samples in a frame, and spectral lines.
const FRAME: u64 = 1024;
/// How loud a line of one is.
const GAIN: u32 = 188;
/// The first bands have four lines each.
const BAND: u64 = 4;
const MOST_BANDS: u64 = 10;

/// Notes as a file.
pub(super) fn encode(notes: &[Note]) -> Vec<u8> {
    let mut out = Vec::new();
    for pitch in stretches(notes, FRAME, RATE) {
        let block = block(pitch);
        let length = u32::try_from(block.len() + 7).unwrap_or(7);
        let mut head = Bits::default();
        // Synchronisation, version 4, no checksum; low complexity, 48,000 samples; one channel.
        head.put(0xfff1, 16);
        head.put(0b010_0110, 7);
        head.put(0b001, 3);
        head.put(0, 4);
        head.put(length, 13);
        // A rate that varies, and one block.
        head.put(0x7ff, 11);
        head.put(0, 2);
        out.extend_from_slice(&head.finish());
        out.extend_from_slice(&block);
    }
    out
}

fn block(pitch: u32) -> Vec<u8> {
    let bands = match pitch {
        0 => 0,
        pitch => (u64::from(pitch) * FRAME * 2 / RATE / BAND + 1).min(MOST_BANDS),
    };
    let bands = u32::try_from(bands).unwrap_or(0);
    let mut bits = Bits::default();
    // A single channel, the first.
    bits.put(0, 3 + 4);
    bits.put(GAIN, 8);
    // One long window; how many bands there are; no prediction.
    bits.put(0, 1 + 2 + 1);
    bits.put(bands, 6);
    bits.put(0, 1);
    if bands > 0 {
        // All bands by the first codebook.
        bits.put(1, 4);
        bits.put(bands, 5);
    }
    // Each band as loud as the one before.
    bits.put(0, bands);
    // No pulses, no shaping of noise, no control of gain.
    bits.put(0, 3);
    if bands > 0 {
        // Four zeros are `0`; `10100` has one line that is not zero.
        bits.put(0, bands - 1);
        bits.put(0b10100, 5);
    }
    // The end.
    bits.put(0b111, 3);
    debug_assert!(bits.len() < 8 * 32);
    bits.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::sound::notes;

    #[test]
    fn each_frame_says_how_long_it_is() {
        let file = encode(&notes("Hello you", 1.0));
        let mut rest = &file[..];
        let mut frames = 0;
        while !rest.is_empty() {
            assert!(rest.starts_with(&[0xff, 0xf1, 0x4c]));
            let length = [rest[3] & 3, rest[4], rest[5] >> 5].map(usize::from);
            let length = length[0] << 11 | length[1] << 3 | length[2];
            rest = &rest[length..];
            frames += 1;
        }
        // 360 milliseconds in frames of 21 and a third.
        assert_eq!(frames, 17);
    }
}
