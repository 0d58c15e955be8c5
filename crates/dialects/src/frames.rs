//! One reader for both framings of a streamed answer.

use crate::json_array::JsonArrayReader;
use crate::sse::{FrameTooLong, SseReader};
use crate::{Frame, Framing};

/// Cuts a streamed answer into frames.
#[derive(Debug)]
pub enum FrameReader {
    /// Server-sent events.
    Sse(SseReader),
    /// A JSON array.
    Array(JsonArrayReader),
}

impl FrameReader {
    /// A reader for this framing.
    pub fn new(framing: Framing) -> Self {
        match framing {
            Framing::ServerSentEvents => Self::Sse(SseReader::default()),
            Framing::JsonArray => Self::Array(JsonArrayReader::default()),
        }
    }

    /// Takes the next chunk and hands on each frame that is complete.
    pub fn push(
        &mut self,
        chunk: &[u8],
        on_frame: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLong> {
        match self {
            Self::Sse(reader) => reader.push(chunk, on_frame),
            Self::Array(reader) => reader.push(chunk, on_frame),
        }
    }

    /// The stream has ended.
    pub fn close(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        match self {
            Self::Sse(reader) => reader.close(on_frame),
            Self::Array(reader) => reader.close(on_frame),
        }
    }

    /// Whether the stream stands between two frames.
    pub fn is_between_frames(&self) -> bool {
        match self {
            Self::Sse(reader) => reader.is_between_frames(),
            Self::Array(reader) => reader.is_between_frames(),
        }
    }
}
