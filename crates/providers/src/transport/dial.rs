//! Makes a connection: resolves, asks the guard about every address, connects to one that passed,
//! and puts proxy and TLS on it.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::net::TcpStream;

use super::egress::Egress;
use super::error::{Phase, TransportError};
use super::guard::Guard;
use super::proxy::TunnelTarget;
use super::resolve::Resolve;
use super::socket::Socket;
use super::wire::Wire;
use crate::{Origin, Scheme};

/// How long one address has before the next is tried beside it.
const STAGGER: Duration = Duration::from_millis(250);
/// Maximum number of addresses of one upstream that a proxy is asked for.
const MAX_TUNNEL_ATTEMPTS: usize = 3;

/// Dials.
pub(crate) struct Dialler<'a> {
    pub(crate) guard: &'a Guard,
    pub(crate) resolver: &'a dyn Resolve,
    pub(crate) egress: &'a Egress,
}

impl Dialler<'_> {
    /// A stream to the upstream, and whether it speaks HTTP/2, which it can only where offered.
    pub(crate) async fn dial(
        &self,
        upstream: &Origin,
        offer_http2: bool,
    ) -> Result<(Wire, bool), TransportError> {
        let dialled = self.dial_unhurried(upstream, offer_http2);
        match tokio::time::timeout(self.egress.timeouts.connect, dialled).await {
            Ok(dialled) => dialled,
            Err(_) => Err(TransportError::Timeout(Phase::Connect)),
        }
    }

    async fn dial_unhurried(
        &self,
        upstream: &Origin,
        offer_http2: bool,
    ) -> Result<(Wire, bool), TransportError> {
        let wire = match &self.egress.proxy {
            None => Wire::Plain(self.connect(upstream).await?),
            Some(proxy) => {
                let addresses = self.addresses(&proxy.origin).await?;
                let targets = self.tunnel_targets(upstream).await?;
                self.dial_tunnel(&addresses, targets).await?
            }
        };
        match upstream.scheme {
            Scheme::Http => Ok((wire, false)),
            Scheme::Https => {
                self.egress
                    .trust
                    .connect(wire, &upstream.host, offer_http2)
                    .await
            }
        }
    }

    /// Opens a tunnel to the first target that the proxy can reach.
    pub(super) async fn dial_tunnel(
        &self,
        proxy: &[SocketAddr],
        targets: Vec<TunnelTarget>,
    ) -> Result<Wire, TransportError> {
        let mut failed = TransportError::Resolve;
        for target in targets.iter().take(MAX_TUNNEL_ATTEMPTS) {
            let stream = connect_first(proxy.to_vec()).await;
            let stream = stream.map_err(|error| TransportError::Connect(error.kind()))?;
            match self.through_proxy(Wire::Plain(stream), target).await {
                Err(error @ TransportError::Proxy(None | Some(500..))) => failed = error,
                outcome => return outcome,
            }
        }
        Err(failed)
    }

    /// Goes on from the proxy to the upstream, where there is a proxy.
    async fn through_proxy(
        &self,
        wire: Wire,
        target: &TunnelTarget,
    ) -> Result<Wire, TransportError> {
        let Some(proxy) = &self.egress.proxy else {
            return Ok(wire);
        };
        let wire = match proxy.origin.scheme {
            Scheme::Http => wire,
            Scheme::Https => {
                let secured = self.egress.trust.connect(wire, &proxy.origin.host, false);
                secured.await?.0
            }
        };
        proxy.tunnel(wire, target).await
    }

    /// Returns the destinations that the proxy may be asked for, the best first: the checked addresses of the upstream,
    /// or its name if proxies resolve names.
    pub(super) async fn tunnel_targets(
        &self,
        upstream: &Origin,
    ) -> Result<Vec<TunnelTarget>, TransportError> {
        if self.guard.names_by_proxy() {
            self.check_unresolved(upstream)?;
            return Ok(vec![TunnelTarget::Name(upstream.clone())]);
        }
        let addresses = self.addresses(upstream).await?;
        Ok(addresses.into_iter().map(TunnelTarget::Address).collect())
    }

    /// Checks an upstream that is given as an address or as a name of this machine.
    fn check_unresolved(&self, upstream: &Origin) -> Result<(), TransportError> {
        let host = &*upstream.host;
        let address = match host.parse::<IpAddr>() {
            Ok(address) => address,
            Err(_) if host == "localhost" || host.ends_with(".localhost") => {
                IpAddr::from([127, 0, 0, 1])
            }
            Err(_) => return Ok(()),
        };
        self.guard
            .check(address)
            .map_err(|_| TransportError::Refused)
    }

    async fn connect(&self, origin: &Origin) -> Result<Socket, TransportError> {
        let addresses = self.addresses(origin).await?;
        connect_first(addresses)
            .await
            .map_err(|error| TransportError::Connect(error.kind()))
    }

    /// The addresses that may be connected to.
    pub(super) async fn addresses(
        &self,
        origin: &Origin,
    ) -> Result<Vec<SocketAddr>, TransportError> {
        let found = if let Ok(address) = origin.host.parse::<IpAddr>() {
            vec![SocketAddr::new(address, origin.port)]
        } else {
            let resolved = self.resolver.resolve(&origin.host, origin.port).await;
            resolved.map_err(|_| TransportError::Resolve)?
        };
        if found.is_empty() {
            return Err(TransportError::Resolve);
        }
        let is_open = |address: &SocketAddr| self.guard.check(address.ip()).is_ok();
        let open: Vec<SocketAddr> = found.into_iter().filter(is_open).collect();
        if open.is_empty() {
            Err(TransportError::Refused)
        } else {
            Ok(open)
        }
    }
}

/// A socket to the first address that answers; addresses start one after the other.
pub(super) async fn connect_first(addresses: Vec<SocketAddr>) -> io::Result<Socket> {
    let mut waiting = addresses.into_iter();
    let mut attempts = FuturesUnordered::new();
    let mut error = io::Error::from(io::ErrorKind::AddrNotAvailable);
    loop {
        attempts.extend(waiting.next().map(TcpStream::connect));
        if attempts.is_empty() {
            return Err(error);
        }
        tokio::select! {
            Some(attempt) = attempts.next() => match attempt {
                Ok(stream) => {
                    // Small writes are whole requests here: none may wait for another.
                    stream.set_nodelay(true)?;
                    return Ok(Socket::new(stream));
                }
                Err(failed) => error = failed,
            },
            () = tokio::time::sleep(STAGGER), if waiting.len() > 0 => {}
        }
    }
}
