//! The chat completions dialect: `/v1/chat/completions`, and every vendor that speaks like it.

mod assistant;
pub(crate) mod body;
mod calls;
pub(crate) mod chunk_frame;
mod citations;
mod counts;
pub(crate) mod finish;
pub(crate) mod glance;
mod media_read;
mod media_write;
mod output_format;
pub(crate) mod parts;
mod reply_plain;
pub(crate) mod reply_read;
pub(crate) mod reply_write;
pub(crate) mod request_read;
pub(crate) mod request_write;
pub(crate) mod spelling;
mod stream_choice;
pub(crate) mod stream_read;
mod stream_state;
mod stream_words;
mod stream_write;
mod tool_choice;
mod tools;
mod turns_read;
mod turns_write;
pub(crate) mod usage;
mod wire;

#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod request_tests;
#[cfg(test)]
mod stream_tests;

use crate::canonical::{Failure, Reply, Request, Tool};
use crate::{
    Dialect, DialectId, PathHints, ReplyContext, StreamReader, StreamWriter, Written, error_body,
};

/// Whether a client's request uses the deprecated function interface: its answer must too
/// ([`ReplyContext::old_functions`]).
pub fn uses_old_functions(request: &Request) -> bool {
    let is_old = |tool: &Tool| tool.extra.contains_key(spelling::OLD_FUNCTION);
    request.source == DialectId::ChatCompletions && request.tools.iter().any(is_old)
}

/// The chat completions dialect.
#[derive(Debug, Clone, Copy)]
pub struct ChatCompletions;

impl Dialect for ChatCompletions {
    fn id(&self) -> DialectId {
        DialectId::ChatCompletions
    }

    fn read_request(&self, body: &[u8], _: &PathHints) -> Result<Request, Failure> {
        request_read::read(body)
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

    fn write_error(&self, failure: &Failure, _: u16, _: &str) -> Vec<u8> {
        error_body::write(failure)
    }
}
