//! A client that is nothing but a socket, so that no HTTP library hides what was sent.

use std::net::SocketAddr;
use std::time::Duration;
use testkit::FakeUpstream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Sends a request and returns the socket.
pub async fn send(upstream: &FakeUpstream, request: &str) -> TcpStream {
    let mut socket = connect(upstream.address()).await;
    socket
        .write_all(request.as_bytes())
        .await
        .expect("loopback works");
    socket
}

/// Opens a socket.
pub async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.expect("loopback works")
}

/// Sends a GET that closes the connection, and returns everything that came back.
pub async fn get(upstream: &FakeUpstream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n\r\n");
    let mut socket = send(upstream, &request).await;
    read_all(&mut socket).await
}

/// Reads until the other side closes.
pub async fn read_all(socket: &mut TcpStream) -> String {
    let mut received = Vec::new();
    socket
        .read_to_end(&mut received)
        .await
        .expect("loopback works");
    String::from_utf8(received).expect("replies are text")
}

/// Reads until what came ends with a text.
pub async fn read_until(socket: &mut TcpStream, end: &str) -> String {
    let mut received = Vec::new();
    while !received.ends_with(end.as_bytes()) {
        assert!(
            socket
                .read_buf(&mut received)
                .await
                .expect("loopback works")
                > 0,
            "closed too early"
        );
    }
    String::from_utf8(received).expect("replies are text")
}

/// Whether nothing comes for a while.
pub async fn is_quiet(socket: &mut TcpStream) -> bool {
    let mut byte = [0];
    tokio::time::timeout(Duration::from_millis(50), socket.read(&mut byte))
        .await
        .is_err()
}
