//! One connection of the fake upstream: reads requests, plays scripted replies, and notices a peer
//! that leaves while a reply is under way.

use crate::head::{self, BodyLength};
use crate::journal::Ending;
use crate::reply::{Framing, Reply, Step};
use crate::request::RecordedRequest;
use crate::upstream::Shared;
use bytes::{Bytes, BytesMut};
use std::io;
use std::sync::Arc;
use std::time::Instant;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

struct Connection {
    reader: OwnedReadHalf,
    writer: OwnedWriteHalf,
    /// What was read and not yet used.
    buffer: BytesMut,
    number: usize,
}

/// Whether a reply goes on after a step.
enum Then {
    GoOn,
    End(Ending),
    Reset,
}

/// Serves a connection until either side closes it.
pub(crate) async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let opened = Opened::new(&shared);
    // Frames leave when they are scripted, not when the kernel finds it worth while.
    stream
        .set_nodelay(true)
        .expect("a fresh socket takes options");
    let (reader, writer) = stream.into_split();
    let mut connection = Connection {
        reader,
        writer,
        buffer: BytesMut::new(),
        number: opened.number,
    };
    while let Ok(Some(request)) = connection.read_request().await {
        let wants_close = request
            .header("connection")
            .is_some_and(|value| value == "close");
        let reply = shared.scripts.reply_to(&request);
        let index = shared.journal.record(request);
        match connection.play(&reply).await {
            Then::GoOn => shared.journal.end(index, Ending::Answered),
            Then::End(ending) => {
                shared.journal.end(index, ending);
                return;
            }
            Then::Reset => {
                connection.reset();
                shared.journal.end(index, Ending::ClosedByScript);
                return;
            }
        }
        if wants_close {
            return;
        }
    }
}

impl Connection {
    /// The next request with its body; none when the peer has closed.
    async fn read_request(&mut self) -> io::Result<Option<RecordedRequest>> {
        let mut request = loop {
            if let Some(request) = head::take_head(&mut self.buffer, self.number) {
                break request;
            }
            if self.reader.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        };
        if request.header("expect").is_some() {
            self.writer
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await?;
        }
        request.body = match head::body_length(&request) {
            BodyLength::Known(length) => self.read_exactly(length).await?,
            BodyLength::Chunked => self.read_chunks().await?,
        };
        Ok(Some(request))
    }

    async fn read_exactly(&mut self, length: usize) -> io::Result<Bytes> {
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        Ok(self.buffer.split_to(length).freeze())
    }

    async fn read_chunks(&mut self) -> io::Result<Bytes> {
        let mut body = BytesMut::new();
        loop {
            match head::take_chunk(&mut self.buffer) {
                Some(chunk) if chunk.is_empty() => return Ok(body.freeze()),
                Some(chunk) => body.extend_from_slice(&chunk),
                None => self.read_more().await?,
            }
        }
    }

    async fn read_more(&mut self) -> io::Result<()> {
        match self.reader.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Plays a reply, watching all the while whether the peer is still there.
    async fn play(&mut self, reply: &Reply) -> Then {
        let Self {
            reader,
            writer,
            buffer,
            ..
        } = self;
        tokio::select! {
            // A reply that is complete was not left, even when the peer closes at that moment.
            biased;
            then = perform(writer, reply) => then,
            () = peer_leaves(reader, buffer) => Then::End(Ending::LeftByPeer { at: Instant::now() }),
        }
    }

    fn reset(self) {
        let stream = self
            .reader
            .reunite(self.writer)
            .expect("both halves are of one stream");
        stream
            .set_zero_linger()
            .expect("an open socket takes options");
    }
}

/// Sends a reply step by step.
async fn perform(writer: &mut OwnedWriteHalf, reply: &Reply) -> Then {
    tokio::time::sleep(reply.delay).await;
    let mut sent = writer.write_all(head::reply_head(reply).as_bytes()).await;
    for step in &reply.steps {
        match step {
            Step::Send(bytes) => sent = sent.and(send(writer, reply.framing, bytes).await),
            Step::Pause(duration) => tokio::time::sleep(*duration).await,
            Step::Wait(gate) => gate.pass().await,
            Step::Stall => std::future::pending().await,
            Step::Cut => return Then::End(Ending::ClosedByScript),
            Step::Reset => return Then::Reset,
        }
        if sent.is_err() {
            return Then::End(Ending::LeftByPeer { at: Instant::now() });
        }
    }
    if reply.framing == Framing::Chunked {
        sent = writer.write_all(b"0\r\n\r\n").await;
    }
    match sent {
        Ok(()) => Then::GoOn,
        Err(_) => Then::End(Ending::LeftByPeer { at: Instant::now() }),
    }
}

async fn send(writer: &mut OwnedWriteHalf, framing: Framing, bytes: &Bytes) -> io::Result<()> {
    if framing != Framing::Chunked {
        return writer.write_all(bytes).await;
    }
    // One write per chunk, so that a frame is not split where a test did not split it. An empty
    // chunk would end the body.
    if bytes.is_empty() {
        return Ok(());
    }
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    writer.write_all(&chunk).await
}

/// Ends when the peer has closed or reset. Bytes of a next request are kept.
async fn peer_leaves(reader: &mut OwnedReadHalf, buffer: &mut BytesMut) {
    while matches!(reader.read_buf(buffer).await, Ok(1..)) {}
}

/// Counts the connection as open until it is dropped, however its task ends.
struct Opened {
    shared: Arc<Shared>,
    number: usize,
}

impl Opened {
    fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            number: shared.journal.accept(),
        }
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.shared.journal.close();
    }
}
