//! The table of what becomes of vendors' refusals.

use dialects::canonical::FailureKind;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use jiff::Timestamp;

use super::{CausedBy, Fault, Retry, UpstreamFailure};
use crate::SignError;
use crate::transport::{Phase, TransportError};

fn reply(status: u16, media_type: &'static str, body: &str) -> UpstreamFailure {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    let status = StatusCode::from_u16(status).unwrap();
    UpstreamFailure::from_reply(status, &headers, body.as_bytes(), Timestamp::UNIX_EPOCH)
}

#[test]
#[rustfmt::skip]
fn refusals_mean_what_they_mean() {
    use CausedBy::{Client, Gateway, Upstream};
    use FailureKind as Told;
    use Retry::{Never, NextChannel, OtherKey, OtherModel, WithoutSignatures};
    let error = |message: &str, code: &str| {
        format!(r#"{{"error":{{"message":"{message}","type":"x","param":null,"code":"{code}"}}}}"#)
    };
    for (status, body, kind, caused_by, retry, told) in [
        (401, error("Incorrect API key", "invalid_api_key"), Fault::Credential, Gateway, OtherKey, Told::UpstreamBad),
        (403, error("no access", "permission_denied"), Fault::Credential, Gateway, OtherKey, Told::UpstreamBad),
        (400, r#"[{"error":{"code":400,"message":"API key not valid","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}]"#.to_owned(), Fault::Credential, Gateway, OtherKey, Told::UpstreamBad),
        (402, error("pay", ""), Fault::QuotaSpent, Gateway, OtherKey, Told::UpstreamBad),
        (429, error("You exceeded your quota", "insufficient_quota"), Fault::QuotaSpent, Gateway, OtherKey, Told::UpstreamBad),
        (429, error("slow down", "rate_limit_exceeded"), Fault::RateLimited, Upstream, OtherKey, Told::RateLimited),
        (400, error("n is bad", "invalid_value"), Fault::BadRequest, Client, Never, Told::BadRequest),
        (400, error("messages.1.content.0: Invalid `signature` in `thinking` block", "x"), Fault::BadRequest, Client, WithoutSignatures, Told::BadRequest),
        (422, r#"{"detail":[{"loc":["body","n"],"msg":"bad"}]}"#.to_owned(), Fault::BadRequest, Client, Never, Told::BadRequest),
        (413, error("too large", ""), Fault::BadRequest, Client, Never, Told::TooLarge),
        (400, error("too long", "context_length_exceeded"), Fault::ContextTooLong, Client, OtherModel, Told::ContextTooLong),
        (400, error("no", "content_policy_violation"), Fault::ContentBlocked, Client, Never, Told::ContentBlocked),
        (404, error("The model `x` does not exist", "model_not_found"), Fault::ModelMissing, Gateway, NextChannel, Told::ModelNotFound),
        (403, error("Project `p` does not have access to model `m`", "model_not_found"), Fault::ModelMissing, Gateway, NextChannel, Told::ModelNotFound),
        (403, r#"{"message":"You don't have access to the model with the specified model ID."}"#.to_owned(), Fault::ModelMissing, Gateway, NextChannel, Told::ModelNotFound),
        (403, error("You are not allowed to generate embeddings from this model", "invalid_request_error"), Fault::ModelMissing, Gateway, NextChannel, Told::ModelNotFound),
        (401, error("You have insufficient permissions for this operation. Missing scopes: model.request.", "invalid_request_error"), Fault::ModelMissing, Gateway, NextChannel, Told::ModelNotFound),
        (403, error("You have no access to models", "permission_denied"), Fault::Credential, Gateway, OtherKey, Told::UpstreamBad),
        (404, r#"{"message":"no Route matched"}"#.to_owned(), Fault::Misconfigured, Gateway, NextChannel, Told::UpstreamBad),
        (405, "{}".to_owned(), Fault::Misconfigured, Gateway, NextChannel, Told::UpstreamBad),
        (302, String::new(), Fault::Misconfigured, Gateway, NextChannel, Told::UpstreamBad),
        (408, "{}".to_owned(), Fault::ServerError, Upstream, NextChannel, Told::Timeout),
        (409, "{}".to_owned(), Fault::ServerError, Upstream, NextChannel, Told::Conflict),
        (424, r#"{"error":"inference failed","error_type":"backend"}"#.to_owned(), Fault::ServerError, Upstream, NextChannel, Told::UpstreamBad),
        (500, error("boom", ""), Fault::ServerError, Upstream, NextChannel, Told::UpstreamBad),
        (501, "{}".to_owned(), Fault::ServerError, Upstream, NextChannel, Told::Unsupported),
        (503, "{}".to_owned(), Fault::Overloaded, Upstream, NextChannel, Told::Overloaded),
        (529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#.to_owned(), Fault::Overloaded, Upstream, NextChannel, Told::Overloaded),
        (504, "{}".to_owned(), Fault::ServerError, Upstream, NextChannel, Told::Timeout),
        (200, error("boom", "server_error"), Fault::ServerError, Upstream, NextChannel, Told::UpstreamBad),
    ] {
        let failure = reply(status, "application/json", &body);
        let seen = (failure.kind, failure.caused_by, failure.retry, failure.failure.kind);
        assert_eq!(seen, (kind, caused_by, retry, told), "{status} {body}");
        assert_eq!(failure.status, Some(status));
    }
}

#[test]
fn a_client_never_hears_of_our_credential() {
    for status in [401, 402, 403] {
        let body = r#"{"error":{"message":"Incorrect API key provided: sk-abcdefgh"}}"#;
        let failure = reply(status, "application/json", body);
        assert!(
            !failure.failure.message.contains("key"),
            "{}",
            failure.failure.message
        );
        assert!(
            !failure.detail.contains("sk-abcdefgh"),
            "{}",
            failure.detail
        );
    }
}

#[test]
fn a_client_never_hears_of_our_project() {
    let body = r#"{"error":{"message":"Project `p-1` does not have access to model `m`",
        "type":"invalid_request_error","code":"model_not_found"}}"#;
    let failure = reply(403, "application/json", body);
    assert!(!failure.failure.message.contains("p-1"));
    assert!(
        failure.detail.contains("access to model"),
        "{}",
        failure.detail
    );
}

#[test]
fn pages_for_people_are_not_passed_on() {
    let page = "<!DOCTYPE html><html><body>Attention required</body></html>";
    for (status, kind, retry, told) in [
        (
            200,
            Fault::Nonsense,
            Retry::NextChannel,
            FailureKind::UpstreamBad,
        ),
        (
            401,
            Fault::Nonsense,
            Retry::NextChannel,
            FailureKind::UpstreamBad,
        ),
        (
            403,
            Fault::Nonsense,
            Retry::NextChannel,
            FailureKind::UpstreamBad,
        ),
        (
            404,
            Fault::Misconfigured,
            Retry::NextChannel,
            FailureKind::UpstreamBad,
        ),
        (413, Fault::BadRequest, Retry::Never, FailureKind::TooLarge),
        (
            429,
            Fault::RateLimited,
            Retry::OtherKey,
            FailureKind::RateLimited,
        ),
        (
            502,
            Fault::ServerError,
            Retry::NextChannel,
            FailureKind::UpstreamBad,
        ),
        (
            503,
            Fault::Overloaded,
            Retry::NextChannel,
            FailureKind::Overloaded,
        ),
    ] {
        for media_type in ["text/html; charset=utf-8", "text/plain"] {
            let failure = reply(status, media_type, page);
            let seen = (failure.kind, failure.retry, failure.failure.kind);
            assert_eq!(seen, (kind, retry, told), "{status}");
            assert!(!failure.failure.message.contains("Attention"));
        }
    }
}

#[test]
fn hints_when_to_try_again_are_read() {
    let look = |name: &'static str, value: &'static str, body: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        headers.insert(
            "x-ratelimit-remaining-tokens",
            HeaderValue::from_static("0"),
        );
        let status = StatusCode::TOO_MANY_REQUESTS;
        let now = Timestamp::from_second(784_111_770).unwrap();
        let failure = UpstreamFailure::from_reply(status, &headers, body.as_bytes(), now);
        assert_eq!(failure.retry_after_ms, failure.failure.retry_after_ms);
        failure.retry_after_ms
    };
    assert_eq!(look("retry-after", "7", "{}"), Some(7000));
    assert_eq!(
        look("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", "{}"),
        Some(7000)
    );
    assert_eq!(look("retry-after-ms", "120", "{}"), Some(120));
    assert_eq!(look("x-ratelimit-reset-tokens", "1m2s", "{}"), Some(62_000));
    let google = r#"{"error":{"code":429,"message":"x","details":[{"retryDelay":"34s"}]}}"#;
    assert_eq!(look("x-nothing", "", google), Some(34_000));
    assert_eq!(look("x-nothing", "", "{}"), None);
}

#[test]
fn broken_transports_mean_what_they_mean() {
    use CausedBy::{Client, Gateway, Upstream};
    use Retry::{Never, NextChannel, SameChannel};
    let closed = |reused, answered| TransportError::Closed { reused, answered };
    let refused = std::io::ErrorKind::ConnectionRefused;
    for (error, kind, caused_by, retry) in [
        (
            TransportError::Refused,
            Fault::Misconfigured,
            Gateway,
            NextChannel,
        ),
        (
            TransportError::Resolve,
            Fault::Unreachable,
            Upstream,
            NextChannel,
        ),
        (
            TransportError::Connect(refused),
            Fault::Unreachable,
            Upstream,
            NextChannel,
        ),
        (
            TransportError::Proxy(Some(407)),
            Fault::Unreachable,
            Gateway,
            NextChannel,
        ),
        (
            TransportError::Tls("x".into()),
            Fault::Tls,
            Upstream,
            NextChannel,
        ),
        (
            TransportError::Timeout(Phase::Idle),
            Fault::Timeout(Phase::Idle),
            Upstream,
            NextChannel,
        ),
        (closed(true, false), Fault::BrokenOff, Upstream, SameChannel),
        (
            closed(false, false),
            Fault::BrokenOff,
            Upstream,
            NextChannel,
        ),
        (closed(true, true), Fault::BrokenOff, Upstream, NextChannel),
        (
            TransportError::Malformed,
            Fault::Nonsense,
            Upstream,
            NextChannel,
        ),
        (
            TransportError::TooLarge,
            Fault::Nonsense,
            Upstream,
            NextChannel,
        ),
        (
            TransportError::RequestBody,
            Fault::UploadBroken,
            Client,
            Never,
        ),
        (
            TransportError::RequestTooLarge,
            Fault::UploadBroken,
            Client,
            Never,
        ),
    ] {
        let failure = UpstreamFailure::from(error.clone());
        let seen = (failure.kind, failure.caused_by, failure.retry);
        assert_eq!(seen, (kind, caused_by, retry), "{error}");
        assert!(
            failure.failure.message.ends_with('.'),
            "{}",
            failure.failure.message
        );
    }
    let timeout = UpstreamFailure::from(TransportError::Timeout(Phase::Head));
    assert_eq!(timeout.failure.kind, FailureKind::Timeout);
}

#[test]
fn a_token_server_that_refuses_is_no_fault_of_the_client() {
    let refused = reply(400, "application/json", r#"{"error":"invalid_grant"}"#);
    let failure = UpstreamFailure::from(SignError::Refused(Box::new(refused)));
    assert_eq!(
        (failure.kind, failure.caused_by),
        (Fault::Credential, CausedBy::Gateway)
    );
    assert_eq!(failure.failure.kind, FailureKind::UpstreamBad);
    let foreign = UpstreamFailure::from(SignError::ForeignOrigin);
    assert_eq!(foreign.kind, Fault::Misconfigured);
}
