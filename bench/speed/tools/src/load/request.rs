//! The request, as bytes that are made once and sent again and again.

use std::fmt::Write as _;
use std::net::SocketAddr;

/// Where to call.
#[derive(Clone, Debug)]
pub struct Target {
    /// The address to connect to.
    pub address: SocketAddr,
    path: String,
}

impl std::str::FromStr for Target {
    type Err = String;

    /// Reads `http://ADDRESS:PORT/PATH`. Load is for this machine only.
    fn from_str(url: &str) -> Result<Self, String> {
        let rest = url.strip_prefix("http://").ok_or("not an http address")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let address: SocketAddr = host.parse().map_err(|_| "not an IP address and port")?;
        if !address.ip().is_loopback() {
            return Err("only loopback addresses are put under load".to_owned());
        }
        let path = format!("/{path}");
        Ok(Self { address, path })
    }
}

/// One request a token, used in turn.
pub struct Requests(Vec<Vec<u8>>);

impl Requests {
    /// Prepares a request for each of the tokens; for one without authorization where there is none.
    pub fn new(target: &Target, headers: &[String], tokens: &[String], body: &[u8]) -> Self {
        if tokens.is_empty() {
            return Self(vec![request(target, headers, None, body)]);
        }
        let of_token = |token: &String| request(target, headers, Some(token), body);
        Self(tokens.iter().map(of_token).collect())
    }

    /// The bytes of a turn.
    pub(super) fn of_turn(&self, turn: usize) -> &[u8] {
        &self.0[turn % self.0.len()]
    }
}

fn request(target: &Target, headers: &[String], token: Option<&str>, body: &[u8]) -> Vec<u8> {
    let Target { address, path } = target;
    let mut text = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: */*\r\nuser-agent: bench\r\n"
    );
    for header in headers {
        text.push_str(header);
        text.push_str("\r\n");
    }
    if let Some(token) = token {
        // Writing to a string cannot fail.
        let _ = write!(text, "authorization: Bearer {token}\r\n");
    }
    let _ = write!(text, "content-length: {}\r\n\r\n", body.len());
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_put_under_load() {
        assert!("http://127.0.0.1:80/v1".parse::<Target>().is_ok());
        assert!("http://192.0.2.1:80/v1".parse::<Target>().is_err());
    }

    #[test]
    fn tokens_take_turns() {
        let target: Target = "http://127.0.0.1:80/v1".parse().expect("an address");
        let tokens = ["one".to_owned(), "two".to_owned()];
        let requests = Requests::new(&target, &[], &tokens, b"{}");
        let text = String::from_utf8_lossy(requests.of_turn(3)).into_owned();
        assert!(text.starts_with("POST /v1 HTTP/1.1\r\n"));
        assert!(text.ends_with("authorization: Bearer two\r\ncontent-length: 2\r\n\r\n{}"));
    }
}
