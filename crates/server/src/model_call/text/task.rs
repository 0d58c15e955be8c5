//! A text call on its way to an upstream.

use std::sync::Arc;

use billing::pricing::{Bounds, OtherUnits, TokenKind, TokenKinds};
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::usage::SEARCHES;
use dialects::canonical::{Failure, Request};
use dialects::convert::dialect;
use dialects::passes::has_signatures;
use dialects::scan::Scan;
use dialects::{Capabilities, DialectId, PathHints, Sighted, Word};
use futures_util::future::BoxFuture;
use providers::{Format, Operation};

use super::searching::searches_by_itself;
use super::{affinity, prompts, request};
use crate::model_call::call::Call;
use crate::model_call::extra::{ExtraReserved, ExtraRules};
use crate::model_call::offload::run_blocking;
use crate::model_call::responses::Keeping;
use crate::model_call::spelled::Spelled;
use crate::model_call::strict;
use crate::model_call::task::{Addressee, Outgoing, Task};

/// What an answer may be at most where neither client nor model says.
const DEFAULT_OUTPUT: u64 = 4096;

/// A text call whose body was read as far as routing and metering need it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent answers about one call"
)]
pub struct TextTask {
    /// The dialect that the client speaks.
    pub client: DialectId,
    /// What the path says beside the body.
    pub path: PathHints,
    /// The model that the client asked for.
    pub model: Arc<str>,
    /// What a look at the body found.
    pub scan: Scan<'static>,
    /// The client's own bytes.
    pub body: Bytes,
    /// The words in them that matter.
    pub sighted: Sighted,
    /// Whether a stream is wanted.
    pub is_stream: bool,
    /// How many prompts there are; legacy completions may have several.
    pub prompts: u64,
    /// The cap that the wallet affords, for each choice, where it is lower than what was asked for.
    pub lowered_cap: Option<u64>,
    /// An upstream has refused a proof of earlier reasoning: all of them are left out.
    pub is_without_signatures: bool,
    /// The kept answer that it goes on from, which the answer repeats (responses).
    pub previous_id: Option<String>,
    /// Where the answer is kept (responses).
    pub keeping: Option<Keeping>,
    input: u64,
    /// What is reserved for charges in addition to tokens.
    pub extra: ExtraReserved,
    is_counted: bool,
    /// The canonical form, once it was needed.
    request: Option<Box<Request>>,
    /// There is more in it than in the body.
    is_request_kept: bool,
}

impl TextTask {
    /// The task of this body, which must have something to answer.
    pub fn new(call: &Call, model: Arc<str>, spelled: Spelled) -> Result<Self, Failure> {
        let Spelled {
            body,
            scan,
            sighted,
        } = spelled;
        let scan = scan.complete()?;
        Ok(Self {
            client: call.dialect,
            path: call.path.clone(),
            is_stream: scan.stream || call.path.stream,
            prompts: match call.dialect {
                DialectId::TextCompletions => prompts::count(&body),
                _ => 1,
            },
            lowered_cap: None,
            is_without_signatures: false,
            previous_id: None,
            keeping: None,
            input: tokens::bound_body(body.len(), sighted.pointers),
            extra: ExtraReserved::default(),
            model,
            sighted,
            is_counted: false,
            request: None,
            is_request_kept: false,
            scan,
            body,
        })
    }

    /// The canonical form of the body.
    pub fn request(&mut self) -> Result<&mut Request, Failure> {
        if self.request.is_none() {
            let read = dialect(self.client).read_scanned(&self.body, &self.path)?;
            self.request = Some(Box::new(read));
        }
        Ok(self.request.as_mut().expect("it was just put there"))
    }

    /// The same for one try, which may change it. The next one reads the body again: nearly all calls
    /// are tried once, so that a copy for each would cost more.
    pub fn take_request(&mut self) -> Result<Box<Request>, Failure> {
        self.request()?;
        let request = if self.is_request_kept {
            self.request.clone()
        } else {
            self.request.take()
        };
        Ok(request.expect("it was just read"))
    }

    /// What was read has been added to: further tries get a copy of it.
    pub fn keep_request(&mut self) {
        self.is_request_kept = true;
    }

    fn choices(&self) -> u64 {
        self.scan.demand.times().saturating_mul(self.prompts)
    }

    /// What one choice may be at most.
    fn output_of_choice(&self) -> u64 {
        let demand = &self.scan.demand;
        let cap = self.lowered_cap.unwrap_or_else(|| {
            demand.cap(|| {
                let can = Capabilities::of(self.client, &self.model);
                can.max_output.unwrap_or(DEFAULT_OUTPUT)
            })
        });
        cap.saturating_add(demand.beside(cap))
    }

    /// Which kinds of token the call may turn out to use. Words that are not in the body cannot have
    /// been asked for.
    fn kinds(&self) -> TokenKinds {
        let sighted = &self.sighted;
        if sighted.has(Word::Modalities) || self.scan.demand.has_modalities() {
            return TokenKinds::ALL;
        }
        let mut kinds = TokenKinds::TEXT;
        if sighted.has(Word::CacheControl) {
            kinds = kinds
                .and(TokenKind::CacheWrite5m)
                .and(TokenKind::CacheWrite1h);
        }
        if sighted.has(Word::Audio) {
            kinds = kinds.and(TokenKind::AudioInput);
        }
        if sighted.has(Word::Image) {
            kinds = kinds.and(TokenKind::ImageInput);
        }
        kinds
    }

    async fn count(&mut self) -> Result<u64, Failure> {
        let request = self.request()?.clone();
        if !tokens::must_leave_thread(self.body.len()) {
            return Ok(tokens::count_request(&request));
        }
        let counted = run_blocking(move || tokens::count_request(&request)).await;
        Ok(counted.unwrap_or(self.input))
    }
}

impl Task for TextTask {
    fn operation(&self) -> Operation {
        Operation::Generate
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn is_stream(&self) -> bool {
        self.is_stream
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(Bounds {
            input: self.input.saturating_add(self.extra.input),
            output: self.output_of_choice().saturating_mul(self.choices()),
            kinds: self.kinds(),
            other: OtherUnits {
                calls: 1,
                hosted_tools: self.extra.uses.clone(),
                ..OtherUnits::default()
            },
        })
    }

    fn estimated_tokens(&self) -> u64 {
        tokens::approximate(self.body.len() as u64)
    }

    fn affinity(&self) -> Option<u64> {
        affinity::of(&self.model, &self.body)
    }

    fn count_input(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            if self.is_counted {
                return false;
            }
            self.is_counted = true;
            match self.count().await {
                Ok(counted) if counted < self.input => {
                    self.input = counted;
                    true
                }
                // A body that cannot be read is refused when it is written.
                _ => false,
            }
        })
    }

    fn lower_cap(&mut self, output_tokens: u64) -> bool {
        let each = output_tokens / self.choices();
        self.lowered_cap = self.scan.demand.cap_within(each);
        self.lowered_cap.is_some()
    }

    fn allow_extra(&mut self, rules: &ExtraRules<'_>) -> Result<bool, Failure> {
        let charges = self.scan.demand.extra();
        let searches = rules.upstream_model.is_some_and(searches_by_itself);
        if charges.is_empty() && !searches {
            return Ok(false);
        }
        self.extra = ExtraReserved::of(charges, rules)?;
        if searches {
            self.extra.add(SEARCHES, 1, rules);
        }
        Ok(true)
    }

    fn converts_for(&self, formats: &[Format]) -> bool {
        !request::passes_through(self, formats)
    }

    fn leave_signatures_out<'a>(&'a mut self, call: &'a Call) -> BoxFuture<'a, bool> {
        Box::pin(async {
            if self.is_without_signatures || strict::is_strict(call) {
                return false;
            }
            self.is_without_signatures =
                self.request().is_ok_and(|request| has_signatures(request));
            self.is_without_signatures
        })
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(request::write(self, to))
    }
}

#[cfg(test)]
#[path = "generated_tests.rs"]
mod generated_tests;
