//! The dialects behind a socket: takes calls in every dialect, carries them to one upstream address in
//! the dialect that the model's name says (`up-chat`, `up-messages`, `up-generate`, `up-responses`)
//! and carries the answers back. For tests with real clients; it authenticates nobody, meters
//! nothing and serves loopback only.
//!
//!     cargo run -p dialects --example gateway -- 127.0.0.1:9912 127.0.0.1:9911

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use dialects::canonical::{Failure, FailureKind};
use dialects::convert::{StreamConverter, convert_reply, convert_request, dialect};
use dialects::passes::Target;
use dialects::{DialectId, Framing, PathHints, ReplyContext, error_body};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let listen = arguments
        .next()
        .unwrap_or_else(|| "127.0.0.1:9912".to_owned());
    let upstream = arguments
        .next()
        .unwrap_or_else(|| "127.0.0.1:9911".to_owned());
    let listener = TcpListener::bind(&listen).expect("the address to listen on is free");
    eprintln!(
        "listening on {}",
        listener
            .local_addr()
            .expect("a bound socket has an address")
    );
    for stream in listener.incoming().flatten() {
        let upstream = upstream.clone();
        std::thread::spawn(move || serve(&stream, &upstream));
    }
}

/// One HTTP message, as far as we look at it.
struct Message {
    /// The first line, in words.
    start: Vec<String>,
    body: Vec<u8>,
}

impl Message {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let start = line.split_whitespace().map(str::to_owned).collect();
        let mut length = 0;
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else {
                break;
            };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self { start, body })
    }

    fn word(&self, index: usize) -> &str {
        self.start.get(index).map_or("", String::as_str)
    }
}

/// What a call's path says.
struct Call {
    client: DialectId,
    path: PathHints,
    framing: Framing,
}

fn call_of(target: &str) -> Option<Call> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let call = |client| Call {
        client,
        path: PathHints::default(),
        framing: Framing::default(),
    };
    match path {
        "/v1/chat/completions" => return Some(call(DialectId::ChatCompletions)),
        "/v1/completions" => return Some(call(DialectId::TextCompletions)),
        "/v1/messages" => return Some(call(DialectId::Messages)),
        "/v1/responses" => return Some(call(DialectId::Responses)),
        _ => {}
    }
    let (model, verb) = path.split_once("/models/")?.1.rsplit_once(':')?;
    let stream = verb == "streamGenerateContent";
    let is_sse = query.split('&').any(|pair| pair == "alt=sse");
    Some(Call {
        client: DialectId::GenerateContent,
        path: PathHints {
            model: Some(model.to_owned()),
            stream,
        },
        framing: if is_sse {
            Framing::ServerSentEvents
        } else {
            Framing::JsonArray
        },
    })
}

fn serve(stream: &TcpStream, upstream: &str) {
    let Some(request) = Message::read(stream) else {
        return;
    };
    let Some(call) = call_of(request.word(1)) else {
        return answer(stream, 404, "application/json", &[], b"{}");
    };
    match carry(&call, &request, upstream) {
        Ok(reply) => answer(stream, 200, reply.kind, &reply.dropped, &reply.body),
        Err(failure) => {
            let status = status_of(&failure);
            let body = dialect(call.client).write_error(&failure, status, "req_test");
            answer(stream, status, "application/json", &[], &body);
        }
    }
}

struct Answer {
    kind: &'static str,
    dropped: Vec<String>,
    body: Vec<u8>,
}

fn carry(call: &Call, request: &Message, upstream: &str) -> Result<Answer, Failure> {
    let canonical = dialect(call.client).read_request(&request.body, &call.path)?;
    let name = canonical
        .model
        .strip_prefix("up-")
        .and_then(DialectId::from_name);
    let target = name.ok_or_else(|| Failure::new(FailureKind::ModelNotFound, "No such model."))?;
    let streamed = canonical.stream.is_some();
    let mut context = ReplyContext {
        id: "made-up".to_owned(),
        request_id: "req_test".to_owned(),
        created: 1_780_000_000,
        model: canonical.model.clone(),
        include_usage: canonical
            .stream
            .as_ref()
            .is_some_and(|s| s.include_usage == Some(true)),
        framing: call.framing,
        ..ReplyContext::default()
    };
    let model = canonical.model.clone();
    let written = convert_request(canonical, &Target::new(target, &model), &mut context)?;
    let path = upstream_path(target, &model, streamed);
    let reply = send(upstream, &path, &written.body)?;
    if reply.word(1) != "200" {
        let status = reply.word(1).parse().unwrap_or(502);
        return Err(hide_account(error_body::read_error(status, &reply.body)));
    }
    if !streamed {
        let (body, _) = convert_reply(target, call.client, &reply.body, &context)?;
        let dropped = [written.dropped, body.dropped].concat();
        return Ok(Answer {
            kind: "application/json",
            dropped,
            body: body.body,
        });
    }
    let mut converter =
        StreamConverter::new(target, Framing::ServerSentEvents, call.client, &context);
    let mut body = Vec::new();
    converter.push(&reply.body, &mut body);
    converter.close(&mut body);
    let kind = match call.framing {
        Framing::JsonArray => "application/json",
        Framing::ServerSentEvents => "text/event-stream",
    };
    Ok(Answer {
        kind,
        dropped: written.dropped,
        body,
    })
}

fn upstream_path(target: DialectId, model: &str, streamed: bool) -> String {
    match (target, streamed) {
        (DialectId::ChatCompletions, _) => "/v1/chat/completions".to_owned(),
        (DialectId::TextCompletions, _) => "/v1/completions".to_owned(),
        (DialectId::Messages, _) => "/v1/messages".to_owned(),
        (DialectId::Responses, _) => "/v1/responses".to_owned(),
        (DialectId::GenerateContent, false) => format!("/v1beta/models/{model}:generateContent"),
        (DialectId::GenerateContent, true) => {
            format!("/v1beta/models/{model}:streamGenerateContent?alt=sse")
        }
    }
}

fn send(upstream: &str, path: &str, body: &[u8]) -> Result<Message, Failure> {
    let gone = |_| Failure::new(FailureKind::UpstreamBad, "The upstream does not answer.");
    let mut stream = TcpStream::connect(upstream).map_err(gone)?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {upstream}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).map_err(gone)?;
    stream.write_all(body).map_err(gone)?;
    Message::read(&stream)
        .ok_or_else(|| Failure::new(FailureKind::UpstreamBad, "The upstream broke off."))
}

/// What the vendor thinks of the gateway's own account is not the client's fault.
fn hide_account(failure: Failure) -> Failure {
    match failure.kind {
        FailureKind::Unauthenticated | FailureKind::Forbidden | FailureKind::NoBalance => {
            Failure::upstream("The upstream refused the gateway.")
        }
        _ => failure,
    }
}

fn status_of(failure: &Failure) -> u16 {
    match failure.kind {
        FailureKind::BadRequest
        | FailureKind::Unsupported
        | FailureKind::ContextTooLong
        | FailureKind::ContentBlocked => 400,
        FailureKind::ModelNotFound | FailureKind::NotFound => 404,
        FailureKind::Conflict => 409,
        FailureKind::TooLarge => 413,
        FailureKind::RateLimited => 429,
        FailureKind::Overloaded => 503,
        FailureKind::Timeout => 504,
        _ => 502,
    }
}

fn answer(mut stream: &TcpStream, status: u16, kind: &str, dropped: &[String], body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\nx-modelgate-dropped: {}\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        dropped.join(","),
        body.len()
    );
    let sent = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(body));
    if let Err(error) = sent {
        eprintln!("a client left: {error}");
    }
}
