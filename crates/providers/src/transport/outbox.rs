//! Writes of one thread that leave together. A thread that serves many calls has work for many of them whenever
//! it looks: what each has to say waits until all had their turn, and then leaves in one go. The system's code and
//! ours do not take turns in the processor's caches, and a peer on the same machine is woken once for all rather
//! than once for each.

use std::cell::RefCell;
use std::io::IoSlice;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::socket::Shared;

/// Writes that are longer leave by themselves: copying them would take longer than gathering saves.
pub(super) const LONGEST: usize = 8 * 1024;
/// How much waits at most.
pub(super) const ROOM: usize = 128 * 1024;

thread_local! {
    static HERE: RefCell<Option<Outbox>> = const { RefCell::new(None) };
}

/// Gathers the writes of all [`Socket`](super::Socket)s of this thread, for as long as it is polled. For a task of a
/// runtime that has this thread alone, so that no socket ever changes threads; where there is none, writes leave as
/// they come.
pub async fn gather_writes() {
    let _installed = Installed::here();
    let carry = std::future::poll_fn(|cx| {
        HERE.with_borrow_mut(|here| {
            if let Some(outbox) = here {
                outbox.carry();
                outbox.carrier = Some(cx.waker().clone());
            }
        });
        Poll::<()>::Pending
    });
    carry.await;
}

/// An outbox that is there while this lives.
struct Installed;

impl Installed {
    fn here() -> Self {
        HERE.set(Some(Outbox::default()));
        Self
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        if let Some(mut outbox) = HERE.take() {
            outbox.carry();
        }
    }
}

/// What waits to leave.
#[derive(Default)]
struct Outbox {
    bytes: Vec<u8>,
    letters: Vec<Letter>,
    /// Wakes the task that carries.
    carrier: Option<Waker>,
}

/// A piece of the bytes, up to here, and whom it is for.
struct Letter {
    to: Arc<Shared>,
    end: usize,
}

impl Outbox {
    fn put(&mut self, to: &Arc<Shared>, pieces: &[IoSlice<'_>]) {
        if let Some(carrier) = self.carrier.take() {
            carrier.wake();
        }
        for piece in pieces {
            self.bytes.extend_from_slice(piece);
        }
        let end = self.bytes.len();
        match self.letters.last_mut() {
            Some(last) if Arc::ptr_eq(&last.to, to) => last.end = end,
            _ => self.letters.push(Letter {
                to: Arc::clone(to),
                end,
            }),
        }
    }

    fn carry(&mut self) {
        let mut begin = 0;
        for Letter { to, end } in self.letters.drain(..) {
            to.lock().send(&self.bytes[begin..end]);
            begin = end;
            if Arc::strong_count(&to) == 1 {
                Shared::linger(&to);
            }
        }
        self.bytes.clear();
    }
}

/// Takes a write in, if the socket is ready for it as `admit` says; its length. None where writes are not
/// gathered, or not such long ones.
pub(super) fn take_in<E>(
    to: &Arc<Shared>,
    pieces: &[IoSlice<'_>],
    admit: impl FnOnce() -> Poll<Result<(), E>>,
) -> Option<Poll<Result<usize, E>>> {
    let length = pieces.iter().map(|piece| piece.len()).sum();
    if length > LONGEST {
        return None;
    }
    HERE.with_borrow_mut(|here| {
        let outbox = here.as_mut()?;
        if outbox.bytes.len() + length > ROOM {
            outbox.carry();
        }
        Some(admit().map_ok(|()| {
            outbox.put(to, pieces);
            length
        }))
    })
}

/// Lets everything leave that waits on this thread.
pub(super) fn carry_now() {
    HERE.with_borrow_mut(|here| {
        if let Some(outbox) = here {
            outbox.carry();
        }
    });
}
