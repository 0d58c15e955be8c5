//! Frames of the client, and the handshake.

use serde_json::{Value, json};

use super::*;
use crate::canonical::{Failure, FailureKind};
use crate::spoil::{fixture, spoiled};

fn frame(name: &str) -> String {
    String::from_utf8(fixture("realtime", name)).unwrap()
}

fn models(frame: &str) -> SessionModels {
    match ClientEvent::read(frame).unwrap().kind {
        ClientEventKind::SessionUpdate(models) => models,
        other => panic!("{other:?}"),
    }
}

#[test]
fn events_are_told_apart_by_their_own_type() {
    let read = |name: &str| ClientEvent::read(&frame(name)).unwrap();
    assert_eq!(
        read("client-append.json").kind,
        ClientEventKind::AppendAudio
    );
    let create = read("client-response-create.json");
    assert_eq!(
        create.kind,
        ClientEventKind::ResponseCreate(Asked::default())
    );
    assert_eq!(create.event_id.as_deref(), Some("c2"));
    let other = ClientEvent::read(r#"{"type":"response.cancel"}"#).unwrap();
    assert_eq!(other.kind, ClientEventKind::Other);
}

#[test]
fn an_update_names_the_models_in_both_shapes() {
    let new = models(&frame("client-session-update.json"));
    assert_eq!(new.model.as_deref(), Some("talk"));
    assert_eq!(new.transcription.as_deref(), Some("hear"));
    let old = models(&frame("client-session-update-old.json"));
    assert_eq!(
        (old.model, old.transcription.as_deref()),
        (None, Some("hear"))
    );
    assert_eq!(
        models(r#"{"type":"session.update"}"#),
        SessionModels::default()
    );
}

#[test]
fn another_model_is_refused() {
    let models = models(&frame("client-session-update.json"));
    assert!(models.check_model("talk").is_ok());
    let failure = models.check_model("cheap").unwrap_err();
    assert_eq!(failure.param.as_deref(), Some("session.model"));
    assert!(SessionModels::default().check_model("cheap").is_ok());
}

#[test]
fn a_session_stays_of_its_kind() {
    let models = models(r#"{"type":"session.update","session":{"type":"transcription"}}"#);
    assert!(models.check_kind(SessionKind::Transcription).is_ok());
    let failure = models.check_kind(SessionKind::Conversation).unwrap_err();
    assert_eq!(failure.param.as_deref(), Some("session.type"));
    assert!(
        SessionModels::default()
            .check_kind(SessionKind::Transcription)
            .is_ok()
    );
}

#[test]
fn what_a_client_brings_is_told_apart() {
    let read = |frame: Value| ClientEvent::read(&frame.to_string()).unwrap().kind;
    let item = |item: Value| match read(json!({"type": "conversation.item.create", "item": item})) {
        ClientEventKind::ItemCreate(brought) => brought,
        other => panic!("{other:?}"),
    };
    let message = item(json!({"type": "message", "role": "user", "content": [
        {"type": "input_text", "text": "Hello"}, {"type": "input_audio", "audio": "AAAA"},
        {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]}));
    assert_eq!(message.words.sample, "Hello");
    assert_eq!((message.sound, message.pictures), (6, 1));
    let result = item(json!({"type": "function_call_output", "call_id": "c", "output": "42"}));
    assert_eq!((result.words.sample.as_str(), result.sound), ("42", 0));
    assert_eq!(item(json!({"content": "no list"})), Brought::default());
    let asked =
        |response: Value| match read(json!({"type": "response.create", "response": response})) {
            ClientEventKind::ResponseCreate(asked) => asked,
            other => panic!("{other:?}"),
        };
    let plain = asked(json!({"instructions": "Be brief."}));
    assert_eq!((plain.brought.words.bytes, plain.is_apart), (9, false));
    let apart = asked(json!({"conversation": "none", "input": [
        {"type": "message", "content": [{"type": "input_text", "text": "Judge this."}]}]}));
    assert_eq!((apart.brought.words.bytes, apart.is_apart), (11, true));
}

#[test]
fn nothing_slips_by_under_a_second_name() {
    for (frame, param) in [
        (
            r#"{"type":"response.cancel","type":"session.update"}"#,
            "type",
        ),
        (
            r#"{"type":"session.update","session":{"model":"a","model":"b"}}"#,
            "session.model",
        ),
        (
            r#"{"type":"session.update","session":{},"session":{"model":"b"}}"#,
            "session",
        ),
        (
            r#"{"type":"session.update","session":{"audio":{"input":{"transcription":{"model":"a"},"transcription":{"model":"b"}}}}}"#,
            "input.transcription",
        ),
        (r#"{"type":7}"#, "type"),
        (r#"{"audio":""}"#, "type"),
    ] {
        let failure = ClientEvent::read(frame).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(param), "{frame}");
    }
    let long = json!({"type": "x", "event_id": "i".repeat(513)}).to_string();
    assert_eq!(
        ClientEvent::read(&long).unwrap_err().param.as_deref(),
        Some("event_id")
    );
}

#[test]
fn a_frame_that_is_no_json_gets_an_error_event() {
    let failure = ClientEvent::read("{\"type\":").unwrap_err();
    assert_eq!(failure.code.as_deref(), Some("invalid_json"));
    let event: Value = serde_json::from_str(&write_error_event(&failure, "ev_1", None)).unwrap();
    assert_eq!(event["type"], "error");
    assert_eq!(event["event_id"], "ev_1");
    assert_eq!(event["error"]["type"], "invalid_request_error");
    assert_eq!(event["error"]["code"], "invalid_json");
    assert_eq!(event["error"]["event_id"], Value::Null);
    let failure = Failure::new(FailureKind::NoBalance, "No money.");
    let event: Value =
        serde_json::from_str(&write_error_event(&failure, "ev_2", Some("c1"))).unwrap();
    assert_eq!(event["error"]["code"], "insufficient_quota");
    assert_eq!(event["error"]["event_id"], "c1");
}

#[test]
fn models_are_renamed_and_everything_else_stays() {
    let before = frame("client-session-update.json");
    let after = SessionModels::rename(&before, "up-talk", "up-hear").unwrap();
    let expected = before
        .replace("\"model\":\"talk\"", "\"model\":\"up-talk\"")
        .replace("\"model\":\"hear\"", "\"model\":\"up-hear\"");
    assert_eq!(after, expected);
    let old = frame("client-session-update-old.json");
    let after = SessionModels::rename(&old, "up-talk", "up-hear").unwrap();
    assert_eq!(after, old.replace("\"hear\"", "\"up-hear\""));
}

#[test]
fn the_token_is_taken_from_the_protocols_and_never_printed() {
    let offer = Offer::read([
        "realtime, openai-insecure-api-key.sk-a_b-c",
        "openai-beta.realtime-v1",
    ]);
    assert_eq!(offer.token.as_deref(), Some("sk-a_b-c"));
    assert!(offer.offers_realtime && offer.is_beta && offer.offers_any);
    assert!(!format!("{offer:?}").contains("sk-a"));
    let plain = Offer::read(["realtime"]);
    assert!(plain.offers_realtime && plain.token.is_none() && !plain.is_beta);
    assert_eq!(Offer::read([" , ", ""]), Offer::default());
    assert_eq!(Offer::read(["openai-insecure-api-key."]).token, None);
    assert_eq!(
        refuse_beta().code.as_deref(),
        Some("beta_api_shape_disabled")
    );
}

#[test]
fn spoiled_frames_are_refused_or_renamed_to_events() {
    spoiled("realtime", "client-", |body| {
        let Ok(frame) = std::str::from_utf8(body) else {
            return;
        };
        if ClientEvent::read(frame).is_ok()
            && let Ok(renamed) = SessionModels::rename(frame, "a", "b")
        {
            ClientEvent::read(&renamed).expect("an event");
        }
    });
}
