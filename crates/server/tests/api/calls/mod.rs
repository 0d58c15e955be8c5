//! Model calls through the running program and its demo channel, and through channels that lead to
//! fake upstreams.

mod crossing;
mod disconnects;
mod gateway;
mod money;
mod own_bytes;
mod refusals;
mod retries;
mod shapes;
mod vendor;
mod vendor_replies;
