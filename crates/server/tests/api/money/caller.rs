//! A client that calls again and again and knows whether an answer came whole.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);
/// An answer of two input and ten output tokens.
pub const WHOLE: &str = r#"{"model":"demo-chat","messages":[{"role":"user","content":"Hello"}]}"#;
/// The same as a stream.
pub const STREAMED: &str =
    r#"{"model":"demo-chat","stream":true,"messages":[{"role":"user","content":"Hello"}]}"#;

/// An answer that came whole.
pub struct Answer {
    pub status: u16,
    pub request_id: String,
}

/// A client with one connection.
pub struct Caller {
    address: SocketAddr,
    token: String,
    connection: Option<TcpStream>,
}

impl Caller {
    pub fn new(address: SocketAddr, token: &str) -> Self {
        Self {
            address,
            token: token.to_owned(),
            connection: None,
        }
    }

    /// Makes a call; none where its answer did not come to its end.
    pub fn call(&mut self, body: &str) -> Option<Answer> {
        let answer = self.try_call(body).ok();
        if answer.is_none() {
            self.connection = None;
        }
        answer
    }

    fn try_call(&mut self, body: &str) -> io::Result<Answer> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => TcpStream::connect_timeout(&self.address, PATIENCE)?,
        };
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_nodelay(true)?;
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            self.token,
            body.len(),
        );
        connection.write_all(head.as_bytes())?;
        let answer = read_answer(&mut connection)?;
        self.connection = Some(connection);
        Ok(answer)
    }
}

fn read_answer(connection: &mut TcpStream) -> io::Result<Answer> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let read = connection.read(&mut piece)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes.extend_from_slice(&piece[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            continue;
        };
        let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
        let body = &bytes[end + 4..];
        let is_whole = match header(&head, "content-length") {
            Some(length) => length.parse() == Ok(body.len()),
            None => body.ends_with(b"0\r\n\r\n"),
        };
        if is_whole {
            let status = head.split(' ').nth(1).and_then(|text| text.parse().ok());
            return Ok(Answer {
                status: status.expect("a status"),
                request_id: header(&head, "x-request-id").expect("an id").to_owned(),
            });
        }
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find_map(|(header, value)| (header == name).then_some(value))
}
