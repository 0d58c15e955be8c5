//! Amazon Bedrock. Anthropic's models take bodies of the messages dialect, OpenAI's the chat dialect,
//! all others Amazon's Converse. Signed by signature version 4, or by a Bedrock API key.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::DialectId;
use http::header::AUTHORIZATION;
use serde::Deserialize;
use serde_json::json;

use super::anthropic::MESSAGES;
use super::openai::CHAT;
use crate::body_fields::BodyFields;
use crate::credential::{API_KEY, CredentialField};
use crate::signing::sigv4::{Signature, Signed};
use crate::transport::event_stream::{BadEventStream, EventMessage, EventStreamReader};
use crate::{
    BadCredential, BaseUrl, Call, Credential, Format, KeyFields, NoObject, Operation, Provider,
    RequestBody, SignError, Stamp, StreamFraming, Unroutable, UpstreamRequest, path_segment,
};

/// The vendor.
pub(super) struct Bedrock;

/// The service's name in signatures.
const SERVICE: &str = "bedrock";
const BETA: &str = "anthropic-beta";

impl Provider for Bedrock {
    fn id(&self) -> &'static str {
        "bedrock"
    }

    fn label(&self) -> &'static str {
        "AWS Bedrock"
    }

    fn default_base_url(&self) -> &'static str {
        ""
    }

    fn formats(&self, operation: Operation, model: &str) -> &'static [Format] {
        match operation {
            Operation::Generate if is_anthropic(model) => MESSAGES,
            Operation::Generate if is_openai(model) => CHAT,
            Operation::Generate => &[Format::Converse],
            _ => &[],
        }
    }

    fn path(
        &self,
        call: &Call<'_>,
        _base: &BaseUrl,
        _credential: &Credential,
    ) -> Result<String, Unroutable> {
        let method = match (call.format, call.stream) {
            (Format::Text(DialectId::ChatCompletions), _) => {
                return Ok("/openai/v1/chat/completions".to_owned());
            }
            (Format::Text(DialectId::Messages), false) => "invoke",
            (Format::Text(DialectId::Messages), true) => "invoke-with-response-stream",
            (Format::Converse, false) => "converse",
            (Format::Converse, true) => "converse-stream",
            _ => return Err(Unroutable::Operation),
        };
        Ok(format!("/model/{}/{method}", path_segment(call.model)?))
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        let credential = stamp.credential;
        if let Some(key) = credential.field(API_KEY) {
            return Ok(request.set_secret(AUTHORIZATION, "Bearer ", key)?);
        }
        let host = request.target.origin.authority();
        let region = match credential.field("region") {
            Some(region) => region.expose(),
            None => region_of_host(&host).ok_or(BadCredential::Missing("region"))?,
        };
        let signature = Signature {
            access_key_id: credential.require("access_key_id")?.expose(),
            secret_access_key: credential.require("secret_access_key")?,
            session_token: credential.field("session_token"),
            region,
            service: SERVICE,
        };
        let signed = Signed {
            method: &request.method,
            host: &host,
            path: request.target.path.path(),
            query: request.target.path.query().unwrap_or_default(),
            body: request.body.whole().ok_or(SignError::BodyNotWhole)?,
        };
        Ok(signature.sign(&signed, &mut request.headers, stamp.now)?)
    }

    fn credential_fields(&self) -> &'static [CredentialField] {
        const {
            &[
                CredentialField::optional("access_key_id", "Access key id"),
                CredentialField::optional("secret_access_key", "Secret access key"),
                CredentialField::optional("session_token", "Session token"),
                CredentialField::optional("region", "Region"),
                CredentialField::optional(API_KEY, "Bedrock API key, in place of an access key"),
            ]
        }
    }

    /// Beside the common ways, `access key id|secret access key|region`.
    fn read_key(&self, text: &str) -> Result<KeyFields, BadCredential> {
        let fields = match text.trim().split('|').collect::<Vec<_>>()[..] {
            [id, secret, region] => KeyFields::of([
                ("access_key_id", id),
                ("secret_access_key", secret),
                ("region", region),
            ]),
            _ => KeyFields::parse(text)?,
        };
        match (fields.field(API_KEY), fields.field("secret_access_key")) {
            (None, None) => Err(BadCredential::Missing("secret_access_key")),
            _ => Ok(fields),
        }
    }

    fn base_url_of_key(&self, key: &KeyFields) -> Option<String> {
        let region = key.field("region")?.expose();
        Some(format!("https://bedrock-runtime.{region}.amazonaws.com"))
    }

    /// Bodies of the messages dialect: model and streaming move to the path, versions to the body.
    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        if call.format != Format::Text(DialectId::Messages) {
            return Ok(());
        }
        let body = request.body.whole().cloned().ok_or(NoObject)?;
        let mut fields = BodyFields::read(&body)?;
        fields.remove("model");
        fields.remove("stream");
        fields.set("anthropic_version", &json!("bedrock-2023-05-31"));
        let betas: Vec<&str> = request
            .headers
            .get_all(BETA)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(',').map(str::trim))
            .filter(|beta| !beta.is_empty())
            .collect();
        if !betas.is_empty() && !fields.has("anthropic_beta") {
            fields.set("anthropic_beta", &json!(betas));
        }
        request.body = RequestBody::Whole(fields.write());
        request.headers.remove(BETA);
        request.headers.remove("anthropic-version");
        Ok(())
    }

    fn framing(&self, call: &Call<'_>) -> StreamFraming {
        match call.format {
            Format::Text(DialectId::Messages) => StreamFraming::AmazonMessages,
            Format::Converse => StreamFraming::AmazonConverse,
            _ => StreamFraming::Dialect,
        }
    }
}

/// `anthropic.claude-…`, perhaps behind a region's name or inside a resource name.
fn is_anthropic(model: &str) -> bool {
    model.contains("anthropic.")
}

/// `openai.gpt-oss-…`.
fn is_openai(model: &str) -> bool {
    model.starts_with("openai.")
}

/// `bedrock-runtime.us-east-1.amazonaws.com` → `us-east-1`.
fn region_of_host(host: &str) -> Option<&str> {
    let region = host.strip_prefix("bedrock-runtime.")?.split_once('.')?.0;
    (!region.is_empty()).then_some(region)
}

/// Unwraps a streamed answer of an Anthropic model into the events of the messages dialect.
#[derive(Debug, Default)]
pub struct MessagesFrames {
    reader: EventStreamReader,
}

impl MessagesFrames {
    /// One at the start of an answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the answer and writes the events that are complete with them.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), BadEventStream> {
        self.reader.push(bytes);
        while let Some(message) = self.reader.next_message()? {
            match message.header(":message-type") {
                Some("event") => write_event(&message, out)?,
                Some("exception" | "error") => write_error(&message, out),
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
fn write_event(message: &EventMessage, out: &mut Vec<u8>) -> Result<(), BadEventStream> {
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
    // A line break in either would end the frame early.
    if event.kind.contains(['\n', '\r']) || data.contains(&b'\n') || data.contains(&b'\r') {
        return Err(unreadable);
    }
    write_frame(&event.kind, &data, out);
    Ok(())
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
    write_frame("error", body.to_string().as_bytes(), out);
}

fn write_frame(event: &str, data: &[u8], out: &mut Vec<u8>) {
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

    fn unwrapped(bytes: &[u8]) -> Result<String, BadEventStream> {
        let mut frames = MessagesFrames::new();
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
        assert_eq!(unwrapped(&bytes).unwrap(), expected);
    }

    #[test]
    fn an_exception_becomes_an_error_event() {
        let head = [
            (":exception-type", "throttlingException"),
            (":message-type", "exception"),
        ];
        let text = unwrapped(&message(&head, br#"{"message":"slow down"}"#)).unwrap();
        assert!(text.starts_with("event: error\n"));
        assert!(
            text.contains(r#""type":"rate_limit_error","message":"slow down""#),
            "{text}"
        );
    }

    #[test]
    fn an_event_that_would_break_the_framing_is_refused() {
        assert!(unwrapped(&chunk("{\"type\":\"a\\nb\"}")).is_err());
        assert!(unwrapped(&chunk("{\"type\":\n\"a\"}")).is_err());
        assert!(unwrapped(&chunk("no json")).is_err());
    }
}
