//! Duration of audio files, measured as they pass. No sound is decoded, but the frames and packets that a decoder would
//! decode are counted: what a file claims about itself is only a lower bound. Memory is bounded and time is linear, whatever
//! the file contains.

mod audio_entry;
mod feed;
mod flac;
mod frames;
mod mp4;
mod numbers;
mod ogg;
mod opus;
mod recording;
mod wav;
mod webm;

#[cfg(test)]
mod tests;

pub use recording::{Recording, most};
