//! The present connection, if there is one, and the rule that every call on it is bounded in
//! time. Making connections is the keeper's work.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{Client, ErrorKind, RedisError, RedisResult, ServerErrorKind};
use tokio::sync::{Notify, broadcast};
use tokio::time::timeout;

use super::handle::RedisOptions;
use crate::shared::changes::Notice;
use crate::shared::error::SharedError;

/// Change notices that a slow subscriber may fall behind.
const NOTICES: usize = 1_024;

/// What the handle and its keeper share.
pub(super) struct Link {
    options: RedisOptions,
    client: Client,
    present: Mutex<Present>,
    lost: Notify,
    /// A change could not be published; the other nodes must be told to reload everything.
    owes_notice: AtomicBool,
    notices: broadcast::Sender<Notice>,
}

/// The connection and how many there were before, so that a late failure of an old one does not
/// take down its successor.
struct Present {
    generation: u64,
    connection: Option<MultiplexedConnection>,
}

impl Link {
    pub(super) fn new(options: RedisOptions) -> Result<Self, SharedError> {
        let client = Client::open(options.url.as_str())
            .map_err(|_| SharedError::Invalid("the Redis URL cannot be used"))?;
        Ok(Self {
            options,
            client,
            present: Mutex::new(Present {
                generation: 0,
                connection: None,
            }),
            lost: Notify::new(),
            owes_notice: AtomicBool::new(false),
            notices: broadcast::Sender::new(NOTICES),
        })
    }

    pub(super) fn options(&self) -> &RedisOptions {
        &self.options
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn notices(&self) -> &broadcast::Sender<Notice> {
        &self.notices
    }

    pub(super) fn is_connected(&self) -> bool {
        self.present.lock().connection.is_some()
    }

    pub(super) fn owe_notice(&self) {
        self.owes_notice.store(true, Ordering::SeqCst);
    }

    pub(super) fn take_owed_notice(&self) -> bool {
        self.owes_notice.swap(false, Ordering::SeqCst)
    }

    pub(super) fn connected(&self, connection: MultiplexedConnection) {
        let mut present = self.present.lock();
        present.generation += 1;
        present.connection = Some(connection);
    }

    pub(super) fn disconnected(&self) {
        self.present.lock().connection = None;
    }

    /// Waits until a call has found the present connection broken. A wake-up that the keeper did not wait
    /// for, since it noticed by itself, is about a connection that was replaced meanwhile.
    pub(super) async fn lost(&self) {
        self.lost.notified().await;
        while self.is_connected() {
            self.lost.notified().await;
        }
    }

    /// Runs one call on the present connection, within the response timeout.
    pub(super) async fn call<T, F>(
        &self,
        work: impl FnOnce(MultiplexedConnection) -> F,
    ) -> Result<T, SharedError>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let (generation, connection) = {
            let present = self.present.lock();
            (present.generation, present.connection.clone())
        };
        let Some(connection) = connection else {
            return Err(SharedError::Unavailable("not connected".to_owned()));
        };
        let outcome = timeout(self.options.response_timeout, work(connection)).await;
        let reason = match outcome {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) if is_away(&error) => error.to_string(),
            Ok(Err(error)) => return Err(SharedError::Answer(error.to_string())),
            Err(_) => "no answer in time".to_owned(),
        };
        self.drop_connection(generation);
        Err(SharedError::Unavailable(reason))
    }

    fn drop_connection(&self, generation: u64) {
        let mut present = self.present.lock();
        if present.generation == generation && present.connection.take().is_some() {
            self.lost.notify_one();
        }
    }
}

/// Whether the error means that this server cannot serve us now, as opposed to a wrong call.
fn is_away(error: &RedisError) -> bool {
    use ServerErrorKind::{BusyLoading, ClusterDown, MasterDown, ReadOnly, TryAgain};
    error.is_io_error()
        || error.is_unrecoverable_error()
        || matches!(
            error.kind(),
            ErrorKind::Server(BusyLoading | ClusterDown | MasterDown | ReadOnly | TryAgain)
        )
}
