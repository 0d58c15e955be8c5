//! `/v1/rerank`, `/v2/rerank` and `/rerank`: documents in the order of how well they answer. A
//! request with more documents than the upstream takes becomes several calls and one answer.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use billing::pricing::{Bounds, OtherUnits, TokenKinds};
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::rerank::{AnswerContext, Request, Shape, answer, write_calls};
use dialects::units::Units;
use futures_util::future::BoxFuture;
use providers::{Format, Operation, RequestBody};

use super::body::json_body;
use super::call::Call;
use super::headers::passing;
use super::metering::{self, Basis};
use super::pipeline::Refused;
use super::strict;
use super::task::{Addressee, Outgoing, Task, Used};
use super::vendor_state;
use super::whole_answer::{Reading, WholeAnswer};
use crate::app::App;

/// The longest answer.
const LONGEST: usize = 16 << 20;
/// Vendors that count searches count a document longer than this as several.
const TOKENS_A_DOCUMENT: u64 = 500;
/// And so many documents as one search.
const DOCUMENTS_A_SEARCH: u64 = 100;

/// Reads a rerank.
pub fn read<'a>(
    app: &'a Arc<App>,
    call: &'a Call,
    body: Body,
) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>> {
    Box::pin(async move {
        let body = json_body(app, call, body).await?;
        let request = Arc::new(Request::read(&body)?);
        vendor_state::check_other(app, &body)?;
        let bytes = body.len() as u64;
        let task: Box<dyn Task> = Box::new(RerankTask { request, bytes });
        Ok(task)
    })
}

/// A rerank.
struct RerankTask {
    request: Arc<Request>,
    bytes: u64,
}

/// The texts that a model reads: the query goes with each document.
fn read_tokens(request: &Request, count: fn(&str) -> u64) -> u64 {
    let query = count(request.query_text());
    let documents = request.documents.iter();
    documents
        .map(|document| count(&request.text_of(document)).saturating_add(query))
        .fold(0, u64::saturating_add)
}

impl Task for RerankTask {
    fn operation(&self) -> Operation {
        Operation::Rerank
    }

    fn model(&self) -> &str {
        &self.request.model
    }

    fn bounds(&self) -> Option<Bounds> {
        let input = read_tokens(&self.request, tokens::bound);
        let documents = self.request.documents.len() as u64 + input / TOKENS_A_DOCUMENT;
        Some(Bounds {
            input,
            output: 0,
            kinds: TokenKinds::TEXT,
            other: OtherUnits {
                calls: 1,
                search_units: documents.div_ceil(DOCUMENTS_A_SEARCH),
                ..OtherUnits::default()
            },
        })
    }

    fn estimated_tokens(&self) -> u64 {
        tokens::approximate(self.bytes)
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move {
            let (format, shape) = chosen(to.formats, &to.place.channel.provider)?;
            let written = write_calls(&self.request, shape, &to.place.upstream_model)?;
            strict::check(to.call, &written.dropped)?;
            let mut rest = VecDeque::from(written.bodies);
            let first = rest.pop_front().unwrap_or_default();
            let reading = RerankReading {
                request: self.request.clone(),
                shape,
                rest,
                bodies: Vec::new(),
                id: to.call.caller.request_id.to_string(),
                basis: Basis::of(&self.request.model, &to),
            };
            Ok(Outgoing {
                format,
                is_stream: false,
                headers: passing(to.call, to.place, None),
                query: None,
                body: RequestBody::Whole(first.into()),
                dropped: written.dropped,
                answer: Box::new(WholeAnswer::json(reading)),
            })
        })
    }
}

fn chosen(formats: &[Format], provider: &str) -> Result<(Format, Shape), Failure> {
    let shaped = |format: &Format| {
        let shape = match format {
            Format::Common if provider.starts_with("dashscope") => Shape::DashScope,
            Format::Common => Shape::Compatible,
            Format::Cohere => Shape::Cohere,
            Format::Voyage => Shape::Voyage,
            Format::TextEmbeddingsInference => Shape::Tei,
            Format::Google => Shape::Vertex,
            _ => return None,
        };
        Some((*format, shape))
    };
    formats.iter().find_map(shaped).ok_or_else(|| {
        Failure::unsupported(
            "model",
            "The upstream has no format for rerank that is known.",
        )
    })
}

struct RerankReading {
    request: Arc<Request>,
    shape: Shape,
    /// Bodies that are still to be sent.
    rest: VecDeque<Vec<u8>>,
    /// What came back so far.
    bodies: Vec<Bytes>,
    id: String,
    basis: Basis,
}

impl Reading for RerankReading {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn another(&mut self, body: &Bytes) -> Option<RequestBody> {
        let next = self.rest.pop_front()?;
        self.bodies.push(body.clone());
        Some(RequestBody::Whole(next.into()))
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        self.bodies.push(body);
        let mut context = AnswerContext {
            id: self.id.clone(),
            model: self.request.model.clone(),
            estimated_tokens: 0,
        };
        let mut answered = answer(&self.request, self.shape, &self.bodies, &context)?;
        if answered.tokens_estimated {
            let count = |text: &str| tokens::approximate(text.len() as u64);
            context.estimated_tokens = read_tokens(&self.request, count);
            answered = answer(&self.request, self.shape, &self.bodies, &context)?;
        }
        let (mut told, mut counted) = (answered.units.clone(), Units::default());
        if answered.tokens_estimated {
            counted.tokens = std::mem::take(&mut told.tokens);
        }
        if answered.search_units_estimated {
            counted.search_units = told.search_units.take();
        }
        let used = metering::used(&told, &counted, self.basis);
        Ok((answered.body.into(), used))
    }
}
