//! The WebSocket leg of realtime conversations: dialled like every other call, HTTP/1.1 only.

use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, HOST, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::egress::Egress;
use super::error::{Phase, TransportError};
use super::outbound::{Outbound, strip_connection_headers};
use super::wire::Wire;
use crate::{Scheme, UpstreamRequest};

/// The longest message either way: realtime events carry up to 15 MiB of sound in base64.
const LONGEST_MESSAGE: usize = 32 * 1024 * 1024;
/// What may wait to be written: one message and a little.
const LONGEST_BACKLOG: usize = LONGEST_MESSAGE + 1024 * 1024;

/// An open conversation. Bounded both ways; whoever awaits a send gets backpressure.
pub type WebSocket = WebSocketStream<Wire>;

/// A conversation that did not come about.
#[derive(Debug, thiserror::Error)]
pub enum WebSocketError {
    /// The way there broke.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The upstream answered with something else.
    #[error("the upstream refused the conversation with status {status}")]
    Refused {
        /// Its status.
        status: StatusCode,
        /// Its headers.
        headers: HeaderMap,
        /// The beginning of its body.
        body: Bytes,
    },
}

impl Outbound {
    /// Opens a conversation. The request is one of [`crate::Operation::Realtime`] or
    /// [`crate::Operation::TranscribeLive`], signed. `connecting` learns how long the connection took.
    pub async fn open_websocket(
        &self,
        request: UpstreamRequest,
        egress: &Egress,
        connecting: &mut Option<Duration>,
    ) -> Result<WebSocket, WebSocketError> {
        let origin = request.target.origin.clone();
        let (wire, _) = self.dial(&origin, egress, false, connecting).await?;
        let handshake = handshake(request)?;
        let config = WebSocketConfig::default()
            .max_message_size(Some(LONGEST_MESSAGE))
            .max_frame_size(Some(LONGEST_MESSAGE))
            .max_write_buffer_size(LONGEST_BACKLOG);
        let opening = tokio_tungstenite::client_async_with_config(handshake, wire, Some(config));
        match tokio::time::timeout(egress.timeouts.first_byte, opening).await {
            Ok(Ok((socket, _))) => Ok(socket),
            Ok(Err(error)) => Err(refusal(error)),
            Err(_) => Err(TransportError::Timeout(Phase::Head).into()),
        }
    }
}

/// The request that asks for the upgrade.
fn handshake(request: UpstreamRequest) -> Result<Request<()>, TransportError> {
    let origin = &request.target.origin;
    let scheme = match origin.scheme {
        Scheme::Http => "ws",
        Scheme::Https => "wss",
    };
    let authority = origin.authority();
    let uri = format!("{scheme}://{authority}{}", request.target.path);
    let mut headers = request.headers;
    strip_connection_headers(&mut headers);
    let text = |text: &str| HeaderValue::from_str(text).map_err(|_| TransportError::RequestBody);
    headers.insert(HOST, text(&authority)?);
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    let version = HeaderName::from_static("sec-websocket-version");
    headers.insert(version, HeaderValue::from_static("13"));
    headers.insert(
        HeaderName::from_static("sec-websocket-key"),
        text(&generate_key())?,
    );
    let mut handshake = Request::get(uri)
        .body(())
        .map_err(|_| TransportError::RequestBody)?;
    *handshake.headers_mut() = headers.into_map();
    Ok(handshake)
}

fn refusal(error: Error) -> WebSocketError {
    let closed = TransportError::Closed {
        reused: false,
        answered: false,
    };
    match error {
        Error::Http(response) => {
            let (parts, body) = response.into_parts();
            let body = Bytes::from(body.unwrap_or_default());
            WebSocketError::Refused {
                status: parts.status,
                headers: parts.headers,
                body,
            }
        }
        Error::Protocol(_) | Error::HttpFormat(_) | Error::Utf8(_) => {
            TransportError::Malformed.into()
        }
        Error::Capacity(_) => TransportError::TooLarge.into(),
        _ => closed.into(),
    }
}
