//! Reads the beginning of a form: as much as is needed to know where it goes, and all of a small one.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind};
use futures_util::{StreamExt, TryStreamExt};
use http::header;
use parking_lot::Mutex;

use super::held::{Form, HeldFile, MOST_HELD, Segment, too_large};
use super::incoming::{is_file, opening, text_part, with_media_type};
use super::kind::Kind;
use super::rest::{LONGEST_TEXT, Notes, Open, Rest};
use super::written::new_boundary;
use crate::app::App;
use crate::area::Area;
use crate::body_memory::MemoryGuard;
use crate::middleware::why_broken;
use crate::model_call::call::Call;
use crate::model_call::pipeline::Refused;
use crate::model_call::refusals;
use crate::multipart::{BadBoundary, BadForm, FormReader, Item, PartHead, boundary};

/// A form up to this size is held whole, so that it can be sent to another channel.
const SMALL: usize = 1 << 20;

/// Reads a form of this kind. Its parts go to the upstream under another boundary, which the client must not know: a file
/// could otherwise contain parts for programs that read boundaries less strictly.
pub async fn read_form(
    app: &App,
    call: &Call,
    body: Body,
    kind: &'static Kind,
) -> Result<Form, Refused> {
    let user = call.holder.as_ref().map(|holder| holder.user_id);
    let memory = app.reserve_body_memory(user);
    read_form_within(memory, call, body, kind, new_boundary(app.randomness())).await
}

/// Reads a form of this kind; what is held of it is reserved with this guard.
pub(super) async fn read_form_within(
    memory: MemoryGuard,
    call: &Call,
    body: Body,
    kind: &'static Kind,
    new_boundary: String,
) -> Result<Form, Refused> {
    let mut media_types = call.headers().get_all(header::CONTENT_TYPE).iter();
    let media_type = media_types.next().filter(|_| media_types.next().is_none());
    let media_type = media_type.and_then(|value| value.to_str().ok());
    let boundary = boundary(media_type).map_err(|bad| match bad {
        BadBoundary::OtherType => {
            let text = "The request body must be sent as multipart/form-data.";
            Failure::new(FailureKind::UnsupportedMedia, text)
        }
        BadBoundary::Missing => {
            let text = "The content type multipart/form-data must name its boundary.";
            Failure::bad_request("body", text)
        }
    })?;
    let length = body.size_hint().exact();
    let pieces = body.into_data_stream().map_err(std::io::Error::other);
    let reader = FormReader::new(pieces.boxed(), &boundary);
    let mut reading = Reading::new(reader, kind, (new_boundary, length), memory);
    match reading.run().await {
        Ok(()) => {}
        Err(Stop::Failure(failure)) => return Err(failure.into()),
        Err(Stop::Broken(error)) => {
            let refusal = why_broken(&error);
            let area = Area::ModelCall(call.dialect);
            let response = refusal.respond(area, &call.caller.request_id);
            return Err(Refused::Response(Box::new(response)));
        }
    }
    let form = reading.into_form();
    let file = kind.file;
    let is_it = |held: &&HeldFile| held.name == file || held.name.starts_with(&format!("{file}["));
    if !form.has_rest && !form.files.iter().any(|held| is_it(&held)) {
        return Err(Failure::bad_request(file, format!("`{file}` is required.")).into());
    }
    Ok(form)
}

/// Why reading stops early.
enum Stop {
    Failure(Failure),
    Broken(std::io::Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl From<BadForm> for Stop {
    fn from(bad: BadForm) -> Self {
        match bad {
            BadForm::Broken(error) => Self::Broken(error),
            bad => Self::Failure(Failure::bad_request("body", format!("{bad}."))),
        }
    }
}

/// A form that is being read.
pub(super) struct Reading {
    reader: FormReader,
    kind: &'static Kind,
    boundary: String,
    declared_length: Option<u64>,
    fields: Vec<(String, String)>,
    held: Vec<Segment>,
    held_bytes: usize,
    memory: Option<MemoryGuard>,
    files: Vec<HeldFile>,
    /// Number of files that have begun.
    file_count: usize,
    open: Open,
    /// A file's head that is not written yet: its first bytes may tell its type.
    head: Option<PartHead>,
    notes: Arc<Mutex<Notes>>,
    is_whole: bool,
}

impl Reading {
    fn new(
        reader: FormReader,
        kind: &'static Kind,
        (boundary, declared_length): (String, Option<u64>),
        memory: MemoryGuard,
    ) -> Self {
        Self {
            reader,
            kind,
            boundary,
            declared_length,
            fields: Vec::new(),
            held: Vec::new(),
            held_bytes: 0,
            memory: Some(memory),
            files: Vec::new(),
            file_count: 0,
            open: Open::Nothing,
            head: None,
            notes: Arc::default(),
            is_whole: false,
        }
    }

    /// Goes on where the form was left.
    pub(super) fn resume(form: &mut Form, rest: Rest) -> Self {
        let held = std::mem::take(&mut form.held);
        let bytes = |segment: &Segment| match segment {
            Segment::Bytes(bytes) => bytes.len(),
            Segment::Model => 0,
        };
        Self {
            reader: rest.reader,
            kind: rest.kind,
            boundary: std::mem::take(&mut form.boundary),
            declared_length: form.declared_length,
            fields: std::mem::take(&mut form.fields),
            held_bytes: held.iter().map(bytes).sum(),
            held,
            memory: form.memory.take(),
            files: std::mem::take(&mut form.files),
            file_count: rest.file_count,
            open: rest.open,
            head: None,
            notes: form.notes.clone(),
            is_whole: false,
        }
    }

    /// Reads all of it.
    pub(super) async fn run_to_end(&mut self) -> Result<(), Failure> {
        while !self.is_whole {
            let broken = |bad: BadForm| Failure::bad_request("body", format!("{bad}."));
            let item = self.reader.next().await.map_err(broken)?;
            self.is_whole = self.take(item)?;
            if self.held_bytes > MOST_HELD {
                return Err(too_large());
            }
        }
        Ok(())
    }

    /// Reads until it is known where the form goes.
    async fn run(&mut self) -> Result<(), Stop> {
        loop {
            let item = self.reader.next().await?;
            if self.take(item)? {
                self.is_whole = true;
                return Ok(());
            }
            let is_in_file = matches!(self.open, Open::File(_)) && self.head.is_none();
            let knows_model = self.fields.iter().any(|(name, _)| name == "model");
            if is_in_file && knows_model && self.held_bytes > SMALL {
                return Ok(());
            }
            if self.held_bytes > MOST_HELD {
                return Err(too_large().into());
            }
        }
    }

    /// Takes what comes next; true at the form's end.
    fn take(&mut self, item: Item) -> Result<bool, Failure> {
        match item {
            Item::End => return Ok(true),
            Item::Head(head) if is_file(&head) => {
                self.kind.check_file(&head.name, self.file_count)?;
                self.file_count += 1;
                self.open = Open::File(head.name == "file");
                self.head = Some(head);
            }
            Item::Head(head) => self.open = Open::Text(head.name, Vec::new()),
            Item::Data(data) => self.data(data)?,
            Item::PartEnd => self.end_part()?,
        }
        Ok(false)
    }

    fn hold(&mut self, bytes: Bytes) -> Result<(), Failure> {
        if let Some(memory) = &mut self.memory {
            memory.grow(bytes.len()).map_err(refusals::no_body_memory)?;
        }
        self.held_bytes += bytes.len();
        self.held.push(Segment::Bytes(bytes));
        Ok(())
    }

    fn begin_file(&mut self, start: &[u8]) -> Result<(), Failure> {
        let Some(head) = self.head.take() else {
            return Ok(());
        };
        let head = with_media_type(head, start);
        self.hold(opening(&self.boundary, &head).into())?;
        self.files.push(HeldFile::new(head.name, head.content_type));
        Ok(())
    }

    fn data(&mut self, data: Bytes) -> Result<(), Failure> {
        match &mut self.open {
            Open::File(is_heard) => {
                if *is_heard {
                    self.notes.lock().recording.push(&data);
                }
                self.begin_file(&data)?;
                if let Some(file) = self.files.last_mut() {
                    file.push(data.clone());
                }
                self.hold(data)?;
            }
            Open::Text(name, text) => {
                if text.len() + data.len() > LONGEST_TEXT {
                    let message = format!("`{name}` is too long.");
                    return Err(Failure::bad_request(name.clone(), message));
                }
                text.extend_from_slice(&data);
            }
            Open::Nothing => {}
        }
        Ok(())
    }

    fn end_part(&mut self) -> Result<(), Failure> {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Text(name, text) => self.end_text(name, text),
            Open::File(_) => {
                // An empty file has had no bytes to begin with.
                self.begin_file(&[])?;
                self.hold(Bytes::from_static(b"\r\n"))
            }
            Open::Nothing => Ok(()),
        }
    }

    fn end_text(&mut self, name: String, text: Vec<u8>) -> Result<(), Failure> {
        let Ok(value) = String::from_utf8(text) else {
            let message = format!("`{name}` must be text.");
            return Err(Failure::bad_request(name, message));
        };
        if name == "model" {
            if self.fields.iter().any(|(known, _)| *known == name) {
                return Err(Failure::given_twice("model"));
            }
            self.held.push(Segment::Model);
        } else {
            self.hold(text_part(&self.boundary, &name, value.as_bytes()))?;
        }
        self.fields.push((name, value));
        Ok(())
    }

    /// What was read, and what is still to come.
    pub(super) fn into_form(self) -> Form {
        let rest = (!self.is_whole).then(|| Rest {
            reader: self.reader,
            kind: self.kind,
            boundary: self.boundary.clone(),
            known: self.fields.iter().map(|(name, _)| name.clone()).collect(),
            file_count: self.file_count,
            open: self.open,
            notes: self.notes.clone(),
        });
        Form {
            boundary: self.boundary,
            fields: self.fields,
            held: self.held,
            memory: self.memory,
            files: self.files,
            has_rest: rest.is_some(),
            rest: Arc::new(Mutex::new(rest)),
            notes: self.notes,
            declared_length: self.declared_length,
        }
    }
}
