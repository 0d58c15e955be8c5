//! Stored answers have ids of the gateway's own: an upstream may give the same id twice, and to several callers.

use dialects::sse::{MAX_FRAME_BYTES, SseReader};
use memchr::memmem;
use serde_json::{Map, Value};

use crate::app::App;
use crate::model_call::aligned::ends_frame;
use crate::secrets::random_text;

const ID_LETTERS: usize = 40;

/// A new id of a stored answer.
pub fn new_id(app: &App) -> String {
    format!("resp_{}", random_text(app.randomness(), ID_LETTERS))
}

/// The ids that a stored answer has in place of the upstream's.
#[derive(Clone)]
pub struct Names {
    /// Its own.
    pub id: String,
    /// That of the answer that it continues.
    pub previous_id: Option<String>,
}

impl Names {
    /// Puts the ids into a response object.
    pub fn put_into(&self, response: &mut Map<String, Value>) {
        response.insert("id".to_owned(), Value::String(self.id.clone()));
        if let Some(previous) = &self.previous_id {
            let previous = Value::String(previous.clone());
            response.insert("previous_response_id".to_owned(), previous);
        }
    }

    /// Puts the ids into an event. Returns the event if it has some.
    fn put_into_event(&self, data: &[u8]) -> Option<Map<String, Value>> {
        let has = |name: &[u8]| memmem::find(data, name).is_some();
        if !has(b"\"response\"") && !has(b"\"response_id\"") {
            return None;
        }
        let mut event: Map<String, Value> = serde_json::from_slice(data).ok()?;
        if let Some(Value::Object(response)) = event.get_mut("response") {
            self.put_into(response);
        }
        if let Some(id) = event.get_mut("response_id") {
            *id = Value::String(self.id.clone());
        }
        Some(event)
    }
}

/// A stream whose events get these ids.
pub struct RenamedStream {
    names: Names,
    /// The beginning of a frame whose end has not come.
    held: Vec<u8>,
    /// The length of what is known to hold no end.
    searched: usize,
}

impl RenamedStream {
    /// The beginning of a stream.
    pub fn new(names: Names) -> Self {
        Self {
            names,
            held: Vec::new(),
            searched: 0,
        }
    }

    /// Writes the frames that a piece completes. `on_last` gets the response of the last event.
    pub fn push(
        &mut self,
        piece: &[u8],
        out: &mut Vec<u8>,
        mut on_last: impl FnMut(Map<String, Value>),
    ) {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(piece);
        let mut from = 0;
        // An end has up to four bytes.
        let search = self.searched.saturating_sub(3);
        for at in memchr::memchr2_iter(b'\n', b'\r', &held[search..]) {
            let end = search + at + 1;
            if end > from && ends_frame(&held[from..end]) {
                self.write(&held[from..end], out, &mut on_last);
                from = end;
            }
        }
        held.drain(..from);
        if held.len() > MAX_FRAME_BYTES {
            // No frame of a response is that long.
            out.append(&mut held);
        }
        self.searched = held.len();
        self.held = held;
    }

    /// What is left of a stream that has ended.
    pub fn rest(&mut self) -> Vec<u8> {
        self.searched = 0;
        std::mem::take(&mut self.held)
    }

    fn write(&self, frame: &[u8], out: &mut Vec<u8>, on_last: &mut impl FnMut(Map<String, Value>)) {
        let mut renamed = None;
        // One whole frame is never too long.
        let _ = SseReader::default().push(frame, &mut |read| {
            let event = self.names.put_into_event(read.data);
            renamed = event.map(|event| (read.event.map(str::to_owned), event));
        });
        let Some((name, mut event)) = renamed else {
            out.extend_from_slice(frame);
            return;
        };
        if let Some(name) = name {
            out.extend_from_slice(b"event: ");
            out.extend_from_slice(name.as_bytes());
            out.push(b'\n');
        }
        out.extend_from_slice(b"data: ");
        let written = serde_json::to_writer(&mut *out, &event);
        written.expect("JSON values can be written");
        out.extend_from_slice(b"\n\n");
        let kind = event.get("type").and_then(Value::as_str);
        let is_last = matches!(kind, Some("response.completed" | "response.incomplete"));
        if is_last && let Some(Value::Object(response)) = event.remove("response") {
            on_last(response);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn stream() -> RenamedStream {
        RenamedStream::new(Names {
            id: "resp_own".to_owned(),
            previous_id: Some("resp_before".to_owned()),
        })
    }

    #[test]
    fn events_get_the_own_ids_however_they_are_cut() {
        let created = json!({"type": "response.created", "response": {"id": "resp_1", "previous_response_id": null}});
        let delta = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"resp_1\"}\r\n\r\n";
        let other = json!({"type": "response.other", "response_id": "resp_1"});
        let done =
            json!({"type": "response.completed", "response": {"id": "resp_1", "output": []}});
        let text = format!(
            ": ping\n\nevent: response.created\ndata: {created}\n\n{delta}data: {other}\n\ndata: {done}\n\nrest"
        );
        for size in [1, 2, 3, 7, 1000] {
            let (mut stream, mut out, mut last) = (stream(), Vec::new(), None);
            for piece in text.as_bytes().chunks(size) {
                stream.push(piece, &mut out, |response| last = Some(response));
            }
            let out = String::from_utf8(out).unwrap();
            assert!(
                out.starts_with(": ping\n\nevent: response.created\ndata: {"),
                "{out}"
            );
            assert!(out.contains(delta), "{out}");
            assert_eq!(out.matches("\"resp_1\"").count(), 1, "{out}");
            assert_eq!(out.matches("\"id\":\"resp_own\"").count(), 2, "{out}");
            assert!(out.contains("\"response_id\":\"resp_own\""), "{out}");
            let last = last.expect("the last event");
            assert_eq!(
                (&last["id"], &last["previous_response_id"]),
                (&json!("resp_own"), &json!("resp_before"))
            );
            assert_eq!(stream.rest(), b"rest");
        }
    }

    #[test]
    fn a_frame_without_an_end_is_not_held_for_ever() {
        let (mut stream, mut out) = (stream(), Vec::new());
        let piece = vec![b'x'; MAX_FRAME_BYTES / 2 + 1];
        stream.push(&piece, &mut out, |_| {});
        assert!(out.is_empty());
        stream.push(&piece, &mut out, |_| {});
        assert_eq!(out.len(), 2 * piece.len());
        assert!(stream.rest().is_empty());
    }
}
