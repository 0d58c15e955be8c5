//! `GET /v1/realtime`: a conversation over a WebSocket. Everything that can fail is done before the
//! upgrade, so that a failure is an HTTP status; then two sockets are relayed frame by frame, and
//! each response is charged when it ends.

mod bill;
mod dial;
mod endpoint;
mod events;
mod leg;
mod passed;
mod relay;
mod task;
mod transcripts;

pub use endpoint::realtime;
