//! The part of a form that is still to come from the client, as it is read by whoever sends it on.
//! What it says beside its files is noted for the way back.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use parking_lot::Mutex;

use super::incoming::{closing, is_file, opening, text_part};
use super::kind::Kind;
use crate::middleware::why_broken;
use crate::multipart::{BadForm, FormReader, Item};
use crate::refusal::Refusal;
use crate::sound_length::Recording;

/// The longest part that is text, and is no file by its name.
pub(super) const LONGEST_TEXT: usize = 2 << 20;

/// What was learnt of a form while it passed.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub(super) fields: Vec<(String, String)>,
    pub(super) recording: Recording,
    /// Longest duration of the recording that is sent on, in milliseconds.
    pub(super) max_milliseconds: Option<u64>,
}

impl Notes {
    /// Takes the next bytes of the recording. Fails if it is longer than the call has been admitted for.
    fn listen(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.recording.push(bytes);
        let is_too_long = |max: u64| self.recording.milliseconds() > max;
        if self.max_milliseconds.is_some_and(is_too_long) {
            return Err(io::Error::other(
                "the audio is longer than was reserved for it",
            ));
        }
        Ok(())
    }
}

/// Where the reader of a form stands.
pub(super) struct Rest {
    pub(super) reader: FormReader,
    pub(super) kind: &'static Kind,
    pub(super) boundary: String,
    /// Names of texts that have come.
    pub(super) known: Vec<String>,
    /// Number of files that have come.
    pub(super) file_count: usize,
    /// The part that is open: none, a file, or a text with its name.
    pub(super) open: Open,
    pub(super) notes: Arc<Mutex<Notes>>,
}

/// A part that has begun.
#[derive(Debug)]
pub(super) enum Open {
    Nothing,
    /// A file; whether it is the one that is listened to.
    File(bool),
    Text(String, Vec<u8>),
}

impl Rest {
    /// The next bytes for the upstream; none at the form's end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let item = self.reader.next().await.map_err(broken)?;
            if let Some(bytes) = self.take(item)? {
                return Ok(Some(bytes).filter(|bytes| !bytes.is_empty()));
            }
        }
    }

    fn take(&mut self, item: Item) -> io::Result<Option<Bytes>> {
        match (item, &mut self.open) {
            (Item::End, _) => {
                // The end is told once; after it there is nothing.
                let last = std::mem::take(&mut self.boundary);
                Ok(Some(if last.is_empty() {
                    Bytes::new()
                } else {
                    closing(&last)
                }))
            }
            (Item::Head(head), _) if is_file(&head) => {
                let checked = self.kind.check_file(&head.name, self.file_count);
                checked.map_err(|failure| io::Error::other(failure.message))?;
                self.file_count += 1;
                self.open = Open::File(head.name == "file");
                Ok(Some(opening(&self.boundary, &head).into()))
            }
            (Item::Head(head), _) => {
                self.open = Open::Text(head.name, Vec::new());
                Ok(None)
            }
            (Item::Data(data), Open::File(is_heard)) => {
                if *is_heard {
                    self.notes.lock().listen(&data)?;
                }
                Ok(Some(data))
            }
            (Item::Data(data), Open::Text(_, text)) => {
                if text.len() + data.len() > LONGEST_TEXT {
                    return Err(io::Error::other("a text of the form is too long"));
                }
                text.extend_from_slice(&data);
                Ok(None)
            }
            (Item::PartEnd, open) => match std::mem::replace(open, Open::Nothing) {
                Open::Text(name, text) => self.end_text(&name, &text).map(Some),
                Open::File(_) => Ok(Some(Bytes::from_static(b"\r\n"))),
                Open::Nothing => Ok(None),
            },
            (Item::Data(_), Open::Nothing) => Ok(None),
        }
    }

    fn end_text(&mut self, name: &str, text: &[u8]) -> io::Result<Bytes> {
        let value = std::str::from_utf8(text).map_err(io::Error::other)?;
        self.check(name, value)?;
        let mut notes = self.notes.lock();
        notes.fields.push((name.to_owned(), value.to_owned()));
        Ok(text_part(&self.boundary, name, text))
    }

    /// A text that the call was admitted by goes on only if it is good and the first of its name: a
    /// second could say something else. The model is known before anything is sent on.
    fn check(&mut self, name: &str, value: &str) -> io::Result<()> {
        if name != "model" && !self.kind.options.contains(&name) {
            return Ok(());
        }
        if self.known.iter().any(|known| known == name) {
            return Err(io::Error::other(format!("`{name}` is given twice")));
        }
        self.known.push(name.to_owned());
        let checked = (self.kind.check)(name, value);
        checked.map_err(|failure| io::Error::other(failure.message))
    }

    /// All that is left, as a stream.
    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send {
        stream::unfold(Some(self), |rest| async {
            let mut rest = rest?;
            match rest.next().await {
                Ok(Some(bytes)) => Some((Ok(bytes), Some(rest))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}

fn broken(bad: BadForm) -> io::Error {
    match bad {
        // The kind is all that the way to the upstream keeps of it.
        BadForm::Broken(error) if why_broken(&error) == Refusal::BodyTooLarge => {
            io::Error::new(io::ErrorKind::FileTooLarge, error)
        }
        BadForm::Broken(error) => error,
        bad => io::Error::other(bad),
    }
}

/// A stream that is taken out of its place only when somebody asks for the first piece: until then it
/// can be sent elsewhere.
pub(super) fn when_asked(
    slot: Arc<Mutex<Option<Rest>>>,
) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::once(async move {
        let rest = slot.lock().take();
        rest.map_or_else(
            || stream::empty().boxed(),
            |rest| rest.into_stream().boxed(),
        )
    })
    .flatten()
}
