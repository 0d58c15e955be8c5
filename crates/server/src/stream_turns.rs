//! Streams of a thread take turns. A call that has just come, and the first words of an answer, go ahead of answers that
//! go on: who has begun stands in a line, of which a few are let in at once, and before the next ones the thread looks
//! what has arrived. Where few streams have something to say, none of them waits.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};

use futures_util::task::AtomicWaker;

/// So many go on between two looks at what has arrived …
const LEAST_AT_ONCE: usize = 4;
/// … or this part of those that wait, so that nobody waits for many looks, however much arrives.
const PART_AT_ONCE: usize = 8;

thread_local! {
    static HERE: RefCell<Option<Line>> = const { RefCell::new(None) };
}

/// Lets in who waits on this thread, for as long as it is polled. For a task of a runtime that has this thread alone;
/// where there is none, nobody waits.
pub async fn share_turns() {
    let _installed = Installed::here();
    loop {
        poll_fn(someone_waits).await;
        // What has arrived meanwhile has its turn before this task has its next one.
        tokio::task::yield_now().await;
        let_in();
    }
}

/// Notes that the thread has looked what has arrived, with nothing else to do.
pub fn looked() {
    HERE.with_borrow_mut(|here| {
        if let Some(line) = here {
            line.free = LEAST_AT_ONCE;
        }
    });
}

fn someone_waits(cx: &mut Context<'_>) -> Poll<()> {
    HERE.with_borrow_mut(|here| match here {
        Some(line) if line.waiting.is_empty() => {
            line.keeper = Some(cx.waker().clone());
            Poll::Pending
        }
        _ => Poll::Ready(()),
    })
}

fn let_in() {
    HERE.with_borrow_mut(|here| {
        let Some(line) = here else { return };
        let count = (line.waiting.len() / PART_AT_ONCE).max(LEAST_AT_ONCE);
        for place in line.waiting.drain(..count.min(line.waiting.len())) {
            place.let_in();
        }
    });
}

/// A line that is there while this lives.
struct Installed;

impl Installed {
    fn here() -> Self {
        HERE.set(Some(Line::default()));
        Self
    }
}

impl Drop for Installed {
    fn drop(&mut self) {
        for place in HERE.take().into_iter().flat_map(|line| line.waiting) {
            place.let_in();
        }
    }
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Arc<Place>>,
    /// How many more may go on at once, where nobody waits.
    free: usize,
    /// Wakes the task that lets in.
    keeper: Option<Waker>,
}

impl Line {
    /// Whether somebody who comes now may go on at once; otherwise they stand in the line.
    fn enter(&mut self, place: &Arc<Place>) -> bool {
        if self.waiting.is_empty() && self.free > 0 {
            self.free -= 1;
            return true;
        }
        place.is_let_in.store(false, Ordering::Relaxed);
        self.waiting.push_back(Arc::clone(place));
        if let Some(keeper) = self.keeper.take() {
            keeper.wake();
        }
        false
    }
}

/// A place in the line.
#[derive(Default)]
struct Place {
    is_let_in: AtomicBool,
    waker: AtomicWaker,
}

impl Place {
    fn let_in(&self) {
        self.is_let_in.store(true, Ordering::Release);
        self.waker.wake();
    }
}

/// A stream's turn.
pub struct Turn {
    place: Arc<Place>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Mine,
    Waiting,
    Over,
}

impl Turn {
    /// The first one, which is there at once.
    pub fn first() -> Self {
        Self {
            place: Arc::default(),
            state: State::Mine,
        }
    }

    /// Ready while it is this stream's turn. Where it is over, asks for the next one.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.state == State::Over {
            let goes_on = HERE
                .with_borrow_mut(|here| here.as_mut().is_none_or(|line| line.enter(&self.place)));
            self.state = if goes_on { State::Mine } else { State::Waiting };
        }
        if self.state == State::Waiting {
            self.place.waker.register(cx.waker());
            if !self.place.is_let_in.load(Ordering::Acquire) {
                return Poll::Pending;
            }
            self.state = State::Mine;
        }
        Poll::Ready(())
    }

    /// Ends it: the others come first.
    pub fn end(&mut self) {
        if self.state == State::Mine {
            self.state = State::Over;
        }
    }
}

#[cfg(test)]
#[path = "stream_turns_tests.rs"]
mod tests;
