//! What a conversation may use until its next response has ended.

use billing::pricing::{Bounds, OtherUnits, TokenKinds};
use dialects::canonical::Failure;
use dialects::units::Units;
use futures_util::future::BoxFuture;
use providers::Operation;

use crate::model_call::task::{Addressee, Outgoing, Task};

/// Tokens that a response may read: a long conversation.
const MOST_INPUT: u64 = 32_000;
/// Tokens that it may say.
const MOST_OUTPUT: u64 = 4_096;

/// One response of a conversation, before it is known.
pub struct RealtimeTask {
    model: String,
    bounds: Bounds,
}

impl RealtimeTask {
    /// The next response of this model. Where the wallet is small, less is held for it.
    pub fn response(model: String) -> Self {
        Self {
            model,
            bounds: Bounds {
                input: MOST_INPUT,
                output: MOST_OUTPUT,
                kinds: TokenKinds::ALL,
                other: OtherUnits {
                    calls: 1,
                    ..OtherUnits::default()
                },
            },
        }
    }

    /// What a second model has written down: known already, and to be paid for.
    pub fn transcription(model: String, units: &Units) -> Self {
        Self {
            model,
            bounds: Bounds {
                input: units.tokens.input.unwrap_or(0),
                output: units.tokens.output.unwrap_or(0),
                kinds: TokenKinds::ALL,
                other: OtherUnits {
                    calls: 1,
                    seconds: units.milliseconds.unwrap_or(0).div_ceil(1000),
                    ..OtherUnits::default()
                },
            },
        }
    }
}

impl Task for RealtimeTask {
    fn operation(&self) -> Operation {
        Operation::Realtime
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
                self.bounds.input = MOST_OUTPUT;
            }
            is_large
        })
    }

    fn write<'a>(&'a mut self, _: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        let text = "A conversation is opened, not sent.";
        Box::pin(async move { Err(Failure::unsupported("model", text)) })
    }
}
