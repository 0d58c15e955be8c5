//! What a session may use until its next part has ended.

use billing::pricing::{Bounds, OtherUnits, TokenKinds, Usage};
use dialects::canonical::Failure;
use dialects::realtime::{MOST_OUTPUT_TOKENS, SessionKind};
use futures_util::future::BoxFuture;
use providers::Operation;

use crate::model_call::task::{Addressee, Outgoing, Task};

/// Tokens that a response may read: a long conversation.
const MOST_INPUT: u64 = 32_000;
/// Seconds that somebody may speak before it is written down.
const MOST_SECONDS: u64 = 60;

/// One part of a session, before it is known.
pub struct RealtimeTask {
    kind: SessionKind,
    model: String,
    bounds: Bounds,
}

impl RealtimeTask {
    /// The next part of a session of this model. Where the wallet is small, less is held for it.
    pub fn next(kind: SessionKind, model: String) -> Self {
        let seconds = match kind {
            SessionKind::Conversation => 0,
            SessionKind::Transcription => MOST_SECONDS,
        };
        Self::of(kind, model, (MOST_INPUT, MOST_OUTPUT_TOKENS, seconds))
    }

    /// What a second model has written down: known already, and to be paid for.
    pub fn transcript(model: String, used: &Usage) -> Self {
        let tokens = &used.tokens;
        let known = (tokens.whole_input(), tokens.output, used.other.seconds);
        Self::of(SessionKind::Transcription, model, known)
    }

    fn of(kind: SessionKind, model: String, (input, output, seconds): (u64, u64, u64)) -> Self {
        let bounds = Bounds {
            input,
            output,
            kinds: TokenKinds::ALL,
            other: OtherUnits {
                calls: 1,
                seconds,
                ..OtherUnits::default()
            },
        };
        Self {
            kind,
            model,
            bounds,
        }
    }
}

/// What a session asks of an upstream.
pub fn operation(kind: SessionKind) -> Operation {
    match kind {
        SessionKind::Conversation => Operation::Realtime,
        SessionKind::Transcription => Operation::TranscribeLive,
    }
}

impl Task for RealtimeTask {
    fn operation(&self) -> Operation {
        operation(self.kind)
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_stream(&self) -> bool {
        true
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(self.bounds.clone())
    }

    fn estimated_tokens(&self) -> u64 {
        0
    }

    /// A conversation begins short: where its worst case does not fit, a small one may.
    fn count_input(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            let is_large = self.bounds.input == MOST_INPUT;
            if is_large {
                self.bounds.input = MOST_OUTPUT_TOKENS;
            }
            is_large
        })
    }

    fn write<'a>(&'a mut self, _: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        let text = "A conversation is opened, not sent.";
        Box::pin(async move { Err(Failure::unsupported("model", text)) })
    }
}
