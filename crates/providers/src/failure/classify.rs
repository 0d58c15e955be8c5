//! From what happened to what it means.

use dialects::canonical::{Failure, FailureKind};
use dialects::error_body::{for_client, read_error, refuses_signature, retry_after_ms};
use http::{HeaderMap, StatusCode, header};
use jiff::Timestamp;

use super::kinds::{CausedBy, Fault, Retry, UpstreamFailure};
use super::reset_hints;
use crate::transport::{TransportError, WebSocketError};
use crate::{SignError, Unroutable};

impl UpstreamFailure {
    /// An answer that says no. Also for an answer with status 200 whose body is an error.
    pub fn from_reply(
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Self {
        let said = read_error(status.as_u16(), body);
        let (kind, caused_by, retry) = judge(status.as_u16(), &said, is_page(headers, body));
        let detail = said.log_text().to_owned();
        let mut failure = match kind {
            _ if is_page(headers, body) => without_page(kind, status.as_u16()),
            Fault::Misconfigured => Failure::upstream("The upstream does not serve this call."),
            _ => for_client(said),
        };
        failure.upstream_text = Some(detail.as_str().into());
        let text = |name: &'static str| headers.get(name).and_then(|value| value.to_str().ok());
        let pairs = headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let now_unix = u64::try_from(now.as_second()).unwrap_or_default();
        let mut retry_after = retry_after_ms(pairs, body, now_unix);
        if kind == Fault::RateLimited && retry_after.is_none() {
            retry_after = reset_hints::longest(text, now);
        }
        failure.retry_after_ms = retry_after;
        Self {
            kind,
            caused_by,
            retry,
            status: Some(status.as_u16()),
            failure: Box::new(failure),
            detail,
            retry_after_ms: retry_after,
        }
    }

    /// An error inside a stream that began well, already read by its dialect.
    pub fn from_stream(said: Failure) -> Self {
        let (kind, caused_by, retry) = judge(0, &said, false);
        Self {
            kind,
            caused_by,
            retry,
            status: None,
            detail: said.log_text().to_owned(),
            retry_after_ms: said.retry_after_ms,
            failure: Box::new(for_client(said)),
        }
    }

    /// A realtime conversation that did not come about.
    pub fn from_websocket(error: &WebSocketError, now: Timestamp) -> Self {
        match error {
            WebSocketError::Transport(error) => Self::from(error.clone()),
            WebSocketError::Refused {
                status,
                headers,
                body,
            } => Self::from_reply(*status, headers, body, now),
        }
    }

    /// Our own settings are wrong; the text is for administrators.
    pub fn gateway(detail: &str) -> Self {
        let failure = Failure::upstream("The upstream cannot be called.");
        Self::silent(
            Fault::Misconfigured,
            CausedBy::Gateway,
            Retry::NextChannel,
            failure,
            detail,
        )
    }

    /// An answer that came whole and makes no sense.
    pub fn unusable(detail: &str) -> Self {
        let failure = Failure::upstream("The upstream's answer cannot be used.");
        Self::silent(
            Fault::Nonsense,
            CausedBy::Upstream,
            Retry::NextChannel,
            failure,
            detail,
        )
    }

    /// A failure without an answer.
    fn silent(
        kind: Fault,
        caused_by: CausedBy,
        retry: Retry,
        failure: Failure,
        detail: &str,
    ) -> Self {
        let (failure, detail) = (Box::new(failure), detail.to_owned());
        Self {
            kind,
            caused_by,
            retry,
            status: None,
            failure,
            detail,
            retry_after_ms: None,
        }
    }
}

/// What a status and an error mean to us.
fn judge(status: u16, said: &Failure, is_page: bool) -> (Fault, CausedBy, Retry) {
    use CausedBy::{Client, Gateway, Upstream};
    use Retry::{Never, NextChannel, OtherKey, OtherModel, WithoutSignatures};
    match (said.kind, status) {
        (_, 300..=399) => (Fault::Misconfigured, Gateway, NextChannel),
        // A page where an answer should be: something else than the vendor's service spoke.
        (_, 0..=299 | 401 | 403) if is_page => (Fault::Nonsense, Upstream, NextChannel),
        // Vendors that cannot reach their own model say so with these.
        (FailureKind::BadRequest, 424 | 425) | (FailureKind::Unsupported, 500..) => {
            (Fault::ServerError, Upstream, NextChannel)
        }
        (FailureKind::Unauthenticated | FailureKind::Forbidden, _) => {
            (Fault::Credential, Gateway, OtherKey)
        }
        (FailureKind::NoBalance, _) => (Fault::QuotaSpent, Gateway, OtherKey),
        (FailureKind::RateLimited, _) => (Fault::RateLimited, Upstream, OtherKey),
        (FailureKind::Overloaded, _) => (Fault::Overloaded, Upstream, NextChannel),
        (FailureKind::ModelNotFound, _) if !is_page => (Fault::ModelMissing, Gateway, NextChannel),
        (FailureKind::ModelNotFound | FailureKind::NotFound | FailureKind::MethodNotAllowed, _) => {
            (Fault::Misconfigured, Gateway, NextChannel)
        }
        (FailureKind::BadRequest, _) if refuses_signature(said) => {
            (Fault::BadRequest, Client, WithoutSignatures)
        }
        (FailureKind::ContextTooLong, _) => (Fault::ContextTooLong, Client, OtherModel),
        (FailureKind::ContentBlocked, _) => (Fault::ContentBlocked, Client, Never),
        (
            FailureKind::BadRequest
            | FailureKind::Unsupported
            | FailureKind::TooLarge
            | FailureKind::UnsupportedMedia,
            _,
        ) => (Fault::BadRequest, Client, Never),
        (
            FailureKind::Conflict
            | FailureKind::Internal
            | FailureKind::UpstreamBad
            | FailureKind::Timeout,
            _,
        ) => (Fault::ServerError, Upstream, NextChannel),
    }
}

/// Whether the answer is a page for people.
fn is_page(headers: &HeaderMap, body: &[u8]) -> bool {
    let media_type = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let is_named = media_type.is_some_and(|text| text.trim_start().starts_with("text/html"));
    is_named || body.trim_ascii_start().starts_with(b"<")
}

/// What a client is told in place of a page.
fn without_page(kind: Fault, status: u16) -> Failure {
    let text = format!("The upstream answered with an error page (status {status}).");
    Failure::new(
        match kind {
            Fault::RateLimited => FailureKind::RateLimited,
            Fault::Overloaded => FailureKind::Overloaded,
            Fault::BadRequest if status == 413 => FailureKind::TooLarge,
            Fault::BadRequest => FailureKind::BadRequest,
            _ if status == 504 => FailureKind::Timeout,
            _ => FailureKind::UpstreamBad,
        },
        text,
    )
}

impl From<TransportError> for UpstreamFailure {
    fn from(error: TransportError) -> Self {
        use CausedBy::{Client, Gateway, Upstream};
        use Retry::{Never, NextChannel, SameChannel};
        let (kind, caused_by, retry) = match &error {
            TransportError::Refused => (Fault::Misconfigured, Gateway, NextChannel),
            TransportError::Proxy(_) => (Fault::Unreachable, Gateway, NextChannel),
            TransportError::Resolve | TransportError::Connect(_) => {
                (Fault::Unreachable, Upstream, NextChannel)
            }
            TransportError::Tls(_) => (Fault::Tls, Upstream, NextChannel),
            TransportError::Timeout(phase) => (Fault::Timeout(*phase), Upstream, NextChannel),
            // The peer had closed the old connection, most likely before it saw the request.
            TransportError::Closed {
                reused: true,
                answered: false,
            } => (Fault::BrokenOff, Upstream, SameChannel),
            TransportError::Closed { .. } => (Fault::BrokenOff, Upstream, NextChannel),
            TransportError::Malformed | TransportError::TooLarge => {
                (Fault::Nonsense, Upstream, NextChannel)
            }
            TransportError::RequestBody | TransportError::RequestTooLarge => {
                (Fault::UploadBroken, Client, Never)
            }
        };
        let client_kind = match kind {
            Fault::Timeout(_) => FailureKind::Timeout,
            Fault::UploadBroken if error == TransportError::RequestTooLarge => {
                FailureKind::TooLarge
            }
            Fault::UploadBroken => FailureKind::BadRequest,
            _ => FailureKind::UpstreamBad,
        };
        let text = match kind {
            Fault::Misconfigured => "The upstream cannot be called.".to_owned(),
            _ => sentence(&error.to_string()),
        };
        let detail = match &error {
            TransportError::Tls(reason) => dialects::error_body::mask(reason),
            TransportError::Proxy(Some(status)) => format!("{error} with status {status}"),
            _ => error.to_string(),
        };
        Self::silent(
            kind,
            caused_by,
            retry,
            Failure::new(client_kind, text),
            &detail,
        )
    }
}

impl From<SignError> for UpstreamFailure {
    fn from(error: SignError) -> Self {
        let detail = error.to_string();
        match error {
            SignError::Unreachable(error) => Self {
                detail,
                ..Self::from(error)
            },
            SignError::Refused(refused) => match refused.kind {
                // The token server said no to our key; a client cannot have done anything wrong.
                Fault::BadRequest | Fault::Credential | Fault::ModelMissing => Self {
                    kind: Fault::Credential,
                    retry: Retry::OtherKey,
                    ..Self::gateway(&detail)
                },
                _ => Self { detail, ..*refused },
            },
            SignError::ForeignOrigin | SignError::BodyNotWhole | SignError::UnreadableToken => {
                Self::gateway(&detail)
            }
            SignError::Credential(_) | SignError::PrivateKey => Self {
                kind: Fault::Credential,
                retry: Retry::OtherKey,
                ..Self::gateway(&detail)
            },
        }
    }
}

impl From<Unroutable> for UpstreamFailure {
    fn from(error: Unroutable) -> Self {
        let detail = error.to_string();
        match error {
            Unroutable::Model(_) => {
                let failure = Failure::new(FailureKind::ModelNotFound, "There is no such model.");
                let kind = Fault::ModelMissing;
                Self::silent(kind, CausedBy::Client, Retry::NextChannel, failure, &detail)
            }
            Unroutable::Body(_) => {
                let failure = Failure::new(FailureKind::BadRequest, sentence(&detail));
                Self::silent(
                    Fault::BadRequest,
                    CausedBy::Client,
                    Retry::Never,
                    failure,
                    &detail,
                )
            }
            Unroutable::Operation | Unroutable::Credential(_) | Unroutable::Address => {
                Self::gateway(&detail)
            }
        }
    }
}

/// `the upstream …` → `The upstream … .`
fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain(['.']).collect()
}
