//! `/v1/embeddings`, `:embedContent` and `:batchEmbedContents`: vectors, from upstreams of any shape.
//! A request with more inputs than the upstream takes becomes several calls and one answer.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use billing::pricing::{Bounds, OtherUnits, TokenKinds};
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::embeddings::{
    AnswerContext, Call as Part, ClientFormat, Request, Shape, answer, read_batch_embed_contents,
    read_embed_content, write_calls,
};
use dialects::fields::Fields;
use dialects::units::Units;
use futures_util::future::BoxFuture;
use providers::{Format, Operation, RequestBody};
use serde_json::value::RawValue;

use super::body::json_body;
use super::call::Call;
use super::headers::passing;
use super::metering::{self, Basis};
use super::offload::run_blocking;
use super::pipeline::Refused;
use super::strict;
use super::task::{Addressee, Outgoing, Task, Used};
use super::vendor_state;
use super::whole_answer::{Reading, WholeAnswer};
use crate::app::App;
use crate::channels::ChannelTarget;

/// The longest answer: 2,048 vectors of 3,072 numbers.
const LONGEST: usize = 128 << 20;

type Read<'a> = BoxFuture<'a, Result<Box<dyn Task>, Refused>>;

/// Reads `/v1/embeddings`.
pub fn read<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(read_as(app, call, body, |body, _| Request::read(body)))
}

/// Reads `:embedContent`.
pub fn read_one<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(read_as(app, call, body, read_embed_content))
}

/// Reads `:batchEmbedContents`.
pub fn read_batch<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(read_as(app, call, body, read_batch_embed_contents))
}

async fn read_as(
    app: &App,
    call: &Call,
    body: Body,
    read: fn(&[u8], &str) -> Result<Request, Failure>,
) -> Result<Box<dyn Task>, Refused> {
    let body = json_body(app, call, body).await?;
    let named = call.path.model.as_deref().unwrap_or_default();
    let request = read(&body, named)?;
    vendor_state::check_other(app, &body)?;
    let model = request.model.clone().unwrap_or_default();
    let exact = request.input.exact_tokens();
    let bytes = request.input.texts().map(str::len).sum::<usize>() as u64;
    let input = exact.unwrap_or_else(|| request.input.texts().map(tokens::bound).sum());
    Ok(Box::new(EmbedTask {
        estimated: exact.unwrap_or_else(|| tokens::approximate(bytes)),
        is_exact: exact.is_some(),
        model,
        request: Arc::new(request),
        body,
        input,
    }))
}

/// A request for vectors.
struct EmbedTask {
    model: String,
    request: Arc<Request>,
    body: Bytes,
    input: u64,
    is_exact: bool,
    estimated: u64,
}

impl Task for EmbedTask {
    fn operation(&self) -> Operation {
        Operation::Embed
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(Bounds {
            input: self.input,
            output: 0,
            kinds: TokenKinds::TEXT,
            other: OtherUnits {
                calls: 1,
                ..OtherUnits::default()
            },
        })
    }

    fn estimated_tokens(&self) -> u64 {
        self.estimated
    }

    fn count_input(&mut self) -> BoxFuture<'_, bool> {
        Box::pin(async {
            if std::mem::replace(&mut self.is_exact, true) {
                return false;
            }
            let request = self.request.clone();
            let counted = run_blocking(move || count(&request)).await;
            self.input = counted.unwrap_or(self.input);
            true
        })
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move { self.write_for(to) })
    }
}

impl EmbedTask {
    fn write_for(&self, to: Addressee<'_>) -> Result<Outgoing, Failure> {
        let (format, shape) = chosen(&self.request, to.formats, to.place)?;
        let is_single = self.request.client == ClientFormat::EmbedContent && shape == Shape::Google;
        let model = &to.place.upstream_model;
        let (request, body) = if is_single {
            // The upstream's path is the one for several.
            let body = batch_of_one(&self.body, model);
            let read = read_batch_embed_contents(&body, model)?;
            (Arc::new(read), Bytes::from(body))
        } else {
            (self.request.clone(), self.body.clone())
        };
        let written = write_calls(&request, &body, shape, model)?;
        strict::check(to.call, &written.dropped)?;
        let mut calls = written.calls;
        let mut bodies = calls.iter_mut().map(|call| std::mem::take(&mut call.body));
        let first = bodies.next().unwrap_or_default();
        let rest = bodies.collect();
        let answer = EmbedReading {
            request,
            shape,
            is_single,
            calls,
            rest,
            bodies: Vec::new(),
            model: self.model.clone(),
            basis: Basis::of(&self.model, &to),
        };
        Ok(Outgoing {
            format,
            is_stream: false,
            headers: passing(to.call, to.place, None),
            query: None,
            body: RequestBody::Whole(first.into()),
            dropped: written.dropped,
            answer: Box::new(WholeAnswer::json(answer)),
        })
    }
}

/// The format to ask in: the client's own where it is offered.
fn chosen(
    request: &Request,
    formats: &[Format],
    place: &ChannelTarget,
) -> Result<(Format, Shape), Failure> {
    let own = match request.client {
        ClientFormat::OpenAi => Format::Common,
        _ => Format::Google,
    };
    let mut tried = formats
        .iter()
        .filter(|format| **format == own)
        .chain(formats);
    let shaped = |format: &Format| Some((*format, shape(*format, &place.channel.provider)?));
    tried.find_map(shaped).ok_or_else(|| {
        Failure::unsupported(
            "model",
            "The upstream has no format for vectors that is known.",
        )
    })
}

fn shape(format: Format, provider: &str) -> Option<Shape> {
    Some(match format {
        Format::Common if provider == "jina" => Shape::Jina,
        Format::Common => Shape::OpenAi,
        // One content a call is all that Vertex takes.
        Format::Google if provider == "vertex" => Shape::GoogleSingle,
        Format::Google => Shape::Google,
        Format::Predict => Shape::VertexPredict,
        Format::Cohere => Shape::Cohere,
        Format::Voyage => Shape::Voyage,
        Format::TextEmbeddingsInference => Shape::Tei,
        Format::Titan => Shape::Titan,
        Format::Text(_) | Format::Converse | Format::Form => return None,
    })
}

fn batch_of_one(body: &[u8], model: &str) -> Vec<u8> {
    let name = dialects::fields::quoted(&format!("models/{model}"));
    let inner = Fields::read(body).map(|fields| fields.with(&[("model", name)]));
    [
        b"{\"requests\":[",
        inner.unwrap_or_default().as_slice(),
        b"]}",
    ]
    .concat()
}

fn count(request: &Request) -> u64 {
    let counted = request.input.texts().map(tokens::count).sum();
    request.input.exact_tokens().unwrap_or(counted)
}

/// What is known on the way back.
struct EmbedReading {
    request: Arc<Request>,
    shape: Shape,
    is_single: bool,
    calls: Vec<Part>,
    rest: VecDeque<Vec<u8>>,
    bodies: Vec<Bytes>,
    model: String,
    basis: Basis,
}

impl Reading for EmbedReading {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn another(&mut self, body: &Bytes) -> Option<RequestBody> {
        let next = self.rest.pop_front()?;
        self.bodies.push(body.clone());
        Some(RequestBody::Whole(next.into()))
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        self.bodies.push(body.clone());
        let mut context = AnswerContext {
            model: self.model.clone(),
            estimated_tokens: 0,
        };
        let read = |context: &AnswerContext| {
            answer(
                &self.request,
                self.shape,
                &self.calls,
                &self.bodies,
                context,
            )
        };
        let mut answered = read(&context)?;
        if answered.estimated {
            context.estimated_tokens = count(&self.request);
            answered = read(&context)?;
        }
        let (told, counted) = if answered.estimated {
            (Units::default(), answered.units)
        } else {
            (answered.units, Units::default())
        };
        let used = metering::used(&told, &counted, self.basis);
        let body = answered.body.map_or(body, Bytes::from);
        let body = if self.is_single {
            first_of(&body)?
        } else {
            body
        };
        Ok((body, used))
    }
}

/// The answer to one content, from the answer to a batch of one.
fn first_of(body: &[u8]) -> Result<Bytes, Failure> {
    let unreadable = || Failure::upstream("The upstream's answer has no vector.");
    let fields = Fields::read(body).map_err(|_| unreadable())?;
    let list: Option<Vec<&RawValue>> = fields.parsed("embeddings", "a list").ok().flatten();
    let vector = list
        .and_then(|list| list.first().copied())
        .ok_or_else(unreadable)?;
    let mut out = format!(r#"{{"embedding":{}"#, vector.get());
    if let Some(usage) = fields.raw("usageMetadata") {
        out.push_str(r#","usageMetadata":"#);
        out.push_str(usage.get());
    }
    out.push('}');
    Ok(out.into())
}
