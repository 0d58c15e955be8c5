//! Who is calling, as far as the connection and trusted proxies tell: the request's id, the
//! client's address, and the address under which the client reaches us.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::request::Parts;
use http::{HeaderMap, HeaderName, header};

use super::body_limit::Sent;
use super::head::Head;
use crate::area::Area;
use crate::config::ServerConfig;
use crate::randomness::Randomness;

/// The header that carries the request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Four parts of up to three digits, each with a dot behind it.
const LONGEST_V4: usize = 16;

/// How the client reaches us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// Over TLS, ours or a proxy's.
    Https,
}

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// Whether the connection is encrypted.
    pub scheme: Scheme,
}

impl Peer {
    /// Reports whether this is a proxy that the operator trusts.
    pub fn is_trusted_proxy(&self, server: &ServerConfig) -> bool {
        is_trusted(self.address.ip(), server)
    }
}

/// A request, and where it came from.
pub struct Arrival {
    /// The other end of its connection.
    pub peer: Peer,
    /// The head of the request.
    pub head: Arc<Head>,
    /// Its body.
    pub body: Sent,
}

/// Who is calling.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Names the request in logs, in the reply and in the request log.
    pub request_id: Arc<str>,
    /// The client's address; where trusted proxies are in between, the one they report.
    pub address: IpAddr,
    /// The address under which the client reaches us, without a slash at the end. Where none is
    /// configured, the client says so itself: good for its own answers, never for what others read.
    /// Empty in model calls, whose answers hold no links.
    pub base_url: String,
    /// When the request came.
    pub at_ms: i64,
}

impl Caller {
    /// Reads the caller from a request.
    pub fn of(
        peer: Peer,
        head: &Head,
        server: &ServerConfig,
        (at_ms, new_request_id): (i64, impl FnOnce() -> Arc<str>),
    ) -> Self {
        let (area, headers) = (head.area, &head.parts.headers);
        let is_trusted = is_trusted(peer.address.ip(), server);
        let inbound = is_trusted
            .then(|| headers.get(REQUEST_ID)?.to_str().ok())
            .flatten()
            .filter(|id| is_sane_id(id));
        let request_id = match (inbound, area) {
            (None, _) => new_request_id(),
            // Calls are charged once by their id, and proxies hand on what clients send: ours goes behind it.
            (Some(id), Area::ModelCall(_)) => format!("{id}-{}", new_request_id()).into(),
            (Some(id), _) => id.into(),
        };
        Self {
            request_id,
            address: client_address(peer.address.ip(), headers, server),
            base_url: match area {
                Area::ModelCall(_) => String::new(),
                _ => base_url(peer, is_trusted, &head.parts, server),
            },
            at_ms,
        }
    }

    /// The client's address as text. Every call needs it, and the general way is a long one.
    pub fn address_text(&self) -> Arc<str> {
        let IpAddr::V4(address) = self.address else {
            return self.address.to_string().into();
        };
        let (mut text, mut end) = ([b'.'; LONGEST_V4], 0);
        for part in address.octets() {
            let mut digits = itoa::Buffer::new();
            let digits = digits.format(part).as_bytes();
            text[end..end + digits.len()].copy_from_slice(digits);
            // Behind it stands a dot.
            end += digits.len() + 1;
        }
        let text = str::from_utf8(&text[..end - 1]);
        text.expect("digits and dots are ASCII").into()
    }

    /// Whether the client reaches us over TLS.
    pub fn is_https(&self) -> bool {
        self.base_url.starts_with("https://")
    }
}

/// A new request id: the time and enough randomness, as 32 hexadecimal digits that sort by time.
pub(super) fn new_request_id(now_ms: i64, randomness: &dyn Randomness) -> Arc<str> {
    let mut bytes = [0; 16];
    randomness.fill(&mut bytes[6..]);
    bytes[..6].copy_from_slice(&now_ms.to_be_bytes()[2..]);
    let mut digits = [0; 32];
    hex::encode_to_slice(bytes, &mut digits).expect("a byte has two digits");
    str::from_utf8(&digits).expect("digits are ASCII").into()
}

fn is_sane_id(id: &str) -> bool {
    (8..=128).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

fn is_trusted(address: IpAddr, server: &ServerConfig) -> bool {
    server
        .trusted_proxies
        .iter()
        .any(|network| network.contains(address))
}

/// Walks the chain of proxies from our side: the first address that is not a trusted proxy's is
/// the client's. What lies beyond it is the client's own claim.
fn client_address(peer: IpAddr, headers: &HeaderMap, server: &ServerConfig) -> IpAddr {
    let mut address = peer.to_canonical();
    if server.trusted_proxies.is_empty() {
        return address;
    }
    let chain: Vec<&str> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    for hop in chain.iter().rev() {
        if !is_trusted(address, server) {
            break;
        }
        match parse_address(hop.trim()) {
            Some(next) => address = next,
            None => break,
        }
    }
    address
}

/// An address as proxies write it: with or without a port, IPv6 with or without brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let address = text
        .parse::<IpAddr>()
        .or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()))
        .or_else(|_| text.trim_start_matches('[').trim_end_matches(']').parse());
    address.ok().map(|address| address.to_canonical())
}

fn base_url(
    peer: Peer,
    is_trusted: bool,
    Parts { headers, uri, .. }: &Parts,
    server: &ServerConfig,
) -> String {
    if let Some(url) = &server.public_url {
        return url.trim_end_matches('/').to_owned();
    }
    let forwarded = |name: HeaderName| is_trusted.then(|| first_of(headers, &name)).flatten();
    let scheme = match forwarded(FORWARDED_PROTO) {
        Some("https" | "wss") => Scheme::Https,
        Some("http" | "ws") => Scheme::Http,
        _ => peer.scheme,
    };
    let host = forwarded(FORWARDED_HOST)
        .filter(|host| is_host(host))
        .or_else(|| first_of(headers, &header::HOST).filter(|host| is_host(host)))
        .or_else(|| {
            uri.authority()
                .map(http::uri::Authority::as_str)
                .filter(|host| is_host(host))
        })
        .map_or_else(|| Cow::Owned(server.listen.to_string()), Cow::Borrowed);
    let scheme = if scheme == Scheme::Https {
        "https://"
    } else {
        "http://"
    };
    [scheme, &*host].concat()
}

fn first_of<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let value = headers.get(name)?.to_str().ok()?;
    value.split(',').next().map(str::trim)
}

/// Only letters, digits and what addresses need: the host ends up in HTML and in links.
fn is_host(host: &str) -> bool {
    (1..=255).contains(&host.len())
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;
