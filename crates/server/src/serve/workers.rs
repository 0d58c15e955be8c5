//! Worker threads, each with a runtime and a listener of its own: a connection stays on the
//! thread that accepted it, and threads share no queue.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::FutureExt as _;
use providers::transport::gather_writes;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::answering::Answering;
use super::connection::{self, Accepted, ConnectionSettings};
use super::sockets::Sockets;
use super::stop::Stop;
use super::threads::{Threads, Work};
use crate::stream_turns::{self, share_turns};

/// The running worker threads.
#[derive(Debug)]
pub struct Workers {
    threads: Vec<JoinHandle<()>>,
    released: CancellationToken,
}

impl Workers {
    /// Starts one worker per socket, on a thread each. Each accepts until the stop is asked for; its
    /// connections are in the stop's count of what runs.
    pub fn start<S: Answering + Clone>(
        threads: Threads,
        sockets: Sockets,
        service: &S,
        settings: &ConnectionSettings,
        most_connections: usize,
        stop: &Stop,
    ) -> io::Result<Self> {
        let released = CancellationToken::new();
        let room = Arc::new(Semaphore::new(most_connections));
        let mut work: Vec<Work> = Vec::with_capacity(sockets.listeners.len());
        for listener in sockets.listeners {
            let runtime = Builder::new_current_thread()
                .enable_all()
                .on_thread_unpark(stream_turns::looked)
                .build()?;
            let listener = {
                let _entered = runtime.enter();
                TcpListener::from_std(listener)?
            };
            let worker = Worker {
                listener,
                service: service.clone(),
                settings: settings.clone(),
                room: room.clone(),
                stop: stop.clone(),
            };
            let released = released.clone();
            work.push(Box::new(move || {
                let accepting = worker.stop.running().clone().track_future(worker.accept());
                runtime.spawn(gather_writes());
                runtime.spawn(share_turns());
                runtime.block_on(async {
                    accepting.await;
                    // Connections to the database may belong to this runtime: it has to live until
                    // the store is closed.
                    released.cancelled().await;
                });
                runtime.shutdown_background();
            }));
        }
        Ok(Self {
            threads: threads.run(work),
            released,
        })
    }

    /// Ends the threads, and with them every connection that is still open.
    pub fn release(self) {
        self.released.cancel();
        for thread in self.threads {
            if thread.join().is_err() {
                tracing::error!("a worker thread panicked");
            }
        }
    }
}

struct Worker<S> {
    listener: TcpListener,
    service: S,
    settings: ConnectionSettings,
    room: Arc<Semaphore>,
    stop: Stop,
}

impl<S: Answering + Clone> Worker<S> {
    async fn accept(self) {
        loop {
            let accepted = tokio::select! {
                biased;
                () = self.stop.asked() => break,
                accepted = self.listener.accept() => accepted,
            };
            self.begin(accepted).await;
        }
        // Those that the kernel has already let in are answered before the socket closes.
        while let Some(accepted) = self.listener.accept().now_or_never() {
            self.begin(accepted).await;
        }
    }

    /// Serves a connection as soon as there is room for it. None is kept for connections that may never
    /// come: one that this thread does not need may be all that another one waits for.
    async fn begin(&self, accepted: io::Result<(TcpStream, SocketAddr)>) {
        let room = self.room.clone();
        match accepted {
            Ok((stream, address)) => {
                let Ok(place) = room.acquire_owned().await else {
                    return;
                };
                let accepted = Accepted {
                    stream,
                    address,
                    place,
                };
                let (service, settings) = (self.service.clone(), self.settings.clone());
                let stop = self.stop.clone();
                self.stop.running().spawn(async move {
                    connection::serve(accepted, service, &settings, &stop).await;
                });
            }
            Err(error) => {
                // Out of file descriptors, most likely: trying again at once would only spin.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}
