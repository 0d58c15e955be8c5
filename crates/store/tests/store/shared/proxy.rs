//! A TCP proxy before the tests' Redis that can be cut off or stalled, to play an outage.

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
pub struct Proxy {
    address: SocketAddr,
    traffic: watch::Sender<Traffic>,
}

impl Proxy {
    /// Starts a proxy before the Redis at `url`.
    pub async fn start(url: &str) -> Self {
        let upstream = url
            .trim_start_matches("redis://")
            .split('/')
            .next()
            .unwrap()
            .to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (traffic, seen) = watch::channel(Traffic::Flows);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(relay(client, upstream.clone(), seen.clone()));
            }
        });
        Self { address, traffic }
    }

    /// Address to give to the backend.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Changes what happens, to open connections as well.
    pub fn set(&self, traffic: Traffic) {
        self.traffic.send(traffic).unwrap();
    }
}

async fn relay(mut client: TcpStream, upstream: String, mut traffic: watch::Receiver<Traffic>) {
    let now = *traffic.borrow_and_update();
    if now == Traffic::Flows {
        let mut server = TcpStream::connect(upstream).await.unwrap();
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
