//! The demo model's voice: a note for each letter, 24,000 samples a second, 16 bits, mono.

use std::f64::consts::TAU;

/// Samples in a second.
pub(in crate::demo) const RATE: u32 = 24_000;
/// How long a letter sounds at normal speed, in samples.
const LETTER: f64 = 960.0;
/// The loudest sample.
const LOUDNESS: f64 = 9_000.0;

/// One note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::demo) struct Note {
    /// Its pitch in hertz; zero is silence.
    pub(super) pitch: u32,
    /// How long it sounds, in samples.
    pub(super) samples: u32,
}

/// The notes of a text. There is always something to hear.
pub(in crate::demo) fn notes(text: &str, speed: f64) -> Vec<Note> {
    let samples = whole(LETTER / speed.clamp(0.25, 4.0));
    let letters = text.chars().chain(text.is_empty().then_some('a'));
    letters
        .map(|letter| Note {
            pitch: if letter.is_whitespace() {
                0
            } else {
                220 + u32::from(letter) % 64 * 10
            },
            samples,
        })
        .collect()
}

/// How long notes sound.
pub(super) fn milliseconds(notes: &[Note]) -> u64 {
    let samples: u64 = notes.iter().map(|note| u64::from(note.samples)).sum();
    (samples * 1000).div_ceil(u64::from(RATE))
}

/// The pitch of every stretch of this many samples at this rate, for formats that are made of such.
pub(super) fn stretches(notes: &[Note], samples: u64, rate: u64) -> Vec<u32> {
    let mut ends = Vec::with_capacity(notes.len());
    let mut end = 0;
    for note in notes {
        end += u64::from(note.samples);
        ends.push(end);
    }
    let count = (end * rate).div_ceil(samples * u64::from(RATE));
    (0..count)
        .map(|index| {
            let at = index * samples * u64::from(RATE) / rate;
            let place = ends.partition_point(|end| *end <= at);
            notes.get(place).map_or(0, |note| note.pitch)
        })
        .collect()
}

/// The samples of notes.
pub(in crate::demo) fn play(notes: &[Note]) -> Vec<i16> {
    let mut samples = Vec::new();
    let mut phase = 0.0_f64;
    for note in notes {
        for at in 0..note.samples {
            phase = (phase + f64::from(note.pitch) / f64::from(RATE)).fract();
            // A note swells and fades, so that there is no click between two.
            let place = f64::from(at) / f64::from(note.samples);
            let loudness = if note.pitch > 0 {
                LOUDNESS * (place * TAU / 2.0).sin()
            } else {
                0.0
            };
            samples.push(sample((phase * TAU).sin() * loudness));
        }
    }
    samples
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a speed is clamped, so the length is between 240 and 3840"
)]
fn whole(length: f64) -> u32 {
    length as u32
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the loudest sample is well below the largest number"
)]
fn sample(value: f64) -> i16 {
    value as i16
}

/// Samples as bytes, the lower first.
pub(in crate::demo) fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|it| it.to_le_bytes()).collect()
}
