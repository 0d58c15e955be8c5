//! Alerts in the words of chat services, whose webhooks take a text in a document of their own. They sign nothing:
//! whoever knows the address may post.

use serde_json::{Value, json};

use crate::config::AlertFormat;

/// The shortest limit that a service has is 2,000 characters.
const LONGEST_TEXT: usize = 1_900;

/// The document that a service takes; none where alerts are signed documents of our own.
pub(super) fn body(format: AlertFormat, text: &str) -> Option<String> {
    let text: String = text.chars().take(LONGEST_TEXT).collect();
    let body = match format {
        AlertFormat::Signed => return None,
        AlertFormat::Slack | AlertFormat::Telegram => json!({"text": text}),
        AlertFormat::Discord => json!({"content": text, "allowed_mentions": {"parse": []}}),
        AlertFormat::Feishu => json!({"msg_type": "text", "content": {"text": text}}),
        AlertFormat::Dingtalk | AlertFormat::Wecom => {
            json!({"msgtype": "text", "text": {"content": text}})
        }
    };
    Some(body.to_string())
}

/// The number that a service refuses with, which some do with the status of a success.
pub(super) fn refusal(answer: &[u8]) -> Option<i64> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let numbers = ["errcode", "code"].map(|name| answer[name].as_i64());
    numbers.into_iter().flatten().find(|number| *number != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_service_gets_its_own_document() {
        assert_eq!(body(AlertFormat::Signed, "x"), None);
        for (format, place) in [
            (AlertFormat::Slack, "/text"),
            (AlertFormat::Telegram, "/text"),
            (AlertFormat::Discord, "/content"),
            (AlertFormat::Feishu, "/content/text"),
            (AlertFormat::Dingtalk, "/text/content"),
            (AlertFormat::Wecom, "/text/content"),
        ] {
            let body = body(format, &"ü".repeat(5_000)).unwrap();
            let body: Value = serde_json::from_str(&body).unwrap();
            let text = body.pointer(place).and_then(Value::as_str).unwrap();
            assert_eq!(text.chars().count(), LONGEST_TEXT, "{format:?}");
        }
    }

    #[test]
    fn a_refusal_is_seen_behind_a_status_of_success() {
        assert_eq!(refusal(b"ok"), None);
        assert_eq!(refusal(br#"{"code":0,"msg":"success"}"#), None);
        assert_eq!(
            refusal(br#"{"code":19001,"msg":"param invalid"}"#),
            Some(19_001)
        );
        assert_eq!(
            refusal(br#"{"errcode":310000,"errmsg":"x"}"#),
            Some(310_000)
        );
    }
}
