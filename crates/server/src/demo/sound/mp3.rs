//! An MP3 encoder for single notes: each granule has one spectral line that is not zero. MPEG 1,
//! layer 3, 48,000 samples a second, mono, 32 kilobits.

use super::bits::Bits;
use super::tone::{Note, stretches};

const RATE: u64 = 48_000;
/// Samples in a granule; two make a frame.
const GRANULE: u64 = 576;
/// Bytes of a frame at this rate.
const FRAME: usize = 96;
/// How loud a line of one is.
const GAIN: u32 = 196;

/// Notes as a file.
pub(super) fn encode(notes: &[Note]) -> Vec<u8> {
    let pitches = stretches(notes, GRANULE, RATE);
    let mut out = Vec::with_capacity(pitches.len() / 2 * FRAME + FRAME);
    for pair in pitches.chunks(2) {
        out.extend_from_slice(&frame([pair[0], pair.get(1).copied().unwrap_or(0)]));
    }
    out
}

fn frame(pitches: [u32; 2]) -> Vec<u8> {
    let mut bits = Bits::default();
    // Synchronisation, version 1, layer 3, no checksum; 32 kilobits, 48,000 samples, no padding; mono.
    bits.put(0xfffb_14c0, 32);
    // The data begin right here; private bits; no shared scale factors.
    bits.put(0, 9 + 5 + 4);
    let granules = pitches.map(granule);
    for (data, pairs) in &granules {
        bits.put(u32::try_from(data.len()).unwrap_or(0), 12);
        bits.put(*pairs, 9);
        bits.put(GAIN, 8);
        // No scale factors, one long window, the first table for all three regions.
        bits.put(0, 4 + 1);
        for _ in 0..3 {
            bits.put(1, 5);
        }
        bits.put(0, 4 + 3 + 3);
    }
    for (data, _) in granules {
        for bit in data {
            bits.put(u32::from(bit), 1);
        }
    }
    let mut frame = bits.finish();
    frame.resize(FRAME, 0);
    frame
}

/// The data of a granule, bit by bit, and how many pairs of lines they are. In the first table a pair
/// of zeros is `1`, and a one before a zero is `01` and a sign.
fn granule(pitch: u32) -> (Vec<bool>, u32) {
    if pitch == 0 {
        return (Vec::new(), 0);
    }
    // 576 lines share 24,000 hertz.
    let pair = u64::from(pitch) * GRANULE * 2 / RATE / 2;
    let mut data = vec![true; usize::try_from(pair).unwrap_or(0)];
    data.extend([false, true, false]);
    (data, u32::try_from(pair + 1).unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::sound::notes;

    #[test]
    fn frames_are_whole_and_as_many_as_the_text_is_long() {
        // Nine letters of 40 milliseconds, in frames of 24.
        let file = encode(&notes("Hello you", 1.0));
        assert_eq!(file.len(), 15 * FRAME);
        for frame in file.chunks(FRAME) {
            assert!(frame.starts_with(&[0xff, 0xfb, 0x14, 0xc0]));
        }
        let mut recording = crate::sound_length::Recording::default();
        recording.push(&file);
        assert_eq!(recording.milliseconds(), 360);
    }
}
