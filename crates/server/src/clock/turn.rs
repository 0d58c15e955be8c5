//! Turns: one poll of a connection, which takes microseconds. Inside of one the time stands still, so that the dozen
//! steps of a call that want to know it look at the system's clocks once; a look costs as much as some of the steps.

use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

thread_local! {
    /// What was seen in this thread's turn; none outside of turns.
    static SEEN: Cell<Option<Seen>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, Default)]
struct Seen {
    instant: Option<Instant>,
    unix_ms: Option<i64>,
}

/// Now, for measuring how long something takes.
pub fn instant() -> Instant {
    let Some(seen) = SEEN.get() else {
        return Instant::now();
    };
    seen.instant.unwrap_or_else(|| {
        let now = Instant::now();
        let instant = Some(now);
        SEEN.set(Some(Seen { instant, ..seen }));
        now
    })
}

/// How long ago that was.
pub fn since(then: Instant) -> Duration {
    instant().duration_since(then)
}

/// Milliseconds since 1970, as the system tells them at the first look of a turn.
pub(super) fn unix_ms(look: impl Fn() -> i64) -> i64 {
    let Some(seen) = SEEN.get() else {
        return look();
    };
    seen.unix_ms.unwrap_or_else(|| {
        let now = look();
        let unix_ms = Some(now);
        SEEN.set(Some(Seen { unix_ms, ..seen }));
        now
    })
}

/// A future each of whose polls is a turn.
pub struct InTurns<F>(pub F);

impl<F: Future + Unpin> Future for InTurns<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _turn = Turn::begin();
        Pin::new(&mut self.0).poll(cx)
    }
}

/// Ends with its scope, a panic's as well.
struct Turn;

impl Turn {
    fn begin() -> Self {
        SEEN.set(Some(Seen::default()));
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        SEEN.set(None);
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use tokio::task::yield_now;

    use super::*;
    use crate::clock::{Clock as _, SystemClock};

    const A_WHILE: Duration = Duration::from_millis(3);

    fn looks() -> (Instant, i64) {
        (instant(), SystemClock.now_ms())
    }

    #[tokio::test]
    async fn time_stands_still_in_a_turn_and_goes_on_with_the_next() {
        let connection = InTurns(Box::pin(async {
            let first = looks();
            sleep(A_WHILE);
            assert_eq!(looks(), first);
            yield_now().await;
            let second = looks();
            assert!(second.0 >= first.0 + A_WHILE && second.1 > first.1);
            assert_eq!(since(first.0), second.0 - first.0);
        }));
        connection.await;
        let outside = looks();
        sleep(A_WHILE);
        assert!(looks().0 > outside.0 && looks().1 > outside.1);
    }

    #[tokio::test]
    async fn a_turn_that_panics_ends() {
        let connection = InTurns(Box::pin(async {
            looks();
            panic!("in a turn");
        }));
        tokio::spawn(connection).await.expect_err("a panic");
        let before = looks();
        sleep(A_WHILE);
        assert!(looks().0 > before.0);
    }
}
