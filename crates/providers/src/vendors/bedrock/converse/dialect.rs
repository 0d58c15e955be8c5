//! The dialect: what [`dialects::convert`] asks of it, answered by the files beside.

use std::borrow::Cow;

use dialects::canonical::{Failure, Reply, Request};
use dialects::passes::{self, Target};
use dialects::{DialectId, ReplyContext, StreamReader, UpstreamDialect};

use super::{model_family, prepare, reply_read, request_write, stream_read};

/// Amazon's Converse.
#[derive(Debug, Clone, Copy)]
pub struct Converse;

/// The dialect whose demands Converse shares: who may speak when, results before words, thoughts only
/// with their signature, four cache marks.
pub(super) const LIKE: DialectId = DialectId::Messages;

impl UpstreamDialect for Converse {
    fn native(&self) -> Option<DialectId> {
        None
    }

    fn target(&self, model: &str) -> Target {
        Target {
            dialect: LIKE,
            can: Cow::Owned(model_family::capabilities(model)),
            strict: false,
            without_signatures: false,
            hosted_uses: None,
        }
    }

    /// Amazon fetches nothing.
    fn urls_to_fetch(&self, request: &Request) -> Vec<passes::Address> {
        passes::all_urls(request)
    }

    fn prepare(
        &self,
        request: &mut Request,
        target: &Target,
        reply: &mut ReplyContext,
    ) -> Result<Vec<String>, Failure> {
        prepare::prepare(request, target, reply)
    }

    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        request_write::write(request)
    }

    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        reply_read::read(body)
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Box::new(stream_read::Reader::default())
    }
}
