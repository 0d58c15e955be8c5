//! The mock upstream: canned answers in two formats, whole and streamed, with switches in the path.

mod connection;
mod replies;
mod request;
mod server;
mod streams;
mod switches;

pub use server::serve;
