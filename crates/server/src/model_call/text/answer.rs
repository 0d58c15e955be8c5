//! A text answer on its way back: through as it is where client and upstream speak one dialect,
//! else converted; whole or streamed, whatever the upstream made of it.

use std::collections::BTreeMap;

use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::convert::{
    Outcome, StreamConverter, convert_reply_from, fold_reply_from, listen_reply, stream_reply_from,
};
use dialects::tap::{Passes, Tap};
use dialects::{DialectId, Framing};
use http::{HeaderMap, HeaderValue, header};
use memchr::memmem;
use providers::vendors::bedrock::AmazonFrames;
use providers::{Call, Operation};

use super::context::Context;
use super::format::Spoken;
use super::input::Input;
use super::request::asks_usage;
use super::searching::Searching;
use super::task::TextTask;
use super::usage;
use crate::channels::Destination;
use crate::model_call::aligned::Aligned;
use crate::model_call::joined::Joined;
use crate::model_call::respond_with::note_dropped;
use crate::model_call::task::{Addressee, Answer, Arrival, Counting, Progress, Used};

/// The longest whole answer.
const LONGEST_WHOLE: usize = 64 << 20;

/// One answer.
#[expect(
    clippy::struct_excessive_bools,
    reason = "what the client wants and how far the upstream is are independent"
)]
pub struct TextAnswer {
    client: DialectId,
    upstream: Spoken,
    context: Context,
    wants_stream: bool,
    hides_usage: bool,
    unwrapping: Option<AmazonFrames>,
    is_upstream_streaming: bool,
    has_begun: bool,
    carrier: Carrier,
    /// Whether the upstream searches for its answer, and does not tell how often.
    pub searching: Searching,
    /// Charges in addition to tokens of which no answer tells.
    pub untold: BTreeMap<String, u64>,
    /// Names of what of a whole answer could not be said. A stream's headers are out before that is known.
    dropped: Vec<String>,
}

/// Who listens to the answer.
enum Carrier {
    /// Nobody yet.
    None,
    /// It came whole; this is what it meant.
    Whole(Box<Outcome>),
    /// It goes through as it is.
    Tap(Box<Tap>, Aligned),
    /// It is converted, frame by frame.
    Converter(Box<StreamConverter>),
}

impl TextAnswer {
    /// The way back of a request that was written for this upstream.
    pub fn new(task: &TextTask, spoken: Spoken, to: Addressee<'_>, context: Context) -> Self {
        Self {
            client: task.client,
            upstream: spoken,
            wants_stream: task.is_stream,
            hides_usage: asks_usage(task.client) && !task.scan.include_usage,
            context,
            unwrapping: unwrapping(task, spoken, to),
            is_upstream_streaming: false,
            has_begun: false,
            carrier: Carrier::None,
            searching: Searching::No,
            untold: BTreeMap::new(),
            dropped: Vec::new(),
        }
    }

    fn outcome(&self) -> Option<&Outcome> {
        match &self.carrier {
            Carrier::None => None,
            Carrier::Whole(outcome) => Some(outcome),
            Carrier::Tap(tap, _) => Some(tap.outcome()),
            Carrier::Converter(converter) => Some(converter.outcome()),
        }
    }

    fn is_finished(&self) -> bool {
        match &self.carrier {
            Carrier::None => false,
            Carrier::Whole(_) => true,
            Carrier::Tap(tap, _) => tap.is_finished(),
            Carrier::Converter(converter) => converter.is_finished(),
        }
    }

    fn start_carrier(&mut self) -> Carrier {
        if self.upstream.is_native_to(self.client) && !self.context.has_stop() {
            let tap = Tap::new(self.client, Framing::ServerSentEvents, self.hides_usage);
            let tap = match self.context.framing {
                Framing::ServerSentEvents => tap,
                Framing::JsonArray => tap.as_array(),
            };
            return Carrier::Tap(Box::new(tap), Aligned::default());
        }
        self.converter()
    }

    fn converter(&self) -> Carrier {
        let converter = StreamConverter::from_upstream(
            self.upstream.dialect,
            Framing::ServerSentEvents,
            self.client,
            self.context.get(),
        );
        Carrier::Converter(Box::new(converter))
    }

    /// Whether a stream that could go through as it is begins without what its clients rely on.
    fn must_convert(&mut self, piece: &[u8]) -> bool {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        let is_tapped = matches!(self.carrier, Carrier::Tap(..));
        is_first && is_tapped && !counts_are_whole(self.client, piece)
    }

    fn carry(&mut self, piece: Bytes, out: &mut Joined) {
        self.searching.see(&piece);
        if self.must_convert(&piece) {
            self.carrier = self.converter();
        }
        match &mut self.carrier {
            Carrier::None | Carrier::Whole(_) => {}
            Carrier::Tap(tap, aligned) => {
                out.push(match tap.push(&piece) {
                    Passes::AsItIs => aligned.pass(piece, tap.is_between_frames()),
                    Passes::Instead(shown) => shown.into(),
                    Passes::Frames(count) => aligned.pass_frames(&piece, count),
                });
                if let Some(failure) = tap.outcome().failure.as_ref().filter(|_| tap.is_broken()) {
                    out.push(tap.error_frame(failure, self.context.get()).into());
                }
            }
            Carrier::Converter(converter) => {
                converter.push(&piece, out.end());
            }
        }
    }
}

/// Clients of the messages dialect rely on all counters of a usage; upstreams that merely speak it
/// leave some out.
fn counts_are_whole(client: DialectId, body: &[u8]) -> bool {
    let counters = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let has = |name: &str| memmem::find(body, name.as_bytes()).is_some();
    client != DialectId::Messages || counters.iter().all(|name| has(name))
}

/// Vendors that wrap a dialect's frames into a framing of their own.
fn unwrapping(task: &TextTask, spoken: Spoken, to: Addressee<'_>) -> Option<AmazonFrames> {
    let Destination::Vendor { upstream, .. } = to.place.destination() else {
        return None;
    };
    let model = &to.place.upstream_model;
    let call = Call::new(Operation::Generate, spoken.format, model).streamed(task.is_stream);
    upstream.provider.framing(&call).unwrapping()
}

impl Answer for TextAnswer {
    fn arrival(&mut self, head: &HeaderMap) -> Arrival {
        let kind = head.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
        self.is_upstream_streaming = kind.is_some_and(|kind| {
            kind.starts_with(b"text/event-stream")
                || kind.starts_with(b"application/vnd.amazon.eventstream")
        });
        if self.is_upstream_streaming && self.wants_stream {
            self.carrier = self.start_carrier();
            return Arrival::Pieces;
        }
        Arrival::Whole {
            longest: LONGEST_WHOLE,
        }
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        self.searching.see(&body);
        let (client, context) = (self.client, &self.context);
        let upstream = self.upstream.dialect;
        let is_native = self.upstream.is_native_to(client);
        let (written, outcome) = match (self.is_upstream_streaming, self.wants_stream) {
            (false, false)
                if is_native && !context.has_stop() && counts_are_whole(client, &body) =>
            {
                let outcome = listen_reply(client, &body)?;
                (body, outcome)
            }
            (false, false) => {
                let (written, outcome) =
                    convert_reply_from(upstream, client, &body, context.get())?;
                self.dropped = written.dropped;
                (written.body.into(), outcome)
            }
            (false, true) => {
                let (written, outcome) = stream_reply_from(upstream, client, &body, context.get())?;
                (written.into(), outcome)
            }
            (true, _) => {
                let (written, outcome) = fold_reply_from(upstream, client, &body, context.get())?;
                self.dropped = written.dropped;
                (written.body.into(), outcome)
            }
        };
        self.carrier = Carrier::Whole(Box::new(outcome));
        Ok(written)
    }

    fn piece(&mut self, piece: Bytes, out: &mut Joined) {
        let Some(frames) = &mut self.unwrapping else {
            return self.carry(piece, out);
        };
        let mut unwrapped = Vec::new();
        let outcome = frames.push(&piece, &mut unwrapped);
        if !unwrapped.is_empty() {
            self.carry(unwrapped.into(), out);
        }
        if let Err(error) = outcome {
            self.fail(&Failure::upstream(error.to_string()), out);
        }
    }

    fn end(&mut self, out: &mut Joined) {
        match &mut self.carrier {
            Carrier::None | Carrier::Whole(_) => {}
            Carrier::Tap(tap, aligned) => {
                let was_finished = tap.is_finished();
                let (shown, rest) = (tap.close(), aligned.rest());
                let failure = tap.outcome().failure.clone();
                if let Some(failure) = failure.filter(|_| !was_finished) {
                    // It ended without its end: the client must not take it for a good one.
                    out.push(tap.error_frame(&failure, self.context.get()).into());
                } else {
                    out.push(rest);
                    out.push(shown.into());
                }
            }
            Carrier::Converter(converter) => {
                converter.close(out.end());
            }
        }
    }

    fn fail(&mut self, failure: &Failure, out: &mut Joined) -> bool {
        match &mut self.carrier {
            Carrier::None | Carrier::Whole(_) => return false,
            Carrier::Tap(tap, _) => {
                if !tap.is_finished() {
                    tap.fail(failure);
                    out.push(tap.error_frame(failure, self.context.get()).into());
                }
            }
            Carrier::Converter(converter) => {
                converter.fail(failure, out.end());
            }
        }
        true
    }

    fn ping(&mut self, out: &mut Joined) {
        // A stream that goes through as it is has its vendor's own signs of life.
        if let Carrier::Converter(converter) = &mut self.carrier {
            converter.ping(out.end());
        }
    }

    fn progress(&self) -> Progress {
        match self.outcome() {
            Some(outcome) if outcome.failure.is_some() => Progress::Failed,
            _ if self.is_finished() => Progress::Finished,
            Some(outcome) if outcome.has_content => Progress::Content,
            _ => Progress::Nothing,
        }
    }

    fn failure(&self) -> Option<&Failure> {
        self.outcome()?.failure.as_ref()
    }

    fn content_type(&self) -> HeaderValue {
        let is_stream = self.wants_stream;
        HeaderValue::from_static(match self.context.framing {
            Framing::ServerSentEvents if is_stream => "text/event-stream",
            _ => "application/json",
        })
    }

    fn headers(&self, headers: &mut HeaderMap) {
        note_dropped(headers, &self.dropped);
    }

    fn used(&mut self) -> Used {
        let Some(outcome) = self.outcome() else {
            return Used::default();
        };
        used(
            outcome,
            &self.context.input,
            self.is_finished(),
            self.searching,
            &self.untold,
        )
    }

    fn counting(&mut self) -> Option<Counting> {
        let outcome = self.outcome()?;
        let is_told = outcome.usage.as_ref().is_some_and(|it| it.input.is_some());
        if is_told || !outcome.is_worth_something() || !self.context.input.must_leave_thread() {
            return None;
        }
        let (outcome, input) = (outcome.clone(), self.context.input.clone());
        let (is_finished, searching) = (self.is_finished(), self.searching);
        let untold = self.untold.clone();
        Some(Box::new(move || {
            used(&outcome, &input, is_finished, searching, &untold)
        }))
    }
}

/// Returns the usage of a response.
fn used(
    outcome: &Outcome,
    input: &Input,
    is_finished: bool,
    searching: Searching,
    untold: &BTreeMap<String, u64>,
) -> Used {
    let used = if is_finished {
        usage::of(outcome, || input.tokens())
    } else {
        usage::so_far(outcome, || input.tokens())
    };
    let used = if searching == Searching::Yes {
        usage::with_a_search(used)
    } else {
        used
    };
    usage::with_untold(used, untold)
}
