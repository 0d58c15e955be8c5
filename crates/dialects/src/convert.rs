//! One call's way through the dialects: the request there, the answer back, whole or streamed. This
//! is what the gateway uses when client and upstream speak different dialects.

use crate::canonical::{Event, EventSink, Failure, FinishReason, PartHead, Reply, Request, Usage};
use crate::chat_completions::glance::glance;
use crate::fold::{Fold, unfold};
use crate::frames::FrameReader;
use crate::passes::{self, Target};
use crate::restore::Restore;
use crate::said::Said;
use crate::stop_cut::StopCut;
use crate::untold::Untold;
use crate::{
    Dialect, DialectId, Framing, ReplyContext, StreamReader, StreamWriter, UpstreamDialect, Written,
};
use crate::{chat_completions, generate_content, messages, responses, text_completions};

/// The dialect of this name.
pub fn dialect(id: DialectId) -> &'static dyn Dialect {
    match id {
        DialectId::ChatCompletions => &chat_completions::ChatCompletions,
        DialectId::TextCompletions => &text_completions::TextCompletions,
        DialectId::Messages => &messages::Messages,
        DialectId::GenerateContent => &generate_content::GenerateContent,
        DialectId::Responses => &responses::Responses,
    }
}

/// The same as an upstream speaks it.
pub fn upstream_dialect(id: DialectId) -> &'static dyn UpstreamDialect {
    match id {
        DialectId::ChatCompletions => &chat_completions::ChatCompletions,
        DialectId::TextCompletions => &text_completions::TextCompletions,
        DialectId::Messages => &messages::Messages,
        DialectId::GenerateContent => &generate_content::GenerateContent,
        DialectId::Responses => &responses::Responses,
    }
}

/// Writes a request for an upstream. Says what was left out, and notes in `reply` what the way back
/// needs to know.
pub fn convert_request(
    mut request: Request,
    target: &Target,
    reply: &mut ReplyContext,
) -> Result<Written, Failure> {
    let upstream = upstream_dialect(target.dialect);
    convert_request_to(upstream, &mut request, target, reply)
}

/// The same for any upstream, a provider's private dialect included. What is left of the request is
/// of no use to another upstream.
pub fn convert_request_to(
    upstream: &dyn UpstreamDialect,
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
) -> Result<Written, Failure> {
    if request.source == DialectId::Responses {
        reply.echo = responses::echo(request);
    }
    reply.old_functions = chat_completions::uses_old_functions(request);
    if upstream.native() == Some(request.source) {
        passes::unwrap_own_values(request, target);
        let dropped = passes::leave_own_signatures_out(request, target);
        // What the vendor chose to show, it shows to its own client.
        reply.show_reasoning = true;
        let body = upstream.write_request(request)?;
        return Ok(Written { body, dropped });
    }
    let dropped = upstream.prepare(request, target, reply)?;
    let body = upstream.write_request(request)?;
    Ok(Written { body, dropped })
}

/// What a finished answer means to metering and the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The model's name as the upstream gave it.
    pub model: String,
    /// What was used, as far as the upstream said.
    pub usage: Option<Usage>,
    /// Why the first choice ended.
    pub finish: Option<FinishReason>,
    /// Whether anything was generated that the client can use.
    pub has_content: bool,
    /// What was said, for counting where the upstream does not tell.
    pub said: Said,
    /// Why the answer failed, if it did.
    pub failure: Option<Failure>,
}

impl Outcome {
    /// Whether a complete answer says nothing at all: no content, no usage, and no reason for that.
    fn is_nothing(&self) -> bool {
        // A model may spend all that it was allowed on thoughts that nobody sees.
        let is_explained = matches!(
            self.finish,
            Some(
                FinishReason::Filter
                    | FinishReason::Refusal
                    | FinishReason::Length
                    | FinishReason::ContextFull
                    | FinishReason::Pause
            )
        );
        !self.has_content && self.usage.is_none() && !is_explained
    }

    /// Returns the outcome of a complete answer. An answer that failed or says nothing is a failure.
    fn checked(self) -> Result<Self, Failure> {
        match self.failure {
            Some(failure) => Err(failure),
            None if self.is_nothing() => Err(empty_answer()),
            None => Ok(self),
        }
    }
}

fn empty_answer() -> Failure {
    Failure::upstream("The upstream's answer is empty.")
}

/// Carries a whole answer from the upstream's dialect to the client's.
pub fn convert_reply(
    upstream: DialectId,
    client: DialectId,
    body: &[u8],
    context: &ReplyContext,
) -> Result<(Written, Outcome), Failure> {
    convert_reply_from(upstream_dialect(upstream), client, body, context)
}

/// The same from any upstream, a provider's private dialect included.
pub fn convert_reply_from(
    upstream: &dyn UpstreamDialect,
    client: DialectId,
    body: &[u8],
    context: &ReplyContext,
) -> Result<(Written, Outcome), Failure> {
    let reply = read_reply_from(upstream, body, context)?;
    write_whole(client, reply, context)
}

/// Listens to a whole answer that goes through in the client's own dialect.
pub fn listen_reply(id: DialectId, body: &[u8]) -> Result<Outcome, Failure> {
    let seen = match id {
        DialectId::ChatCompletions => glance(body),
        _ => None,
    };
    seen.map_or_else(|| listen_in_full(id, body), Ok)?.checked()
}

/// The same, whatever is in the answer.
pub(crate) fn listen_in_full(id: DialectId, body: &[u8]) -> Result<Outcome, Failure> {
    let reply = dialect(id).read_reply(body)?;
    let mut watch = Watch::default();
    unfold(&reply, &mut watch);
    Ok(watch.outcome)
}

/// Gathers a streamed answer that came whole after all, for a client that wants it whole.
pub fn fold_reply_from(
    upstream: &dyn UpstreamDialect,
    client: DialectId,
    body: &[u8],
    context: &ReplyContext,
) -> Result<(Written, Outcome), Failure> {
    let mut frames = FrameReader::new(Framing::ServerSentEvents);
    let mut reader = upstream.stream_reader();
    let mut fold = Fold::new(upstream.native().unwrap_or(client));
    let pushed = frames.push(body, &mut |frame| reader.frame(frame, &mut fold));
    pushed.map_err(|error| Failure::upstream(error.to_string()))?;
    frames.close(&mut |frame| reader.frame(frame, &mut fold));
    reader.close(&mut fold);
    let mut reply = fold.finish()?;
    restore_reply(&mut reply, context);
    write_whole(client, reply, context)
}

/// Writes a whole answer. Says what it meant before anything was added that the upstream has not told.
fn write_whole(
    client: DialectId,
    mut reply: Reply,
    context: &ReplyContext,
) -> Result<(Written, Outcome), Failure> {
    let mut watch = Watch::default();
    unfold(&reply, &mut watch);
    let outcome = watch.outcome.checked()?;
    if let Some(usage) = Untold::new(context).of(&outcome) {
        reply.usage = Some(usage);
    }
    Ok((dialect(client).write_reply(&reply, context), outcome))
}

/// Reads a whole answer of an upstream in the client's terms.
pub fn read_reply_from(
    upstream: &dyn UpstreamDialect,
    body: &[u8],
    context: &ReplyContext,
) -> Result<Reply, Failure> {
    let mut reply = upstream.read_reply(body)?;
    restore_reply(&mut reply, context);
    Ok(reply)
}

/// Writes an answer that was put together from several, whole or as a stream.
pub fn write_reply_as(
    client: DialectId,
    reply: Reply,
    is_stream: bool,
    context: &ReplyContext,
) -> Result<(Vec<u8>, Outcome), Failure> {
    if !is_stream {
        let (written, outcome) = write_whole(client, reply, context)?;
        return Ok((written.body, outcome));
    }
    let mut telling = Telling::new(client, context);
    let mut out = Vec::new();
    unfold(&reply, &mut |event: Event<'_>| {
        telling.event(event, &mut out);
    });
    let outcome = telling.watch.outcome.checked()?;
    Ok((out, outcome))
}

fn restore_reply(reply: &mut Reply, context: &ReplyContext) {
    if let Some(restore) = Restore::new(context) {
        restore.reply(reply);
    }
    if let Some(cut) = StopCut::new(&context.stop) {
        cut.reply(reply);
    }
}

/// Plays a whole answer as the client's stream, for a client that asked for one. From any upstream,
/// a provider's private dialect included.
pub fn stream_reply_from(
    upstream: &dyn UpstreamDialect,
    client: DialectId,
    body: &[u8],
    context: &ReplyContext,
) -> Result<(Vec<u8>, Outcome), Failure> {
    let reply = read_reply_from(upstream, body, context)?;
    write_reply_as(client, reply, true, context)
}

/// Carries a streamed answer from the upstream's dialect to the client's.
pub struct StreamConverter {
    frames: FrameReader,
    reader: Box<dyn StreamReader>,
    way_back: WayBack,
}

/// What happens to an event after it was read.
struct WayBack {
    restore: Option<Restore>,
    cut: Option<StopCut>,
    telling: Telling,
}

/// Tells the client what an event means, the last step of its way.
struct Telling {
    watch: Watch,
    untold: Untold,
    writer: Box<dyn StreamWriter>,
}

impl StreamConverter {
    /// A converter for one answer.
    pub fn new(
        upstream: DialectId,
        upstream_framing: Framing,
        client: DialectId,
        context: &ReplyContext,
    ) -> Self {
        Self::from_upstream(
            upstream_dialect(upstream),
            upstream_framing,
            client,
            context,
        )
    }

    /// The same for any upstream, a provider's private dialect included.
    pub fn from_upstream(
        upstream: &dyn UpstreamDialect,
        upstream_framing: Framing,
        client: DialectId,
        context: &ReplyContext,
    ) -> Self {
        Self {
            frames: FrameReader::new(upstream_framing),
            reader: upstream.stream_reader(),
            way_back: WayBack {
                restore: Restore::new(context),
                cut: StopCut::new(&context.stop),
                telling: Telling::new(client, context),
            },
        }
    }

    /// Takes the next bytes of the upstream and appends what they mean to the client; what was
    /// appended can be sent at once.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let Self {
            frames,
            reader,
            way_back,
        } = self;
        let pushed = frames.push(chunk, &mut |frame| {
            reader.frame(frame, &mut |event: Event<'_>| way_back.event(event, out));
        });
        if let Err(error) = pushed {
            self.way_back
                .event(Event::Error(&Failure::upstream(error.to_string())), out);
        }
    }

    /// The upstream has closed.
    pub fn close(&mut self, out: &mut Vec<u8>) {
        let Self {
            frames,
            reader,
            way_back,
        } = self;
        frames.close(&mut |frame| {
            reader.frame(frame, &mut |event: Event<'_>| way_back.event(event, out));
        });
        reader.close(&mut |event: Event<'_>| way_back.event(event, out));
    }

    /// The upstream has failed in a way that its bytes do not tell (it broke off, or was too slow).
    pub fn fail(&mut self, failure: &Failure, out: &mut Vec<u8>) {
        self.way_back.event(Event::Error(failure), out);
    }

    /// The upstream is silent: keeps the client's connection alive where its dialect allows it.
    pub fn ping(&mut self, out: &mut Vec<u8>) {
        self.way_back.event(Event::Ping, out);
    }

    /// What the answer meant so far.
    pub fn outcome(&self) -> &Outcome {
        &self.way_back.telling.watch.outcome
    }

    /// Whether the answer has ended, well or not.
    pub fn is_finished(&self) -> bool {
        self.way_back.telling.watch.finished
    }
}

impl WayBack {
    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        if self.telling.watch.finished {
            return;
        }
        let Self {
            restore,
            cut,
            telling,
        } = self;
        let mut last = |event: Event<'_>| telling.event(event, out);
        let mut cutting = |event: Event<'_>| match cut {
            Some(cut) => cut.event(event, &mut last),
            None => last(event),
        };
        match restore {
            Some(restore) => restore.event(event, &mut cutting),
            None => cutting(event),
        }
    }
}

impl Telling {
    fn new(client: DialectId, context: &ReplyContext) -> Self {
        Self {
            watch: Watch::default(),
            untold: Untold::new(context),
            writer: dialect(client).stream_writer(context),
        }
    }

    fn event(&mut self, event: Event<'_>, out: &mut Vec<u8>) {
        self.watch.event(event);
        if matches!(event, Event::End)
            && let Some(failure) = &self.watch.outcome.failure
        {
            return self.writer.event(Event::Error(failure), out);
        }
        // Every dialect tells the usage with its end.
        if matches!(event, Event::End)
            && let Some(usage) = self.untold.of(&self.watch.outcome)
        {
            self.writer.event(Event::Usage(&usage), out);
        }
        self.writer.event(event, out);
    }
}

/// Notes what an answer meant, event by event.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    outcome: Outcome,
    finished: bool,
}

impl EventSink for Watch {
    fn event(&mut self, event: Event<'_>) {
        self.note(event);
    }
}

impl Watch {
    /// What the answer meant so far.
    pub(crate) fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Whether the answer has ended, well or not.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Notes words of a frame that was not read.
    pub(crate) fn note_words(&mut self, words: &str) {
        self.outcome.has_content = true;
        self.outcome.said.hear(words);
    }

    /// Notes one event.
    pub(crate) fn note(&mut self, event: Event<'_>) {
        match event {
            Event::Start { model, .. } => model.clone_into(&mut self.outcome.model),
            Event::PartStart { head, .. } => {
                self.outcome.has_content |= !matches!(head, PartHead::Text | PartHead::Refusal);
                if let PartHead::Hosted(hosted) = head {
                    self.outcome.said.hear_call(&hosted.raw);
                }
            }
            Event::Text { text, .. } => {
                self.outcome.has_content |= !text.is_empty();
                self.outcome.said.hear(text);
            }
            Event::Arguments { text, .. } => self.outcome.said.hear(text),
            Event::Usage(usage) => self.outcome.usage.get_or_insert_default().merge(usage),
            Event::Finish { finish, .. } => {
                self.outcome
                    .finish
                    .get_or_insert_with(|| finish.reason.clone());
            }
            Event::End => {
                self.finished = true;
                if self.outcome.is_nothing() {
                    self.outcome.failure = Some(empty_answer());
                }
            }
            Event::Error(failure) => {
                self.outcome.failure = Some(failure.clone());
                self.finished = true;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PathHints;

    #[test]
    fn a_client_of_the_vendors_own_dialect_sees_the_reasoning_that_the_vendor_shows() {
        let chat = DialectId::ChatCompletions;
        let asked = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
        let context = noted(asked, chat);
        let answer = br#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[
            {"index":0,"finish_reason":"stop","message":
            {"role":"assistant","content":"Yes","reasoning_content":"hm"}}]}"#;
        let (written, _) = convert_reply(chat, chat, answer, &context).unwrap();
        let body: serde_json::Value = serde_json::from_slice(&written.body).unwrap();
        assert_eq!(body["choices"][0]["message"]["reasoning_content"], "hm");
    }

    /// What the way back is told of a chat client's request to this target.
    fn noted(body: &str, target: DialectId) -> ReplyContext {
        let mut reply = ReplyContext::default();
        let chat = dialect(DialectId::ChatCompletions);
        let request = chat
            .read_request(body.as_bytes(), &PathHints::default())
            .unwrap();
        convert_request(request, &Target::new(target, "m"), &mut reply).unwrap();
        reply
    }

    #[test]
    fn a_client_of_the_old_functions_is_answered_by_them() {
        let old = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}],
            "functions":[{"name":"now","parameters":{"type":"object"}}]}"#;
        let new = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
        for target in [DialectId::ChatCompletions, DialectId::Messages] {
            assert!(noted(old, target).old_functions, "{target:?}");
            assert!(!noted(new, target).old_functions, "{target:?}");
        }
    }

    #[test]
    fn reasoning_is_shown_whatever_the_target_unless_the_client_said_no() {
        let body = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
        for target in DialectId::ALL {
            assert!(noted(body, target).show_reasoning, "{target:?}");
        }
    }
}
