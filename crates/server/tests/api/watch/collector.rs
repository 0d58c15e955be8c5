//! A stand-in for an OpenTelemetry collector: takes posts of spans and decodes them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use super::protobuf::{Message, Value};

/// Where spans are posted to.
const PATH: &str = "/v1/traces";

/// A decoded span.
#[derive(Debug, Clone)]
pub struct Span {
    pub trace_id: Vec<u8>,
    pub id: Vec<u8>,
    pub parent_id: Vec<u8>,
    pub name: String,
    pub kind: u64,
    pub start_ns: u64,
    pub end_ns: u64,
    /// Texts as they are, numbers and switches as text.
    pub attributes: BTreeMap<String, String>,
    pub status: u64,
}

impl Span {
    pub fn attribute(&self, name: &str) -> &str {
        self.attributes.get(name).map_or("", String::as_str)
    }
}

/// The collector.
pub struct Collector {
    server: FakeUpstream,
    _runtime: Runtime,
}

impl Collector {
    pub fn start() -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let server = runtime.block_on(FakeUpstream::start());
        server.on(PATH, Scripted::body("application/x-protobuf", ""));
        Self {
            server,
            _runtime: runtime,
        }
    }

    /// Where it takes spans.
    pub fn endpoint(&self) -> String {
        self.server.url(PATH)
    }

    /// The bodies of all posts, after checking their heads.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        let requests = self.server.requests().into_iter();
        let bodies = requests.map(|request| {
            assert_eq!(request.method, "POST");
            let kind = request.header("content-type");
            assert_eq!(kind, Some("application/x-protobuf"));
            request.body.to_vec()
        });
        bodies.collect()
    }

    /// Waits until there are so many spans.
    pub fn wait_for(&self, count: usize) -> Vec<Span> {
        let started = Instant::now();
        loop {
            let spans: Vec<Span> = self.bodies().iter().flat_map(|body| decode(body)).collect();
            if spans.len() >= count {
                return spans;
            }
            let waited = started.elapsed();
            assert!(
                waited < Duration::from_secs(30),
                "{} of {count}",
                spans.len()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The spans of an `ExportTraceServiceRequest`.
fn decode(body: &[u8]) -> Vec<Span> {
    let mut spans = Vec::new();
    for resource_spans in Message::read(body).messages(1) {
        let resource = &resource_spans.messages(1)[0];
        assert_eq!(attributes(resource, 1)["service.name"], "modelgate");
        for scope_spans in resource_spans.messages(2) {
            assert_eq!(scope_spans.messages(1)[0].text(1), "modelgate");
            spans.extend(scope_spans.messages(2).iter().map(span));
        }
    }
    spans
}

fn span(message: &Message) -> Span {
    let statuses = message.messages(15);
    Span {
        trace_id: message.bytes(1),
        id: message.bytes(2),
        parent_id: message.bytes(4),
        name: message.text(5),
        kind: message.number(6),
        start_ns: message.number(7),
        end_ns: message.number(8),
        attributes: attributes(message, 9),
        status: statuses.first().map_or(0, |status| status.number(3)),
    }
}

fn attributes(message: &Message, field: u64) -> BTreeMap<String, String> {
    let pairs = message.messages(field).into_iter().map(|pair| {
        let any = &pair.messages(2)[0];
        let value = match (any.all(1).next(), any.all(2).next(), any.all(3).next()) {
            (Some(Value::Bytes(text)), None, None) => {
                String::from_utf8(text.clone()).expect("text")
            }
            (None, Some(Value::Number(switch)), None) => (*switch == 1).to_string(),
            (None, None, Some(Value::Number(number))) => number.to_string(),
            other => panic!("{other:?} is not one value"),
        };
        (pair.text(1), value)
    });
    pairs.collect()
}
