//! Requests and replies as bytes, for bodies that are no text; and forms.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// A reply, its body decoded.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Whether the body came to its end.
    pub is_whole: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// The data of server-sent events, in their order.
    pub fn events(&self) -> Vec<Value> {
        assert!(
            self.header("content-type").starts_with("text/event-stream"),
            "{self:?}"
        );
        let lines = self.text().lines();
        lines
            .filter_map(|line| line.strip_prefix("data: "))
            .map(|data| serde_json::from_str(data).expect("an event"))
            .collect()
    }

    /// Status and code of a failure.
    pub fn failure(&self) -> (u16, String) {
        let code = self.json()["error"]["code"].as_str().map(str::to_owned);
        (self.status, code.unwrap_or_default())
    }
}

/// Posts bytes.
pub fn post(address: SocketAddr, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).expect("the service accepts");
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).expect("a timeout");
    let mut head = format!(
        "POST {path} HTTP/1.1\r\nhost: gate.example\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.extend([*name, ": ", *value, "\r\n"]);
    }
    head.push_str("\r\n");
    stream
        .write_all(head.as_bytes())
        .expect("it reads the head");
    // A service that refuses early need not read it all.
    let _ = stream.write_all(body);
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|it| it == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {:?}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let is_chunked = headers
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let rest = &bytes[end + 4..];
    let (body, is_whole) = if is_chunked {
        unchunked(rest)
    } else {
        (rest.to_vec(), true)
    };
    Answer {
        status: status.and_then(|it| it.parse().ok()).expect("a status"),
        headers,
        body,
        is_whole,
    }
}

fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|it| it == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).ok();
        let Some(size) = size.and_then(|it| usize::from_str_radix(it.trim(), 16).ok()) else {
            break;
        };
        if size == 0 {
            return (body, true);
        }
        let data = &rest[end + 2..];
        body.extend_from_slice(&data[..size.min(data.len())]);
        rest = data.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}

/// A form with these texts and, after the first `before` of them, this file.
pub fn form(texts: &[(&str, &str)], before: usize, file: (&str, &str, &[u8])) -> Vec<u8> {
    let mut out = Vec::new();
    let text = |out: &mut Vec<u8>, (name, value): &(&str, &str)| {
        let part = format!(
            "--BoUnd\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        );
        out.extend_from_slice(part.as_bytes());
    };
    for pair in &texts[..before] {
        text(&mut out, pair);
    }
    let (name, file_name, bytes) = file;
    let head = format!(
        "--BoUnd\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file_name}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    out.extend_from_slice(head.as_bytes());
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
    for pair in &texts[before..] {
        text(&mut out, pair);
    }
    out.extend_from_slice(b"--BoUnd--\r\n");
    out
}
