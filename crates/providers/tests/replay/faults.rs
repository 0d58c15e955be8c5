//! Every fault of the fake upstream, and what it means.

use providers::transport::{Phase, TransportError};
use providers::{CausedBy, Fault, Retry, UpstreamFailure};
use testkit::{FakeUpstream, RefusedAddress, Reply};

use crate::support::{client, hasty, now, post, whole};

/// What a call to an upstream with this fault comes to.
async fn outcome(reply: Reply) -> Result<String, UpstreamFailure> {
    let upstream = FakeUpstream::start().await;
    upstream.on("/", reply);
    let answer = client().send(post(&upstream.url("/")), &hasty()).await?;
    let (status, headers) = (answer.status, answer.headers);
    if !status.is_success() {
        let body = answer.body.collect_start(1000).await;
        return Err(UpstreamFailure::from_reply(status, &headers, &body, now()));
    }
    let body = answer.body.collect(1024 * 1024).await?;
    Ok(String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
#[rustfmt::skip]
async fn faults_become_the_right_failures() {
    let whole = || Reply::body("application/json", r#"{"answer":"forty-two"}"#);
    for (name, reply, kind, retry) in [
        ("closed without a byte", Reply::nothing(), Fault::BrokenOff, Retry::NextChannel),
        ("silence", Reply::silence(), Fault::Timeout(Phase::Head), Retry::NextChannel),
        ("half a body", whole().cut_after(5), Fault::BrokenOff, Retry::NextChannel),
        ("cut stream", Reply::sse().data("1").cut(), Fault::BrokenOff, Retry::NextChannel),
        ("reset stream", Reply::sse().data("1").reset(), Fault::BrokenOff, Retry::NextChannel),
        ("stalled stream", Reply::sse().data("1").stall(), Fault::Timeout(Phase::Idle), Retry::NextChannel),
        ("not HTTP", Reply::raw("SSH-2.0-x\r\n"), Fault::Nonsense, Retry::NextChannel),
        ("bad chunk", Reply::raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"), Fault::Nonsense, Retry::NextChannel),
        ("endless head", Reply::raw(format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(200_000))), Fault::Nonsense, Retry::NextChannel),
        ("page", Reply::html(502), Fault::ServerError, Retry::NextChannel),
        ("too many", Reply::too_many_requests("7"), Fault::RateLimited, Retry::OtherKey),
        ("bad key", Reply::body("application/json", r#"{"error":{"message":"bad key"}}"#).status(401), Fault::Credential, Retry::OtherKey),
        ("redirect", Reply::body("text/plain", "").status(302).header("location", "http://169.254.169.254/"), Fault::Misconfigured, Retry::NextChannel),
        ("too long", Reply::body("text/plain", vec![b'a'; 2 * 1024 * 1024]), Fault::Nonsense, Retry::NextChannel),
    ] {
        let failure = outcome(reply).await.expect_err(name);
        assert_eq!((failure.kind, failure.retry), (kind, retry), "{name}");
        assert_ne!(failure.caused_by, CausedBy::Client, "{name}");
    }
}

#[tokio::test]
async fn a_retry_hint_is_passed_on() {
    let failure = outcome(Reply::too_many_requests("7")).await.unwrap_err();
    assert_eq!(failure.retry_after_ms, Some(7000));
    assert_eq!(failure.status, Some(429));
}

#[tokio::test]
async fn nobody_listens() {
    let nobody = RefusedAddress::new();
    let error = whole(&client(), &nobody.url("/")).await.unwrap_err();
    assert_eq!(
        error,
        TransportError::Connect(std::io::ErrorKind::ConnectionRefused)
    );
    assert_eq!(UpstreamFailure::from(error).kind, Fault::Unreachable);
}

#[tokio::test]
async fn a_name_without_an_address() {
    let error = whole(&client(), "http://nowhere.example/")
        .await
        .unwrap_err();
    assert_eq!(error, TransportError::Resolve);
}

#[tokio::test]
async fn a_body_without_a_stated_length_ends_with_its_connection() {
    let reply = Reply::raw("HTTP/1.1 200 OK\r\n\r\nuntil the end");
    assert_eq!(outcome(reply).await.unwrap(), "until the end");
}

#[tokio::test]
async fn a_reused_connection_that_dies_under_a_call_may_be_tried_again() {
    let upstream = FakeUpstream::start().await;
    upstream.on_each("/", [Reply::body("text/plain", "ok"), Reply::nothing()]);
    let client = client();
    whole(&client, &upstream.url("/")).await.unwrap();
    let error = whole(&client, &upstream.url("/")).await.unwrap_err();
    assert_eq!(
        error,
        TransportError::Closed {
            reused: true,
            answered: false
        }
    );
    assert_eq!(UpstreamFailure::from(error).retry, Retry::SameChannel);
    assert_eq!(
        upstream.requests().len(),
        2,
        "a request that was sent is not sent twice"
    );
}
