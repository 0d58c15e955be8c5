//! What the pipeline must know of an operation: [`Task`] is the way there, [`Answer`] the way back.
//! An operation is a small file that implements both; nothing here knows one of them.

use billing::pricing::{Bounds, Usage};
use bytes::Bytes;
use dialects::canonical::Failure;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue};
use providers::{Format, Headers, Operation, RequestBody};

use super::call::Call;
use super::extra::ExtraRules;
use super::joined::Joined;
use crate::app::App;
use crate::channels::ChannelTarget;

/// A call whose body was read, ready to be written for any upstream that does the operation.
pub trait Task: Send {
    /// What is asked of the upstream.
    fn operation(&self) -> Operation;

    /// The model that the client asked for.
    fn model(&self) -> &str;

    /// Whether the client wants a stream.
    fn is_stream(&self) -> bool {
        false
    }

    /// The most that the call can use. None: it costs nothing and needs no price.
    fn bounds(&self) -> Option<Bounds>;

    /// Decides on charges in addition to tokens: refuses those that nothing bounds and adds the others to `bounds`.
    /// Returns whether there are any.
    fn allow_extra(&mut self, _rules: &ExtraRules<'_>) -> Result<bool, Failure> {
        Ok(false)
    }

    /// About how many tokens the call takes from rate limits.
    fn estimated_tokens(&self) -> u64;

    /// Counts its input exactly, where `bounds` was a cheap upper bound; asked when that bound
    /// does not fit into the wallet. False: there is nothing better to say.
    fn count_input(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async { false })
    }

    /// Lowers the cap on what is generated to so many tokens in all. False: there is no such cap.
    fn lower_cap(&mut self, _output_tokens: u64) -> bool {
        false
    }

    /// What keeps a conversation at the same channel, so that its prompt cache stays warm.
    fn affinity(&self) -> Option<u64> {
        None
    }

    /// Whether the body can be sent again; one that streams through cannot.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Whether its body is large: what is computed with it takes time.
    fn is_large(&self) -> bool {
        false
    }

    /// Whether a request for an upstream of these formats is converted, which takes several times the memory of the body.
    fn converts_for(&self, _formats: &[Format]) -> bool {
        true
    }

    /// From now on leaves out proofs of earlier reasoning, one of which an upstream has refused. False: there are none
    /// left, or the client wants nothing dropped.
    fn leave_signatures_out<'a>(&'a mut self, _call: &'a Call) -> BoxFuture<'a, bool> {
        Box::pin(async { false })
    }

    /// An answer of our own, in place of a failure for want of an upstream that could give one.
    fn answer_instead<'a>(&'a mut self, _failure: &Failure) -> BoxFuture<'a, Option<Bytes>> {
        Box::pin(async { None })
    }

    /// The request for this upstream. A failure of the kind `Unsupported` means that this upstream
    /// cannot be told, and another one perhaps can.
    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>>;
}

/// Who a request is written for.
#[derive(Clone, Copy)]
pub struct Addressee<'a> {
    /// The service.
    pub app: &'a App,
    /// The call as it came in.
    pub call: &'a Call,
    /// Channel, key and the upstream's name of the model.
    pub place: &'a ChannelTarget,
    /// The formats that may be used there, the best first; never empty.
    pub formats: &'a [Format],
}

/// A request for an upstream, and who carries the answer back.
pub struct Outgoing {
    /// The format of the body.
    pub format: Format,
    /// Whether the upstream is asked for a stream.
    pub is_stream: bool,
    /// Headers of the client that may pass.
    pub headers: Headers,
    /// What of the client's query passes on, without the question mark.
    pub query: Option<&'static str>,
    /// The body.
    pub body: RequestBody,
    /// Names of what could not be said, for the header `x-modelgate-dropped`.
    pub dropped: Vec<String>,
    /// The way back.
    pub answer: Box<dyn Answer>,
}

/// How an upstream's answer is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// All of it, then carried in one go; longer ones are an upstream's fault.
    Whole {
        /// The most bytes.
        longest: usize,
    },
    /// Piece by piece, as it comes.
    Pieces,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Nothing has come that a client could use: another upstream can still take over.
    Nothing,
    /// Something of the answer has come.
    Content,
    /// It is complete.
    Finished,
    /// It failed; [`Answer::failure`] says why.
    Failed,
}

/// What an answer used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Used {
    /// What is paid for.
    pub usage: Usage,
    /// Whether we counted because the upstream did not say.
    pub is_estimated: bool,
    /// Whether the answer is worth anything: failed and empty ones cost nothing.
    pub is_billable: bool,
}

/// Counts what an answer used, outside of the network threads.
pub type Counting = Box<dyn FnOnce() -> Used + Send>;

/// Carries one upstream's answer to the client.
pub trait Answer: Send {
    /// How an answer with this head is taken.
    fn arrival(&mut self, head: &HeaderMap) -> Arrival;

    /// The next request of a question that takes several calls; the answer to the last one was
    /// this. None: it was the answer to the last of them.
    fn another(&mut self, _body: &Bytes) -> Option<RequestBody> {
        None
    }

    /// The client's body, made from the whole of the upstream's.
    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure>;

    /// Takes the next piece of the upstream's answer; what it means to the client goes to `out`.
    fn piece(&mut self, piece: Bytes, out: &mut Joined);

    /// The upstream has closed.
    fn end(&mut self, out: &mut Joined);

    /// The upstream has failed in a way that its bytes do not tell: the client gets its dialect's
    /// error frame. False where there is no such thing: then the connection is cut.
    fn fail(&mut self, failure: &Failure, out: &mut Joined) -> bool;

    /// The upstream is silent: keeps the client's connection alive where its dialect allows it.
    fn ping(&mut self, _out: &mut Joined) {}

    /// How far it has come.
    fn progress(&self) -> Progress;

    /// Why it failed.
    fn failure(&self) -> Option<&Failure>;

    /// The media type of the client's body, once it is known how the answer is taken.
    fn content_type(&self) -> HeaderValue;

    /// More headers for the client.
    fn headers(&self, _headers: &mut HeaderMap) {}

    /// Counts what it used so far, if that takes longer than a network thread may be busy. Then it is asked instead
    /// of [`Answer::used`].
    fn counting(&mut self) -> Option<Counting> {
        None
    }

    /// What it used so far. Asked once, at the end, however that came.
    fn used(&mut self) -> Used;
}
