//! `/v1/audio/transcriptions`, `/v1/audio/translations` and `/v1/audio/speech`. Recordings stream
//! through; speech comes back as it is made.

mod speech;
mod spoken;
mod transcription;
mod written;

pub use speech::read as read_speech;
pub use transcription::{read_transcription, read_translation};
