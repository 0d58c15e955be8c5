//! The demo channel as an upstream: a call in, an answer out, in the wire format that was asked for.

use std::io;

use bytes::{Bytes, BytesMut};
use dialects::canonical::{Failure, FailureKind};
use dialects::convert::dialect;
use dialects::{error_body, ids};
use futures_util::StreamExt;
use http::{HeaderMap, StatusCode};
use providers::{
    Call, Format, Operation, RequestBody, TransportError, UpstreamFailure, UpstreamReply,
};

use super::answer::{Answer, JSON, Refused, send_error};
use super::form::Form;
use super::images::Wish;
use super::{Switches, embeddings, formats, generation, moderation, rerank, speech, transcript};

/// The longest body that is read.
const LONGEST_BODY: usize = 64 << 20;
const PAGE: &str = "<!DOCTYPE html><html><head><title>Bad gateway</title></head>\
    <body><h1>Bad gateway</h1></body></html>";

/// Answers a call. The headers are the client's; those that the gateway set tell one call from
/// another (`x-request-id`), and [`super::HEADER`] sets switches. Fails where the body that was to
/// be sent breaks off; everything else that goes wrong is an answer with a status.
pub async fn serve(
    call: &Call<'_>,
    switches: &Switches,
    headers: &HeaderMap,
    body: RequestBody,
) -> Result<UpstreamReply, UpstreamFailure> {
    let switches = match switches.for_call(headers) {
        Ok(switches) => switches,
        Err(bad) => {
            let failure = Failure::bad_request(super::HEADER, format!("{bad}."));
            return Ok(refuse(call, &failure.into(), switches));
        }
    };
    if let Some(reply) = fault(call, &switches) {
        return Ok(reply);
    }
    let request_id = headers
        .get("x-request-id")
        .and_then(|value| value.to_str().ok());
    match answer(call, request_id.unwrap_or_default(), headers, body).await? {
        Ok(answer) => Ok(answer.send(&switches)),
        Err(refused) => Ok(refuse(call, &refused, &switches)),
    }
}

/// The failure that the switches ask for, where it comes in place of an answer.
fn fault(call: &Call<'_>, switches: &Switches) -> Option<UpstreamReply> {
    let status = switches.status.map(StatusCode::from_u16);
    let status = status.and_then(Result::ok);
    if switches.html_body {
        let status = status.unwrap_or(StatusCode::OK);
        return Some(send_error(status, "text/html", PAGE, switches));
    }
    let status = status.filter(|status| !status.is_success())?;
    let message = "The demo channel was told to fail.";
    let failure = Failure::new(kind_of(status), message);
    Some(refuse(call, &Refused(status, failure), switches))
}

fn kind_of(status: StatusCode) -> FailureKind {
    match status.as_u16() {
        401 => FailureKind::Unauthenticated,
        402 => FailureKind::NoBalance,
        403 => FailureKind::Forbidden,
        404 => FailureKind::ModelNotFound,
        408 | 504 => FailureKind::Timeout,
        413 => FailureKind::TooLarge,
        429 => FailureKind::RateLimited,
        400..=499 => FailureKind::BadRequest,
        503 | 529 => FailureKind::Overloaded,
        _ => FailureKind::Internal,
    }
}

/// A refusal in the words of the format.
fn refuse(call: &Call<'_>, refused: &Refused, switches: &Switches) -> UpstreamReply {
    let Refused(status, failure) = refused;
    let body = match call.format {
        Format::Text(id) => dialect(id).write_error(failure, status.as_u16(), "demo"),
        _ => error_body::write(failure),
    };
    send_error(*status, JSON, body, switches)
}

/// Reads the body and answers it.
async fn answer(
    call: &Call<'_>,
    request_id: &str,
    headers: &HeaderMap,
    body: RequestBody,
) -> Result<Result<Answer, Refused>, UpstreamFailure> {
    if !formats(call.operation, call.model).contains(&call.format) {
        return Ok(Err(not_offered(call)));
    }
    if Form::is_announced(headers) {
        let form = Form::read(headers, body).await;
        let form = form.map_err(|error| broken(&error))?;
        return Ok(form.and_then(|form| answer_form(call, &form)));
    }
    let body = whole(body).await?;
    Ok(answer_body(call, request_id, &body))
}

fn answer_body(call: &Call<'_>, request_id: &str, body: &[u8]) -> Result<Answer, Refused> {
    let seed = ids::hash(
        &[request_id, call.model, &String::from_utf8_lossy(body)],
        24,
    );
    let answer = match (call.operation, call.format) {
        (Operation::Generate, Format::Text(id)) => generation::generate(call, id, body, &seed),
        (Operation::CountTokens, Format::Text(id)) => generation::count(call, id, body),
        (Operation::Embed, _) => embeddings::embed(call.model, body),
        (Operation::Rerank, _) => rerank::rank(call.model, body, &seed),
        (Operation::Moderate, _) => moderation::moderate(call.model, body, &seed),
        (operation @ (Operation::GenerateImage | Operation::EditImage), _) => {
            Wish::read(operation, body).and_then(|wish| wish.answer(operation))
        }
        (Operation::Speak, _) => speech::speak(body),
        (Operation::VaryImage | Operation::Transcribe | Operation::Translate, _) => {
            let text = "The body must be a form.";
            Err(Failure::bad_request("body", text))
        }
        _ => return Err(not_offered(call)),
    };
    Ok(answer?)
}

fn answer_form(call: &Call<'_>, form: &Form) -> Result<Answer, Refused> {
    let answer = match call.operation {
        Operation::Transcribe => transcript::transcribe(form, false),
        Operation::Translate => transcript::transcribe(form, true),
        operation @ (Operation::EditImage | Operation::VaryImage) => {
            Wish::of_form(operation, form).and_then(|wish| wish.answer(operation))
        }
        _ => Err(Failure::bad_request("body", "The body must be JSON.")),
    };
    Ok(answer?)
}

fn not_offered(call: &Call<'_>) -> Refused {
    let text = format!("The model `{}` does not do this.", call.model);
    let failure = Failure::new(FailureKind::ModelNotFound, text);
    Refused(StatusCode::NOT_FOUND, failure)
}

/// What a body that broke off means: what it would to any upstream.
fn broken(error: &io::Error) -> TransportError {
    match error.kind() {
        io::ErrorKind::FileTooLarge => TransportError::RequestTooLarge,
        _ => TransportError::RequestBody,
    }
}

/// All of a body.
async fn whole(body: RequestBody) -> Result<Bytes, UpstreamFailure> {
    let mut pieces = match body {
        RequestBody::Whole(bytes) => return Ok(bytes),
        RequestBody::Stream { pieces, .. } => pieces,
    };
    let mut whole = BytesMut::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece.map_err(|error| broken(&error))?;
        if whole.len() + piece.len() > LONGEST_BODY {
            return Err(TransportError::TooLarge.into());
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}
