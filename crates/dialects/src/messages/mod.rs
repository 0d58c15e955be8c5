//! The messages dialect (`/v1/messages`): requests, replies, streams, errors and token counts, read
//! and written. What an upstream of this dialect can or cannot take is decided by the passes.

mod arguments;
mod blocks_read;
mod blocks_write;
pub mod contract;
pub mod count;
mod error;
mod extra;
mod finish;
mod media;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod settings;
mod stream_block;
mod stream_head;
mod stream_read;
mod stream_slot;
mod stream_slots;
mod stream_write;
mod tools;
mod usage;
mod wire;

#[cfg(test)]
mod request_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod stream_write_tests;
#[cfg(test)]
mod traffic_tests;

use crate::canonical::{Failure, Reply, Request};
use crate::{Dialect, DialectId, PathHints, ReplyContext, StreamReader, StreamWriter, Written};

/// This dialect's name.
const ID: DialectId = DialectId::Messages;

/// The messages dialect.
#[derive(Debug, Clone, Copy)]
pub struct Messages;

impl Dialect for Messages {
    fn id(&self) -> DialectId {
        ID
    }

    fn read_request(&self, body: &[u8], _path: &PathHints) -> Result<Request, Failure> {
        request_read::read(body)
    }

    fn read_scanned(&self, body: &[u8], _path: &PathHints) -> Result<Request, Failure> {
        request_read::read_checked(body)
    }

    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        Ok(request_write::write(request))
    }

    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        reply_read::read(body)
    }

    fn write_reply(&self, reply: &Reply, context: &ReplyContext) -> Written {
        reply_write::write(reply, context)
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::new(stream_read::Reader::default())
    }

    fn stream_writer(&self, context: &ReplyContext) -> Box<dyn StreamWriter> {
        Box::new(stream_write::Writer::new(context))
    }

    fn write_error(&self, failure: &Failure, _status: u16, request_id: &str) -> Vec<u8> {
        error::write(failure, request_id)
    }
}
