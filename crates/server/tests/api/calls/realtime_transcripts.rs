//! Models that write down what the user says: beside a conversation, and alone.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Error;

use super::gateway::Gateway;
use super::realtime::{Conversation, run};
use super::realtime_upstream::Vendor;

const BEGUN: &str = "conversation.item.input_audio_transcription.delta";
const DONE: &str = "conversation.item.input_audio_transcription.completed";

/// The prices of what the upstream calls its models; nothing has one under the gateway's names.
const UPSTREAM_PRICES: &str = r#"
            [[prices]]
            model = "up-ear"
            input = "1"
            audio_input = "6"
            output = "10"
            [[prices]]
            model = "up-clock"
            per_second = "0.0001"
"#;

async fn open(gateway: &Gateway, query: &str) -> Conversation {
    let bearer = format!("Bearer {}", gateway.token);
    let headers = [("authorization", bearer.as_str())];
    let opened = Conversation::open(gateway, query, &headers).await;
    opened.expect("an upgrade")
}

fn names(kind: &str, model: &str) -> Value {
    json!({"type": "session.update", "session": {"type": kind,
        "audio": {"input": {"transcription": {"model": model}}}}})
}

#[test]
fn a_transcript_beside_a_conversation_is_charged_under_the_upstreams_name() {
    let vendor = Vendor::start(None);
    let models = r#"["talk=up", "hear=up-ear", "clock=up-clock"]"#;
    let gateway = vendor.gateway_of(models, "", UPSTREAM_PRICES);
    let request_id = run(async {
        let mut talk = open(&gateway, "?model=talk").await;
        for (model, event) in [("hear", "by tokens"), ("clock", "by time")] {
            talk.say(&names("realtime", model)).await;
            talk.say(&json!({"type": "input_audio_buffer.commit", "event_id": event}))
                .await;
            talk.until(DONE).await;
        }
        talk.say(&json!({"type": "response.create"})).await;
        talk.until("response.done").await;
        talk.request_id
    });
    // A hundred tokens heard at 6 and twenty written at 10 dollars a million.
    let by_tokens = gateway.row_of(&format!("{request_id}-2"));
    assert_eq!(by_tokens.charge_nanos, 600_000 + 200_000);
    assert_eq!(by_tokens.model.as_str(), "hear");
    assert_eq!(by_tokens.upstream_model.as_deref(), Some("up-ear"));
    assert!(by_tokens.channel_id.is_some() && !by_tokens.is_estimated);
    // Three seconds.
    let by_time = gateway.row_of(&format!("{request_id}-3"));
    assert_eq!(by_time.charge_nanos, 300_000);
    // The conversation goes on where it was.
    let response = gateway.row_of(&request_id);
    assert_eq!(response.upstream_model.as_deref(), Some("up"));
    assert!(response.channel_id.is_some() && response.charge_nanos > 0);
}

const TRANSCRIBERS: &str = r#"["hear=up-ear", "clock=up-clock"]"#;

#[test]
fn a_session_for_transcripts_is_charged_by_what_each_of_them_used() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway_of(TRANSCRIBERS, "", UPSTREAM_PRICES);
    let request_id = run(async {
        let mut session = open(&gateway, "?intent=transcription&model=hear").await;
        assert_eq!(vendor.hears(), "/v1/realtime?intent=transcription");
        assert_eq!(vendor.hears(), "Bearer sk-vendor");
        session.until("session.created").await;
        let commit = |event: &str| json!({"type": "input_audio_buffer.commit", "event_id": event});
        for (model, theirs, event) in [
            ("hear", "up-ear", "by tokens"),
            ("clock", "up-clock", "by time"),
        ] {
            session.say(&names("transcription", model)).await;
            let update: Value = serde_json::from_str(&vendor.hears()).expect("JSON");
            let named = &update["session"]["audio"]["input"]["transcription"]["model"];
            assert_eq!(named, theirs);
            session.say(&commit(event)).await;
            vendor.hears();
            session.until(DONE).await;
        }
        // A second of sound, of which the upstream does not tell how long it was.
        let audio = "A".repeat(64_000);
        session
            .say(&json!({"type": "input_audio_buffer.append", "audio": audio}))
            .await;
        session.say(&commit("untold")).await;
        session.until(DONE).await;
        session.request_id
    });
    for (row, model, charge, is_estimated) in [
        (request_id.clone(), "hear", 800_000, false),
        (format!("{request_id}-2"), "clock", 300_000, false),
        (format!("{request_id}-3"), "clock", 100_000, true),
    ] {
        let row = gateway.row_of(&row);
        assert_eq!((row.model.as_str(), row.charge_nanos), (model, charge));
        assert_eq!(row.is_estimated, is_estimated);
        assert!(row.channel_id.is_some());
    }
}

#[test]
fn a_session_for_transcripts_stays_one_and_keeps_to_what_it_may_use() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway_of(TRANSCRIBERS, "", UPSTREAM_PRICES);
    let request_id = run(async {
        let mut session = open(&gateway, "?intent=transcription&model=hear").await;
        for (event, param) in [
            (names("realtime", "hear"), "session.type"),
            (names("transcription", "nobody"), "model"),
            // Priced and allowed, but the channel of the session does not have it.
            (names("transcription", "talk"), "model"),
        ] {
            session.say(&event).await;
            assert_eq!(session.until("error").await["error"]["param"], param);
        }
        session
            .say(&json!({"type": "input_audio_buffer.commit", "event_id": "by tokens"}))
            .await;
        session.until(DONE).await;
        session.request_id
    });
    assert_eq!(gateway.row_of(&request_id).charge_nanos, 800_000);
    run(async {
        let bearer = format!("Bearer {}", gateway.token);
        let headers = [("authorization", bearer.as_str())];
        let talk = Conversation::open(&gateway, "?model=talk", &headers).await;
        assert!(matches!(talk, Err(Error::Http(refused)) if refused.status() == 404));
    });
}

#[test]
fn whoever_hangs_up_pays_for_what_was_heard_and_written_down() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway_of(TRANSCRIBERS, "", UPSTREAM_PRICES);
    let request_id = run(async {
        let mut session = open(&gateway, "?intent=transcription").await;
        let audio = "A".repeat(64_000);
        session
            .say(&json!({"type": "input_audio_buffer.append", "audio": audio}))
            .await;
        session
            .say(&json!({"type": "input_audio_buffer.commit", "event_id": "in part"}))
            .await;
        session.until(BEGUN).await;
        session.request_id
    });
    let row = gateway.row_of(&request_id);
    // Ten tokens heard at 6 and two written at 10 dollars a million.
    assert_eq!(
        (row.charge_nanos, row.is_estimated),
        (60_000 + 20_000, true)
    );
}

#[test]
fn whoever_hangs_up_pays_for_a_transcript_beside_the_conversation() {
    let vendor = Vendor::start(None);
    let gateway = vendor.gateway_of(r#"["talk=up", "hear=up-ear"]"#, "", UPSTREAM_PRICES);
    let second = json!({"type": "input_audio_buffer.append", "audio": "A".repeat(64_000)});
    let request_id = run(async {
        let mut talk = open(&gateway, "?model=talk").await;
        // Nobody is there yet who could write this down.
        talk.say(&second).await;
        talk.say(&names("realtime", "hear")).await;
        talk.say(&second).await;
        talk.say(&json!({"type": "input_audio_buffer.commit", "event_id": "in part"}))
            .await;
        talk.until(BEGUN).await;
        talk.say(&json!({"type": "response.create", "event_id": "never end"}))
            .await;
        talk.until("response.output_audio.delta").await;
        talk.request_id
    });
    let response = gateway.row_of(&request_id);
    assert_eq!(response.model.as_str(), "talk");
    assert!(response.charge_nanos > 0 && response.is_estimated);
    let transcript = gateway.row_of(&format!("{request_id}-2"));
    assert_eq!(transcript.model.as_str(), "hear");
    assert!(transcript.is_estimated && transcript.channel_id.is_some());
    // Ten tokens heard at 6 and two written at 10 dollars a million.
    assert_eq!(transcript.charge_nanos, 60_000 + 20_000);
}

#[test]
fn a_transcript_that_a_switched_off_channel_was_writing_is_free() {
    let vendor = Vendor::start(None);
    let models = r#"["talk=up", "hear=up-ear"]"#;
    let mut gateway = vendor.gateway_of(models, "", UPSTREAM_PRICES);
    let before = gateway.owned();
    let request_id = run(async {
        let mut talk = open(&gateway, "?model=talk").await;
        talk.say(&names("realtime", "hear")).await;
        talk.say(&two_seconds()).await;
        talk.say(&json!({"type": "input_audio_buffer.commit", "event_id": "in part"}))
            .await;
        talk.until(BEGUN).await;
        talk.say(&json!({"type": "response.create", "event_id": "never end"}))
            .await;
        talk.until("response.output_audio.delta").await;
        gateway.command(&["channel", "disable", "live"]);
        talk.until("error").await;
        talk.until_closed().await;
        talk.request_id
    });
    assert_eq!(gateway.row_of(&request_id).charge_nanos, 0);
    // Whatever is still to be charged is charged before it stops.
    gateway.stop();
    assert_eq!(gateway.owned(), before);
}

#[test]
fn the_demo_model_writes_down_where_no_model_is_named() {
    let gateway = Gateway::start();
    let request_id = run(async {
        let mut session = open(&gateway, "?intent=transcription").await;
        let created = session.until("session.created").await;
        assert_eq!(created["session"]["type"], "transcription");
        session.say(&two_seconds()).await;
        session
            .say(&json!({"type": "input_audio_buffer.commit"}))
            .await;
        let done = session.until(DONE).await;
        assert_eq!(done["usage"]["seconds"], 2);
        session.request_id
    });
    let row = gateway.row_of(&request_id);
    assert_eq!(row.model.as_str(), "demo-transcribe");
    assert_eq!((row.charge_nanos, row.is_estimated), (20_000, false));
}

fn two_seconds() -> Value {
    json!({"type": "input_audio_buffer.append", "audio": "A".repeat(128_000)})
}

#[test]
fn a_transcript_is_paid_for_with_what_was_held_for_a_response_that_will_not_come() {
    // What is held for a response, and 2.4 seconds of a transcript.
    let gateway = Gateway::with_grant("0.0246");
    let request_id = run(async {
        let mut talk = open(&gateway, "").await;
        talk.say(&names("realtime", "demo-transcribe")).await;
        for _ in 0..5 {
            talk.say(&two_seconds()).await;
        }
        talk.say(&json!({"type": "input_audio_buffer.commit"}))
            .await;
        talk.until(DONE).await;
        let error = talk.until("error").await;
        assert_eq!(error["error"]["code"], "insufficient_quota");
        let frame = talk.until_closed().await.expect("a code");
        assert_eq!(u16::from(frame.code), 1008);
        talk.request_id
    });
    let row = gateway.row_of(&format!("{request_id}-2"));
    assert_eq!(row.charge_nanos, 100_000);
}
