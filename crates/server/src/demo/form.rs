//! A form that was sent to the demo channel, part by part. Of files only a beginning and the length
//! are kept: nobody listens to them.

use dialects::canonical::Failure;
use http::{HeaderMap, header};
use providers::{BodyStream, RequestBody};

use super::answer::Refused;
use crate::multipart::{BadForm, FormReader, Item, PartHead, boundary};
use crate::sound_length::Recording;

/// How much of each part is kept.
const KEPT: usize = 64 * 1024;

/// One part.
pub(super) struct Part {
    pub(super) head: PartHead,
    /// Its beginning.
    pub(super) start: Vec<u8>,
    /// The same seen as a recording.
    pub(super) recording: Recording,
}

impl Part {
    fn text(&self) -> Option<(&str, &str)> {
        let text = std::str::from_utf8(&self.start).ok()?;
        (!self.head.is_file()).then_some((self.head.name.as_str(), text))
    }
}

/// All parts of a form.
pub(super) struct Form(pub(super) Vec<Part>);

impl Form {
    /// Whether these headers announce a form.
    pub(super) fn is_announced(headers: &HeaderMap) -> bool {
        boundary(content_type(headers)).is_ok()
    }

    /// Reads a form. The outer error is a body that broke off.
    pub(super) async fn read(
        headers: &HeaderMap,
        body: RequestBody,
    ) -> Result<Result<Self, Refused>, std::io::Error> {
        let Ok(boundary) = boundary(content_type(headers)) else {
            let failure = Failure::bad_request("body", "The body must be a form with a boundary.");
            return Ok(Err(failure.into()));
        };
        match collect(FormReader::new(stream(body), &boundary)).await {
            Ok(parts) => Ok(Ok(Self(parts))),
            Err(BadForm::Broken(error)) => Err(error),
            Err(bad) => Ok(Err(Failure::bad_request("body", bad.to_string()).into())),
        }
    }

    /// The parts that are text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().filter_map(Part::text)
    }

    /// The text of this name.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        let mut texts = self.texts();
        texts.find_map(|(found, text)| (found == name).then_some(text))
    }

    /// The first file of this name.
    pub(super) fn file(&self, name: &str) -> Result<&Part, Failure> {
        let is_it = |part: &&Part| part.head.is_file() && part.head.name.starts_with(name);
        let missing = || Failure::bad_request(name, format!("`{name}` is required."));
        self.0.iter().find(is_it).ok_or_else(missing)
    }
}

fn content_type(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::CONTENT_TYPE)?.to_str().ok()
}

fn stream(body: RequestBody) -> BodyStream {
    match body {
        RequestBody::Stream { pieces, .. } => pieces,
        RequestBody::Whole(bytes) => Box::pin(futures_util::stream::iter([Ok(bytes)])),
    }
}

async fn collect(mut reader: FormReader) -> Result<Vec<Part>, BadForm> {
    let mut parts: Vec<Part> = Vec::new();
    loop {
        match reader.next().await? {
            Item::Head(head) => parts.push(Part {
                head,
                start: Vec::new(),
                recording: Recording::default(),
            }),
            Item::Data(data) => {
                if let Some(part) = parts.last_mut() {
                    let room = KEPT - part.start.len().min(KEPT);
                    part.start.extend_from_slice(&data[..data.len().min(room)]);
                    part.recording.push(&data);
                }
            }
            Item::PartEnd => {}
            Item::End => return Ok(parts),
        }
    }
}
