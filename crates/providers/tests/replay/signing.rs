//! Credentials stay with their host, and access tokens are fetched once.

use std::time::Duration;

use dialects::DialectId;
use http::HeaderMap;
use providers::{
    BaseUrl, Call, Fault, Format, Operation, RequestBody, SignError, Signer, Upstream,
    UpstreamFailure, UpstreamRequest, provider,
};
use serde_json::json;
use testkit::{FakeUpstream, FrozenClock, Reply};

use crate::support::{client, patient};

const KEY: &str = include_str!("../fixtures/service_account_key.pem");

#[tokio::test]
async fn nothing_is_signed_for_another_host() {
    let provider = provider("openai").unwrap();
    let channel = Upstream::open(provider, "https://api.example.com/v1", "sk-1").unwrap();
    for url in [
        "https://evil.example/v1",
        "http://api.example.com/v1",
        "https://api.example.com:8443/v1",
        "https://api.example.com.evil.example/v1",
    ] {
        let target = BaseUrl::parse(url).unwrap().target("/models").unwrap();
        let mut request = UpstreamRequest::get(target);
        let now = crate::support::now();
        let signed = Signer::new()
            .sign(&mut request, &channel, &client(), &patient(), || now)
            .await;
        assert!(matches!(signed, Err(SignError::ForeignOrigin)), "{url}");
        assert!(request.headers.is_empty(), "{url}");
    }
}

pub fn account(token_uri: &str) -> String {
    json!({
        "type": "service_account",
        "project_id": "my-project",
        "client_email": "robot@my-project.iam.example",
        "private_key": KEY,
        "token_uri": token_uri,
        "location": "us-east5",
    })
    .to_string()
}

fn time(clock: &FrozenClock) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(clock.now_ms()).unwrap()
}

async fn signed(
    channel: &Upstream,
    signer: &Signer,
    call: &Call<'_>,
    clock: &FrozenClock,
) -> Result<UpstreamRequest, SignError> {
    let body = RequestBody::Whole(r#"{"model":"x","stream":true,"max_tokens":1}"#.into());
    let mut request = channel.request(call, HeaderMap::new(), body).unwrap();
    signer
        .sign(&mut request, channel, &client(), &patient(), || time(clock))
        .await?;
    Ok(request)
}

#[tokio::test]
async fn a_service_account_is_exchanged_for_a_token_that_is_kept() {
    let upstream = FakeUpstream::start().await;
    let token = |name: &str| {
        Reply::json(&json!({ "access_token": name, "expires_in": 3599, "token_type": "Bearer" }))
    };
    upstream.on_each("/token", [token("first"), token("second")]);
    let vertex = provider("vertex").unwrap();
    let channel =
        Upstream::open(vertex, &upstream.url(""), &account(&upstream.url("/token"))).unwrap();
    let (signer, clock) = (Signer::new(), FrozenClock::at(1_700_000_000_000));
    let gemini = Format::Text(DialectId::GenerateContent);
    let call = Call::new(Operation::Generate, gemini, "gemini-2.5-pro").streamed(true);
    for _ in 0..3 {
        let request = signed(&channel, &signer, &call, &clock).await.unwrap();
        assert_eq!(request.headers["authorization"], "Bearer first");
        assert_eq!(
            request.target.path.as_str(),
            "/v1/projects/my-project/locations/us-east5/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse"
        );
    }
    let exchange = upstream.only_request();
    assert_eq!(
        exchange.header("content-type"),
        Some("application/x-www-form-urlencoded")
    );
    assert!(exchange.text().starts_with("grant_type=urn%3Aietf"));
    clock.advance(Duration::from_secs(3400));
    let request = signed(&channel, &signer, &call, &clock).await.unwrap();
    assert_eq!(request.headers["authorization"], "Bearer second");
}

#[tokio::test]
async fn calls_at_the_same_time_share_one_exchange() {
    let upstream = FakeUpstream::start().await;
    let token = json!({ "access_token": "t", "expires_in": 3599 });
    upstream.on(
        "/token",
        Reply::json(&token).after(Duration::from_millis(50)),
    );
    let key = account(&upstream.url("/token"));
    let channel = Upstream::open(provider("vertex").unwrap(), &upstream.url(""), &key).unwrap();
    let (signer, clock) = (Signer::new(), FrozenClock::at(1_700_000_000_000));
    let format = Format::Text(DialectId::Messages);
    let call = Call::new(Operation::Generate, format, "claude-sonnet-4-5@20250929");
    let calls = (0..10).map(|_| signed(&channel, &signer, &call, &clock));
    for request in futures_util::future::join_all(calls).await {
        let request = request.unwrap();
        assert!(
            request
                .target
                .path
                .as_str()
                .ends_with("/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict")
        );
        let body = std::str::from_utf8(request.body.whole().unwrap()).unwrap();
        assert_eq!(
            body,
            r#"{"stream":true,"max_tokens":1,"anthropic_version":"vertex-2023-10-16"}"#
        );
    }
    assert_eq!(upstream.requests().len(), 1);
}

#[tokio::test]
async fn a_token_server_that_refuses_or_is_away() {
    let upstream = FakeUpstream::start().await;
    let refused = json!({ "error": "invalid_grant", "error_description": "Invalid JWT" });
    upstream.on_each(
        "/token",
        [
            Reply::json(&refused).status(400),
            Reply::json(&json!({ "nothing": 1 })),
            Reply::html(503),
            Reply::nothing(),
        ],
    );
    let key = account(&upstream.url("/token"));
    let channel = Upstream::open(provider("vertex").unwrap(), &upstream.url(""), &key).unwrap();
    let (signer, clock) = (Signer::new(), FrozenClock::at(1_700_000_000_000));
    let gemini = Format::Text(DialectId::GenerateContent);
    let call = Call::new(Operation::Generate, gemini, "gemini-2.5-pro");
    for kind in [
        Fault::Credential,
        Fault::Misconfigured,
        Fault::Overloaded,
        Fault::BrokenOff,
    ] {
        let error = signed(&channel, &signer, &call, &clock).await.unwrap_err();
        let failure = UpstreamFailure::from(error);
        assert_eq!(failure.kind, kind, "{failure}");
        assert_ne!(failure.caused_by, providers::CausedBy::Client);
    }
}

#[test]
fn vertex_is_not_told_that_functions_stand_beside_its_own_tools() {
    let vertex = provider("vertex").unwrap();
    let channel = Upstream::open(vertex, "", &account("https://t.example")).unwrap();
    let gemini = Format::Text(DialectId::GenerateContent);
    let call = Call::new(Operation::Generate, gemini, "gemini-3-pro");
    let sent = |body: &'static str| {
        let body = RequestBody::Whole(body.into());
        let request = channel.request(&call, HeaderMap::new(), body).unwrap();
        request.body.whole().unwrap().clone()
    };
    let mixed = r#"{"contents":[],"toolConfig":{"includeServerSideToolInvocations":true,"functionCallingConfig":{"mode":"VALIDATED"}},"x":1.50}"#;
    let plain =
        r#"{"contents":[],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}},"x":1.50}"#;
    assert_eq!(sent(mixed), plain.as_bytes());
    let words = r#"{"contents":[{"text":"includeServerSideToolInvocations"}], "x": 1}"#;
    assert_eq!(sent(words), words.as_bytes());
}

#[test]
fn vertex_counts_a_request_whose_members_stand_by_themselves() {
    let vertex = provider("vertex").unwrap();
    let channel = Upstream::open(vertex, "", &account("https://t.example")).unwrap();
    let gemini = Format::Text(DialectId::GenerateContent);
    let call = Call::new(Operation::CountTokens, gemini, "gemini-3-pro");
    let sent = |body: &'static str| {
        let body = RequestBody::Whole(body.into());
        let request = channel.request(&call, HeaderMap::new(), body).unwrap();
        request.body.whole().unwrap().clone()
    };
    let held = r#"{"generateContentRequest":{"model":"models/m","contents":[{"parts":[]}],"safetySettings":[],"tools":[]}}"#;
    assert_eq!(
        sent(held),
        &br#"{"contents":[{"parts":[]}],"tools":[]}"#[..]
    );
    let bare = r#"{"contents":[{"text":"generateContentRequest"}]}"#;
    assert_eq!(sent(bare), bare.as_bytes());
}

#[test]
fn vertex_finds_its_host_and_location() {
    let vertex = provider("vertex").unwrap();
    let own = Upstream::open(vertex, "", &account("https://t.example")).unwrap();
    assert_eq!(
        own.base.to_string(),
        "https://us-east5-aiplatform.googleapis.com"
    );
    let key = r#"{"project_id":"p","client_email":"e","private_key":"k"}"#;
    let format = Format::Text(DialectId::GenerateContent);
    let call = Call::new(Operation::CountTokens, format, "gemini-x");
    for (base, location) in [
        ("", "global"),
        (
            "https://europe-west4-aiplatform.googleapis.com",
            "europe-west4",
        ),
    ] {
        let channel = Upstream::open(vertex, base, key).unwrap();
        let body = RequestBody::Whole("{}".into());
        let request = channel.request(&call, HeaderMap::new(), body).unwrap();
        let path = request.target.path.as_str();
        let expected = format!(
            "/v1/projects/p/locations/{location}/publishers/google/models/gemini-x:countTokens"
        );
        assert_eq!(path, expected);
    }
}
