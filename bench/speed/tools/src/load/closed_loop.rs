//! The closed loop: each connection sends the next request when the last one was answered.

use std::cell::{Cell, RefCell};
use std::io::{self, Write as _, stdout};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::{JoinSet, LocalSet};

use super::answer::Reader;
use super::request::{Requests, Target};
use super::tally::Tally;

/// How long a connection that could not be made waits before it tries again.
const PAUSE: Duration = Duration::from_millis(20);
/// How long requests that are under way may take after the window.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to go on.
#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// A window of this length after a warm-up that does not count.
    Window {
        /// What does not count.
        warm_up: Duration,
        /// What does.
        length: Duration,
    },
    /// So many requests, all of them counted.
    Requests(usize),
}

struct Shared {
    target: Target,
    requests: Requests,
    tally: RefCell<Tally>,
    /// Requests that may still be sent.
    left: Cell<usize>,
    turn: Cell<usize>,
}

impl Shared {
    /// The number of the next request, if there is to be one.
    fn next_turn(&self) -> Option<usize> {
        let left = self.left.get().checked_sub(1)?;
        self.left.set(left);
        self.turn.set(self.turn.get().wrapping_add(1));
        Some(self.turn.get())
    }
}

/// Calls over so many connections. Prints `ready` when the window begins and a line of JSON when it
/// ends, so that whoever reads along can account for the time between.
pub fn call_in_a_loop(
    target: &Target,
    requests: Requests,
    connections: usize,
    pace: Pace,
) -> io::Result<()> {
    let shared = Rc::new(Shared {
        target: target.clone(),
        requests,
        tally: RefCell::default(),
        left: Cell::new(match pace {
            Pace::Window { .. } => usize::MAX,
            Pace::Requests(count) => count,
        }),
        turn: Cell::new(0),
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    LocalSet::new().block_on(&runtime, async {
        let mut tasks = JoinSet::new();
        for _ in 0..connections {
            tasks.spawn_local(go_on(Rc::clone(&shared)));
        }
        match pace {
            Pace::Window { warm_up, length } => {
                tokio::time::sleep(warm_up).await;
                shared.tally.take();
                let began = ready()?;
                tokio::time::sleep(length).await;
                let tally = shared.tally.take();
                shared.left.set(0);
                tell(tally, began)?;
                // A call that is cut short would be another kind of load for the next window.
                let _ = tokio::time::timeout(PATIENCE, tasks.join_all()).await;
            }
            Pace::Requests(_) => {
                let began = ready()?;
                tasks.join_all().await;
                tell(shared.tally.take(), began)?;
            }
        }
        Ok(())
    })
}

fn ready() -> io::Result<Instant> {
    writeln!(stdout(), "ready")?;
    Ok(Instant::now())
}

fn tell(mut tally: Tally, began: Instant) -> io::Result<()> {
    let window = began.elapsed();
    writeln!(stdout(), "{}", tally.told(window))
}

/// One connection, made anew when it breaks.
async fn go_on(shared: Rc<Shared>) {
    let mut reader = Reader::new();
    while shared.left.get() > 0 {
        if let Err(error) = until_it_closes(&shared, &mut reader).await {
            shared.tally.borrow_mut().add_broken(&error);
            tokio::time::sleep(PAUSE).await;
        }
    }
}

async fn until_it_closes(shared: &Shared, reader: &mut Reader) -> io::Result<()> {
    let mut stream = TcpStream::connect(shared.target.address).await?;
    stream.set_nodelay(true)?;
    while let Some(turn) = shared.next_turn() {
        let began = Instant::now();
        stream.write_all(shared.requests.of_turn(turn)).await?;
        let answer = reader.read(&mut stream, began, |_| ()).await?;
        shared.tally.borrow_mut().add(&answer);
        if answer.is_last {
            break;
        }
    }
    Ok(())
}
