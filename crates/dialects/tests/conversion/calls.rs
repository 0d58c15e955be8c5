//! Whole calls without a socket, the way the gateway makes them.

use dialects::canonical::Failure;
use dialects::convert::{StreamConverter, convert_reply, convert_request, dialect};
use dialects::passes::Target;
use dialects::{DialectId, Framing, PathHints, ReplyContext};
use serde_json::Value;

/// The dialects that both clients and upstreams speak.
pub const BOTH_SIDES: [DialectId; 4] = [
    DialectId::ChatCompletions,
    DialectId::Messages,
    DialectId::GenerateContent,
    DialectId::Responses,
];

/// What a caller knows of any call.
pub fn context() -> ReplyContext {
    ReplyContext {
        id: "made-up".to_owned(),
        request_id: "req_test".to_owned(),
        created: 1_780_000_000,
        model: "test-model".to_owned(),
        include_usage: true,
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

/// What generate content has in its path.
pub fn path(client: DialectId, model: &str) -> PathHints {
    PathHints {
        model: (client == DialectId::GenerateContent).then(|| model.to_owned()),
        stream: false,
    }
}

/// A request on its way: what the upstream gets, what was left out, and what the way back knows.
pub struct Sent {
    /// The upstream's body.
    pub body: Value,
    /// Names of what was left out.
    pub dropped: Vec<String>,
    /// For the way back.
    pub context: ReplyContext,
}

/// Carries a client's request to an upstream whose model has this name.
pub fn send(
    client: DialectId,
    upstream: DialectId,
    model: &str,
    body: &Value,
) -> Result<Sent, Failure> {
    let bytes = serde_json::to_vec(body).expect("a JSON value serialises");
    let mut request = dialect(client).read_request(&bytes, &path(client, model))?;
    model.clone_into(&mut request.model);
    let mut context = context();
    let written = convert_request(request, &Target::new(upstream, model), &mut context)?;
    let body = serde_json::from_slice(&written.body).expect("what is sent upstream is JSON");
    Ok(Sent {
        body,
        dropped: written.dropped,
        context,
    })
}

/// Carries an upstream's whole answer to the client.
pub fn answer(
    upstream: DialectId,
    client: DialectId,
    body: &Value,
    context: &ReplyContext,
) -> Result<Value, Failure> {
    let bytes = serde_json::to_vec(body).expect("a JSON value serialises");
    let (written, _) = convert_reply(upstream, client, &bytes, context)?;
    Ok(serde_json::from_slice(&written.body).expect("what the client gets is JSON"))
}

/// Carries an upstream's stream to the client, all in one chunk.
pub fn stream(
    upstream: DialectId,
    client: DialectId,
    bytes: &[u8],
    context: &ReplyContext,
) -> Vec<u8> {
    let framing = Framing::ServerSentEvents;
    let mut converter = StreamConverter::new(upstream, framing, client, context);
    let mut out = Vec::new();
    converter.push(bytes, &mut out);
    converter.close(&mut out);
    out
}

/// Recorded events as the vendor would stream them.
pub fn as_stream(dialect: DialectId, events: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    let is_named = matches!(dialect, DialectId::Messages | DialectId::Responses);
    for event in events {
        if let (true, Some(kind)) = (is_named, event["type"].as_str()) {
            out.extend_from_slice(format!("event: {kind}\n").as_bytes());
        }
        out.extend_from_slice(format!("data: {event}\n\n").as_bytes());
    }
    if dialect == DialectId::ChatCompletions {
        out.extend_from_slice(b"data: [DONE]\n\n");
    }
    out
}

/// The data of each frame of a client's stream, as plainly as a client reads it: nothing of the
/// code under test is used. Comments and the end mark of chat completions are left out.
pub fn events_of(stream: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(stream).expect("a client's stream is UTF-8");
    let text = text.replace("\r\n", "\n");
    let mut events = Vec::new();
    for block in text.split("\n\n") {
        let lines = block.lines().filter_map(|line| line.strip_prefix("data:"));
        let data: Vec<&str> = lines.map(str::trim).collect();
        let data = data.join("\n");
        if !data.is_empty() && data != "[DONE]" {
            let event = serde_json::from_str(&data);
            events.push(event.unwrap_or_else(|error| panic!("no JSON: {error}: {data}")));
        }
    }
    events
}
