//! Conversations over a WebSocket with the demo model: before the upgrade, in it, and at its end.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::gateway::Gateway;
use crate::support::send;

/// Longest wait for anything; what is looked at with each ping takes up to 25 seconds.
const PATIENCE: Duration = Duration::from_secs(40);

pub struct Conversation {
    pub socket: WebSocketStream<TcpStream>,
    pub request_id: String,
    protocol: Option<String>,
}

impl Conversation {
    pub async fn open(
        gateway: &Gateway,
        query: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, Error> {
        let address = gateway.program.address;
        let mut request = format!("ws://{address}/v1/realtime{query}").into_client_request()?;
        for (name, value) in headers {
            request
                .headers_mut()
                .insert(*name, value.parse().expect("a header"));
        }
        let stream = TcpStream::connect(address).await.expect("it accepts");
        let (socket, response) = tokio_tungstenite::client_async(request, stream).await?;
        let header = |name: &str| {
            let value = response.headers().get(name);
            value.map(|value| value.to_str().expect("text").to_owned())
        };
        Ok(Self {
            socket,
            request_id: header("x-request-id").expect("a request id"),
            protocol: header("sec-websocket-protocol"),
        })
    }

    async fn start(gateway: &Gateway) -> Self {
        let bearer = format!("Bearer {}", gateway.token);
        let opened = Self::open(gateway, "", &[("authorization", &bearer)]).await;
        let mut opened = opened.expect("an upgrade");
        let created = opened.until("session.created").await;
        assert_eq!(created["session"]["model"], "demo-realtime");
        opened
            .say(&json!({"type": "session.update",
            "session": {"type": "realtime", "output_modalities": ["text"]}}))
            .await;
        opened.until("session.updated").await;
        opened
    }

    pub async fn say(&mut self, event: &Value) {
        let frame = Message::text(event.to_string());
        self.socket.send(frame).await.expect("it is sent");
    }

    /// The next message that is no ping.
    pub async fn next(&mut self) -> Message {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.socket.next()).await;
            match next
                .expect("in time")
                .expect("a message")
                .expect("a good one")
            {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }

    /// The next event of this type; others are stepped over.
    pub async fn until(&mut self, kind: &str) -> Value {
        loop {
            let message = self.next().await;
            let Message::Text(text) = &message else {
                panic!("{message:?} where {kind} should come")
            };
            let event: Value = serde_json::from_str(text.as_str()).expect("JSON");
            if event["type"] == kind {
                return event;
            }
        }
    }

    async fn ask(&mut self, words: &str) -> Value {
        self.say(
            &json!({"type": "conversation.item.create", "item": {"type": "message",
            "role": "user", "content": [{"type": "input_text", "text": words}]}}),
        )
        .await;
        self.say(&json!({"type": "response.create"})).await;
        self.until("response.done").await
    }

    pub async fn until_closed(&mut self) -> Option<CloseFrame> {
        loop {
            if let Message::Close(frame) = self.next().await {
                return frame;
            }
        }
    }
}

pub fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(test)
}

#[test]
fn each_response_is_one_charge_and_one_row() {
    let gateway = Gateway::start();
    let request_id = run(async {
        let mut conversation = Conversation::start(&gateway).await;
        let first = conversation.ask("Hello there").await;
        assert_eq!(first["response"]["status"], "completed");
        let second = conversation.ask("And again").await;
        let usage = &second["response"]["usage"];
        assert!(
            usage["input_tokens"].as_u64() > first["response"]["usage"]["input_tokens"].as_u64()
        );
        conversation.socket.close(None).await.expect("a close");
        conversation.request_id
    });
    let first = gateway.row_of(&request_id);
    assert_eq!(
        (first.endpoint.as_str(), first.status),
        ("/v1/realtime", 200)
    );
    assert!(first.charge_nanos > 0 && !first.is_estimated);
    let second = gateway.row_of(&format!("{request_id}-2"));
    assert!(second.charge_nanos > first.charge_nanos);
    let third = gateway.records(async |store| {
        let id = format!("{request_id}-3");
        store::request_log::find(store.read(), &id)
            .await
            .expect("the log answers")
    });
    assert!(third.is_none(), "{third:?}");
}

#[test]
fn a_client_that_closes_is_answered() {
    let gateway = Gateway::start();
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        let goodbye = CloseFrame {
            code: CloseCode::Normal,
            reason: "bye".into(),
        };
        let closed = conversation.socket.close(Some(goodbye.clone())).await;
        closed.expect("a close");
        assert_eq!(conversation.until_closed().await, Some(goodbye));
    });
}

#[test]
fn a_token_may_come_as_a_subprotocol_and_is_never_echoed() {
    let gateway = Gateway::start();
    run(async {
        let offer = format!("realtime, openai-insecure-api-key.{}", gateway.token);
        let headers = [("sec-websocket-protocol", offer.as_str())];
        let opened = Conversation::open(&gateway, "?model=demo-realtime", &headers).await;
        let mut opened = opened.expect("an upgrade");
        assert_eq!(opened.protocol.as_deref(), Some("realtime"));
        opened.until("session.created").await;
    });
    assert!(!gateway.program.log().contains(&gateway.token));
}

#[test]
fn what_fails_before_the_upgrade_is_a_status_with_an_error() {
    let gateway = Gateway::start();
    let bearer = format!("Bearer {}", gateway.token);
    let authorized = [("authorization", bearer.as_str())];
    let beta = [
        ("authorization", bearer.as_str()),
        ("openai-beta", "realtime=v1"),
    ];
    let failing = [
        ("authorization", bearer.as_str()),
        ("x-modelgate-demo", "status=500"),
    ];
    run(async {
        for (query, headers, status, code) in [
            ("", &[][..], 401, "invalid_api_key"),
            ("?model=nobody", &authorized, 404, "model_not_found"),
            ("?call_id=rtc_1", &authorized, 400, "unsupported"),
            (
                "?intent=transcription&model=demo-chat",
                &authorized,
                400,
                "unsupported",
            ),
            ("", &beta, 400, "beta_api_shape_disabled"),
            ("", &failing, 502, ""),
        ] {
            let Err(Error::Http(response)) = Conversation::open(&gateway, query, headers).await
            else {
                panic!("{query} was opened")
            };
            assert_eq!(response.status(), status, "{query}");
            let body: Value = serde_json::from_slice(response.body().as_deref().unwrap()).unwrap();
            let error = &body["error"];
            for name in ["message", "type", "param", "code"] {
                assert!(error[name].is_string(), "{body}");
            }
            assert!(code.is_empty() || error["code"] == code, "{body}");
        }
    });
    let plain = send(gateway.program.address, "GET /v1/realtime", &authorized, "");
    assert_eq!(
        (plain.status, plain.header("upgrade")),
        (426, Some("websocket"))
    );
    assert_eq!(plain.json()["error"]["code"], "upgrade_required");
}

#[test]
fn a_session_keeps_its_model_and_lives_on_after_what_is_wrong() {
    let gateway = Gateway::start();
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        for (event, param) in [
            (
                json!({"type": "session.update", "event_id": "e1",
                "session": {"type": "realtime", "model": "demo-chat"}}),
                "session.model",
            ),
            (
                json!({"type": "session.update", "event_id": "e1", "session": {"type": "realtime",
                "audio": {"input": {"transcription": {"model": "nobody"}}}}}),
                "model",
            ),
        ] {
            conversation.say(&event).await;
            let error = conversation.until("error").await;
            assert_eq!(error["error"]["param"], param);
            assert_eq!(error["error"]["event_id"], "e1");
        }
        conversation
            .socket
            .send(Message::text("{"))
            .await
            .expect("it is sent");
        let error = conversation.until("error").await;
        assert_eq!(error["error"]["code"], "invalid_json");
        let done = conversation.ask("Still there?").await;
        assert_eq!(done["response"]["status"], "completed");
        conversation
            .socket
            .send(Message::binary(vec![1]))
            .await
            .expect("it is sent");
        let frame = conversation.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1003);
    });
}

#[test]
fn an_empty_wallet_ends_the_conversation_after_a_whole_response() {
    // Enough for the first response and not for another.
    let gateway = Gateway::with_grant("0.035");
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        let words = "word ".repeat(6000);
        let done = conversation.ask(&words).await;
        assert_eq!(done["response"]["status"], "completed");
        let error = conversation.until("error").await;
        assert_eq!(error["error"]["code"], "insufficient_quota");
        let frame = conversation.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1008);
    });
    let poor = Gateway::with_grant("0.000001");
    run(async {
        let bearer = format!("Bearer {}", poor.token);
        let opened = Conversation::open(&poor, "", &[("authorization", &bearer)]).await;
        let Err(Error::Http(response)) = opened else {
            panic!("it was opened")
        };
        assert_eq!(response.status(), 402);
    });
}

#[test]
fn an_upstream_that_breaks_off_is_told_and_what_passed_is_charged() {
    let gateway = Gateway::start();
    let request_id = run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [
            ("authorization", bearer.as_str()),
            ("x-modelgate-demo", "cut_after_tokens=12"),
        ];
        let mut opened = Conversation::open(&gateway, "", &headers)
            .await
            .expect("an upgrade");
        opened.until("session.created").await;
        opened.say(&json!({"type": "response.create"})).await;
        opened.until("error").await;
        let frame = opened.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1011);
        opened.request_id
    });
    // The row is written after the sockets are closed.
    std::thread::sleep(Duration::from_millis(300));
    let row = gateway.row_of(&request_id);
    assert!(row.charge_nanos > 0 && row.is_estimated, "{row:?}");
}

#[test]
fn a_token_that_is_switched_off_ends_a_conversation_in_which_nothing_is_said() {
    let gateway = Gateway::start();
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        let tokens = gateway.command(&["token", "list"]);
        gateway.command(&["token", "disable", &tokens[0]["id"].to_string()]);
        let error = conversation.until("error").await;
        assert_eq!(error["error"]["code"], "invalid_api_key");
        let frame = conversation.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1008);
    });
}

#[test]
fn a_channel_that_is_switched_off_ends_its_conversations_and_what_it_made_is_free() {
    let gateway = Gateway::start();
    let request_id = run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [
            ("authorization", bearer.as_str()),
            ("x-modelgate-demo", "pace=1000"),
        ];
        let opened = Conversation::open(&gateway, "", &headers).await;
        let mut conversation = opened.expect("an upgrade");
        conversation.until("session.created").await;
        conversation.say(&json!({"type": "response.create"})).await;
        conversation.until("response.created").await;
        let channels = gateway.command(&["channel", "list"]);
        gateway.command(&["channel", "disable", &channels[0]["id"].to_string()]);
        let error = conversation.until("error").await;
        let message = &error["error"]["message"];
        assert_eq!(message, "The upstream was switched off.");
        let frame = conversation.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1011);
        conversation.request_id
    });
    let row = gateway.row_of(&request_id);
    assert_eq!((row.charge_nanos, row.is_estimated), (0, false));
    let message = row.error_message.as_deref();
    assert_eq!(message, Some("The upstream was switched off."));
}

#[test]
fn a_stop_closes_conversations_and_lets_the_program_end() {
    let mut gateway = Gateway::start();
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        gateway.program.signal("TERM");
        let frame = conversation.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1012);
    });
    assert!(gateway.program.wait().success());
}

#[test]
fn a_conversation_has_a_longest_duration() {
    let gateway = Gateway::with_config("[realtime]\nlongest_s = 2\n");
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        let error = conversation.until("error").await;
        assert_eq!(error["error"]["code"], "session_expired");
        let frame = conversation.until_closed().await.expect("a close frame");
        assert_eq!(u16::from(frame.code), 1001);
    });
}

#[test]
fn a_conversation_in_which_nothing_is_said_ends() {
    let gateway = Gateway::with_config("[realtime]\nidle_s = 1\n");
    run(async {
        let mut conversation = Conversation::start(&gateway).await;
        let frame = conversation.until_closed().await.expect("a close frame");
        assert_eq!(u16::from(frame.code), 1000);
    });
}
