//! Sessions with the demo model, event by event, and what the gateway's own reader makes of them.

use dialects::realtime::{ResponseStatus, ServerEvent, SessionKind};
use serde_json::{Value, json};

use super::Session;
use crate::demo::Switches;

fn session() -> Session {
    Session::open(
        SessionKind::Conversation,
        "demo-realtime",
        "1",
        &Switches::default(),
    )
}

/// Everything that the session says now.
async fn said(session: &mut Session) -> Vec<Value> {
    let mut events = Vec::new();
    let patience = std::time::Duration::from_millis(5);
    while let Ok(Some(frame)) = tokio::time::timeout(patience, session.next()).await {
        events.push(serde_json::from_str(&frame).unwrap());
    }
    events
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<&str> = events.iter().filter_map(|it| it["type"].as_str()).collect();
    kinds.dedup();
    kinds
}

fn take(session: &mut Session, event: &Value) {
    session.take(&event.to_string());
}

fn say(session: &mut Session, text: &str) {
    take(
        session,
        &json!({"type": "conversation.item.create", "item": {"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": text}]}}),
    );
}

#[tokio::test]
async fn a_written_answer_is_told_in_order_and_counted() {
    let mut session = session();
    take(
        &mut session,
        &json!({"type": "session.update",
        "session": {"type": "realtime", "output_modalities": ["text"]}}),
    );
    say(&mut session, "Hello there");
    take(&mut session, &json!({"type": "response.create"}));
    let events = said(&mut session).await;
    assert_eq!(
        kinds(&events),
        [
            "session.created",
            "session.updated",
            "conversation.item.added",
            "conversation.item.done",
            "response.created",
            "response.output_item.added",
            "conversation.item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "conversation.item.done",
            "response.done",
        ]
    );
    let done = events
        .iter()
        .find(|it| it["type"] == "response.done")
        .unwrap();
    let ServerEvent::ResponseDone(done) = ServerEvent::read(&done.to_string()) else {
        panic!("the end of a response")
    };
    let usage = done.usage.unwrap();
    assert_eq!((usage.input_text, usage.output_audio), (3, 0));
    assert!(usage.output_text > 0 && done.is_charged());
}

#[tokio::test]
async fn speech_is_heard_committed_and_answered_with_speech() {
    let mut session = session();
    let sound = "A".repeat(64_000);
    take(
        &mut session,
        &json!({"type": "input_audio_buffer.append", "audio": sound}),
    );
    take(&mut session, &json!({"type": "input_audio_buffer.commit"}));
    take(&mut session, &json!({"type": "response.create"}));
    let events = said(&mut session).await;
    assert!(kinds(&events).contains(&"input_audio_buffer.committed"));
    assert!(kinds(&events).contains(&"response.output_audio.delta"));
    let done = events
        .iter()
        .find(|it| it["type"] == "response.done")
        .unwrap();
    let usage = &done["response"]["usage"];
    assert_eq!(usage["input_token_details"]["audio_tokens"], 10);
    assert!(usage["output_token_details"]["audio_tokens"].as_u64() > Some(0));
    take(
        &mut session,
        &json!({"type": "input_audio_buffer.commit", "event_id": "c9"}),
    );
    let error = &said(&mut session).await[0]["error"];
    assert_eq!(error["code"], "input_audio_buffer_commit_empty");
    assert_eq!(error["event_id"], "c9");
}

#[tokio::test]
async fn a_declared_tool_is_called_and_its_answer_is_told() {
    let mut session = session();
    take(
        &mut session,
        &json!({"type": "session.update", "session": {"type": "realtime",
        "output_modalities": ["text"], "tools": [{"type": "function", "name": "get_time",
        "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}}}]}}),
    );
    say(&mut session, "Please use get_time now.");
    take(&mut session, &json!({"type": "response.create"}));
    let events = said(&mut session).await;
    let done = events
        .iter()
        .find(|it| it["type"] == "response.done")
        .unwrap();
    let call = &done["response"]["output"][0];
    assert_eq!(call["arguments"], r#"{"zone":"demo"}"#);
    take(
        &mut session,
        &json!({"type": "conversation.item.create", "item": {
        "type": "function_call_output", "call_id": call["call_id"], "output": "noon"}}),
    );
    take(&mut session, &json!({"type": "response.create"}));
    let events = said(&mut session).await;
    let text = events
        .iter()
        .find(|it| it["type"] == "response.output_text.done")
        .unwrap();
    assert_eq!(text["text"], "The tool says: noon");
}

#[tokio::test]
async fn a_response_can_be_cancelled_while_it_is_told() {
    let mut session = session();
    take(&mut session, &json!({"type": "response.create"}));
    take(&mut session, &json!({"type": "response.create"}));
    for _ in 0..4 {
        session.next().await;
    }
    take(&mut session, &json!({"type": "response.cancel"}));
    let events = said(&mut session).await;
    assert_eq!(kinds(&events), ["response.done"]);
    let ServerEvent::ResponseDone(done) = ServerEvent::read(&events[0].to_string()) else {
        panic!("the end of a response")
    };
    assert_eq!(done.status, ResponseStatus::Cancelled);
    take(&mut session, &json!({"type": "response.cancel"}));
    let events = said(&mut session).await;
    assert_eq!(events[0]["error"]["code"], "response_cancel_not_active");
}

#[tokio::test]
async fn what_is_wrong_is_answered_and_the_session_lives_on() {
    let mut session = session();
    said(&mut session).await;
    for (event, code) in [
        ("{", "invalid_json"),
        (r#"{"type":"nonsense"}"#, "invalid_value"),
        (
            r#"{"type":"session.update","session":{"foo":1}}"#,
            "unknown_parameter",
        ),
        (
            r#"{"type":"conversation.item.delete","item_id":"x"}"#,
            "item_not_found",
        ),
    ] {
        session.take(event);
        assert_eq!(
            said(&mut session).await[0]["error"]["code"],
            code,
            "{event}"
        );
    }
    say(&mut session, "still there?");
    assert_eq!(said(&mut session).await.len(), 2);
}

#[tokio::test]
async fn a_transcription_session_writes_down_and_gives_no_responses() {
    let switches = Switches::default();
    let mut session = Session::open(
        SessionKind::Transcription,
        "demo-transcribe",
        "1",
        &switches,
    );
    let created = &said(&mut session).await[0];
    assert_eq!(created["session"]["type"], "transcription");
    let audio = "A".repeat(96_000);
    take(
        &mut session,
        &json!({"type": "input_audio_buffer.append", "audio": audio}),
    );
    take(&mut session, &json!({"type": "input_audio_buffer.commit"}));
    let events = said(&mut session).await;
    let ServerEvent::TranscriptionDone { units, .. } =
        ServerEvent::read(&events.last().unwrap().to_string())
    else {
        panic!("{events:?}")
    };
    assert_eq!(units.milliseconds, Some(2_000));
    take(&mut session, &json!({"type": "response.create"}));
    assert_eq!(
        said(&mut session).await[0]["error"]["code"],
        "invalid_value"
    );
}
