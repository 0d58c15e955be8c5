//! How the demo model speaks: a tone for each letter, 24,000 samples a second, 16 bits, mono.

use std::f64::consts::TAU;

/// Samples in a second.
pub(super) const RATE: u32 = 24_000;
/// How long a letter sounds at normal speed, in samples.
const LETTER: f64 = 960.0;
/// The loudest sample.
const LOUDNESS: f64 = 9_000.0;

/// Speaks a text. There is always something to hear.
pub(super) fn speak(text: &str, speed: f64) -> Vec<i16> {
    let length = whole(LETTER / speed.clamp(0.25, 4.0));
    let mut samples = Vec::new();
    let mut phase = 0.0_f64;
    let letters = text.chars().chain(text.is_empty().then_some('a'));
    for letter in letters {
        let pitch = f64::from(220 + u32::from(letter) % 64 * 10);
        let is_heard = !letter.is_whitespace();
        for at in 0..length {
            phase = (phase + pitch / f64::from(RATE)).fract();
            // A letter swells and fades, so that there is no click between two.
            let place = f64::from(at) / f64::from(length);
            let loudness = if is_heard {
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
pub(super) fn bytes(samples: &[i16]) -> Vec<u8> {
    samples.iter().flat_map(|it| it.to_le_bytes()).collect()
}
