//! The way of one model call. Reading `answer` is reading the product: authenticate, read, admit,
//! choose a channel, attempt, settle, relay.

use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use dialects::canonical::{Event, Failure, FailureKind, Reply, Request};
use dialects::convert::dialect;
use dialects::fold::unfold;
use dialects::scan::{scan, scan_count};
use dialects::stop_cut::StopCut;
use dialects::{
    DialectId, Framing, ReplyContext, chat_completions, generate_content, messages, responses,
};
use http::{HeaderName, HeaderValue, header};

use super::admit;
use super::attempt::attempt;
use super::authenticate;
use super::call::{Call, Operation};
use super::error::respond;
use super::settle::{Ending, settle};
use crate::app::App;
use crate::area::Area;
use crate::channels::{Place, Route, Wanted};
use crate::demo;
use crate::middleware::read_body;
use crate::tokens::Holder;

/// Runs a call; whatever goes wrong is told in the caller's own dialect.
pub async fn run(app: &Arc<App>, call: Call, body: Body) -> Response {
    let (id, request_id) = (call.dialect, call.caller.request_id.clone());
    let mut response = match answer(app, &call, body).await {
        Ok(response) => response,
        Err(Refused::Failure(failure)) => respond(&failure, id, &request_id),
        Err(Refused::Response(response)) => *response,
    };
    if id == DialectId::Messages
        && let Ok(value) = HeaderValue::from_str(&request_id)
    {
        response
            .headers_mut()
            .insert(HeaderName::from_static("request-id"), value);
    }
    response
}

/// Why a call ends early.
enum Refused {
    Failure(Failure),
    Response(Box<Response>),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

async fn answer(app: &Arc<App>, call: &Call, body: Body) -> Result<Response, Refused> {
    let began = app.clock().now_ms();
    let holder = authenticate::holder(app, call).await?;
    admit::check_rights(&holder, call)?;
    let mut request = read(call, body).await?;
    let outcome = serve(app, call, &holder, &mut request, began).await;
    outcome.map_err(Refused::Failure)
}

/// Reads the body in the client's dialect.
async fn read(call: &Call, body: Body) -> Result<Request, Refused> {
    check_head(call)?;
    let body = read_body(body).await.map_err(|refusal| {
        let area = Area::ModelCall(call.dialect);
        Refused::Response(Box::new(refusal.respond(area, &call.caller.request_id)))
    })?;
    if body.is_empty() {
        let text = "The request body is empty.";
        return Err(Failure::bad_request("body", text).into());
    }
    match call.operation {
        Operation::Generate => scan(call.dialect, &body)?,
        Operation::CountTokens => scan_count(call.dialect, &body)?,
    };
    let request = match (call.operation, call.dialect) {
        (Operation::CountTokens, DialectId::Messages) => messages::count::read_request(&body)?,
        (Operation::CountTokens, DialectId::GenerateContent) => {
            generate_content::read_count_request(&body, &call.path)?
        }
        _ => dialect(call.dialect).read_request(&body, &call.path)?,
    };
    if request.model.is_empty() {
        return Err(Failure::bad_request("model", "`model` is required.").into());
    }
    Ok(request)
}

/// What headers must say before a body is read.
fn check_head(call: &Call) -> Result<(), Failure> {
    let kind = call
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_json = kind.is_none_or(|kind| {
        let kind = kind
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        kind == "application/json" || kind.ends_with("+json")
    });
    if !is_json {
        let text = "The request body must be sent as application/json.";
        return Err(Failure::new(FailureKind::UnsupportedMedia, text));
    }
    if call.dialect == DialectId::Messages {
        let version = ["provider-version", "anthropic-version"]
            .iter()
            .find_map(|name| call.headers.get(*name)?.to_str().ok());
        messages::contract::check_version(version)?;
    }
    Ok(())
}

/// Serves a request that was read, and settles it however it ends.
async fn serve(
    app: &App,
    call: &Call,
    holder: &Holder,
    request: &mut Request,
    began: i64,
) -> Result<Response, Failure> {
    let model = request.model.clone();
    let is_stream = request.stream.is_some();
    let ending = |route, admission, outcome| Ending {
        call,
        holder,
        model: &model,
        route,
        admission,
        is_stream,
        outcome,
        began,
    };
    let route = match choose(app, holder, &model) {
        Ok(route) => route,
        Err(failure) => {
            note(app, ending(None, None, Err(&failure))).await;
            return Err(failure);
        }
    };
    let input = demo::count_input(request);
    if call.operation == Operation::CountTokens {
        return Ok(json_response(count(call.dialect, input)));
    }
    let admission = match admit::reserve(app, call, holder, &route, request, input).await {
        Ok(admission) => admission,
        Err(failure) => {
            note(app, ending(Some(&route), None, Err(&failure))).await;
            return Err(failure);
        }
    };
    let reply = attempt(app, call, &route, request);
    let usage = reply
        .as_ref()
        .map(|reply| reply.usage.clone().unwrap_or_default());
    // The charge is on disk before the client has the answer.
    let settled = settle(
        app,
        ending(
            Some(&route),
            Some(&admission),
            usage.as_ref().map_err(|failure| *failure),
        ),
    )
    .await;
    settled.map_err(|error| admit::away(&error))?;
    Ok(relay(app, call, request, reply?))
}

/// Writes down a call that was refused; it costs nothing, so a lost row is only a lost row.
async fn note(app: &App, ending: Ending<'_>) {
    if let Err(error) = settle(app, ending).await {
        tracing::error!(%error, "a refused call could not be logged");
    }
}

/// A place on a channel that serves the model.
fn choose(app: &App, holder: &Holder, model: &str) -> Result<Place, Failure> {
    let wanted = Wanted {
        model,
        group: &holder.group,
        operation: providers::Operation::Generate,
        affinity: None,
        tokens: 0,
    };
    let mut route = Route::begin(app.channels(), wanted).map_err(|none| none.failure(model))?;
    admit::check_model(holder, model)?;
    let place = route.next(app.clock().now_ms());
    place.map_err(|none| none.failure(model))
}

fn count(dialect: DialectId, tokens: u64) -> Vec<u8> {
    match dialect {
        DialectId::GenerateContent => generate_content::write_count(tokens),
        DialectId::Responses => responses::write_count(tokens),
        _ => messages::count::write_answer(tokens),
    }
}

/// The answer in the client's dialect, whole or as a stream.
fn relay(app: &App, call: &Call, request: &Request, mut reply: Reply) -> Response {
    if let Some(cut) = StopCut::new(&request.stop) {
        cut.reply(&mut reply);
    }
    let context = context(app, call, request, &reply);
    let Some(_) = &request.stream else {
        let written = dialect(call.dialect).write_reply(&reply, &context);
        return with_dropped(json_response(written.body), &written.dropped);
    };
    let mut writer = dialect(call.dialect).stream_writer(&context);
    let mut out = Vec::new();
    unfold(&reply, &mut |event: Event<'_>| {
        writer.event(event, &mut out);
    });
    let kind = match call.framing {
        Framing::JsonArray if call.dialect == DialectId::GenerateContent => "application/json",
        _ => "text/event-stream",
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, out).into_response()
}

fn context(app: &App, call: &Call, request: &Request, reply: &Reply) -> ReplyContext {
    let include_usage = request
        .stream
        .as_ref()
        .and_then(|stream| stream.include_usage);
    ReplyContext {
        id: reply.id.clone(),
        request_id: call.caller.request_id.clone(),
        created: u64::try_from(app.clock().now_ms() / 1000).unwrap_or(0),
        model: request.model.clone(),
        include_usage: include_usage == Some(true),
        framing: call.framing,
        estimated_input: demo::count_input(request),
        show_reasoning: true,
        old_functions: chat_completions::uses_old_functions(request),
        echo: match call.dialect {
            DialectId::Responses => responses::echo(request),
            _ => dialects::canonical::Extra::new(),
        },
        ..ReplyContext::default()
    }
}

fn json_response(body: Vec<u8>) -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], body).into_response()
}

fn with_dropped(mut response: Response, dropped: &[String]) -> Response {
    if !dropped.is_empty()
        && let Ok(names) = HeaderValue::from_str(&dropped.join(","))
    {
        response
            .headers_mut()
            .insert(HeaderName::from_static("x-modelgate-dropped"), names);
    }
    response
}
