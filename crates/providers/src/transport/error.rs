//! What can go wrong on the way to an upstream and back. No text here names a host or an address.

use std::error::Error as _;
use std::io;

/// What a deadline was set for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Resolving, connecting, proxy, TLS.
    Connect,
    /// From the end of the request to the answer's head.
    Head,
    /// From the end of the request to the first byte of the answer's body.
    FirstByte,
    /// Between two pieces of the body.
    Idle,
}

/// A call that broke in the transport.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransportError {
    /// The guard does not let us go there.
    #[error("the upstream's address is not allowed")]
    Refused,
    /// The name has no address.
    #[error("the upstream's name could not be resolved")]
    Resolve,
    /// Nobody answers there.
    #[error("the upstream could not be reached ({0})")]
    Connect(io::ErrorKind),
    /// The proxy refused, with this status if it spoke at all.
    #[error("the proxy refused the connection")]
    Proxy(Option<u16>),
    /// The secure channel could not be made.
    #[error("the secure connection to the upstream failed")]
    Tls(String),
    /// Too slow.
    #[error("the upstream took too long")]
    Timeout(Phase),
    /// The connection ended before the answer did.
    #[error("the upstream closed the connection")]
    Closed {
        /// Whether the connection had served another call before: then it may merely have been old.
        reused: bool,
        /// Whether the answer had begun.
        answered: bool,
    },
    /// What came is no HTTP.
    #[error("the upstream's answer cannot be read")]
    Malformed,
    /// The answer, or its head, is longer than it may be.
    #[error("the upstream's answer is too long")]
    TooLarge,
    /// The body that was to be sent broke off.
    #[error("the request's body broke off")]
    RequestBody,
    /// The body that was to be sent is longer than the client may send.
    #[error("the request's body is too large")]
    RequestTooLarge,
}

impl TransportError {
    /// What an error of the HTTP library means.
    pub(crate) fn of_http(error: &hyper::Error, reused: bool, answered: bool) -> Self {
        if error.is_parse_too_large() {
            return Self::TooLarge;
        }
        if error.is_parse() {
            return Self::Malformed;
        }
        if error.is_user() {
            return match io_cause(error) {
                Some(io::ErrorKind::FileTooLarge) => Self::RequestTooLarge,
                _ => Self::RequestBody,
            };
        }
        match io_cause(error) {
            Some(io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput) => Self::Malformed,
            _ => Self::Closed { reused, answered },
        }
    }
}

fn io_cause(error: &hyper::Error) -> Option<io::ErrorKind> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return Some(io.kind());
        }
        cause = inner.source();
    }
    None
}
