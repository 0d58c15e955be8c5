//! One connection: reads a call, answers it, reads the next.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::replies::Replies;
use super::request::{Call, Format, Requests};
use super::streams::{END, HEAD, events};
use super::switches::{EVENTS, Switches};

/// What every connection answers from.
pub(super) struct Answers {
    replies: Replies,
    chat: Vec<Vec<u8>>,
    messages: Vec<Vec<u8>>,
    /// State of the numbers that decide which calls fail.
    dice: Cell<u64>,
}

impl Answers {
    pub fn new() -> Self {
        Self {
            replies: Replies::new(),
            chat: events(Format::Chat, EVENTS),
            messages: events(Format::Messages, EVENTS),
            dice: Cell::new(0x9E37_79B9_7F4A_7C15),
        }
    }

    /// Fails a share of the calls, so that a retry fares no better or worse than a first attempt.
    fn is_failing(&self, switches: Switches) -> bool {
        if switches.errors == 0 {
            return false;
        }
        let mut state = self.dice.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.dice.set(state);
        (state >> 32) % 100 < switches.errors
    }

    async fn answer(&self, stream: &mut TcpStream, call: &Call) -> io::Result<()> {
        let switches = call.switches;
        if switches.delay_ms > 0 {
            tokio::time::sleep(Duration::from_millis(switches.delay_ms)).await;
        }
        let Some(format) = call.format else {
            return stream.write_all(&self.replies.unknown).await;
        };
        if self.is_failing(switches) {
            return stream.write_all(&self.replies.failed).await;
        }
        if !call.is_stream {
            return stream.write_all(self.replies.of(format)).await;
        }
        if switches.events != EVENTS {
            return tell(stream, &events(format, switches.events), switches.pace_ms).await;
        }
        let prepared = match format {
            Format::Chat => &self.chat,
            Format::Messages => &self.messages,
        };
        tell(stream, prepared, switches.pace_ms).await
    }
}

/// Each event is a write of its own, as a model's pieces are.
async fn tell(stream: &mut TcpStream, events: &[Vec<u8>], pace_ms: u64) -> io::Result<()> {
    stream.write_all(HEAD).await?;
    for (place, event) in events.iter().enumerate() {
        if place > 0 && pace_ms > 0 {
            tokio::time::sleep(Duration::from_millis(pace_ms)).await;
        } else {
            tokio::task::yield_now().await;
        }
        stream.write_all(event).await?;
    }
    stream.write_all(END).await
}

/// Serves a connection until the client is done with it.
pub(super) async fn attend(mut stream: TcpStream, answers: &Answers) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = Requests::new();
    while let Some(call) = requests.next(&mut stream).await? {
        answers.answer(&mut stream, &call).await?;
        if call.is_last {
            break;
        }
    }
    Ok(())
}
