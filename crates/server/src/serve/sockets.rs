//! Listening sockets, one per worker on the same port: the kernel spreads connections over them.

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 4096;

/// Sockets that listen on one address.
#[derive(Debug)]
pub struct Sockets {
    /// One for each worker.
    pub listeners: Vec<TcpListener>,
    /// The address, with the port that the system chose where none was asked for.
    pub address: SocketAddr,
}

/// Listens with `count` sockets. Sharing the port is allowed only after the first socket has
/// bound it: so a port that another process uses is an error, whatever that process allows.
pub fn bind(address: SocketAddr, count: usize) -> io::Result<Sockets> {
    let first = new_socket(address)?;
    first.bind(&address.into())?;
    first.set_reuse_port(true)?;
    first.listen(BACKLOG)?;
    let mut listeners = vec![TcpListener::from(first)];
    let address = listeners[0].local_addr()?;
    for _ in 1..count {
        let socket = new_socket(address)?;
        socket.set_reuse_port(true)?;
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        listeners.push(TcpListener::from(socket));
    }
    Ok(Sockets { listeners, address })
}

fn new_socket(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM,
        Some(Protocol::TCP),
    )?;
    // Lets a restarted server bind while connections of the former one fade out.
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    if address.ip().is_unspecified() && address.is_ipv6() {
        socket.set_only_v6(false)?;
    }
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_share_a_port_and_nobody_else_can_have_it() {
        let sockets = bind("127.0.0.1:0".parse().unwrap(), 3).unwrap();
        assert_eq!(sockets.listeners.len(), 3);
        let error = bind(sockets.address, 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
        drop(sockets.listeners);
        bind(sockets.address, 1).expect("a closed port is free again");
    }
}
