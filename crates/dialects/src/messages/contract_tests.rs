//! The contract names each breach by its field.

use super::*;
use crate::messages::{Messages, count};
use crate::scan::{scan, scan_count};
use crate::{Dialect, DialectId, PathHints, json};

/// The field that is wrong, which must be the same for a call that goes through unchanged and for
/// one that is converted.
fn breach(body: &str, purpose: Purpose) -> Option<String> {
    let (id, body) = (DialectId::Messages, body.as_bytes());
    let (scanned, read) = match purpose {
        Purpose::Generate => (
            scan(id, body).map(|_| ()),
            Messages
                .read_request(body, &PathHints::default())
                .map(|_| ()),
        ),
        Purpose::Count => (
            scan_count(id, body).map(|_| ()),
            count::read_request(body).map(|_| ()),
        ),
    };
    assert_eq!(scanned, read, "{}", String::from_utf8_lossy(body));
    assert_eq!(check(body, purpose).map(|_| ()), read);
    read.err().and_then(|failure| failure.param)
}

/// A sound body, these members in place of its own.
fn with(members: &str) -> String {
    let sound = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}"#;
    let mut body = json::read_object(sound.as_bytes()).unwrap();
    let members = format!("{{{members}}}");
    body.extend(json::read_object(members.as_bytes()).unwrap());
    json::text(&body.into())
}

#[test]
fn a_sound_body_passes() {
    let body = with(
        r#""temperature":0,"top_p":0.5,"top_k":-1,"stream":false,"stop_sequences":["a"],"system":[{"type":"text","text":"s"}],"tools":null"#,
    );
    assert_eq!(breach(&body, Purpose::Generate), None);
}

#[test]
fn null_counts_as_absent() {
    let body = with(r#""temperature":null,"system":null,"stream":null"#);
    assert_eq!(breach(&body, Purpose::Generate), None);
    assert_eq!(
        breach(&with(r#""max_tokens":null"#), Purpose::Generate).as_deref(),
        Some("max_tokens")
    );
}

#[test]
fn a_breach_names_its_field() {
    for (member, param) in [
        (r#""model":"""#, "model"),
        (r#""model":3"#, "model"),
        (r#""max_tokens":0"#, "max_tokens"),
        (r#""max_tokens":-1"#, "max_tokens"),
        (r#""max_tokens":1.5"#, "max_tokens"),
        (r#""max_tokens":"5""#, "max_tokens"),
        (r#""temperature":1.01"#, "temperature"),
        (r#""temperature":-0.1"#, "temperature"),
        (r#""temperature":"1""#, "temperature"),
        (r#""top_p":"x""#, "top_p"),
        (r#""top_k":1.5"#, "top_k"),
        (r#""stream":"yes""#, "stream"),
        (r#""stop_sequences":"x""#, "stop_sequences"),
        (r#""stop_sequences":[1]"#, "stop_sequences"),
        (r#""system":7"#, "system"),
        (r#""system":["x"]"#, "system"),
        (r#""messages":{}"#, "messages"),
        (r#""messages":[]"#, "messages"),
        (r#""messages":["x"]"#, "messages.0"),
        (r#""messages":[{"content":"x"}]"#, "messages.0.role"),
        (
            r#""messages":[{"role":"tool","content":"x"}]"#,
            "messages.0.role",
        ),
        (r#""messages":[{"role":"user"}]"#, "messages.0.content"),
        (
            r#""messages":[{"role":"user","content":"x"},{"role":"user","content":null}]"#,
            "messages.1.content",
        ),
        (
            r#""messages":[{"role":"user","content":3}]"#,
            "messages.0.content",
        ),
    ] {
        let found = breach(&with(member), Purpose::Generate);
        assert_eq!(found.as_deref(), Some(param), "{member}");
    }
    assert_eq!(breach("{}", Purpose::Generate).as_deref(), Some("model"));
}

#[test]
fn a_field_that_is_checked_and_given_twice_is_refused() {
    for (body, param) in [
        (r#"{"model":"m","mod\u0065l":"n"}"#, "model"),
        (r#"{"messages":[],"messages":[]}"#, "messages"),
        (r#"{"system":null,"system":"x"}"#, "system"),
        (
            r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x","role":"user"}]}"#,
            "messages.0.role",
        ),
    ] {
        assert_eq!(
            breach(body, Purpose::Generate).as_deref(),
            Some(param),
            "{body}"
        );
    }
    let body = with(r#""messages":[{"role":"\u0075ser","content":[{"type":"text","text":"x"}]}]"#);
    assert_eq!(breach(&body, Purpose::Generate), None);
}

#[test]
fn what_is_no_json_object_is_refused() {
    for body in ["", "[]", "\"x\"", "{", r#"{"model":"m"} x"#, r#"{"a":01}"#] {
        assert_eq!(
            breach(body, Purpose::Generate).as_deref(),
            Some("body"),
            "{body}"
        );
    }
    let failure = check(b"{\"a\":\"\xff\"}", Purpose::Count).unwrap_err();
    assert_eq!(failure.param.as_deref(), Some("body"));
}

#[test]
fn a_count_needs_no_cap() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
    assert_eq!(breach(body, Purpose::Count), None);
    assert_eq!(
        breach(body, Purpose::Generate).as_deref(),
        Some("max_tokens")
    );
}

#[test]
fn any_date_is_a_version_and_nothing_else_is() {
    for good in ["2023-06-01", "2026-10-21", "2024-02-29", " 2023-06-01 "] {
        assert_eq!(check_version(Some(good)), Ok(()), "{good}");
    }
    for bad in [
        None,
        Some(""),
        Some("latest"),
        Some("2023-6-1"),
        Some("2023-13-01"),
        Some("2023-02-29"),
        Some("2023-00-10"),
        Some("2023-06-01T00"),
        Some("2023/06/01"),
        Some("２０２3-0"),
    ] {
        let failure = check_version(bad).unwrap_err();
        assert_eq!(failure.param.as_deref(), Some(VERSION_HEADER), "{bad:?}");
    }
}
