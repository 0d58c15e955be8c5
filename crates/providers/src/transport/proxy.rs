//! Proxies that build a tunnel (`CONNECT`), for plain and for TLS upstreams alike. The proxy is asked for an address that
//! the guard has checked. It receives the upstream's name only if the operator lets proxies resolve names.

use std::fmt;
use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::error::TransportError;
use super::wire::Wire;
use crate::{BaseUrl, Origin, Secret};

/// The longest answer to `CONNECT` that is read.
const LONGEST_HEAD: usize = 16 * 1024;

/// Destination of a tunnel.
#[derive(Debug, Clone)]
pub(crate) enum TunnelTarget {
    /// An address that the guard has checked.
    Address(SocketAddr),
    /// A name that the proxy resolves.
    Name(Origin),
}

impl fmt::Display for TunnelTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(address) => write!(formatter, "{address}"),
            Self::Name(origin) if origin.host.contains(':') => {
                write!(formatter, "[{}]:{}", origin.host, origin.port)
            }
            Self::Name(origin) => write!(formatter, "{}:{}", origin.host, origin.port),
        }
    }
}

/// A proxy that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the proxy must be http:// or https://, with a host and perhaps user:password@")]
pub struct BadProxy;

/// A proxy.
#[derive(Debug, Clone)]
pub struct Proxy {
    pub(crate) origin: Origin,
    /// User and password, as the header wants them.
    authorization: Option<Secret>,
}

impl Proxy {
    /// Reads `http://user:password@host:port`.
    pub fn parse(text: &str) -> Result<Self, BadProxy> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(BadProxy)?;
        let (user, place) = match rest.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, rest),
        };
        let base = BaseUrl::parse(&format!("{scheme}://{place}")).map_err(|_| BadProxy)?;
        if !base.prefix().is_empty() {
            return Err(BadProxy);
        }
        let authorization = user.map(|user| {
            let plain = zeroize::Zeroizing::new(percent_decoded(user));
            Secret::new(format!("Basic {}", STANDARD.encode(&*plain)))
        });
        Ok(Self {
            origin: base.origin().clone(),
            authorization,
        })
    }

    /// Adds what tells this proxy from others.
    pub(crate) fn identify(&self, context: &mut digest::Context) {
        context.update(self.origin.to_string().as_bytes());
        if let Some(authorization) = &self.authorization {
            context.update(authorization.expose().as_bytes());
        }
    }

    /// Asks the proxy at the other end of this stream for a tunnel.
    pub(crate) async fn tunnel(
        &self,
        mut wire: Wire,
        target: &TunnelTarget,
    ) -> Result<Wire, TransportError> {
        let broken = |_| TransportError::Proxy(None);
        let request = self.connect_request(target);
        wire.write_all(request.as_bytes()).await.map_err(broken)?;
        wire.flush().await.map_err(broken)?;
        let mut head = Vec::with_capacity(256);
        while !head.ends_with(b"\r\n\r\n") {
            // Byte by byte: what follows the head belongs to the tunnel.
            let byte = wire.read_u8().await.map_err(broken)?;
            head.push(byte);
            if head.len() > LONGEST_HEAD {
                return Err(TransportError::Proxy(None));
            }
        }
        match status(&head) {
            Some(200..=299) => Ok(wire),
            status => Err(TransportError::Proxy(status)),
        }
    }

    fn connect_request(&self, target: &TunnelTarget) -> zeroize::Zeroizing<String> {
        let authorization = self.authorization.as_ref().map_or(String::new(), |value| {
            format!("proxy-authorization: {}\r\n", value.expose())
        });
        let text = format!("CONNECT {target} HTTP/1.1\r\nhost: {target}\r\n{authorization}\r\n");
        zeroize::Zeroizing::new(text)
    }
}

/// The status in `HTTP/1.1 200 …`.
fn status(head: &[u8]) -> Option<u16> {
    let head = std::str::from_utf8(head).ok()?;
    let (version, rest) = head.split_once(' ')?;
    let status = rest.get(..3)?.parse().ok()?;
    version.starts_with("HTTP/1.").then_some(status)
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = text
            .get(at + 1..at + 3)
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match (bytes[at], pair) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
            }
            (byte, _) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_read_and_its_password_hidden() {
        let proxy = Proxy::parse("http://user:p%40ss@proxy.example:3128").unwrap();
        assert_eq!(proxy.origin.to_string(), "http://proxy.example:3128");
        assert!(!format!("{proxy:?}").contains("p@ss"));
        let upstream = BaseUrl::parse("https://[::1]").unwrap();
        let request = proxy.connect_request(&TunnelTarget::Name(upstream.origin().clone()));
        let basic = STANDARD.encode("user:p@ss");
        assert_eq!(
            &**request,
            format!(
                "CONNECT [::1]:443 HTTP/1.1\r\nhost: [::1]:443\r\nproxy-authorization: Basic {basic}\r\n\r\n"
            )
        );
    }

    #[test]
    fn what_is_no_proxy_is_refused() {
        for text in [
            "",
            "proxy:3128",
            "socks5://proxy",
            "http://",
            "http://proxy/path",
        ] {
            assert!(Proxy::parse(text).is_err(), "{text}");
        }
    }
}
