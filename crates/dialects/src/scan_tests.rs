//! The scan finds what it should, refuses what it must, and changes nothing else.

use super::*;

fn chat(body: &str) -> Result<Scan<'_>, Failure> {
    scan(DialectId::ChatCompletions, body.as_bytes())
}

#[test]
fn what_routing_and_metering_need_is_found() {
    let found = chat(
        r#"{"messages":[{"role":"user","content":"\"model\":\"no\""}],"model":"gpt\u002d4","stream":true,
        "max_completion_tokens":50,"n":2,"tools":[{}],"stream_options":{"include_usage":true}}"#,
    )
    .unwrap();
    assert_eq!(found.model.as_deref(), Some("gpt-4"));
    assert_eq!(
        (found.stream, found.demand.cap(|| 0), found.demand.times()),
        (true, 50, 2)
    );
    assert!(found.has_tools && found.include_usage);
    assert!(!chat(r#"{"tools":[ ]}"#).unwrap().has_tools);
    assert!(!chat(r#"{"tools":null}"#).unwrap().has_tools);
}

#[test]
fn a_field_that_is_read_and_given_twice_is_refused() {
    for body in [
        r#"{"model":"a","model":"b"}"#,
        r#"{"model":"a","mod\u0065l":"b"}"#,
        r#"{"stream":true,"stream":false}"#,
        r#"{"temperature":1,"temperature":2}"#,
        r#"{"n":1,"\u006e":2}"#,
    ] {
        let failure = chat(body).unwrap_err();
        assert!(
            failure.message.contains("given twice"),
            "{body}: {}",
            failure.message
        );
    }
    let respelled = chat(r#"{"model":"a","Model":"b"}"#).unwrap_err();
    assert_eq!(respelled.param.as_deref(), Some("Model"));
    assert!(chat(r#"{"model":"a","user":"b","user":"c","User":"d"}"#).is_ok());
    let body = br#"{"generationConfig":{"maxOutputTokens":1},"generation_config":{}}"#;
    assert!(scan(DialectId::GenerateContent, body).is_err());
}

#[test]
fn wrong_types_and_broken_bodies_name_what_is_wrong() {
    for (body, param) in [
        (r#"{"model":1}"#, "model"),
        (r#"{"stream":"yes"}"#, "stream"),
        (r#"{"n":-1}"#, "n"),
        (r#"{"max_tokens":1.5}"#, "max_tokens"),
        (r#"{"model":"a""#, "body"),
        ("[]", "body"),
        ("", "body"),
    ] {
        assert_eq!(
            chat(body).unwrap_err().param.as_deref(),
            Some(param),
            "{body}"
        );
    }
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(chat(&format!(r#"{{"model":{nested}}}"#)).is_err());
}

#[test]
fn forwarding_changes_the_model_and_nothing_else() {
    let body = r#" {"a" : 1.0e5, "model" : "x", "messages":[ ] , "b":"ü" }"#;
    let found = chat(body).unwrap();
    let sent = String::from_utf8(found.forward(body.as_bytes(), "y\"z", false)).unwrap();
    assert_eq!(sent, body.replace(r#""x""#, r#""y\"z""#));
}

#[test]
fn usage_is_asked_for_where_a_stream_would_not_tell_it() {
    let body = r#"{"model":"x","stream":true}"#;
    let sent = chat(body).unwrap().forward(body.as_bytes(), "x", true);
    let value: serde_json::Value = serde_json::from_slice(&sent).unwrap();
    assert_eq!(value["stream_options"]["include_usage"], true);
    let body = r#"{"stream_options":{"include_obfuscation":false},"model":"x","stream":true}"#;
    let sent = chat(body).unwrap().forward(body.as_bytes(), "x", true);
    let value: serde_json::Value = serde_json::from_slice(&sent).unwrap();
    assert_eq!(value["stream_options"]["include_usage"], true);
    assert_eq!(value["stream_options"]["include_obfuscation"], false);
    let body = r#"{"stream_options":null,"model":"x","stream":true}"#;
    let sent = chat(body).unwrap().forward(body.as_bytes(), "x", true);
    let sent = String::from_utf8(sent).unwrap();
    let expected = r#"{"stream_options":{"include_usage":true},"model":"x","stream":true}"#;
    assert_eq!(sent, expected, "a field is never written twice");
}

#[test]
fn a_messages_body_is_scanned_and_a_count_of_it_has_no_cap() {
    let body =
        br#"{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"a"}],"stream":true,
        "tools":[{}]}"#;
    let found = scan(DialectId::Messages, body).unwrap();
    assert_eq!(
        (found.demand.cap(|| 0), found.stream, found.has_tools),
        (5, true, true)
    );
    assert_eq!(&body[found.model_span.unwrap()], b"\"m\"");
    assert_eq!(
        scan_count(DialectId::Messages, body)
            .unwrap()
            .demand
            .cap(|| 0),
        0
    );
}

#[test]
fn generate_content_is_scanned_in_both_spellings() {
    let body =
        br#"{"generation_config":{"max_output_tokens":"7","candidateCount":2},"tools":[{}]}"#;
    let found = scan(DialectId::GenerateContent, body).unwrap();
    assert_eq!(
        (
            found.demand.cap(|| 0),
            found.demand.times(),
            found.has_tools
        ),
        (7, 2, true)
    );
}

#[test]
fn a_body_without_a_conversation_is_not_complete() {
    for (id, body) in [
        (DialectId::ChatCompletions, r#"{"model":"m"}"#),
        (
            DialectId::ChatCompletions,
            r#"{"model":"m","messages":"hi"}"#,
        ),
        (DialectId::TextCompletions, r#"{"model":"m","prompt":7}"#),
        (DialectId::Responses, r#"{"model":"m","input":{}}"#),
        (DialectId::GenerateContent, "{}"),
    ] {
        let found = scan(id, body.as_bytes()).unwrap();
        assert!(found.complete().is_err(), "{body}");
    }
    let body = br#"{"model":"m","messages":[]}"#;
    assert!(
        scan(DialectId::ChatCompletions, body)
            .unwrap()
            .complete()
            .is_ok()
    );
    let body = br#"{"model":"m","previous_response_id":"resp_1"}"#;
    assert!(scan(DialectId::Responses, body).unwrap().complete().is_ok());
}
