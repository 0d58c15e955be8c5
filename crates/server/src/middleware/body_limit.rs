//! The limit on request bodies. A body is limited when it is read and not before, so that checks
//! which come first (a missing token, a wrong method) answer first.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::BoxError;
use axum::body::{Body, HttpBody};
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use futures_util::stream;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::time::Sleep;

use crate::body_memory::MemoryGuard;
use crate::refusal::Refusal;
use crate::serve::HeldWakes;

/// Longest time to read away the body of a request that is refused anyway.
const READ_AWAY: Duration = Duration::from_secs(30);

/// The declared length of a body is beyond the limit: reading it fails at once.
#[derive(Debug, thiserror::Error)]
#[error("the body is declared longer than the limit")]
struct DeclaredTooLong;

/// The body of a request.
pub enum Sent {
    /// All of it has come.
    Whole(Bytes),
    /// It comes as it is read.
    Pieces(Incoming),
}

/// The body as it came, for readers to fail at beyond the limit, or where nothing more comes for so long.
pub(super) fn limited(body: Sent, limit: usize, patience: Duration) -> Body {
    let declared = match &body {
        Sent::Whole(bytes) => bytes.len() as u64,
        Sent::Pieces(pieces) => pieces.size_hint().lower(),
    };
    if declared > u64::try_from(limit).unwrap_or(u64::MAX) {
        return Body::from_stream(stream::once(async { Err::<Bytes, _>(DeclaredTooLong) }));
    }
    match body {
        Sent::Whole(bytes) => Body::from(bytes),
        Sent::Pieces(pieces) => Body::new(Awaited::new(Limited::new(pieces, limit), patience)),
    }
}

/// A body of which something has to come every so often.
struct Awaited<B> {
    body: B,
    patience: Duration,
    /// Rings where nothing came; none while nobody waits.
    alarm: Option<Pin<Box<Sleep>>>,
}

/// Nothing more came of a body.
#[derive(Debug, thiserror::Error)]
#[error("nothing more of the body came")]
struct Stalled;

impl<B> Awaited<B> {
    fn new(body: B, patience: Duration) -> Self {
        let alarm = None;
        Self {
            body,
            patience,
            alarm,
        }
    }
}

impl<B> HttpBody for Awaited<B>
where
    B: HttpBody<Error: Into<BoxError>> + Unpin,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            self.alarm = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let patience = self.patience;
        let new = || Box::pin(tokio::time::sleep(patience));
        let alarm = self.alarm.get_or_insert_with(new);
        ready!(alarm.as_mut().poll(cx));
        Poll::Ready(Some(Err(Stalled.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The whole body, or why it cannot be had.
pub async fn read_body(mut body: Body) -> Result<Bytes, Refusal> {
    let Some(first) = first_frame(&mut body).await else {
        return Ok(Bytes::new());
    };
    let first = first.map_err(|error| why(&error))?;
    let first = first.into_data().unwrap_or_default();
    // Most bodies are one piece, which is taken as it came.
    if body.is_end_stream() {
        return Ok(first);
    }
    let rest = body.collect().await.map_err(|error| why(&error))?;
    let rest = rest.aggregate();
    if !rest.has_remaining() {
        return Ok(first);
    }
    let mut whole = BytesMut::with_capacity(first.len() + rest.remaining());
    whole.put(first);
    whole.put(rest);
    Ok(whole.freeze())
}

/// Receives the whole body and reserves its memory as it arrives; the reservation ends with the last copy of the bytes.
/// A body without memory is read to its end and discarded, so that its sender sees the refusal.
pub async fn receive_body(mut body: Body, mut memory: MemoryGuard) -> Result<Bytes, Refusal> {
    let declared = body.size_hint().exact();
    let declared = declared.and_then(|length| usize::try_from(length).ok());
    let mut whole = BytesMut::new();
    // What has no room is not received at all. The others are reserved as they arrive: a promise takes no memory.
    if let Err(error) = memory.check_room(declared.unwrap_or_default()) {
        read_away(body).await?;
        return Err(error.into());
    }
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| why(&error))?.into_data() else {
            continue;
        };
        if let Err(error) = memory.grow(data.len()) {
            drop(whole);
            read_away(body).await?;
            return Err(error.into());
        }
        if whole.is_empty() && body.is_end_stream() {
            return Ok(memory.into_bytes(data));
        }
        if whole.is_empty() {
            whole.reserve(declared.unwrap_or_default());
        }
        whole.put(data);
    }
    Ok(memory.into_bytes(whole.freeze()))
}

/// The first piece of a body. Where it is all of it, its connection has nothing more to read and is not woken.
async fn first_frame(body: &mut Body) -> Option<Result<Frame<Bytes>, axum::Error>> {
    poll_fn(|cx| {
        let wakes = HeldWakes::begin();
        let frame = Pin::new(&mut *body).poll_frame(cx);
        let was_woken = wakes.end();
        if was_woken && !body.is_end_stream() {
            cx.waker().wake_by_ref();
        }
        frame
    })
    .await
}

/// The whole body where it is at most this long. A longer one is read to its end all the same, so
/// that its sender sees the refusal and not a broken connection.
pub async fn read_short_body(mut body: Body, limit: usize) -> Result<Bytes, Refusal> {
    let mut whole = Vec::new();
    let read = async {
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| why(&error))?;
            let Some(data) = frame.data_ref() else {
                continue;
            };
            if whole.len() + data.len() > limit {
                read_away(body).await?;
                return Err(Refusal::BodyTooLarge);
            }
            whole.extend_from_slice(data);
        }
        Ok(Bytes::from(whole))
    };
    tokio::time::timeout(READ_AWAY, read)
        .await
        .unwrap_or(Err(Refusal::BodyCut))
}

/// Reads a body and forgets it.
pub async fn read_away(mut body: Body) -> Result<(), Refusal> {
    let read = async {
        while let Some(frame) = body.frame().await {
            frame.map_err(|error| why(&error))?;
        }
        Ok(())
    };
    tokio::time::timeout(READ_AWAY, read)
        .await
        .unwrap_or(Err(Refusal::BodyCut))
}

fn why(error: &axum::Error) -> Refusal {
    cause_of(error)
}

/// Why a body that was read piece by piece broke off.
pub fn why_broken(error: &std::io::Error) -> Refusal {
    match error.get_ref() {
        Some(inner) => cause_of(inner),
        None => Refusal::BodyCut,
    }
}

fn cause_of(error: &(dyn std::error::Error + 'static)) -> Refusal {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<LengthLimitError>() || error.is::<DeclaredTooLong>() {
            return Refusal::BodyTooLarge;
        }
        cause = error.source();
    }
    Refusal::BodyCut
}
