//! How a channel's calls leave: whom it trusts, through which proxy, and how long it waits.

use std::time::Duration;

use ring::digest;

use super::proxy::Proxy;
use super::tls::TlsTrust;

/// How long to wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// Until a connection is there: resolving, connecting, proxy and TLS together.
    pub connect: Duration,
    /// From the end of the request to the first byte of the answer's body.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(5),
            idle: Duration::from_mins(5),
        }
    }
}

/// A channel's way out. Made once for a channel, used for all its calls.
#[derive(Debug, Clone)]
pub struct Egress {
    pub(crate) trust: TlsTrust,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) timeouts: Timeouts,
    /// Connections are shared by calls that leave the same way.
    pub(crate) route: [u8; 32],
}

impl Egress {
    /// This way out.
    pub fn new(trust: TlsTrust, proxy: Option<Proxy>, timeouts: Timeouts) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        context.update(trust.fingerprint());
        if let Some(proxy) = &proxy {
            proxy.identify(&mut context);
        }
        let route = context
            .finish()
            .as_ref()
            .try_into()
            .expect("the digest has 32 bytes");
        Self {
            trust,
            proxy,
            timeouts,
            route,
        }
    }

    /// How long this way waits.
    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    /// The same way with other deadlines; connections are shared with it.
    #[must_use]
    pub fn with_timeouts(&self, timeouts: Timeouts) -> Self {
        Self {
            timeouts,
            ..self.clone()
        }
    }
}

impl Default for Egress {
    /// Straight out, trusting the public authorities.
    fn default() -> Self {
        Self::new(TlsTrust::public(), None, Timeouts::default())
    }
}
