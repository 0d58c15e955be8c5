//! A form as far as it was read: what its texts say, its bytes, and where the rest comes from.

use std::sync::Arc;

use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind};
use futures_util::{StreamExt, stream};
use http::HeaderValue;
use parking_lot::Mutex;
use providers::RequestBody;

use super::incoming::{closing, text_part};
use super::reading::Reading;
use super::rest::{Notes, Rest, when_asked};
use crate::body_memory::MemoryGuard;

/// So much of a form is held in memory at most: where its model comes after its files, and for
/// upstreams that want files in another shape.
pub(super) const MOST_HELD: usize = 32 << 20;

/// What a form is made of, in its order.
#[derive(Debug, Clone)]
pub(super) enum Segment {
    Bytes(Bytes),
    /// The model's name belongs here.
    Model,
}

/// A form.
pub struct Form {
    pub(super) boundary: String,
    pub(super) fields: Vec<(String, String)>,
    pub(super) held: Vec<Segment>,
    /// What is reserved for it.
    pub(super) memory: Option<MemoryGuard>,
    pub(super) files: Vec<HeldFile>,
    pub(super) rest: Arc<Mutex<Option<Rest>>>,
    pub(super) has_rest: bool,
    pub(super) notes: Arc<Mutex<Notes>>,
    pub(super) declared_length: Option<u64>,
}

/// A file that is held, whole or its beginning.
#[derive(Debug, Clone, Default)]
pub struct HeldFile {
    /// The part's name.
    pub name: String,
    /// Its media type.
    pub media_type: Option<String>,
    pieces: Vec<Bytes>,
}

impl HeldFile {
    pub(super) fn new(name: String, media_type: Option<String>) -> Self {
        let pieces = Vec::new();
        Self {
            name,
            media_type,
            pieces,
        }
    }

    pub(super) fn push(&mut self, piece: Bytes) {
        self.pieces.push(piece);
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }
}

impl Form {
    /// The texts that were read so far.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let fields = self.fields.iter();
        fields.map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The text of this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        let mut texts = self.texts();
        texts.find_map(|(found, value)| (found == name).then_some(value))
    }

    /// Whether this text may still come: it has not, and there is more to read.
    pub fn may_say(&self, name: &str) -> bool {
        self.has_rest && self.text(name).is_none()
    }

    /// A handle to what is learnt of the form while it passes.
    pub fn watcher(&self) -> Watcher {
        Watcher {
            fields: self.fields.clone(),
            notes: self.notes.clone(),
        }
    }

    /// Stops the rest of the form where its recording becomes longer than this.
    pub fn limit_recording(&self, max_milliseconds: u64) {
        self.notes.lock().max_milliseconds = Some(max_milliseconds);
    }

    /// The files that were seen so far.
    pub fn files(&self) -> &[HeldFile] {
        &self.files
    }

    /// How many bytes the form has at most.
    pub fn longest(&self) -> Option<u64> {
        let held = self.held.iter().map(|segment| match segment {
            Segment::Bytes(bytes) => bytes.len() as u64,
            Segment::Model => 0,
        });
        if self.has_rest {
            self.declared_length
        } else {
            Some(held.sum())
        }
    }

    /// Whether all of it is held.
    pub fn is_whole(&self) -> bool {
        !self.has_rest
    }

    /// Whether it can be sent once more: all of it is held, or nothing of the rest was asked for.
    pub fn is_repeatable(&self) -> bool {
        !self.has_rest || self.rest.lock().is_some()
    }

    /// The header that announces it.
    pub fn content_type(&self) -> HeaderValue {
        content_type(&self.boundary)
    }

    /// The body for an upstream that knows the model by this name.
    pub fn body(&self, model: &str) -> RequestBody {
        let mut pieces: Vec<Bytes> = self
            .held
            .iter()
            .map(|segment| match segment {
                Segment::Bytes(bytes) => bytes.clone(),
                Segment::Model => text_part(&self.boundary, "model", model.as_bytes()),
            })
            .collect();
        if !self.has_rest {
            pieces.push(closing(&self.boundary));
        }
        let length = pieces.iter().map(|piece| piece.len() as u64).sum();
        let held = stream::iter(pieces.into_iter().map(Ok));
        let rest = when_asked(self.rest.clone());
        RequestBody::Stream {
            pieces: held.chain(rest).boxed(),
            length: (!self.has_rest).then_some(length),
        }
    }

    /// Reads everything that is still to come, for an upstream that wants files in another shape.
    pub async fn hold_all(&mut self) -> Result<(), Failure> {
        let Some(rest) = self.rest.lock().take() else {
            return Ok(());
        };
        let mut reading = Reading::resume(self, rest);
        let read = reading.run_to_end().await;
        *self = reading.into_form();
        read
    }
}

/// The header that announces a form with this boundary.
pub(super) fn content_type(boundary: &str) -> HeaderValue {
    let text = format!("multipart/form-data; boundary=\"{boundary}\"");
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("multipart/form-data"))
}

pub(super) fn too_large() -> Failure {
    let most = MOST_HELD >> 20;
    let text = format!(
        "The form is larger than {most} MiB: put the field `model` before the files, \
         or send smaller files."
    );
    Failure::new(FailureKind::TooLarge, text)
}

/// What is learnt of a form while it passes.
#[derive(Clone)]
pub struct Watcher {
    fields: Vec<(String, String)>,
    notes: Arc<Mutex<Notes>>,
}

impl Watcher {
    /// All texts that have passed.
    pub fn texts(&self) -> Vec<(String, String)> {
        let notes = self.notes.lock();
        self.fields.iter().chain(&notes.fields).cloned().collect()
    }

    /// How long the recording is that has passed, in milliseconds.
    pub fn milliseconds(&self) -> u64 {
        self.notes.lock().recording.milliseconds()
    }

    /// The same for a file of this length, of which perhaps only the beginning has passed.
    pub fn milliseconds_of(&self, length: u64) -> u64 {
        self.notes.lock().recording.milliseconds_of(length)
    }
}
