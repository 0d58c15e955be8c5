//! A JSON array that arrives piece by piece, read value by value (generate content without
//! `alt=sse`). Values may be cut anywhere, and several may come in one chunk.

use crate::Frame;
use crate::json_depth::JsonDepth;
use crate::sse::{FrameTooLong, MAX_FRAME_BYTES};

/// Cuts a streamed JSON array into its values.
#[derive(Debug, Default)]
pub struct JsonArrayReader {
    value: Vec<u8>,
    brackets: JsonDepth,
}

impl JsonArrayReader {
    /// Takes the next chunk and hands on each value that is complete.
    pub fn push(
        &mut self,
        chunk: &[u8],
        on_frame: &mut dyn FnMut(Frame<'_>),
    ) -> Result<(), FrameTooLong> {
        for &byte in chunk {
            if self.brackets.depth() == 0 && byte != b'{' {
                continue;
            }
            if self.value.len() == MAX_FRAME_BYTES {
                self.value = Vec::new();
                return Err(FrameTooLong);
            }
            self.value.push(byte);
            self.brackets.step(byte);
            if self.brackets.depth() == 0 {
                on_frame(Frame::new(&self.value));
                self.value.clear();
            }
        }
        Ok(())
    }

    /// The stream has ended: a value that was cut off still counts, so that its reader can say so.
    pub fn close(&mut self, on_frame: &mut dyn FnMut(Frame<'_>)) {
        if !self.value.is_empty() {
            on_frame(Frame::new(&std::mem::take(&mut self.value)));
        }
    }

    /// Whether the stream stands between two values.
    pub fn is_between_frames(&self) -> bool {
        self.value.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<String> {
        let mut reader = JsonArrayReader::default();
        let mut values = Vec::new();
        let mut take =
            |frame: Frame<'_>| values.push(String::from_utf8(frame.data.to_vec()).unwrap());
        for chunk in chunks {
            reader.push(chunk, &mut take).unwrap();
        }
        reader.close(&mut take);
        values
    }

    #[test]
    fn values_are_read_however_they_are_cut() {
        let body = br#"[{"a":"}\"]"},
        {"b":[{}]}
        ]"#;
        let whole = read(&[body]);
        assert_eq!(whole, [r#"{"a":"}\"]"}"#, r#"{"b":[{}]}"#]);
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(read(&bytes), whole);
    }
}
