//! What every part of the service can have to refuse, said in the shape of the path's area:
//! unknown paths, wrong methods, bodies that are too large, and failures of our own.

use axum::Extension;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use dialects::canonical::{Failure, FailureKind};
use http::header;

use crate::area::Area;
use crate::body_memory::BodyMemoryError;
use crate::management::{self, ApiError};
use crate::middleware::{Caller, read_away};
use crate::model_call;

/// Message of [`Refusal::MalformedRequest`].
pub const MALFORMED_REQUEST: &str = "The head of the request is not valid HTTP.";
/// Message of [`Refusal::InvalidHost`].
pub const INVALID_HOST: &str = "The request must have exactly one valid Host header.";
/// Message of [`Refusal::UnknownTransferCoding`].
pub const UNKNOWN_TRANSFER_CODING: &str = "The only supported transfer coding is chunked.";
/// When a client should send a body again for which there was no memory.
pub const BODY_MEMORY_RETRY_S: u64 = 1;
/// The text for it.
pub const NO_BODY_MEMORY: &str =
    "The gateway has no memory for a request body of this size right now; try again later.";

/// A refusal that any area may have to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such path.
    NoSuchPath,
    /// The path exists, but not for this method.
    MethodNotAllowed,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The body could not be read to its end.
    BodyCut,
    /// The head of the request violates the protocol.
    MalformedRequest,
    /// The `Host` header is missing, repeated or invalid.
    InvalidHost,
    /// The body has a transfer coding other than `chunked`.
    UnknownTransferCoding,
    /// The memory for request bodies is in use.
    NoBodyMemory,
    /// A handler panicked.
    Internal,
}

impl Refusal {
    /// The refusal as the clients of an area understand it: never HTML.
    pub fn respond(self, area: Area, request_id: &str) -> Response {
        if let Area::ModelCall(dialect) = area {
            let failure = self.as_failure();
            return match self {
                Self::UnknownTransferCoding => {
                    model_call::not_implemented(&failure, dialect, request_id)
                }
                _ => model_call::respond(&failure, dialect, request_id),
            };
        }
        management::refuse(ApiError::from(self))
    }
}

impl Refusal {
    /// The refusal as a failure of a model call.
    pub fn as_failure(self) -> Failure {
        match self {
            Self::NoSuchPath => Failure::new(FailureKind::NotFound, "There is no such path."),
            Self::MethodNotAllowed => Failure::new(
                FailureKind::MethodNotAllowed,
                "This path does not take that method.",
            ),
            Self::BodyTooLarge => {
                Failure::new(FailureKind::TooLarge, "The request body is too large.")
            }
            Self::BodyCut => Failure::bad_request("body", "The request body ended early."),
            Self::MalformedRequest => Failure::new(FailureKind::BadRequest, MALFORMED_REQUEST),
            Self::InvalidHost => Failure::new(FailureKind::BadRequest, INVALID_HOST),
            Self::UnknownTransferCoding => {
                Failure::new(FailureKind::Unsupported, UNKNOWN_TRANSFER_CODING)
            }
            Self::NoBodyMemory => Failure {
                retry_after_ms: Some(BODY_MEMORY_RETRY_S * 1000),
                ..Failure::new(FailureKind::Overloaded, NO_BODY_MEMORY)
            },
            Self::Internal => Failure::new(
                FailureKind::Internal,
                "The gateway failed; the request id finds the cause in its log.",
            ),
        }
    }
}

impl From<BodyMemoryError> for Refusal {
    fn from(error: BodyMemoryError) -> Self {
        match error {
            BodyMemoryError::Exhausted => Self::NoBodyMemory,
            BodyMemoryError::TooLarge => Self::BodyTooLarge,
        }
    }
}

/// Answers every path that no route takes.
pub async fn no_such_path(caller: Extension<Caller>, request: Request) -> Response {
    refuse(Refusal::NoSuchPath, &caller, request).await
}

/// Answers every method that a route does not take.
pub async fn method_not_allowed(caller: Extension<Caller>, request: Request) -> Response {
    refuse(Refusal::MethodNotAllowed, &caller, request).await
}

/// Refuses after the body was read away: a client that is still sending would otherwise see its
/// connection reset instead of the answer.
async fn refuse(refusal: Refusal, caller: &Caller, request: Request<Body>) -> Response {
    let area = Area::of(request.uri().path());
    let refusal = read_away(request.into_body())
        .await
        .err()
        .unwrap_or(refusal);
    let mut response = refusal.respond(area, &caller.request_id);
    if refusal != Refusal::NoSuchPath && refusal != Refusal::MethodNotAllowed {
        response
            .headers_mut()
            .insert(header::CONNECTION, http::HeaderValue::from_static("close"));
    }
    response
}
