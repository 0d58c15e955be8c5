//! Request bodies that are large, or that have a `Content-Encoding`: received within the memory budget, decoded, and read in
//! the work pool.

use std::sync::Arc;

use axum::body::{Body, HttpBody as _};
use bytes::Bytes;
use dialects::DialectId;
use dialects::canonical::Failure;
use http::header;
use store::UserId;

use super::body::is_json;
use super::call::Call;
use super::content_encoding::{Decoding, codings};
use super::offload::offload;
use super::offloaded_task::OffloadedTask;
use super::pipeline::{Reader, Refused};
use super::refusals;
use super::task::Task;
use crate::app::App;
use crate::body_memory::MemoryGuard;
use crate::config::MIN_OFFLOAD_BYTES;
use crate::middleware::receive_body;
use crate::refusal::Refusal;

/// Memory that is reserved for a body while it is converted, as a multiple of its size and in addition to it: its texts in the
/// canonical form once, the written request up to twice while its buffer grows, and once for the structures around
/// many short texts.
pub const CONVERSION_FACTOR: usize = 4;

/// Result bytes of a decoder that are produced on the network thread, and between two turns in the pool.
const INLINE_DECODED_BYTES: usize = 64 * 1024;
const POOL_DECODED_BYTES: usize = 4 * 1024 * 1024;

/// Whether a body is so small that it is read on the network thread and its memory is not counted.
#[inline]
pub fn is_small(call: &Call, body: &Body) -> bool {
    let upper = body.size_hint().upper();
    !call.is_encoded && upper.is_some_and(|length| length < MIN_OFFLOAD_BYTES as u64)
}

/// Reads a body that is not small.
pub async fn read(
    app: &Arc<App>,
    call: &Arc<Call>,
    body: Body,
    reader: Reader,
    user: UserId,
) -> Result<Box<dyn Task>, Refused> {
    let codings = if call.is_encoded {
        codings(call.headers())?
    } else {
        Vec::new()
    };
    if codings.is_empty() && !is_whole(call) {
        // A form passes in pieces, and everything else that is no JSON is rejected before it is read.
        return reader(app, call, body).await;
    }
    let memory = app.reserve_body_memory(Some(user));
    let received = receive_body(body, memory).await;
    let mut body = received.map_err(Refusal::as_failure)?;
    if !codings.is_empty() && !body.is_empty() {
        let memory = app.reserve_body_memory(Some(user));
        let limit = app.config().limits.body_bytes;
        let is_short = body.len() < MIN_OFFLOAD_BYTES;
        let decoding = Decoding::new(body, &codings, limit, memory)?;
        body = decode(app, user, decoding, is_short).await?;
    }
    let size = body.len();
    if size < app.config().limits.offload_bytes {
        return reader(app, call, body.into()).await;
    }
    let memory = if is_scanned(call) {
        None
    } else {
        Some(conversion_memory(app, user, size)?)
    };
    let (owned, of_job) = (Arc::clone(app), Arc::clone(call));
    let work = async move {
        let task = reader(&owned, &of_job, body.into()).await?;
        Ok(OffloadedTask::new(
            (owned, of_job, user),
            task,
            size,
            memory,
        ))
    };
    let task: Result<OffloadedTask, Refused> = offload(app, user, work).await?;
    Ok(Box::new(task?))
}

/// Reserves the memory for the conversion of a body of this size, which is reserved itself.
pub fn conversion_memory(app: &App, user: UserId, size: usize) -> Result<MemoryGuard, Failure> {
    let mut memory = app.reserve_body_memory(Some(user));
    let needed = size.saturating_mul(CONVERSION_FACTOR);
    let reserved = memory
        .check_possible(needed.saturating_add(size))
        .and_then(|()| memory.grow(needed));
    reserved.map_err(refusals::no_body_memory)?;
    Ok(memory)
}

/// Whether the body is received as a whole before anything is read.
fn is_whole(call: &Call) -> bool {
    call.headers().get(header::CONTENT_TYPE).is_none_or(is_json)
}

/// Whether reading goes through the body once and copies nothing of it.
fn is_scanned(call: &Call) -> bool {
    match call.dialect {
        DialectId::ChatCompletions => call.endpoint == "/v1/chat/completions",
        DialectId::TextCompletions => true,
        DialectId::Messages => call.endpoint == "/v1/messages",
        DialectId::GenerateContent => call.endpoint.ends_with("enerateContent"),
        // It may go on from an earlier response.
        DialectId::Responses => false,
    }
}

async fn decode(
    app: &App,
    user: UserId,
    mut decoding: Decoding,
    is_short: bool,
) -> Result<Bytes, Refused> {
    if is_short && decoding.advance(INLINE_DECODED_BYTES)? {
        return Ok(decoding.into_bytes());
    }
    let work = async move {
        while !decoding.advance(POOL_DECODED_BYTES)? {
            // Another user's job may be next.
            tokio::task::yield_now().await;
        }
        Ok(decoding.into_bytes())
    };
    offload(app, user, work).await?
}
