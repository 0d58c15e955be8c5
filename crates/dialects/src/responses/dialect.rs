//! The dialect's one face to the rest of the crate.

use super::stream_read::EventReader;
use super::stream_write::EventWriter;
use super::{reply_read, reply_write, request_read, request_write};
use crate::canonical::{Failure, Reply, Request};
use crate::{
    Dialect, DialectId, PathHints, ReplyContext, StreamReader, StreamWriter, Written, error_body,
};

/// The responses dialect.
#[derive(Debug, Clone, Copy)]
pub struct Responses;

impl Dialect for Responses {
    fn id(&self) -> DialectId {
        DialectId::Responses
    }

    fn read_request(&self, body: &[u8], _path: &PathHints) -> Result<Request, Failure> {
        request_read::read_request(body)
    }

    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        Ok(request_write::write_request(request))
    }

    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        reply_read::read_reply(body)
    }

    fn write_reply(&self, reply: &Reply, context: &ReplyContext) -> Written {
        reply_write::write_reply(reply, context)
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::new(EventReader::default())
    }

    fn stream_writer(&self, context: &ReplyContext) -> Box<dyn StreamWriter> {
        Box::new(EventWriter::new(context))
    }

    fn write_error(&self, failure: &Failure, _status: u16, _request_id: &str) -> Vec<u8> {
        error_body::write(failure)
    }
}
