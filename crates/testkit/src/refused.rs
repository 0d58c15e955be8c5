//! An address where nobody listens, and nobody can begin to while the test runs.

use std::net::SocketAddr;
use tokio::net::TcpSocket;

/// A loopback port that refuses every connection for as long as this lives.
///
/// The port is bound and never listened on: a port that was merely free a moment ago could be
/// taken by another test.
#[derive(Debug)]
pub struct RefusedAddress {
    _socket: TcpSocket,
    address: SocketAddr,
}

impl RefusedAddress {
    /// Claims a port.
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket can be made");
        socket
            .bind(SocketAddr::from(([127, 0, 0, 1], 0)))
            .expect("loopback has a free port");
        let address = socket.local_addr().expect("a bound socket has an address");
        Self {
            _socket: socket,
            address,
        }
    }

    /// The address that refuses.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A URL at that address; `path` begins with a slash or is empty.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Default for RefusedAddress {
    fn default() -> Self {
        Self::new()
    }
}
