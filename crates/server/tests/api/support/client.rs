//! A small HTTP/1.1 client that hides nothing: requests are the bytes that a test writes.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Longest wait for anything.
const PATIENCE: Duration = Duration::from_secs(30);

/// A reply, read whole.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    /// A header's value; the first where there are several.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        assert_eq!(
            self.header("content-type"),
            Some("application/json"),
            "{self:?}"
        );
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text
            .split_once("\r\n\r\n")
            .unwrap_or_else(|| panic!("no head: {text:?}"));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let header = |line: &str| {
            let (name, value) = line.split_once(':').expect("a header line");
            (name.to_ascii_lowercase(), value.trim().to_owned())
        };
        Self {
            status: status.expect("a status line").parse().expect("a status"),
            headers: lines.map(header).collect(),
            body: body.to_owned(),
        }
        .dechunked()
    }

    /// The body without the framing of its transfer.
    fn dechunked(mut self) -> Self {
        if self.header("transfer-encoding") != Some("chunked") {
            return self;
        }
        let (mut whole, mut rest) = (Vec::new(), self.body.as_bytes());
        while let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") {
            let size = std::str::from_utf8(&rest[..end]).ok();
            let size = size.and_then(|text| usize::from_str_radix(text, 16).ok());
            let from = end + 2;
            // A stream that was cut has no last chunk.
            let Some(size) = size.filter(|size| *size > 0 && from + size <= rest.len()) else {
                break;
            };
            whole.extend_from_slice(&rest[from..from + size]);
            rest = rest.get(from + size + 2..).unwrap_or_default();
        }
        self.body = String::from_utf8_lossy(&whole).into_owned();
        self
    }
}

/// An open connection, for tests that send in pieces.
pub struct Connection(TcpStream);

impl Connection {
    pub fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect_timeout(&address, PATIENCE).expect("the service accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        Self(stream)
    }

    pub fn write(&mut self, bytes: &str) {
        self.0
            .write_all(bytes.as_bytes())
            .expect("the service reads");
    }

    pub fn write_bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the service reads");
    }

    /// Whether nothing comes for so long; what comes is left unread.
    pub fn is_silent_for(&self, patience: Duration) -> bool {
        self.0.set_read_timeout(Some(patience)).expect("a timeout");
        let peeked = self.0.peek(&mut [0]);
        self.0.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        peeked.is_err()
    }

    /// Reads until the service closes the connection, whatever it says before.
    pub fn wait_for_close(mut self) {
        let mut bytes = Vec::new();
        let closed = self.0.read_to_end(&mut bytes);
        let in_time =
            closed.map_or_else(|error| error.kind() == ErrorKind::ConnectionReset, |_| true);
        assert!(in_time, "the service did not close the connection");
    }

    /// Reads the head of the reply and as much of the body as arrives with it or is declared.
    pub fn read_start(mut self) -> Reply {
        let mut bytes = Vec::new();
        let mut piece = [0; 16 * 1024];
        loop {
            let read = self.0.read(&mut piece).unwrap_or(0);
            bytes.extend_from_slice(&piece[..read]);
            let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                assert!(read > 0, "the service did not answer: {text:?}");
                continue;
            };
            let declared = head.split("content-length: ").nth(1);
            let declared = declared.and_then(|rest| rest.lines().next()?.trim().parse().ok());
            if read == 0 || body.len() >= declared.unwrap_or(0) {
                return Reply::parse(&bytes);
            }
        }
    }

    /// Reads until what has come holds this text; the connection stays open.
    pub fn read_until(&mut self, text: &str) -> String {
        let mut bytes = Vec::new();
        let mut piece = [0; 4096];
        loop {
            let read = self.0.read(&mut piece).expect("the service answers");
            bytes.extend_from_slice(&piece[..read]);
            let come = String::from_utf8_lossy(&bytes).into_owned();
            if come.contains(text) {
                return come;
            }
            assert!(read > 0, "it ended before {text:?} came: {come}");
        }
    }

    /// Reads the reply until the service closes the connection.
    pub fn read_to_end(mut self) -> Reply {
        let mut bytes = Vec::new();
        if let Err(error) = self.0.read_to_end(&mut bytes) {
            assert!(!bytes.is_empty(), "the service did not answer: {error}");
        }
        Reply::parse(&bytes)
    }
}

/// Sends a request with the given header lines and body, and reads the reply.
pub fn send(address: SocketAddr, line: &str, headers: &[(&str, &str)], body: &str) -> Reply {
    let mut connection = Connection::open(address);
    let mut request = format!("{line} HTTP/1.1\r\nconnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "host") {
        request.push_str("host: gate.example\r\n");
    }
    for (name, value) in headers {
        request.extend([*name, ": ", *value, "\r\n"]);
    }
    if !body.is_empty() {
        request.extend(["content-length: ", &body.len().to_string(), "\r\n"]);
    }
    connection.write(&format!("{request}\r\n{body}"));
    connection.read_to_end()
}

/// Sends a GET.
pub fn get(address: SocketAddr, path: &str) -> Reply {
    send(address, &format!("GET {path}"), &[], "")
}
