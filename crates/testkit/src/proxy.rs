//! A TCP proxy before a database of the tests that can be cut off or stalled, to play an outage.

use std::net::SocketAddr;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the proxy does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Passes them on.
    Flows,
    /// Takes connections and never answers.
    Stalls,
    /// Drops every connection at once.
    Cut,
}

/// The proxy; it ends with the test's runtime.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    url: String,
    traffic: watch::Sender<Traffic>,
}

impl Proxy {
    /// Starts a proxy before the service at `url`, `scheme://[user@]host:port[/path]`.
    pub async fn before(url: &str) -> Self {
        let (_, address) = split(url);
        let upstream = address.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a free loopback port");
        let address = listener
            .local_addr()
            .expect("a bound socket has an address");
        let (traffic, seen) = watch::channel(Traffic::Flows);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, upstream.clone(), seen.clone()));
            }
        });
        Self {
            address,
            url: url.to_owned(),
            traffic,
        }
    }

    /// The service's address with the proxy's host and port.
    pub fn url(&self) -> String {
        let (before, address) = split(&self.url);
        let after = &self.url[before.len() + address.len()..];
        format!("{before}{}{after}", self.address)
    }

    /// Changes what happens, to open connections as well.
    pub fn set(&self, traffic: Traffic) {
        self.traffic.send_replace(traffic);
    }
}

/// What stands before host and port, and host and port.
fn split(url: &str) -> (&str, &str) {
    let scheme = url.find("://").map_or(0, |at| at + 3);
    let path = url[scheme..].find(['/', '?']);
    let authority = &url[scheme..path.map_or(url.len(), |at| scheme + at)];
    let user = authority.rfind('@').map_or(0, |at| at + 1);
    (&url[..scheme + user], &authority[user..])
}

async fn relay(mut client: TcpStream, upstream: String, mut traffic: watch::Receiver<Traffic>) {
    let now = *traffic.borrow_and_update();
    if now == Traffic::Flows {
        let mut server = TcpStream::connect(upstream)
            .await
            .expect("the service listens");
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => return,
            _ = traffic.changed() => {}
        }
    }
    while *traffic.borrow_and_update() == Traffic::Stalls {
        if traffic.changed().await.is_err() {
            return;
        }
    }
}
