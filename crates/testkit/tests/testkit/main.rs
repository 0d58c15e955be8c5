//! The fake upstream, looked at through a plain socket: what it sends, byte for byte, and what it
//! notices.

mod client;
mod faults;
mod recording;
mod replies;
