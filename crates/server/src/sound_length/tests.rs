//! Files that are what they claim to be, and files that are not.

use super::*;

/// Returns the duration of a file, which must not depend on the pieces in which it arrives.
fn milliseconds(file: &[u8]) -> u64 {
    let of = |piece: usize| {
        let mut recording = Recording::default();
        for bytes in file.chunks(piece) {
            recording.push(bytes);
        }
        assert_eq!(recording.length(), file.len() as u64);
        recording.milliseconds()
    };
    let whole = of(file.len().max(1));
    for piece in [1, 7, 100, 4096] {
        assert_eq!(of(piece), whole, "in pieces of {piece}");
    }
    whole
}

/// Two seconds.
fn wav() -> Vec<u8> {
    dialects::audio::wav_of_pcm(&vec![0; 96_000], 24_000)
}

#[test]
fn wav_duration_follows_from_its_bytes() {
    assert_eq!(milliseconds(&wav()), 2000);
    // Rate of bytes, size of the data: what they claim does not matter.
    for (at, forged) in [
        (28, 6_144_000_u32),
        (40, 10),
        (40, 0),
        (40, u32::MAX),
        (4, 1),
    ] {
        let mut file = wav();
        file[at..at + 4].copy_from_slice(&forged.to_le_bytes());
        assert_eq!(milliseconds(&file), 2000, "{forged} at {at}");
    }
    let mut file = wav();
    file[32] = 1;
    assert_eq!(
        milliseconds(&file),
        4000,
        "the smaller size of a sample counts"
    );
    let mut file = wav();
    file[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        milliseconds(&file),
        16,
        "no rate is higher than the highest"
    );
    let mut file = wav();
    file[20] = 0x11;
    assert_eq!(milliseconds(&file), most(file.len() as u64), "compressed");
}

#[test]
fn wav_chunks_after_the_data_count_unless_they_are_metadata() {
    let chunk =
        |id: &[u8], claimed: u32, content: &[u8]| [id, &claimed.to_le_bytes(), content].concat();
    let mut short = wav();
    short.truncate(44 + 48_000);
    short[40..44].copy_from_slice(&48_000_u32.to_le_bytes());
    let with = |chunk: Vec<u8>| milliseconds(&[short.clone(), chunk].concat());
    assert_eq!(with(chunk(b"LIST", 4, b"INFO")), 1000);
    assert_eq!(with(chunk(b"data", 48_000, &vec![0; 48_000])), 2000);
    assert_eq!(with(vec![0; 48_000]), 2000);
    assert_eq!(with(chunk(b"xxxx", 10, &vec![0; 47_992])), 2000);
    assert_eq!(
        with(chunk(b"LIST", u32::MAX, b"INFO")),
        1000,
        "metadata that is not there"
    );
}

/// A frame of 4096 samples of silence at 48,000 samples per second.
fn flac_frame(number: u8) -> Vec<u8> {
    let mut frame = vec![0xff, 0xf8, 0xca, 0x08, number];
    let checksum = frame.iter().fold(0_u8, |sum, byte| {
        (0..8).fold(sum ^ byte, |sum, _| {
            if sum & 0x80 == 0 {
                sum << 1
            } else {
                sum << 1 ^ 7
            }
        })
    });
    frame.push(checksum);
    frame.extend_from_slice(&[0; 10]);
    frame
}

fn flac(claimed_samples: u32, frames: u8) -> Vec<u8> {
    let mut file = b"fLaC\x80\0\0\x22\x10\0\x10\0\0\0\0\0\0\0\x0b\xb8\x00\xf0".to_vec();
    file.extend_from_slice(&claimed_samples.to_be_bytes());
    file.extend_from_slice(&[0; 16]);
    (0..frames).for_each(|number| file.extend(flac_frame(number)));
    file
}

#[test]
fn flac_frames_are_counted() {
    // 100 frames of 85,334 microseconds, in 1,600 bytes.
    for claimed in [0, 1, 48_000, 409_600] {
        let found = milliseconds(&flac(claimed, 100));
        assert_eq!(found, 8534, "{claimed}");
    }
}

#[test]
fn mp3_and_aac_frames_are_counted() {
    let mut frame = b"\xff\xfb\x90\xc0".to_vec();
    frame.resize(417, 0);
    let mp3 = frame.repeat(100);
    assert_eq!(milliseconds(&mp3), 2613);
    let tag = b"ID3\x04\0\0\0\0\x01\x00";
    let tagged = [&tag[..], &[0xff; 128], &mp3].concat();
    assert_eq!(milliseconds(&tagged), 2613);
    // 16,000 samples per second, 1,024 in a frame of 32 bytes.
    let mut frame = b"\xff\xf1\x60\x40\x04\x1f\xfc".to_vec();
    frame.resize(32, 0);
    assert_eq!(milliseconds(&frame.repeat(100)), 6400);
}

fn ogg_page(first: bool, granule: u64, packets: &[&[u8]]) -> Vec<u8> {
    let mut page = b"OggS\0".to_vec();
    page.push(if first { 2 } else { 0 });
    page.extend_from_slice(&granule.to_le_bytes());
    page.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    page.push(u8::try_from(packets.len()).expect("few"));
    page.extend(
        packets
            .iter()
            .map(|packet| u8::try_from(packet.len()).expect("short")),
    );
    for packet in packets {
        page.extend_from_slice(packet);
    }
    page
}

#[test]
fn ogg_packets_are_counted_whatever_the_last_position_is() {
    let head = b"OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0";
    // A packet of 20 milliseconds, and one of six such frames.
    let packets: Vec<&[u8]> = std::iter::repeat_n([&b"\x98x"[..], b"\x9b\x06x"], 50)
        .flatten()
        .collect();
    for granule in [0, 48_000, 336_000] {
        let file = [
            ogg_page(true, 0, &[head]),
            ogg_page(false, 0, &[b"OpusTags"]),
            ogg_page(false, granule, &packets),
        ];
        assert_eq!(milliseconds(&file.concat()), 7000, "{granule}");
    }
    let unknown = ogg_page(true, 0, &[b"Speex   "]);
    assert_eq!(milliseconds(&unknown), most(unknown.len() as u64));
}

fn mp4_box(kind: &[u8], content: &[&[u8]]) -> Vec<u8> {
    let content = content.concat();
    let size = u32::try_from(content.len() + 8).expect("small");
    [&size.to_be_bytes(), kind, &content].concat()
}

/// A file whose headers claim a second, with this many packets of AAC at 16,000 samples per second.
fn mp4(packets: u32, in_fragment: u32) -> Vec<u8> {
    let header = b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x03\xe8\0\0\x03\xe8";
    let esds = mp4_box(
        b"esds",
        &[b"\0\0\0\0\x03\x19\0\0\0\x04\x11\x40\x15\0\0\0\0\0\0\0\0\0\0\0\x05\x02\x14\x08"],
    );
    let entry = mp4_box(
        b"mp4a",
        &[
            &[0; 6],
            b"\0\x01",
            &[0; 8],
            b"\0\x02\0\x10\0\0\0\0\xbb\x80\0\0",
            &esds,
        ],
    );
    let stsz = [
        &[0; 8],
        &packets.to_be_bytes()[..],
        &vec![0; 4 * packets as usize],
    ]
    .concat();
    let tables = mp4_box(
        b"stbl",
        &[
            &mp4_box(b"stsd", &[b"\0\0\0\0\0\0\0\x01", &entry]),
            &mp4_box(b"stts", &[b"\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0\x01"]),
            &mp4_box(b"stsz", &[&stsz]),
        ],
    );
    let media = mp4_box(
        b"mdia",
        &[
            &mp4_box(b"mdhd", &[header]),
            &mp4_box(b"hdlr", &[b"\0\0\0\0\0\0\0\0soun\0\0\0\0"]),
            &mp4_box(b"minf", &[&tables]),
        ],
    );
    let track_header = mp4_box(b"tkhd", &[&[0; 12], b"\0\0\0\x01", &[0; 68]]);
    let fragment = mp4_box(
        b"traf",
        &[
            &mp4_box(b"tfhd", &[b"\0\0\0\0\0\0\0\x01"]),
            &mp4_box(b"trun", &[&[0; 4], &in_fragment.to_be_bytes()]),
        ],
    );
    [
        mp4_box(b"ftyp", &[b"M4A \0\0\0\0"]),
        mp4_box(b"mdat", &[&[0; 5000]]),
        mp4_box(
            b"moov",
            &[
                &mp4_box(b"mvhd", &[header]),
                &mp4_box(b"trak", &[&track_header, &media]),
            ],
        ),
        mp4_box(b"moof", &[&fragment]),
    ]
    .concat()
}

#[test]
fn mp4_packets_are_counted_whatever_its_headers_claim() {
    assert_eq!(
        milliseconds(&mp4(10, 0)),
        1000,
        "the claim is a lower bound"
    );
    assert_eq!(milliseconds(&mp4(100, 0)), 6400);
    assert_eq!(milliseconds(&mp4(100, 100)), 12_800);
    let mut cut = mp4(100, 0);
    cut.truncate(5100);
    assert_eq!(milliseconds(&cut), most(5100), "without its tables");
}

#[test]
fn webm_blocks_are_counted_without_a_claim() {
    let element = |id: &[u8], content: &[u8]| {
        let size = u16::try_from(content.len()).expect("short") | 0x4000;
        [id, &size.to_be_bytes(), content].concat()
    };
    let track = [element(b"\xd7", b"\x01"), element(b"\x86", b"A_OPUS")].concat();
    let tracks = element(b"\x16\x54\xae\x6b", &element(b"\xae", &track));
    let block = element(b"\xa3", b"\x81\0\0\x80\x98sound");
    let cluster = [
        &b"\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff"[..],
        &element(b"\xe7", b"\0"),
        &block.repeat(100),
    ]
    .concat();
    let head = element(b"\x1a\x45\xdf\xa3", b"\x42\x82\x84webm");
    let file = [
        &head[..],
        b"\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff",
        &tracks,
        &cluster,
    ]
    .concat();
    assert_eq!(milliseconds(&file), 2000);
}

#[test]
fn unknown_files_are_as_long_as_their_size_allows() {
    for length in [0, 5, 1000, 100_000] {
        assert_eq!(milliseconds(&vec![b'x'; length]), most(length as u64));
    }
}

#[test]
fn a_beginning_is_extrapolated() {
    let mut recording = Recording::default();
    recording.push(&wav()[..1000]);
    assert_eq!(recording.milliseconds_of(96_044), 2000);
    let mut recording = Recording::default();
    recording.push(&flac(0, 50));
    let known = recording.milliseconds();
    let longer = recording.milliseconds_of(recording.length() * 3);
    assert!(
        (known * 3 - 2..=known * 3 + 2).contains(&longer),
        "{known} {longer}"
    );
}

#[test]
fn no_bytes_take_much_longer_than_others() {
    // Each is the worst for one of the scanners; a second is far more than linear time needs.
    let before = std::time::Instant::now();
    for start in [
        &b"fLaC\x80\0\0\0"[..],
        b"OggS",
        b"ID3\x04\0\0\0\0\0\0",
        b"\0\0\0\x08ftyp\0\0\0\x08",
        b"RIFF\0\0\0\0WAVE",
        b"\x1a\x45\xdf\xa3\x80",
    ] {
        for filling in [0xff, 0, b'O'] {
            let mut recording = Recording::default();
            recording.push(start);
            for _ in 0..64 {
                recording.push(&[filling; 16_384]);
            }
        }
    }
    assert!(before.elapsed().as_secs() < 20, "{:?}", before.elapsed());
}
