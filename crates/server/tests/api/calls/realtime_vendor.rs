//! Conversations relayed to a vendor: what it sees, what passes untouched, what is charged.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::gateway::Gateway;
use super::realtime::{Conversation, run};

/// A vendor of realtime conversations. It says hello, answers each `response.create` with a priced
/// response, and closes when it is told to.
struct Vendor {
    address: SocketAddr,
    /// Everything that it was told: the path, the credential, the team if there is one, then each frame.
    heard: Receiver<String>,
}

impl Vendor {
    #[expect(
        clippy::result_large_err,
        reason = "the handshake's own type of a refusal is large"
    )]
    fn start(refusal: Option<u16>) -> Self {
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

    fn gateway(&self) -> Gateway {
        self.gateway_with("")
    }

    /// A gateway whose channel has more settings.
    fn gateway_with(&self, settings: &str) -> Gateway {
        Gateway::with_config(&format!(
            r#"
            [outbound]
            allow_private = ["127.0.0.0/8"]
            [realtime]
            default_model = "talk"
            [[channels]]
            name = "live"
            type = "openai"
            base_url = "http://{}/v1"
            key = "sk-vendor"
            models = ["talk=up"]
            {settings}
            [[prices]]
            model = "talk"
            input = "1"
            cache_read = "0.1"
            output = "10"
            audio_input = "20"
            audio_output = "40"
            "#,
            self.address
        ))
    }

    fn hears(&self) -> String {
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

#[test]
fn whoever_hangs_up_pays_for_the_words_and_the_sound_that_passed() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway();
    let request_id = run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let mut talk = Conversation::open(&gateway, "", &headers)
            .await
            .expect("an upgrade");
        talk.say(&json!({"type": "response.create", "event_id": "never end"}))
            .await;
        talk.until("response.output_audio.delta").await;
        talk.request_id
    });
    let row = gateway.row_of(&request_id);
    // Six tokens of words at 10 dollars a million; six seconds of sound, 20 tokens each, at 40.
    assert_eq!(
        (row.charge_nanos, row.is_estimated),
        (60_000 + 4_800_000, true)
    );
}

#[test]
fn the_channels_own_headers_reach_the_vendor() {
    let vendor = Vendor::start(None);
    let gateway = vendor
        .gateway_with("headers = { x-team = \"research\" }\n            drop_body = [\"user\"]");
    run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let opened = Conversation::open(&gateway, "", &headers).await;
        let _talk = opened.expect("an upgrade");
        assert_eq!(vendor.hears(), "/v1/realtime?model=up");
        assert_eq!(vendor.hears(), "Bearer sk-vendor");
        assert_eq!(vendor.hears(), "research");
    });
}

#[test]
fn frames_pass_as_they_are_and_every_kind_of_token_is_charged() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway();
    let request_id = run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str()), ("x-secret", "mine")];
        let mut talk = Conversation::open(&gateway, "", &headers)
            .await
            .expect("an upgrade");
        assert_eq!(vendor.hears(), "/v1/realtime?model=up");
        assert_eq!(vendor.hears(), "Bearer sk-vendor");
        talk.until("session.created").await;
        talk.say(
            &json!({"type": "session.update", "session": {"type": "realtime", "model": "talk"}}),
        )
        .await;
        let update: Value = serde_json::from_str(&vendor.hears()).expect("JSON");
        assert_eq!(update["session"]["model"], "up");
        let odd = r#"{ "type" : "brand.new", "x" : 1e2 }"#;
        talk.socket
            .send(Message::text(odd))
            .await
            .expect("it is sent");
        assert_eq!(vendor.hears(), odd);
        talk.say(&json!({"type": "response.create"})).await;
        talk.until("response.created").await;
        let Message::Text(text) = talk.next().await else {
            panic!("an event")
        };
        assert_eq!(
            text.as_str(),
            "{ \"type\" : \"something.new\", \"n\": 1.50 }"
        );
        talk.until("response.done").await;
        talk.say(&json!({"type": "conversation.item.create", "item": "please close"}))
            .await;
        let frame = talk.until_closed().await.expect("a code");
        assert_eq!(
            (u16::from(frame.code), frame.reason.as_str()),
            (4321, "enough")
        );
        talk.request_id
    });
    let row = gateway.row_of(&request_id);
    // 50 text and 30 cached at 1 and 0.1, 20 heard at 20, 10 written at 10, 40 spoken at 40
    // dollars a million.
    let nanos = 50_000 + 3_000 + 400_000 + 100_000 + 1_600_000;
    assert_eq!(
        (row.charge_nanos, row.upstream_model.as_deref()),
        (nanos, Some("up"))
    );
}

#[test]
fn a_client_that_leaves_closes_the_vendors_side() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway();
    run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let mut talk = Conversation::open(&gateway, "?model=talk", &headers)
            .await
            .expect("an upgrade");
        talk.until("session.created").await;
        drop(talk);
        assert!(vendor.hears().starts_with("/v1/realtime"));
        vendor.hears();
        assert_eq!(vendor.hears(), "closed");
    });
}

#[test]
fn a_vendor_that_refuses_is_a_status_without_its_secrets() {
    for (theirs, ours) in [(401, 502), (429, 429), (500, 502)] {
        let vendor = Vendor::start(Some(theirs));
        let gateway = vendor.gateway();
        run(async {
            let bearer = format!("Bearer {}", gateway.token);
            let headers = [("authorization", bearer.as_str())];
            let opened = Conversation::open(&gateway, "", &headers).await;
            let Err(Error::Http(response)) = opened else {
                panic!("it was opened")
            };
            assert_eq!(response.status(), ours, "for {theirs}");
            let body = String::from_utf8(response.body().clone().expect("a body")).expect("text");
            assert!(
                !body.contains("sk-vendor") && body.contains("\"code\""),
                "{body}"
            );
        });
    }
}
