//! How the demo model sounds: notes, and the file formats that they are written in. Its encoders know
//! no more of the formats than a sequence of notes needs.

mod aac;
mod bits;
mod flac;
mod mp3;
mod opus;
mod tone;

use dialects::audio::{SpeechFormat, wav_of_pcm};

pub(super) use tone::{Note, RATE, bytes, notes, play};

/// Notes as a file of this format.
pub(super) fn encode(notes: &[Note], format: SpeechFormat) -> Vec<u8> {
    match format {
        SpeechFormat::Wav => wav_of_pcm(&bytes(&play(notes)), RATE),
        SpeechFormat::Pcm => bytes(&play(notes)),
        SpeechFormat::Flac => flac::encode(&play(notes), RATE),
        SpeechFormat::Mp3 => mp3::encode(notes),
        SpeechFormat::Aac => aac::encode(notes),
        SpeechFormat::Opus => opus::encode(tone::milliseconds(notes)),
    }
}
