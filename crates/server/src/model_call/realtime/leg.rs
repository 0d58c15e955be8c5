//! The upstream's side of a conversation: a vendor's socket, or a session with the demo model.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use providers::transport::WebSocket;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use crate::demo::realtime::Session;

/// A peer that does not take a frame for so long is stuck.
pub const STUCK_AFTER: Duration = Duration::from_secs(30);

/// The upstream's side.
pub enum Leg {
    /// A vendor's socket.
    Vendor(Box<WebSocket>),
    /// A session inside this process.
    Demo(Box<Session>),
}

/// What comes from the upstream.
#[derive(Debug)]
pub enum Heard {
    /// An event.
    Text(String),
    /// Bytes, which are no event.
    Binary,
    /// It is alive.
    Alive,
    /// It has closed, with this code and reason.
    Closed(Option<u16>, String),
    /// It is gone.
    Gone,
}

impl Leg {
    /// Sends an event; false where the upstream does not take it.
    pub async fn send(&mut self, frame: String) -> bool {
        match self {
            Self::Demo(session) => {
                session.take(&frame);
                true
            }
            Self::Vendor(socket) => {
                let sent = socket.send(Message::text(frame));
                matches!(tokio::time::timeout(STUCK_AFTER, sent).await, Ok(Ok(())))
            }
        }
    }

    /// Asks whether the upstream is alive.
    pub async fn ping(&mut self) -> bool {
        match self {
            Self::Demo(_) => true,
            Self::Vendor(socket) => {
                let sent = socket.send(Message::Ping(Bytes::new()));
                matches!(tokio::time::timeout(STUCK_AFTER, sent).await, Ok(Ok(())))
            }
        }
    }

    /// What comes next.
    pub async fn next(&mut self) -> Heard {
        let socket = match self {
            Self::Demo(session) => {
                return session.next().await.map_or(Heard::Gone, Heard::Text);
            }
            Self::Vendor(socket) => socket,
        };
        match socket.next().await {
            Some(Ok(Message::Text(text))) => Heard::Text(text.as_str().to_owned()),
            Some(Ok(Message::Binary(_))) => Heard::Binary,
            Some(Ok(Message::Close(frame))) => {
                let (code, reason) = frame.map_or((None, String::new()), |frame| {
                    (Some(u16::from(frame.code)), frame.reason.to_string())
                });
                Heard::Closed(code, reason)
            }
            Some(Ok(_)) => {
                // Answers to pings are queued while reading and leave with the next flush.
                let _ = socket.flush().await;
                Heard::Alive
            }
            Some(Err(_)) | None => Heard::Gone,
        }
    }

    /// Closes it, with this code.
    pub async fn close(&mut self, code: Option<u16>, reason: &str) {
        if let Self::Vendor(socket) = self {
            let frame = code.map(|code| CloseFrame {
                code: code.into(),
                reason: reason.to_owned().into(),
            });
            // One that does not take its close is just dropped.
            let closed = socket.send(Message::Close(frame));
            let _ = tokio::time::timeout(Duration::from_secs(5), closed).await;
        }
    }
}
