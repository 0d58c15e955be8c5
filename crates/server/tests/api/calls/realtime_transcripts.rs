//! Models that write down what the user says: beside a conversation, and alone.

use serde_json::{Value, json};

use super::gateway::Gateway;
use super::realtime::{Conversation, run};
use super::realtime_upstream::Vendor;

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
