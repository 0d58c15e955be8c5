//! From an answer to the client's response: status, headers, and a body that is whole or comes as
//! it comes. A whole one waits until its charge is on disk.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use dialects::canonical::Failure;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::counted;
use super::error::respond;
use super::one_try::{Answered, Begun};
use super::pipeline::Refused;
use super::refusals;
use super::relay::Relay;
use super::settle::{Ending, Settlement};
use super::task::{Answer, Used};
use crate::middleware::{self as edge, Told};

const DROPPED: HeaderName = HeaderName::from_static("x-modelgate-dropped");

/// Responds with an answer that has begun well.
pub async fn answer(
    answered: Answered,
    mut settlement: Settlement,
) -> Result<edge::Answer, Refused> {
    let Answered {
        dropped,
        mut answer,
        body,
        stop,
    } = answered;
    let open = settlement.known();
    let told = Told {
        content_type: Some(answer.content_type()),
        limits: Some(open.limits.told(open.call.dialect)),
        request_id: None,
    };
    let mut headers = HeaderMap::new();
    note_dropped(&mut headers, &dropped);
    answer.headers(&mut headers);
    let mut response = match body {
        Begun::Whole(bytes) => {
            settle(answer.as_mut(), settlement).await?;
            Response::new(Body::from(bytes))
        }
        Begun::Pieces(head, upstream) => {
            settlement.known_mut().begin_answering();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            Response::new(Relay::new(*upstream, answer, settlement, (head, stop)).into_body())
        }
    };
    *response.headers_mut() = headers;
    Ok(edge::Answer { response, told })
}

/// Responds with an answer of our own, which costs nothing.
pub fn ours(body: Bytes, settlement: Settlement) -> Response {
    // Nothing is charged, so nothing waits for the log row.
    drop(settlement.end(&Ending::Answered(Used::default())));
    json(body)
}

/// A response whose body is JSON already.
pub fn json(body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Responds with a failure of a call that was counted against its limits, which the client is shown.
/// It costs nothing.
pub fn failure(failure: Failure, settlement: Settlement) -> edge::Answer {
    let open = settlement.known();
    let (dialect, request_id) = (open.call.dialect, &open.call.caller.request_id);
    let response = respond(&failure, dialect, request_id);
    let told = Told {
        limits: Some(open.limits.told(dialect)),
        ..Told::default()
    };
    // A refusal does not wait for its log row.
    drop(settlement.end(&Ending::Failed(failure)));
    edge::Answer { response, told }
}

/// Charges a whole answer before the client has it.
async fn settle(answer: &mut dyn Answer, settlement: Settlement) -> Result<(), Refused> {
    let used = match answer.counting() {
        None => answer.used(),
        Some(counting) => counted::count(counting).await,
    };
    let written = settlement.end(&Ending::Answered(used));
    written
        .wait()
        .await
        .map_err(|_| refusals::not_written().into())
}

/// Adds to the names of what could not be said, of the request first and then of the answer. Each
/// is told once.
pub fn note_dropped(headers: &mut HeaderMap, dropped: &[String]) {
    if dropped.is_empty() {
        return;
    }
    let told = headers.get(DROPPED).and_then(|told| told.to_str().ok());
    let mut names: Vec<&str> = told.into_iter().flat_map(|told| told.split(',')).collect();
    for name in dropped {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if let Ok(names) = HeaderValue::from_str(&names.join(",")) {
        headers.insert(DROPPED, names);
    }
}
