//! A form of the gateway's own making, for an upstream that takes files in no other way.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::HeaderValue;
use providers::RequestBody;

use super::held::content_type;
use super::incoming::{closing, opening, text_part};
use crate::multipart::PartHead;
use crate::randomness::Randomness;

/// Returns a boundary that no client can know.
pub fn new_boundary(randomness: &dyn Randomness) -> String {
    let mut random = [0; 16];
    randomness.fill(&mut random);
    format!("form-{:032x}", u128::from_le_bytes(random))
}

/// A form that is being written.
pub struct WrittenForm {
    boundary: String,
    body: Vec<u8>,
}

impl WrittenForm {
    /// An empty one. Nobody who sends a file can know what stands between its parts.
    pub fn new(randomness: &dyn Randomness) -> Self {
        Self {
            boundary: new_boundary(randomness),
            body: Vec::new(),
        }
    }

    /// Adds a text.
    pub fn text(&mut self, name: &str, value: &str) {
        let part = text_part(&self.boundary, name, value.as_bytes());
        self.body.extend_from_slice(&part);
    }

    /// Adds a file.
    pub fn file(&mut self, name: &str, media_type: &str, content: &[u8]) {
        let extension = media_type.rsplit('/').next().unwrap_or_default();
        let head = PartHead {
            file_name: Some(format!("file.{extension}")),
            content_type: Some(media_type.to_owned()),
            ..PartHead::text(name)
        };
        self.body.extend(opening(&self.boundary, &head));
        self.body.extend_from_slice(content);
        self.body.extend_from_slice(b"\r\n");
    }

    /// The header that announces it, and its bytes.
    pub fn finish(mut self) -> (HeaderValue, RequestBody) {
        self.body.extend_from_slice(&closing(&self.boundary));
        let length = self.body.len() as u64;
        // As a stream: what is whole is taken for JSON, which channels may change.
        let pieces = stream::iter([Ok(Bytes::from(self.body))]).boxed();
        let body = RequestBody::Stream {
            pieces,
            length: Some(length),
        };
        (content_type(&self.boundary), body)
    }
}
