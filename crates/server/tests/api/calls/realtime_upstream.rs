//! A vendor of realtime conversations, over a real WebSocket.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::gateway::Gateway;
use super::realtime::run;

/// A vendor of realtime conversations. It says hello, answers each `response.create` with a priced
/// response, and closes when it is told to.
pub struct Vendor {
    address: SocketAddr,
    /// Everything that it was told: the path, the credential, the team if there is one, then each frame.
    heard: Receiver<String>,
}

impl Vendor {
    #[expect(
        clippy::result_large_err,
        reason = "the handshake's own type of a refusal is large"
    )]
    pub fn start(refusal: Option<u16>) -> Self {
        let (tell, heard) = channel();
        let (bound, address) = channel();
        std::thread::spawn(move || {
            run(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                bound
                    .send(listener.local_addr().expect("bound"))
                    .expect("told");
                while let Ok((stream, _)) = listener.accept().await {
                    let opened = tokio_tungstenite::accept_hdr_async(
                        stream,
                        |request: &Request, response: Response| {
                            let key = request.headers().get("authorization");
                            let key = key.map(|key| key.to_str().expect("text").to_owned());
                            let _ = tell.send(request.uri().to_string());
                            let _ = tell.send(key.unwrap_or_default());
                            if let Some(team) = request.headers().get("x-team") {
                                let _ = tell.send(team.to_str().expect("text").to_owned());
                            }
                            match refusal {
                                None => Ok(response),
                                Some(status) => Err(refused(status)),
                            }
                        },
                    );
                    if let Ok(mut socket) = opened.await {
                        let hello = json!({"type": "session.created", "session": {"id": "s", "model": "up"}});
                        let _ = socket.send(Message::text(hello.to_string())).await;
                        while let Some(Ok(message)) = socket.next().await {
                            let Message::Text(text) = message else {
                                if message.is_close() {
                                    let _ = tell.send("closed".to_owned());
                                }
                                continue;
                            };
                            let _ = tell.send(text.as_str().to_owned());
                            for reply in answers(text.as_str()) {
                                let _ = socket.send(reply).await;
                            }
                        }
                    }
                }
            });
        });
        let address = address.recv().expect("an address");
        Self { address, heard }
    }

    pub fn gateway(&self) -> Gateway {
        self.gateway_with("")
    }

    /// A gateway whose channel has more settings.
    pub fn gateway_with(&self, settings: &str) -> Gateway {
        self.gateway_of(r#"["talk=up"]"#, settings, "")
    }

    /// A gateway whose channel has these models and more settings, with more of a configuration.
    pub fn gateway_of(&self, models: &str, settings: &str, more: &str) -> Gateway {
        Gateway::with_config(&format!(
            r#"
            [outbound]
            allow_private = ["127.0.0.0/8"]
            [realtime]
            default_model = "talk"
            transcription_model = "hear"
            [[channels]]
            name = "live"
            type = "openai"
            base_url = "http://{}/v1"
            key = "sk-vendor"
            models = {models}
            {settings}
            [[prices]]
            model = "talk"
            input = "1"
            cache_read = "0.1"
            output = "10"
            audio_input = "20"
            audio_output = "40"
            {more}
            "#,
            self.address
        ))
    }

    /// One more channel to it, for a configuration.
    pub fn channel(&self, name: &str, priority: i64) -> String {
        format!(
            "[[channels]]\nname = \"{name}\"\ntype = \"openai\"\nbase_url = \"http://{}/v1\"\n\
             key = \"sk-vendor\"\nmodels = [\"talk=up\"]\npriority = {priority}\n",
            self.address
        )
    }

    pub fn hears(&self) -> String {
        let patience = std::time::Duration::from_secs(10);
        self.heard.recv_timeout(patience).expect("in time")
    }
}

fn refused(status: u16) -> ErrorResponse {
    let body = r#"{"error":{"message":"Incorrect API key provided: sk-vendor."}}"#;
    let mut response = ErrorResponse::new(Some(body.to_owned()));
    *response.status_mut() = status.try_into().expect("a status");
    response
}

fn answers(frame: &str) -> Vec<Message> {
    if frame.contains("please close") {
        let frame = CloseFrame {
            code: 4321.into(),
            reason: "enough".into(),
        };
        return vec![Message::Close(Some(frame))];
    }
    if frame.contains("never end") {
        return unfinished();
    }
    if frame.contains("input_audio_buffer.commit") {
        return written_down(frame);
    }
    if !frame.contains("response.create") {
        return Vec::new();
    }
    let done = json!({"type": "response.done", "response": {"id": "r1", "status": "completed",
        "output_modalities": ["audio"], "usage": {"input_tokens": 100, "output_tokens": 50,
        "input_token_details": {"text_tokens": 80, "audio_tokens": 20, "cached_tokens": 30,
            "cached_tokens_details": {"text_tokens": 30, "audio_tokens": 0}},
        "output_token_details": {"text_tokens": 10, "audio_tokens": 40}}}});
    [
        json!({"type": "response.created", "response": {"id": "r1"}}).to_string(),
        "{ \"type\" : \"something.new\", \"n\": 1.50 }".to_owned(),
        done.to_string(),
    ]
    .map(Message::text)
    .into()
}

/// A response in sound of one byte a sample, with words beside it, that does not end.
fn unfinished() -> Vec<Message> {
    let delta =
        |kind: &str, delta: &str| json!({"type": format!("response.{kind}.delta"), "delta": delta});
    [
        json!({"type": "session.updated", "session": {"audio": {"output": {"format": {"type": "audio/pcmu"}}}}}),
        json!({"type": "response.created", "response": {"id": "r1"}}),
        delta("output_text", "Hello there"),
        delta("output_audio_transcript", " Hello there"),
        delta("function_call_arguments", " Hello there"),
        delta("output_audio", &"A".repeat(64_000)),
    ]
    .map(|event| Message::text(event.to_string()))
    .into()
}

/// What was heard, written down. The event's id says how its use is told.
fn written_down(frame: &str) -> Vec<Message> {
    let usage = if frame.contains("by tokens") {
        json!({"type": "tokens", "total_tokens": 120, "input_tokens": 100, "output_tokens": 20,
            "input_token_details": {"text_tokens": 0, "audio_tokens": 100}})
    } else if frame.contains("by time") {
        json!({"type": "duration", "seconds": 2.5})
    } else {
        json!(null)
    };
    let kind = "conversation.item.input_audio_transcription";
    let mut events = vec![
        json!({"type": format!("{kind}.delta"), "item_id": "i1", "delta": "Hello there"}),
        json!({"type": format!("{kind}.completed"), "item_id": "i1", "content_index": 0,
            "transcript": "Hello there", "usage": usage}),
    ];
    if frame.contains("in part") {
        events.pop();
    }
    let events = events.into_iter();
    events
        .map(|event| Message::text(event.to_string()))
        .collect()
}
