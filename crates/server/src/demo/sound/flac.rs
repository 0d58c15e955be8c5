//! A FLAC encoder that compresses nothing: every block is written verbatim, which the format has a
//! kind of block for.

/// Samples in a block.
const BLOCK: usize = 4096;

/// 16-bit mono samples as a FLAC file.
pub(super) fn encode(samples: &[i16], rate: u32) -> Vec<u8> {
    let mut out = b"fLaC".to_vec();
    // The last block of metadata, of 34 bytes: what the stream is like.
    out.extend_from_slice(&[0x80, 0, 0, 34]);
    let block = u16::try_from(BLOCK).unwrap_or(u16::MAX).to_be_bytes();
    out.extend_from_slice(&[block, block].concat());
    // Sizes of frames and the sum over all samples are not told: both may be left out.
    out.extend_from_slice(&[0; 6]);
    let total = samples.len() as u64 & 0xf_ffff_ffff;
    let facts = (u64::from(rate) << 44) | (15 << 36) | total;
    out.extend_from_slice(&facts.to_be_bytes());
    out.extend_from_slice(&[0; 16]);
    for (number, block) in (0_u32..).zip(samples.chunks(BLOCK)) {
        frame(&mut out, number, block);
    }
    out
}

fn frame(out: &mut Vec<u8>, number: u32, block: &[i16]) {
    let start = out.len();
    // Blocks of a fixed length; this one's length follows in 16 bits, its rate is the stream's.
    out.extend_from_slice(&[0xff, 0xf8, 0x70]);
    // One channel, 16 bits a sample.
    out.push(0b0000_1000);
    coded_number(out, number);
    let length = u16::try_from(block.len() - 1).unwrap_or(u16::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    let sum = crc8(&out[start..]);
    out.push(sum);
    // Samples as they are.
    out.push(0b0000_0010);
    for sample in block {
        out.extend_from_slice(&sample.to_be_bytes());
    }
    let sum = crc16(&out[start..]);
    out.extend_from_slice(&sum.to_be_bytes());
}

/// A frame's number, coded as characters are in UTF-8.
fn coded_number(out: &mut Vec<u8>, number: u32) {
    let character = match number {
        // What UTF-8 keeps for other uses is coded here by the same rule.
        0xd800..=0xdfff => {
            let low = |shift: u32| 0x80 | u8::try_from(number >> shift & 0x3f).unwrap_or_default();
            out.push(0xe0 | u8::try_from(number >> 12).unwrap_or_default());
            return out.extend_from_slice(&[low(6), low(0)]);
        }
        number => char::from_u32(number).unwrap_or_default(),
    };
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

fn crc8(bytes: &[u8]) -> u8 {
    let step = |sum: u8, byte: &u8| {
        (0..8).fold(sum ^ byte, |sum, _| {
            let shifted = sum << 1;
            if sum & 0x80 == 0 {
                shifted
            } else {
                shifted ^ 0x07
            }
        })
    };
    bytes.iter().fold(0, step)
}

fn crc16(bytes: &[u8]) -> u16 {
    let step = |sum: u16, byte: &u8| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            let shifted = sum << 1;
            if sum & 0x8000 == 0 {
                shifted
            } else {
                shifted ^ 0x8005
            }
        })
    };
    bytes.iter().fold(0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standard() {
        assert_eq!(crc8(b"123456789"), 0xf4);
        assert_eq!(crc16(b"123456789"), 0xfee8);
    }

    #[test]
    fn every_sample_is_in_the_file() {
        let samples: Vec<i16> = (0..5000).collect();
        let file = encode(&samples, 24_000);
        assert!(file.starts_with(b"fLaC\x80\0\0\x22\x10\0\x10\0"));
        // Rate 24,000 in 20 bits, one channel, 16 bits, 5000 samples.
        assert_eq!(file[18..26], [0x05, 0xdc, 0x00, 0xf0, 0, 0, 0x13, 0x88]);
        assert_eq!(file.len(), 42 + 2 * 11 + 2 * 5000);
    }
}
