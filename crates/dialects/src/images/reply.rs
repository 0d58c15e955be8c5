//! A whole answer that goes through: it may be a hundred megabytes, so it is only seen from afar.

use super::{ImageOperation, usage};
use crate::canonical::Failure;
use crate::event_outline::failure_in;
use crate::outline::Outline;
use crate::units::Units;

const WANTED: &[&str] = &["usage", "size", "quality", "error", "message", "code"];

/// Listens to one answer.
#[derive(Debug, Clone)]
pub struct ReplyTap {
    operation: ImageOperation,
    outline: Outline,
}

impl ReplyTap {
    /// A tap for an answer to this operation.
    pub fn new(operation: ImageOperation) -> Self {
        Self {
            operation,
            outline: Outline::new(WANTED, "data"),
        }
    }

    /// Listens to the next bytes, which go to the client as they are.
    pub fn push(&mut self, chunk: &[u8]) {
        self.outline.push(chunk);
    }

    /// What the answer used: its images, and its tokens where the vendor counts them. An answer that
    /// was cut off, has no images or tells a failure is one.
    pub fn finish(&self) -> Result<Units, Failure> {
        if let Some(failure) = failure_in(&self.outline, self.outline.count() > 0) {
            return Err(failure);
        }
        if !self.outline.is_complete() || self.outline.count() == 0 {
            return Err(Failure::upstream("The upstream's answer has no images."));
        }
        Ok(Units {
            tokens: usage::read(self.outline.member("usage"), self.operation),
            images: Some(self.outline.count()),
            ..Units::default()
        })
    }

    /// The size that the answer tells: prices by image depend on it.
    pub fn size(&self) -> Option<String> {
        self.outline.text("size")
    }

    /// The quality that the answer tells.
    pub fn quality(&self) -> Option<String> {
        self.outline.text("quality")
    }
}
