//! Many slow streams at once, held open: what a stream costs in memory while little happens.

use std::cell::{Cell, RefCell};
use std::io::{self, Write as _, stdout};
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};

use super::answer::Reader;
use super::request::{Requests, Target};

/// Small, because there are thousands of them.
const BUFFER: usize = 8 * 1024;
/// How long the streams may take until each had an event.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Streams that are opened between two looks, so that no queue of connections overflows.
const AT_ONCE: usize = 50;

#[derive(Default)]
struct Seen {
    begun: Cell<usize>,
    ended: Cell<usize>,
    events: Cell<u64>,
    first_failure: RefCell<Option<String>>,
}

/// Opens so many streams. Prints `ready` when each had an event, and a line of JSON after `length`.
pub fn hold_open(
    target: &Target,
    requests: Requests,
    streams: usize,
    length: Duration,
) -> io::Result<()> {
    let (requests, seen) = (Rc::new(requests), Rc::new(Seen::default()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async {
        let mut tasks = JoinSet::new();
        let deadline = Instant::now() + PATIENCE;
        let mut opened = 0;
        while seen.begun.get() + seen.ended.get() < streams && Instant::now() < deadline {
            let more = AT_ONCE.min(streams - opened);
            for turn in opened..opened + more {
                let (requests, seen) = (Rc::clone(&requests), Rc::clone(&seen));
                tasks.spawn_local(hold(target.clone(), requests, turn, seen));
            }
            opened += more;
            tokio::time::sleep(LOOK_EVERY).await;
        }
        writeln!(stdout(), "ready")?;
        seen.events.set(0);
        tokio::time::sleep(length).await;
        let told = json!({
            "seconds": length.as_secs_f64(),
            "streams": seen.begun.get(),
            "ended": seen.ended.get(),
            "events": seen.events.get(),
            "first_failure": *seen.first_failure.borrow(),
        });
        writeln!(stdout(), "{told}")
    })
}

/// One stream; it counts as begun from its first event until it ends.
async fn hold(target: Target, requests: Rc<Requests>, turn: usize, seen: Rc<Seen>) {
    let mut has_begun = false;
    let outcome = async {
        let mut stream = TcpStream::connect(target.address).await?;
        let began = Instant::now();
        stream.write_all(requests.of_turn(turn)).await?;
        let mut reader = Reader::with_buffer(BUFFER);
        let on_events = |count| {
            seen.events.set(seen.events.get() + count);
            if !has_begun {
                has_begun = true;
                seen.begun.set(seen.begun.get() + 1);
            }
        };
        reader.read(&mut stream, began, on_events).await
    };
    let outcome: io::Result<_> = outcome.await;
    if has_begun {
        seen.begun.set(seen.begun.get() - 1);
    }
    seen.ended.set(seen.ended.get() + 1);
    let text = match outcome {
        Ok(answer) => format!("ended with {}: {}", answer.status, answer.sample),
        Err(error) => error.to_string(),
    };
    seen.first_failure.borrow_mut().get_or_insert(text);
}
