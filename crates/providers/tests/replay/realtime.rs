//! The WebSocket leg: signed like every other call, refusals are ordinary failures.

use futures_util::{SinkExt as _, StreamExt as _};
use http::HeaderMap;
use parking_lot::Mutex;
use providers::transport::{PoolSettings, TransportError, WebSocket, WebSocketError};
use providers::{
    BaseUrl, Call, Fault, Format, Guard, Operation, Outbound, RequestBody, Signer, Upstream,
    UpstreamFailure, UpstreamRequest, provider,
};
use std::sync::Arc;
use testkit::{FakeUpstream, Reply};
use tokio::net::TcpListener;
use tokio_tungstenite::accept_hdr_async_with_config as accept;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use crate::support::{client, hasty, now, patient};

async fn open(base: &str) -> Result<WebSocket, WebSocketError> {
    let channel = Upstream::open(provider("openai").unwrap(), base, "sk-1").unwrap();
    let call = Call::new(Operation::Realtime, Format::Common, "gpt-realtime");
    let body = RequestBody::Whole(bytes::Bytes::new());
    let mut request = channel.request(&call, HeaderMap::new(), body).unwrap();
    let client = client();
    Signer::new()
        .sign(&mut request, &channel, &client, &patient(), now)
        .await
        .unwrap();
    client.open_websocket(request, &patient(), &mut None).await
}

#[tokio::test]
async fn a_conversation_goes_both_ways() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let seen = Arc::new(Mutex::new(String::new()));
    let noted = Arc::clone(&seen);
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        #[expect(clippy::result_large_err, reason = "the library's own callback")]
        let note = |request: &Request, response: Response| {
            let key = request.headers()["authorization"].to_str().unwrap();
            *noted.lock() = format!("{} {key}", request.uri());
            Ok(response)
        };
        let config = WebSocketConfig::default()
            .max_frame_size(None)
            .max_message_size(None);
        let mut socket = accept(stream, note, Some(config)).await.unwrap();
        while let Some(Ok(message)) = socket.next().await {
            socket.send(message).await.unwrap();
        }
    });
    let mut socket = open(&base).await.unwrap();
    let long = "a".repeat(20 * 1024 * 1024);
    for text in ["{\"type\":\"session.update\"}", &long] {
        socket.send(Message::text(text)).await.unwrap();
        let echoed = socket.next().await.unwrap().unwrap();
        assert_eq!(echoed.to_text().unwrap(), text);
    }
    assert_eq!(*seen.lock(), "/v1/realtime?model=gpt-realtime Bearer sk-1");
}

#[tokio::test]
async fn a_refusal_is_an_ordinary_failure() {
    let upstream = FakeUpstream::start().await;
    let error = r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#;
    upstream.on(
        "/v1/realtime",
        Reply::body("application/json", error).status(401),
    );
    let refused = open(&upstream.url("/v1")).await.unwrap_err();
    let failure = UpstreamFailure::from_websocket(&refused, now());
    assert_eq!(
        (failure.kind, failure.status),
        (Fault::Credential, Some(401))
    );
}

#[tokio::test]
async fn a_conversation_is_guarded_and_has_deadlines() {
    let upstream = FakeUpstream::start().await;
    upstream.on("/v1/realtime", Reply::silence());
    let target = || {
        BaseUrl::parse(&upstream.url("/v1"))
            .unwrap()
            .target("/realtime")
            .unwrap()
    };
    let refused = client()
        .open_websocket(UpstreamRequest::get(target()), &hasty(), &mut None)
        .await;
    let failure = UpstreamFailure::from_websocket(&refused.unwrap_err(), now());
    assert_eq!(failure.kind.name(), "first_byte_timeout");
    let guarded = Outbound::new(Guard::default(), PoolSettings::default());
    let refused = guarded
        .open_websocket(UpstreamRequest::get(target()), &patient(), &mut None)
        .await;
    let refused = refused.unwrap_err();
    let failure = UpstreamFailure::from_websocket(&refused, now());
    assert_eq!(failure, UpstreamFailure::from(TransportError::Refused));
}
