//! Networks cut a stream anywhere, also inside a character. Where they cut it must not show.
//!
//! What is sampled, to stay fast in a debug build: streams up to 4 KB go through the whole converter
//! for every client, longer ones for one client each in turn, so that every pair is met; of a very
//! long stream the first 16 KB are fed byte by byte. Cut in two at every boundary, streams up to
//! 16 KB go through the frame reader (the only part that sees chunks) and those up to 600 bytes through
//! the whole converter. `MODELGATE_ALL_CUTS=1` lifts all of these limits (with `--release`).

use dialects::convert::StreamConverter;
use dialects::frames::FrameReader;
use dialects::{DialectId, Frame, Framing};

use crate::calls;
use crate::streams::{self, Recorded};

/// Streams up to this size are cut in two everywhere.
const SHORT: usize = 16 << 10;
/// Through the whole converter, up to this size.
const VERY_SHORT: usize = 600;
/// For every client, up to this size.
const FOR_ALL: usize = 4 << 10;

fn everything() -> bool {
    std::env::var_os("MODELGATE_ALL_CUTS").is_some()
}

/// The clients that a stream is tried with.
fn clients(number: usize, stream: &Recorded) -> Vec<DialectId> {
    if everything() || stream.bytes.len() <= FOR_ALL {
        return DialectId::ALL.to_vec();
    }
    vec![DialectId::ALL[number % DialectId::ALL.len()]]
}

fn convert<'a>(
    stream: &'a Recorded,
    client: DialectId,
    chunks: impl Iterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let framing = Framing::ServerSentEvents;
    let context = calls::context();
    let mut converter = StreamConverter::new(stream.upstream, framing, client, &context);
    let mut out = Vec::new();
    for chunk in chunks {
        converter.push(chunk, &mut out);
    }
    converter.close(&mut out);
    out
}

fn whole(stream: &Recorded, client: DialectId) -> Vec<u8> {
    convert(stream, client, std::iter::once(stream.bytes.as_slice()))
}

#[test]
fn a_stream_fed_byte_by_byte_gives_the_same_frames() {
    let longest = if everything() { usize::MAX } else { SHORT };
    for (number, stream) in streams::all().into_iter().enumerate() {
        let (slow, rest) = stream.bytes.split_at(stream.bytes.len().min(longest));
        for client in clients(number, &stream) {
            let bytes = slow.chunks(1).chain(std::iter::once(rest));
            let pieces = convert(&stream, client, bytes);
            assert!(
                pieces == whole(&stream, client),
                "{} for {client:?}",
                stream.title
            );
        }
    }
}

#[test]
fn a_stream_cut_at_random_gives_the_same_frames() {
    let mut random = Random(0x5eed);
    for (number, stream) in streams::all().into_iter().enumerate() {
        for client in clients(number, &stream) {
            let mut cuts = Vec::new();
            let mut rest = stream.bytes.as_slice();
            while !rest.is_empty() {
                let size = 1 + random.below(rest.len().min(700));
                let (chunk, later) = rest.split_at(size);
                cuts.push(chunk);
                rest = later;
            }
            let pieces = convert(&stream, client, cuts.into_iter());
            assert!(
                pieces == whole(&stream, client),
                "{} for {client:?}",
                stream.title
            );
        }
    }
}

#[test]
fn a_short_stream_cut_in_two_anywhere_gives_the_same_frames() {
    let limit = if everything() { SHORT } else { VERY_SHORT };
    for stream in streams::all()
        .iter()
        .filter(|stream| stream.bytes.len() <= limit)
    {
        for client in DialectId::ALL {
            let expected = whole(stream, client);
            for cut in 0..=stream.bytes.len() {
                let (head, tail) = stream.bytes.split_at(cut);
                let pieces = convert(stream, client, [head, tail].into_iter());
                assert!(
                    pieces == expected,
                    "{} for {client:?} at {cut}",
                    stream.title
                );
            }
        }
    }
}

#[test]
fn a_stream_cut_in_two_anywhere_has_the_same_frames() {
    let all = streams::all();
    for stream in all.iter().filter(|stream| stream.bytes.len() <= SHORT) {
        // A reader keeps nothing from frame to frame, so a cut concerns the frames next to it.
        let bounds = frame_bounds(&stream.bytes);
        for number in 1..bounds.len() {
            let first = bounds[number.saturating_sub(2)];
            let last = bounds[(number + 1).min(bounds.len() - 1)];
            let window = &stream.bytes[first..last];
            let expected = frames(window);
            for cut in bounds[number - 1]..=bounds[number] {
                let (head, tail) = window.split_at(cut - first);
                check_cut(&stream.title, head, tail, &expected);
            }
        }
    }
}

/// Where frames begin, and the end.
fn frame_bounds(bytes: &[u8]) -> Vec<usize> {
    let after_blank = |place: &usize| bytes[..*place].ends_with(b"\n\n");
    let inner = (1..bytes.len()).filter(after_blank);
    std::iter::once(0)
        .chain(inner)
        .chain([bytes.len()])
        .collect()
}

type OwnedFrame = (Option<String>, Vec<u8>);

fn check_cut(title: &str, head: &[u8], tail: &[u8], expected: &[OwnedFrame]) {
    let mut reader = FrameReader::new(Framing::ServerSentEvents);
    let mut number = 0;
    let mut same = |frame: Frame<'_>| {
        let (event, data) = &expected[number];
        let is_same = frame.event == event.as_deref() && frame.data == data.as_slice();
        assert!(
            is_same,
            "{title} between {} and {} bytes",
            head.len(),
            tail.len()
        );
        number += 1;
    };
    reader.push(head, &mut same).expect("no frame is too long");
    reader.push(tail, &mut same).expect("no frame is too long");
    reader.close(&mut same);
    assert_eq!(number, expected.len(), "{title}");
}

/// A stream's frames, read in one chunk.
fn frames(bytes: &[u8]) -> Vec<OwnedFrame> {
    let mut found = Vec::new();
    let mut reader = FrameReader::new(Framing::ServerSentEvents);
    let mut note = |frame: Frame<'_>| {
        found.push((frame.event.map(str::to_owned), frame.data.to_vec()));
    };
    reader.push(bytes, &mut note).expect("no frame is too long");
    reader.close(&mut note);
    found
}

/// A small generator with a fixed seed: the same cuts in every run.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below this bound.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).expect("smaller than a usize")
    }
}
