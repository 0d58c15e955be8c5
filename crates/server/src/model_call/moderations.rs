//! `/v1/moderations`: the client's own body goes there, the upstream's own comes back.

use std::sync::Arc;

use axum::body::Body;
use billing::pricing::{Bounds, OtherUnits, TokenKinds};
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::moderations::{Request, read_reply};
use dialects::units::Units;
use futures_util::future::BoxFuture;
use providers::{Format, Operation, RequestBody};

use super::body::json_body;
use super::call::Call;
use super::headers::passing;
use super::metering::{self, Basis};
use super::pipeline::Refused;
use super::task::{Addressee, Outgoing, Task, Used};
use super::vendor_state;
use super::whole_answer::{Reading, WholeAnswer};
use crate::app::App;

/// The longest answer.
const LONGEST: usize = 16 << 20;
/// The model of a client that names none: the vendor's own default.
const DEFAULT_MODEL: &str = "omni-moderation-latest";

/// Reads a moderation.
pub fn read<'a>(
    app: &'a Arc<App>,
    call: &'a Call,
    body: Body,
) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>> {
    Box::pin(async move {
        let body = json_body(app, call, body).await?;
        let request = Request::read(&body)?;
        vendor_state::check_other(app, &body)?;
        let model = request.model.clone();
        let task: Box<dyn Task> = Box::new(ModerationTask {
            model: model.unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            request: Arc::new(request),
            body,
        });
        Ok(task)
    })
}

/// Contents to be judged.
struct ModerationTask {
    model: String,
    request: Arc<Request>,
    body: Bytes,
}

/// The tokens of all contents.
fn input(request: &Request, count: fn(&str) -> u64) -> u64 {
    let texts: u64 = request.texts.iter().map(|text| count(text)).sum();
    texts.saturating_add(tokens::IMAGE.saturating_mul(request.images as u64))
}

impl Task for ModerationTask {
    fn operation(&self) -> Operation {
        Operation::Moderate
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(Bounds {
            input: input(&self.request, tokens::bound),
            output: 0,
            kinds: TokenKinds::TEXT,
            other: OtherUnits {
                calls: 1,
                ..OtherUnits::default()
            },
        })
    }

    fn estimated_tokens(&self) -> u64 {
        tokens::approximate(self.body.len() as u64)
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move {
            let body = Request::forward(&self.body, &to.place.upstream_model)?;
            let reading = ModerationReading {
                request: self.request.clone(),
                basis: Basis::of(&self.model, &to),
            };
            Ok(Outgoing {
                format: Format::Common,
                is_stream: false,
                headers: passing(to.call, to.place, None),
                query: None,
                body: RequestBody::Whole(body.into()),
                dropped: Vec::new(),
                answer: Box::new(WholeAnswer::json(reading)),
            })
        })
    }
}

struct ModerationReading {
    request: Arc<Request>,
    basis: Basis,
}

impl Reading for ModerationReading {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        let reply = read_reply(&body)?;
        let counted = match reply.units.tokens.input {
            Some(_) => Units::default(),
            None => Units::of_input(Some(input(&self.request, tokens::count))),
        };
        let used = metering::used(&reply.units, &counted, self.basis);
        Ok((body, used))
    }
}
