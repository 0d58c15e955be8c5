//! Strict checks of HTTP/1.1 requests before the HTTP library reads them. The library accepts heads that other servers and
//! proxies read differently (bare line feeds, a length next to a transfer coding, requests without `Host`), so that a
//! request could be hidden in the body of another one. Request bodies pass through unchanged.

mod chunks;
mod head;
mod stream;

#[cfg(test)]
mod tests;

pub(super) use head::is_valid_host;
pub(super) use stream::{CheckedStream, Verdicts};
