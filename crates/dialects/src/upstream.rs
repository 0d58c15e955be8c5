//! What an upstream speaks: the half of a dialect that no client needs. Every dialect of this crate
//! is one; a provider may have a private one of its own, which then goes through [`crate::convert`]
//! like the others.

use crate::canonical::{Failure, Reply, Request};
use crate::passes::{self, Target};
use crate::{Dialect, DialectId, ReplyContext, StreamReader};

/// A wire format in which upstreams are asked for text.
pub trait UpstreamDialect: Send + Sync {
    /// The dialect whose clients need no conversion. None: no client speaks this format.
    fn native(&self) -> Option<DialectId>;

    /// What this upstream's model is told and what it can do.
    fn target(&self, model: &str) -> Target;

    /// Addresses in a request that must be fetched first; see [`passes::urls_to_fetch`].
    fn urls_to_fetch(&self, request: &Request) -> Vec<passes::Address>;

    /// Makes a foreign client's request fit for the writer. Says what was left out.
    fn prepare(
        &self,
        request: &mut Request,
        target: &Target,
        reply: &mut ReplyContext,
    ) -> Result<Vec<String>, Failure>;

    /// Writes a request that is fit.
    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure>;

    /// Reads a whole answer.
    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure>;

    /// A fresh reader for one streamed answer.
    fn stream_reader(&self) -> Box<dyn StreamReader>;
}

impl<D: Dialect> UpstreamDialect for D {
    fn native(&self) -> Option<DialectId> {
        Some(self.id())
    }

    fn target(&self, model: &str) -> Target {
        Target::new(self.id(), model)
    }

    fn urls_to_fetch(&self, request: &Request) -> Vec<passes::Address> {
        passes::urls_to_fetch(request, self.id())
    }

    fn prepare(
        &self,
        request: &mut Request,
        target: &Target,
        reply: &mut ReplyContext,
    ) -> Result<Vec<String>, Failure> {
        passes::prepare(request, target, reply)
    }

    fn write_request(&self, request: &Request) -> Result<Vec<u8>, Failure> {
        Dialect::write_request(self, request)
    }

    fn read_reply(&self, body: &[u8]) -> Result<Reply, Failure> {
        Dialect::read_reply(self, body)
    }

    fn stream_reader(&self) -> Box<dyn StreamReader> {
        Dialect::stream_reader(self)
    }
}
