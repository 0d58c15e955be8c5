//! An Opus file of silence, as long as the text would sound: notes would need a real encoder. In the
//! container Ogg, mono.

/// A packet that stands for 20 milliseconds of silence.
const SILENCE: [u8; 3] = [0xf8, 0xff, 0xfe];
const PACKET_MS: u64 = 20;
/// Samples of a packet, which are always counted at 48,000 a second.
const PACKET: u64 = 960;
/// Samples that a decoder throws away at the beginning.
const SKIPPED: u16 = 312;
/// Packets in a page.
const PAGE: u64 = 50;

/// A file of so many milliseconds.
pub(super) fn encode(milliseconds: u64) -> Vec<u8> {
    let mut head = b"OpusHead\x01\x01".to_vec();
    head.extend_from_slice(&SKIPPED.to_le_bytes());
    head.extend_from_slice(&24_000_u32.to_le_bytes());
    head.extend_from_slice(&[0; 3]);
    let mut tags = b"OpusTags".to_vec();
    tags.extend_from_slice(b"\x09\0\0\0modelgate\0\0\0\0");
    let mut out = Vec::new();
    page(&mut out, 0, 2, 0, &[&head]);
    page(&mut out, 1, 0, 0, &[&tags]);
    let all = milliseconds.div_ceil(PACKET_MS).max(1);
    let (mut sent, mut number) = (0, 2);
    while sent < all {
        let count = PAGE.min(all - sent);
        sent += count;
        let is_last = sent == all;
        let packets = vec![&SILENCE[..]; usize::try_from(count).unwrap_or(1)];
        page(
            &mut out,
            number,
            if is_last { 4 } else { 0 },
            sent * PACKET,
            &packets,
        );
        number += 1;
    }
    out
}

/// One page of packets, each shorter than 255 bytes.
fn page(out: &mut Vec<u8>, number: u32, flags: u8, samples: u64, packets: &[&[u8]]) {
    let start = out.len();
    out.extend_from_slice(b"OggS\0");
    out.push(flags);
    out.extend_from_slice(&samples.to_le_bytes());
    // The stream's number.
    out.extend_from_slice(b"demo");
    out.extend_from_slice(&number.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.push(u8::try_from(packets.len()).unwrap_or(u8::MAX));
    for packet in packets {
        out.push(u8::try_from(packet.len()).unwrap_or(u8::MAX));
    }
    for packet in packets {
        out.extend_from_slice(packet);
    }
    let sum = checksum(&out[start..]);
    out[start + 22..start + 26].copy_from_slice(&sum.to_le_bytes());
}

fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ (u32::from(*byte) << 24), |sum, _| {
            let shifted = sum << 1;
            if sum >> 31 == 0 {
                shifted
            } else {
                shifted ^ 0x04c1_1db7
            }
        })
    };
    bytes.iter().fold(0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_page_says_how_long_it_is() {
        assert_eq!(checksum(b"123456789"), 0x89a1_897f);
        let file = encode(1_500);
        assert_eq!(file.windows(4).filter(|it| it == b"OggS").count(), 4);
        let mut recording = crate::sound_length::Recording::default();
        recording.push(&file);
        assert_eq!(recording.milliseconds(), 1_500);
    }
}
