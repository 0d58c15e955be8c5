//! Audio: transcription, translation, speech. Bodies go through as they are once they were checked;
//! transcripts are written in every response format, and models of generate content are reached by
//! [`google`]. Forms with files are the server's: it hands on what their text parts say.

mod form;
mod format;
pub mod google;
mod reply;
mod speech;
mod stream;
mod subtitles;
mod transcript;
mod transcript_write;
mod wav;

#[cfg(test)]
mod google_tests;
#[cfg(test)]
mod speech_tests;
#[cfg(test)]
mod transcript_tests;

pub use form::{TranscriptionOptions, part_name};
pub use format::{SpeechFormat, TranscriptFormat};
pub use reply::TranscriptTap;
pub use speech::{SpeechRequest, StreamFormat, Voice};
pub use stream::StreamTap;
pub use transcript::{Segment, Transcript};
pub use wav::{pcm_of_wav, wav_of_pcm};
