//! The fake upstream itself: a listener on a free loopback port, what it answers and what it saw.

use crate::connection;
use crate::journal::{Ending, Journal};
use crate::reply::Reply;
use crate::request::RecordedRequest;
use crate::script::{Script, Scripts};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

pub(crate) struct Shared {
    pub(crate) scripts: Scripts,
    pub(crate) journal: Journal,
}

/// An HTTP server that answers as scripted. It and its connections end when it is dropped.
pub struct FakeUpstream {
    shared: Arc<Shared>,
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl FakeUpstream {
    /// Starts one that answers 404 to everything until told otherwise.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("loopback has a free port");
        let address = listener
            .local_addr()
            .expect("a bound listener has an address");
        let shared = Arc::new(Shared {
            scripts: Scripts::default(),
            journal: Journal::new(),
        });
        let accepting = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self {
            shared,
            address,
            accepting,
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A URL of it; `path` begins with a slash or is empty.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Answers every request to a path with this reply.
    pub fn on(&self, path: &str, reply: Reply) {
        self.on_each(path, [reply]);
    }

    /// Answers the requests to a path one reply after the other; the last one repeats.
    pub fn on_each(&self, path: &str, replies: impl IntoIterator<Item = Reply>) {
        let replies = std::collections::VecDeque::from_iter(replies);
        assert!(!replies.is_empty(), "a path needs at least one reply");
        self.shared.scripts.set(path, Script::Sequence(replies));
    }

    /// Computes the reply to every request to a path.
    pub fn on_request(
        &self,
        path: &str,
        answer: impl Fn(&RecordedRequest) -> Reply + Send + Sync + 'static,
    ) {
        self.shared
            .scripts
            .set(path, Script::Answer(Arc::new(answer)));
    }

    /// Every request so far, in the order in which they were complete.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.shared.journal.requests()
    }

    /// The only request there was. Fails the test when there was none or another.
    pub fn only_request(&self) -> RecordedRequest {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "exactly one request was expected");
        requests.remove(0)
    }

    /// Waits until at least that many requests have come.
    pub async fn wait_for_requests(&self, count: usize) {
        self.shared.journal.wait_for_requests(count).await;
    }

    /// Waits until the reply to the request of that index has ended, and says how.
    pub async fn ending(&self, index: usize) -> Ending {
        self.shared.journal.ending(index).await
    }

    /// How many connections are open now.
    pub fn open_connections(&self) -> usize {
        self.shared.journal.open()
    }

    /// Waits until exactly that many connections are open.
    pub async fn wait_for_open_connections(&self, count: usize) {
        self.shared.journal.wait_for_open(count).await;
    }

    /// How many connections there have been.
    pub fn accepted_connections(&self) -> usize {
        self.shared.journal.accepted()
    }
}

impl Drop for FakeUpstream {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Accepts for ever. The set of connections belongs to this task, so they end with it.
async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, _) = accepted.expect("a listening socket accepts");
                connections.spawn(connection::serve(stream, Arc::clone(&shared)));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}
