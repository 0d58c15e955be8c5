//! The answer on its way to the client. The client's reading drives the upstream: nothing is read
//! ahead, and dropping the body closes the upstream at once and settles what was generated. Pieces
//! that are ready leave in one write, a few in a turn, so that a fast upstream does not keep other
//! clients waiting; the last one waits until its charge is on disk.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::body::Frame;
use providers::{UpstreamBody, UpstreamFailure};
use tokio::time::{Instant, Sleep};

use super::counted;
use super::joined::Joined;
use super::refusals;
use super::settle::{Ending, Settlement};
use super::task::{Answer, Progress};
use crate::channels::StopSignal;
use crate::clock;
use crate::stream_turns::Turn;

/// More is not joined into one write.
const MOST_JOINED: usize = 64 * 1024;
/// Nor are more pieces: then it is another stream's turn.
const PIECES_A_TURN: usize = 8;
/// After so long a silence the client is told that the upstream is alive, where that is possible.
const PING_AFTER: Duration = Duration::from_secs(15);

/// An answer that comes piece by piece.
pub struct Relay {
    upstream: Option<UpstreamBody>,
    answer: Box<dyn Answer>,
    settlement: Option<Settlement>,
    out: Joined,
    ending: Option<Last>,
    quiet: Quiet,
    /// Tells when somebody switches the channel off.
    stop: Option<StopSignal>,
    turn: Turn,
    /// What was just given goes out before more is taken: it is the beginning, which the client waits
    /// for, or enough for now.
    is_turn_over: bool,
}

/// The end of an answer, waiting for its charge.
struct Last {
    bytes: Bytes,
    /// The client must not take it for a good end.
    is_cut: bool,
    written: Option<BoxFuture<'static, bool>>,
}

impl Relay {
    /// Goes on where the first pieces, already in `out`, have left off. Until then the same signal told whether the
    /// channel is on.
    pub fn new(
        upstream: UpstreamBody,
        answer: Box<dyn Answer>,
        settlement: Settlement,
        (out, stop): (Joined, Option<StopSignal>),
    ) -> Self {
        let mut relay = Self {
            upstream: Some(upstream),
            answer,
            settlement: Some(settlement),
            out,
            ending: None,
            quiet: Quiet::new(),
            stop,
            turn: Turn::first(),
            is_turn_over: false,
        };
        if relay.is_over() {
            relay.finish(0, None, false);
        }
        relay
    }

    /// The body for the client.
    pub fn into_body(self) -> Body {
        Body::new(self)
    }

    fn is_over(&self) -> bool {
        matches!(
            self.answer.progress(),
            Progress::Finished | Progress::Failed
        )
    }

    /// Takes what is ready, until there is enough for a write, nothing more, or the end.
    fn pull(&mut self, cx: &mut Context<'_>) {
        // The beginning came with the relay.
        self.is_turn_over = !self.out.is_empty();
        self.heed_stop(cx);
        if let Some(settlement) = &mut self.settlement {
            settlement.known_mut().show_late();
        }
        let mut pieces = 0;
        while self.ending.is_none() && self.out.len() < MOST_JOINED && !self.is_turn_over {
            let Some(upstream) = &mut self.upstream else {
                return;
            };
            // What the last piece means waits for the charge; what came before does not.
            let before = self.out.len();
            match upstream.poll_piece(cx) {
                Poll::Pending => return,
                Poll::Ready(Some(Ok(piece))) => {
                    pieces += 1;
                    self.is_turn_over = pieces == PIECES_A_TURN;
                    self.answer.piece(piece, &mut self.out);
                    if self.is_over() {
                        self.finish(before, None, false);
                    }
                }
                Poll::Ready(Some(Err(error))) => {
                    let failure = UpstreamFailure::from(error);
                    let is_told = self.answer.fail(&failure.failure, &mut self.out);
                    self.finish(before, Some(failure), !is_told);
                }
                Poll::Ready(None) => {
                    self.upstream = None;
                    self.answer.end(&mut self.out);
                    self.finish(before, None, false);
                }
            }
        }
    }

    /// Ends the answer where somebody has switched its channel off: for the client as a failure of the
    /// upstream, which it is not. The channel's health does not hear of it.
    fn heed_stop(&mut self, cx: &mut Context<'_>) {
        let Some(stop) = self.stop.as_mut().filter(|_| self.ending.is_none()) else {
            return;
        };
        if stop.poll(cx).is_pending() {
            return;
        }
        let from = self.out.len();
        let failure = refusals::switched_off();
        let is_told = self.answer.fail(&failure, &mut self.out);
        self.upstream = None;
        self.settle(from, &Ending::Failed(failure), !is_told);
    }

    /// The answer has come to its end: settles it, and holds what goes out from there on until that is
    /// written. `broken` says what its bytes do not tell.
    fn finish(&mut self, from: usize, broken: Option<UpstreamFailure>, is_cut: bool) {
        let Some(settlement) = &self.settlement else {
            return;
        };
        let said = || self.answer.failure().cloned();
        let broken = broken.or_else(|| said().map(UpstreamFailure::from_stream));
        if let (Some(failure), Some(place)) = (&broken, &settlement.known().place) {
            settlement.known().scope.in_scope(|| place.failed(failure));
        }
        if let Some(failure) = broken {
            self.settle(from, &Ending::Failed(*failure.failure), is_cut);
        } else if let Some(settlement) = self.settlement.take() {
            let written = counted::answered(self.answer.as_mut(), settlement);
            self.hold(from, is_cut, written);
        }
    }

    fn settle(&mut self, from: usize, ending: &Ending, is_cut: bool) {
        let Some(settlement) = self.settlement.take() else {
            return;
        };
        let written = settlement.end(ending);
        let written = Box::pin(async move { written.wait().await.is_ok() });
        self.hold(from, is_cut, written);
    }

    /// Holds what goes out from here on until the charge is written.
    fn hold(&mut self, from: usize, is_cut: bool, written: BoxFuture<'static, bool>) {
        self.ending = Some(Last {
            bytes: self.out.split_off(from),
            is_cut,
            written: Some(written),
        });
    }

    /// The last bytes, once the charge is written.
    fn last(&mut self, cx: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        // A connection whose answer is over waits for another call; its end is often there by now.
        if let Some(upstream) = &mut self.upstream
            && let Poll::Ready(None | Some(Err(_))) = upstream.poll_piece(cx)
        {
            self.upstream = None;
        }
        let Some(last) = &mut self.ending else {
            return Poll::Ready(None);
        };
        if let Some(written) = &mut last.written {
            let is_written = ready!(written.as_mut().poll(cx));
            last.written = None;
            if !is_written {
                last.bytes = Bytes::new();
                last.is_cut = true;
            }
        }
        self.upstream = None;
        let bytes = std::mem::take(&mut last.bytes);
        if !bytes.is_empty() {
            return Poll::Ready(Some(Ok(bytes)));
        }
        if std::mem::take(&mut last.is_cut) {
            return Poll::Ready(Some(Err(io::Error::other("the answer broke off"))));
        }
        Poll::Ready(None)
    }
}

impl hyper::body::Body for Relay {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let relay = self.get_mut();
        if std::mem::take(&mut relay.is_turn_over) {
            relay.turn.end();
        }
        if relay.ending.is_none() {
            ready!(relay.turn.poll(cx));
        }
        relay.pull(cx);
        while relay.out.is_empty() && relay.ending.is_none() && relay.quiet.poll(cx).is_ready() {
            relay.answer.ping(&mut relay.out);
        }
        if !relay.out.is_empty() {
            relay.quiet.is_broken();
            return Poll::Ready(Some(Ok(Frame::data(relay.out.take()))));
        }
        if relay.ending.is_none() {
            relay.turn.end();
            // Pieces that meant nothing to the client end a turn too.
            if std::mem::take(&mut relay.is_turn_over) {
                cx.waker().wake_by_ref();
            }
            return Poll::Pending;
        }
        let last = ready!(relay.last(cx));
        Poll::Ready(last.map(|last| last.map(Frame::data)))
    }
}

impl Drop for Relay {
    /// The client has left.
    fn drop(&mut self) {
        self.upstream = None;
        if let Some(settlement) = self.settlement.take() {
            counted::left(self.answer.as_mut(), settlement);
        }
    }
}

/// Tells when nothing was sent for a while. Armed once, it looks again when it fires, so that a
/// write costs no timer.
struct Quiet {
    sleep: Pin<Box<Sleep>>,
    since: Instant,
}

impl Quiet {
    fn new() -> Self {
        let since = Instant::now();
        let sleep = Box::pin(tokio::time::sleep_until(since + PING_AFTER));
        Self { sleep, since }
    }

    fn is_broken(&mut self) {
        self.since = clock::instant();
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            ready!(self.sleep.as_mut().poll(cx));
            let due = self.since + PING_AFTER;
            if Instant::now() >= due {
                self.since = Instant::now();
                self.sleep.as_mut().reset(self.since + PING_AFTER);
                return Poll::Ready(());
            }
            self.sleep.as_mut().reset(due);
        }
    }
}
