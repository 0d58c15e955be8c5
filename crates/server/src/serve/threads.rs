//! The threads that calls are served on, made before anything else is started: what the process begins
//! later (the records' writer, upkeep) lets them go first ([`yield_to_workers`]).

use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// How much less of a full processor other threads get. With less a call at times waits for a batch of the log;
/// with more the log falls behind the calls.
const NICENESS: i32 = 3;

/// What a thread does.
pub type Work = Box<dyn FnOnce() + Send>;

/// Threads that wait for their work.
pub struct Threads(Vec<(SyncSender<Work>, JoinHandle<()>)>);

impl Threads {
    /// Starts so many.
    pub fn start(count: usize) -> io::Result<Self> {
        (0..count).map(start).collect::<io::Result<_>>().map(Self)
    }

    /// Gives each its work; those that are left over end.
    pub fn run(self, work: impl IntoIterator<Item = Work>) -> Vec<JoinHandle<()>> {
        let begin = |((give, thread), work): ((SyncSender<Work>, _), _)| {
            // The thread does nothing but wait for it.
            let _ = give.send(work);
            thread
        };
        self.0.into_iter().zip(work).map(begin).collect()
    }
}

fn start(index: usize) -> io::Result<(SyncSender<Work>, JoinHandle<()>)> {
    let (give, given) = sync_channel::<Work>(1);
    let thread = Builder::new().name(format!("worker-{index}"));
    let thread = thread.spawn(move || {
        if let Ok(work) = given.recv() {
            work();
        }
    })?;
    Ok((give, thread))
}

/// From now on this thread, and those that it starts, stand back behind the workers where the processor is full. On
/// Linux a thread has a priority of its own.
pub fn yield_to_workers() {
    if let Err(error) = rustix::process::nice(NICENESS) {
        tracing::warn!(%error, "the priority of background work stays as it is");
    }
}
