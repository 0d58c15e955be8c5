//! What every reader must withstand: any bytes at all, without a panic, and with output and time in
//! proportion to the input. The fuzzer and the brief run in the normal tests share these functions.

use dialects::canonical::{Event, Failure};
use dialects::convert::{self, StreamConverter, dialect};
use dialects::fold::unfold;
use dialects::frames::FrameReader;
use dialects::passes::Target as Upstream;
use dialects::{
    DialectId, Frame, Framing, PathHints, ReplyContext, error_body, generate_content, messages,
    scan,
};
use serde_json::Value;

/// The dialects that an upstream can speak.
const UPSTREAMS: [DialectId; 4] = [
    DialectId::ChatCompletions,
    DialectId::Messages,
    DialectId::GenerateContent,
    DialectId::Responses,
];

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A client's request.
    Request(DialectId),
    /// An upstream's whole answer.
    Reply(DialectId),
    /// An upstream's stream.
    Stream(DialectId),
    /// An upstream's error, told to a client of this dialect.
    Error(DialectId),
    /// The scan of a body that goes through unchanged.
    Scan,
    /// Server-sent events.
    ServerSentEvents,
    /// A JSON array in pieces.
    JsonArray,
}

/// A reader under attack.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its name, which is also the folder of its seeds.
    pub name: String,
    /// What is read.
    pub reader: Reader,
}

/// Every target there is.
pub fn all() -> Vec<Target> {
    let mut readers = Vec::new();
    for id in DialectId::ALL {
        readers.extend([
            Reader::Request(id),
            Reader::Reply(id),
            Reader::Stream(id),
            Reader::Error(id),
        ]);
    }
    readers.extend([Reader::Scan, Reader::ServerSentEvents, Reader::JsonArray]);
    let named = |reader| Target {
        name: name_of(reader),
        reader,
    };
    readers.into_iter().map(named).collect()
}

/// The folder of a dialect's fixtures.
pub fn folder(id: DialectId) -> &'static str {
    match id {
        DialectId::ChatCompletions => "chat_completions",
        DialectId::TextCompletions => "text_completions",
        DialectId::Messages => "messages",
        DialectId::GenerateContent => "generate_content",
        DialectId::Responses => "responses",
    }
}

fn name_of(reader: Reader) -> String {
    match reader {
        Reader::Request(id) => format!("{}/request", folder(id)),
        Reader::Reply(id) => format!("{}/reply", folder(id)),
        Reader::Stream(id) => format!("{}/stream", folder(id)),
        Reader::Error(id) => format!("{}/error", folder(id)),
        Reader::Scan => "scan".to_owned(),
        Reader::ServerSentEvents => "sse".to_owned(),
        Reader::JsonArray => "json_array".to_owned(),
    }
}

impl Target {
    /// Feeds these bytes to the reader, and what it read to everything that comes after it.
    pub fn run(&self, bytes: &[u8]) {
        match self.reader {
            Reader::Request(id) => request(id, bytes),
            Reader::Reply(id) => reply(id, bytes),
            Reader::Stream(id) => stream(id, bytes),
            Reader::Error(id) => error(id, bytes),
            Reader::Scan => scanned(bytes),
            Reader::ServerSentEvents => frames(Framing::ServerSentEvents, bytes),
            Reader::JsonArray => frames(Framing::JsonArray, bytes),
        }
    }
}

/// What a caller knows of the call.
fn context() -> ReplyContext {
    ReplyContext {
        id: "made-up".to_owned(),
        request_id: "req_test".to_owned(),
        created: 1_780_000_000,
        model: "m".to_owned(),
        include_usage: true,
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

fn request(id: DialectId, bytes: &[u8]) {
    let path = PathHints {
        model: (id == DialectId::GenerateContent).then(|| "m".to_owned()),
        stream: false,
    };
    if id == DialectId::Messages {
        let _ = messages::count::read_request(bytes);
    }
    if id == DialectId::GenerateContent {
        let _ = generate_content::read_count_request(bytes, &path);
    }
    let Ok(read) = dialect(id).read_request(bytes, &path) else {
        return;
    };
    for upstream in UPSTREAMS {
        for model in ["up", "claude-3-7", "gemini-2.0", "gpt-5.2"] {
            let target = Upstream::new(upstream, model);
            let written = convert::convert_request(read.clone(), &target, &mut context());
            let Ok(written) = written else { continue };
            assert_json(&written.body);
            assert_bounded(bytes, &written.body);
        }
    }
}

fn reply(id: DialectId, bytes: &[u8]) {
    let Ok(read) = dialect(id).read_reply(bytes) else {
        return;
    };
    for client in DialectId::ALL {
        let written = dialect(client).write_reply(&read, &context());
        assert_json(&written.body);
        assert_bounded(bytes, &written.body);
        let mut writer = dialect(client).stream_writer(&context());
        let mut out = Vec::new();
        unfold(&read, &mut |event: Event<'_>| writer.event(event, &mut out));
        assert_bounded(bytes, &out);
    }
}

fn stream(id: DialectId, bytes: &[u8]) {
    let framings: &[Framing] = if id == DialectId::GenerateContent {
        &[Framing::ServerSentEvents, Framing::JsonArray]
    } else {
        &[Framing::ServerSentEvents]
    };
    for framing in framings {
        for client in DialectId::ALL {
            let whole = converted(id, *framing, client, bytes, bytes.len().max(1));
            assert_bounded(bytes, &whole);
            let pieces = converted(id, *framing, client, bytes, 7);
            assert_eq!(
                whole, pieces,
                "the cut between chunks changed what was read"
            );
        }
    }
}

fn converted(
    upstream: DialectId,
    framing: Framing,
    client: DialectId,
    bytes: &[u8],
    size: usize,
) -> Vec<u8> {
    let mut converter = StreamConverter::new(upstream, framing, client, &context());
    let mut out = Vec::new();
    for chunk in bytes.chunks(size) {
        converter.push(chunk, &mut out);
    }
    converter.close(&mut out);
    assert!(
        converter.is_finished(),
        "a closed stream has come to an end"
    );
    out
}

fn error(id: DialectId, bytes: &[u8]) {
    let status = 400 + u16::from(bytes.first().copied().unwrap_or(0) % 200);
    let failure: Failure = error_body::read_error(status, bytes);
    for failure in [failure.clone(), error_body::for_client(failure)] {
        let written = dialect(id).write_error(&failure, status, "req_test");
        assert_json(&written);
        assert_bounded(bytes, &written);
    }
}

fn scanned(bytes: &[u8]) {
    for id in DialectId::ALL {
        if let Ok(found) = scan::scan(id, bytes) {
            let forwarded = found.forward(bytes, "other-model", true);
            assert_bounded(bytes, &forwarded);
            let again = scan::scan(id, &forwarded).expect("what is forwarded can be scanned again");
            assert_eq!(again.stream, found.stream);
        }
    }
}

fn frames(framing: Framing, bytes: &[u8]) {
    let whole = cut_into(framing, bytes, bytes.len().max(1));
    for size in [1, 3] {
        assert_eq!(whole, cut_into(framing, bytes, size));
    }
    let sum: usize = whole.iter().map(|(_, data)| data.len()).sum();
    assert!(sum <= bytes.len(), "frames hold no more than came");
}

fn cut_into(framing: Framing, bytes: &[u8], size: usize) -> Vec<(Option<String>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut reader = FrameReader::new(framing);
    let mut note = |frame: Frame<'_>| {
        found.push((frame.event.map(str::to_owned), frame.data.to_vec()));
    };
    for chunk in bytes.chunks(size) {
        if reader.push(chunk, &mut note).is_err() {
            return found;
        }
    }
    reader.close(&mut note);
    found
}

/// Streams repeat ids and names in each frame, and the responses dialect repeats texts at the end.
fn assert_bounded(input: &[u8], output: &[u8]) {
    let bound = 400 * input.len() + 100_000;
    assert!(
        output.len() <= bound,
        "{} bytes in, {} bytes out",
        input.len(),
        output.len()
    );
}

fn assert_json(body: &[u8]) {
    let read = serde_json::from_slice::<Value>(body);
    assert!(
        read.is_ok(),
        "not JSON: {:?}: {}",
        read,
        String::from_utf8_lossy(body)
    );
}
