//! Conversations relayed to a vendor: what it sees, what passes untouched, what is charged.

use futures_util::SinkExt as _;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::realtime::{Conversation, run};
use super::realtime_upstream::Vendor;

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
fn whoever_hangs_up_pays_for_the_conversation_that_was_read_again() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway();
    let request_id = run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let opened = Conversation::open(&gateway, "", &headers).await;
        let mut talk = opened.expect("an upgrade");
        talk.say(&json!({"type": "response.create"})).await;
        talk.until("response.done").await;
        talk.say(
            &json!({"type": "conversation.item.create", "item": {"type": "message",
            "role": "user", "content": [{"type": "input_text", "text": "Hello there"}]}}),
        )
        .await;
        talk.say(&json!({"type": "response.create", "event_id": "never end"}))
            .await;
        talk.until("response.output_audio.delta").await;
        talk.request_id
    });
    let row = gateway.row_of(&format!("{request_id}-2"));
    // Of text 80 that were read before (30 of them cached), 10 that were written and 2 that are new; of sound 20
    // that were heard and 40 that were spoken. Then what passed of the response.
    let read = 62_000 + 3_000 + 1_200_000;
    assert_eq!(
        (row.charge_nanos, row.is_estimated),
        (read + 60_000 + 4_800_000, true)
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
            (4321, "The upstream closed the session.")
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

#[test]
fn a_session_is_opened_elsewhere_where_the_first_channel_fails() {
    let (broken, working) = (Vendor::start(Some(500)), Vendor::start(None));
    let more = broken.channel("first", 10);
    let gateway = working.gateway_of(r#"["talk=up"]"#, "", &more);
    let request_id = run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let mut talk = Conversation::open(&gateway, "", &headers)
            .await
            .expect("an upgrade");
        talk.until("session.created").await;
        talk.request_id
    });
    let tries = gateway.row_of(&request_id).attempts.0;
    let statuses: Vec<_> = tries.iter().map(|one| one.status).collect();
    assert_eq!(statuses, [Some(500), Some(101)]);
    assert_ne!(tries[0].channel_id, tries[1].channel_id);
}
