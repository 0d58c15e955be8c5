//! The generate-content dialect: `POST /v1beta/models/{model}:generateContent` and its streamed
//! twin. The model and whether to stream are in the path; everything else is in the body, in
//! camelCase on the way out and in either spelling on the way in.

mod count;
mod error;
mod finish;
mod grounding;
mod logprobs;
mod parts_read;
mod parts_write;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod searches;
mod settings_read;
mod settings_write;
mod spelling;
mod stream_read;
mod stream_write;
#[cfg(test)]
mod tests;
mod tools;
mod usage;

pub use count::{hold_request, holds_request, read_count_request, write_count};
pub use searches::is_charged_by_answer;

use crate::canonical::{Failure, Reply, Request};
use crate::mend::mended;
use crate::{
    Dialect, DialectId, PathHints, ReplyContext, StreamReader, StreamWriter, Written, json,
};

/// This dialect's name, for short.
const HERE: DialectId = DialectId::GenerateContent;

/// The generate content dialect.
#[derive(Debug, Clone, Copy)]
pub struct GenerateContent;

impl Dialect for GenerateContent {
    fn id(&self) -> DialectId {
        HERE
    }

    fn read_request(&self, body: &[u8], path: &PathHints) -> Result<Request, Failure> {
        request_read::read(json::read_object(&mended(body))?, path)
    }

    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        Ok(request_write::write(request))
    }

    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        reply_read::read(json::read_upstream_object(&mended(body))?)
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

    fn write_error(&self, failure: &Failure, status: u16, _request_id: &str) -> Vec<u8> {
        error::body(failure, status)
    }
}
