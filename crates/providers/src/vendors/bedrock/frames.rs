//! Amazon's binary frames, unwrapped into server-sent events: what is inside is read by a dialect
//! like any other stream.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;

use crate::transport::event_stream::{BadEventStream, EventMessage, EventStreamReader};

/// Unwraps one streamed answer.
#[derive(Debug)]
pub struct AmazonFrames {
    reader: EventStreamReader,
    inside: Inside,
}

/// What the binary frames hold.
#[derive(Debug, Clone, Copy)]
enum Inside {
    /// Events of the model's maker, in base64: `InvokeModelWithResponseStream`.
    Chunks,
    /// Amazon's own events, named by a header: `ConverseStream`.
    Events,
}

impl AmazonFrames {
    /// For an answer whose frames are those of the messages dialect.
    pub fn of_messages() -> Self {
        Self::new(Inside::Chunks)
    }

    /// For an answer whose frames are those of Converse.
    pub fn of_converse() -> Self {
        Self::new(Inside::Events)
    }

    fn new(inside: Inside) -> Self {
        let reader = EventStreamReader::new();
        Self { reader, inside }
    }

    /// Takes the next bytes of the answer and writes the events that are complete with them.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), BadEventStream> {
        self.reader.push(bytes);
        while let Some(message) = self.reader.next_message()? {
            match (message.header(":message-type"), self.inside) {
                (Some("event"), Inside::Chunks) => write_chunk(&message, out)?,
                (Some("event"), Inside::Events) => write_event(&message, out)?,
                (Some("exception" | "error"), _) => write_error(&message, out),
                _ => return Err(BadEventStream::Malformed),
            }
        }
        Ok(())
    }

    /// Whether the answer may end here.
    pub fn is_at_boundary(&self) -> bool {
        self.reader.is_at_boundary()
    }
}

/// `chunk` holds the vendor's event in base64; there is no other event.
fn write_chunk(message: &EventMessage, out: &mut Vec<u8>) -> Result<(), BadEventStream> {
    #[derive(Deserialize)]
    struct Chunk {
        bytes: String,
    }
    #[derive(Deserialize)]
    struct Event {
        #[serde(rename = "type")]
        kind: String,
    }
    if message.header(":event-type") != Some("chunk") {
        return Ok(());
    }
    let unreadable = BadEventStream::Malformed;
    let chunk: Chunk = serde_json::from_slice(&message.payload).map_err(|_| unreadable)?;
    let data = STANDARD.decode(chunk.bytes).map_err(|_| unreadable)?;
    let event: Event = serde_json::from_slice(&data).map_err(|_| unreadable)?;
    write_frame(&event.kind, &data, out)
}

fn write_event(message: &EventMessage, out: &mut Vec<u8>) -> Result<(), BadEventStream> {
    let name = message.header(":event-type").unwrap_or_default();
    write_frame(name, &message.payload, out)
}

/// Amazon's exceptions, in the words of the messages dialect.
fn write_error(message: &EventMessage, out: &mut Vec<u8>) {
    let kind = message
        .header(":exception-type")
        .or_else(|| message.header(":error-code"));
    let kind = match kind.unwrap_or_default() {
        "throttlingException" => "rate_limit_error",
        "serviceUnavailableException" => "overloaded_error",
        "validationException" => "invalid_request_error",
        "modelTimeoutException" => "timeout_error",
        _ => "api_error",
    };
    let said: Option<serde_json::Value> = serde_json::from_slice(&message.payload).ok();
    let said = said
        .as_ref()
        .and_then(|value| value.get("message")?.as_str());
    let text = said.or_else(|| message.header(":error-message"));
    let text = text.unwrap_or("The upstream ended the answer.");
    let body = json!({ "type": "error", "error": { "type": kind, "message": text } });
    append_frame("error", body.to_string().as_bytes(), out);
}

/// A line break in either would end the frame early.
fn write_frame(event: &str, data: &[u8], out: &mut Vec<u8>) -> Result<(), BadEventStream> {
    if event.contains(['\n', '\r']) || memchr::memchr2(b'\n', b'\r', data).is_some() {
        return Err(BadEventStream::Malformed);
    }
    append_frame(event, data, out);
    Ok(())
}

fn append_frame(event: &str, data: &[u8], out: &mut Vec<u8>) {
    for part in [
        &b"event: "[..],
        event.as_bytes(),
        b"\ndata: ",
        data,
        b"\n\n",
    ] {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::event_stream::tests::message;

    fn chunk(data: &str) -> Vec<u8> {
        let payload = json!({ "bytes": STANDARD.encode(data), "p": "abcd" }).to_string();
        message(
            &[(":event-type", "chunk"), (":message-type", "event")],
            payload.as_bytes(),
        )
    }

    fn unwrapped(mut frames: AmazonFrames, bytes: &[u8]) -> Result<String, BadEventStream> {
        let mut out = Vec::new();
        for piece in bytes.chunks(7) {
            frames.push(piece, &mut out)?;
        }
        assert!(frames.is_at_boundary());
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn an_answer_becomes_events_of_the_messages_dialect() {
        let mut bytes = chunk(r#"{"type":"message_start","message":{}}"#);
        bytes.extend(chunk(r#"{"type":"message_stop"}"#));
        let expected = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n\
                        event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
        let text = unwrapped(AmazonFrames::of_messages(), &bytes).unwrap();
        assert_eq!(text, expected);
    }

    #[test]
    fn events_of_converse_keep_their_names() {
        let head = [(":event-type", "messageStart"), (":message-type", "event")];
        let bytes = message(&head, br#"{"p":"abc","role":"assistant"}"#);
        let text = unwrapped(AmazonFrames::of_converse(), &bytes).unwrap();
        let expected = "event: messageStart\ndata: {\"p\":\"abc\",\"role\":\"assistant\"}\n\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_exception_becomes_an_error_event() {
        let head = [
            (":exception-type", "throttlingException"),
            (":message-type", "exception"),
        ];
        let bytes = message(&head, br#"{"message":"slow down"}"#);
        for frames in [AmazonFrames::of_messages(), AmazonFrames::of_converse()] {
            let text = unwrapped(frames, &bytes).unwrap();
            assert!(text.starts_with("event: error\n"));
            let expected = r#""type":"rate_limit_error","message":"slow down""#;
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn an_event_that_would_break_the_framing_is_refused() {
        for data in ["{\"type\":\"a\\nb\"}", "{\"type\":\n\"a\"}", "no json"] {
            let frames = AmazonFrames::of_messages();
            assert!(unwrapped(frames, &chunk(data)).is_err(), "{data}");
        }
        let head = [(":event-type", "metadata"), (":message-type", "event")];
        let bytes = message(&head, b"{\n}");
        assert!(unwrapped(AmazonFrames::of_converse(), &bytes).is_err());
    }
}
