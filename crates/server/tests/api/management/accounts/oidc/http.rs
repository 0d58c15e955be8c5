//! Just enough HTTP for a provider made of a socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

/// One request.
pub struct Asked {
    /// The first line and the headers.
    pub head: Vec<String>,
    pub body: String,
}

impl Asked {
    /// Reads it; none where nobody asks anything.
    pub fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
        let mut head = Vec::new();
        let mut length = 0;
        while let Some(Ok(line)) = reader.by_ref().lines().next() {
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line.is_empty() {
                break;
            }
            head.push(line);
        }
        let mut body = vec![0; length];
        if head.is_empty() || reader.read_exact(&mut body).is_err() {
            return None;
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        Some(Self { head, body })
    }

    pub fn path(&self) -> &str {
        self.head[0].split(' ').nth(1).unwrap_or_default()
    }

    /// A header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head[1..]
            .iter()
            .filter_map(|line| line.split_once(": "));
        let found = headers.find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value)
    }
}

pub fn answer(stream: &mut TcpStream, status: u16, document: &Value) {
    let document = document.to_string();
    // Whoever has gone away does not need an answer.
    let _ = write!(
        stream,
        "HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{document}",
        document.len()
    );
}
