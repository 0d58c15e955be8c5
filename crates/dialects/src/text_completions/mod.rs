//! The legacy text completions dialect: `/v1/completions`. Clients of it are served by any upstream;
//! as an upstream dialect it is spoken to its own clients alone.

mod logprobs;
mod prompts;
mod reply_read;
mod reply_write;
mod request_read;
mod request_write;
mod stream_write;

#[cfg(test)]
mod tests;

pub use prompts::{Answered, Join, join_replies};
pub use request_read::{MAX_PROMPTS, echoed_prompt, read_prompts};

use crate::canonical::{Failure, Reply, Request};
use crate::chat_completions::stream_read;
use crate::{
    Dialect, DialectId, PathHints, ReplyContext, StreamReader, StreamWriter, Written, error_body,
};

/// The legacy text completions dialect.
#[derive(Debug, Clone, Copy)]
pub struct TextCompletions;

impl Dialect for TextCompletions {
    fn id(&self) -> DialectId {
        DialectId::TextCompletions
    }

    /// Reads a request with one prompt; for several see [`read_prompts`].
    fn read_request(&self, body: &[u8], _: &PathHints) -> Result<Request, Failure> {
        request_read::read(body)
    }

    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        request_write::write(request)
    }

    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        reply_read::read(body)
    }

    fn write_reply(&self, reply: &Reply, context: &ReplyContext) -> Written {
        reply_write::write(reply, context)
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::new(stream_read::Reader::legacy(logprobs::read))
    }

    fn stream_writer(&self, context: &ReplyContext) -> Box<dyn StreamWriter> {
        Box::new(stream_write::Writer::new(context))
    }

    fn write_error(&self, failure: &Failure, _: u16, _: &str) -> Vec<u8> {
        error_body::write(failure)
    }
}
