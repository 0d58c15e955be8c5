//! Streams that always have something to say, and what arrives meanwhile.

use std::sync::atomic::AtomicUsize;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;

use super::*;

const STREAMS: usize = 64;

fn worker() -> Runtime {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().on_thread_unpark(looked);
    builder.build().unwrap()
}

/// Starts streams that always have something to say; how many turns each had.
fn streams() -> Arc<[AtomicUsize; STREAMS]> {
    let turns: Arc<[AtomicUsize; STREAMS]> = Arc::new([const { AtomicUsize::new(0) }; STREAMS]);
    for number in 0..STREAMS {
        let turns = Arc::clone(&turns);
        tokio::spawn(async move {
            let mut turn = Turn::first();
            loop {
                poll_fn(|cx| turn.poll(cx)).await;
                turns[number].fetch_add(1, Ordering::Relaxed);
                turn.end();
            }
        });
    }
    turns
}

fn sum(turns: &[AtomicUsize; STREAMS]) -> usize {
    turns
        .iter()
        .map(|turns| turns.load(Ordering::Relaxed))
        .sum()
}

/// Asks for a turn once.
fn ask(turn: &mut Turn) -> Poll<()> {
    turn.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn what_arrives_goes_ahead_of_streams_that_go_on() {
    worker().block_on(async {
        tokio::spawn(share_turns());
        yield_now().await;
        let turns = streams();
        let (mut here, mut there) = UnixStream::pair().unwrap();
        let seen = Arc::clone(&turns);
        let arrival = tokio::spawn(async move {
            here.read_u8().await.unwrap();
            sum(&seen)
        });
        while sum(&turns) < 1_000 {
            yield_now().await;
        }
        let sent_at = sum(&turns);
        there.write_u8(1).await.unwrap();
        let turns_later = arrival.await.unwrap() - sent_at;
        assert!(turns_later <= 2 * STREAMS / PART_AT_ONCE, "{turns_later}");
    });
}

#[test]
fn all_streams_have_their_turns() {
    worker().block_on(async {
        tokio::spawn(share_turns());
        yield_now().await;
        let turns = streams();
        while sum(&turns) < 100 * STREAMS {
            yield_now().await;
        }
        let each: Vec<usize> = turns
            .iter()
            .map(|turns| turns.load(Ordering::Relaxed))
            .collect();
        let (least, most) = (each.iter().min().unwrap(), each.iter().max().unwrap());
        assert!(most - least <= 1, "{each:?}");
    });
}

#[test]
fn a_few_streams_do_not_wait() {
    worker().block_on(async {
        tokio::spawn(share_turns());
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        let mut turns: Vec<Turn> = (0..=LEAST_AT_ONCE).map(|_| Turn::first()).collect();
        turns.iter_mut().for_each(Turn::end);
        let asked: Vec<bool> = turns.iter_mut().map(|turn| ask(turn).is_ready()).collect();
        let (last, others) = asked.split_last().unwrap();
        assert!(
            others.iter().all(|is_there| *is_there) && !last,
            "{asked:?}"
        );
        let last = turns.last_mut().unwrap();
        poll_fn(|cx| last.poll(cx)).await;
    });
}

#[test]
fn nobody_waits_where_nobody_lets_in() {
    let mut turn = Turn::first();
    turn.end();
    assert!(ask(&mut turn).is_ready());
    turn.end();
    let runtime = worker();
    runtime.block_on(async {
        tokio::spawn(share_turns());
        yield_now().await;
        assert!(ask(&mut turn).is_pending());
    });
    drop(runtime);
    assert!(ask(&mut turn).is_ready());
}
