//! What every body on `/v1/messages` must keep to, whichever dialect its upstream speaks. Nothing
//! here depends on the model: a field that the contract does not name is not looked at.

use serde_json::{Map, Number, Value};

use super::extra::within;
use crate::canonical::Failure;

/// The header that says which version of the dialect a client speaks.
pub const VERSION_HEADER: &str = "provider-version";
/// The same header as the vendor's own clients name it.
pub const VENDOR_VERSION_HEADER: &str = "anthropic-version";

/// What a body is sent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// An answer; needs `max_tokens`.
    Generate,
    /// A token count.
    Count,
}

/// Checks the version header's value: any date will do, but there must be one.
pub fn check_version(value: Option<&str>) -> Result<(), Failure> {
    let Some(value) = value.map(str::trim).filter(|value| !value.is_empty()) else {
        return Err(Failure::bad_request(
            VERSION_HEADER,
            format!("The header `{VERSION_HEADER}` is required."),
        ));
    };
    if is_date(value) {
        return Ok(());
    }
    Err(Failure::bad_request(
        VERSION_HEADER,
        format!("The header `{VERSION_HEADER}` must be a date of the form YYYY-MM-DD."),
    ))
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_u32, |sum, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + u32::from(digit - b'0'))
        })
    };
    let (Some(year), Some(month), Some(day)) = (
        number(&bytes[..4]),
        number(&bytes[5..7]),
        number(&bytes[8..]),
    ) else {
        return false;
    };
    (1..=days_in(year, month)).contains(&day)
}

fn days_in(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

/// Checks a body's fields; the failure names the first one that is wrong.
pub fn check(body: &Map<String, Value>, purpose: Purpose) -> Result<(), Failure> {
    check_model(present(body, "model"))?;
    check_messages(present(body, "messages"))?;
    if purpose == Purpose::Generate {
        check_max_tokens(present(body, "max_tokens"))?;
    }
    check_each(body, "temperature", "a number from 0 to 1", is_temperature)?;
    check_each(body, "top_p", "a number", Value::is_number)?;
    check_each(body, "top_k", "a whole number", is_whole)?;
    check_each(body, "stream", "true or false", Value::is_boolean)?;
    check_each(body, "stop_sequences", "a list of strings", is_strings)?;
    check_each(body, "system", "text or a list of blocks", is_content)
}

fn present<'a>(body: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    body.get(key).filter(|value| !value.is_null())
}

fn required(key: &str) -> Failure {
    Failure::bad_request(key, format!("`{key}` is required."))
}

fn wrong(key: &str, expected: &str) -> Failure {
    Failure::bad_request(key, format!("`{key}` must be {expected}."))
}

fn check_each(
    body: &Map<String, Value>,
    key: &str,
    expected: &str,
    fits: impl Fn(&Value) -> bool,
) -> Result<(), Failure> {
    match present(body, key) {
        Some(value) if !fits(value) => Err(wrong(key, expected)),
        _ => Ok(()),
    }
}

fn check_model(model: Option<&Value>) -> Result<(), Failure> {
    match model {
        None => Err(required("model")),
        Some(Value::String(name)) if !name.is_empty() => Ok(()),
        Some(_) => Err(wrong("model", "a model's name")),
    }
}

fn check_max_tokens(value: Option<&Value>) -> Result<(), Failure> {
    let value = value.ok_or_else(|| required("max_tokens"))?;
    match value.as_u64() {
        Some(1..) => Ok(()),
        _ => Err(wrong("max_tokens", "a whole number of at least 1")),
    }
}

fn check_messages(value: Option<&Value>) -> Result<(), Failure> {
    let value = value.ok_or_else(|| required("messages"))?;
    let Value::Array(messages) = value else {
        return Err(wrong("messages", "a list of messages"));
    };
    if messages.is_empty() {
        return Err(wrong("messages", "a list of at least one message"));
    }
    for (place, message) in messages.iter().enumerate() {
        check_message(message).map_err(|failure| within(failure, &format!("messages.{place}")))?;
    }
    Ok(())
}

fn check_message(message: &Value) -> Result<(), Failure> {
    let Value::Object(message) = message else {
        return Err(Failure::bad_request("", "A message must be an object."));
    };
    match present(message, "role").ok_or_else(|| required("role"))? {
        Value::String(role) if matches!(role.as_str(), "user" | "assistant" | "system") => {}
        _ => return Err(wrong("role", "`user`, `assistant` or `system`")),
    }
    let content = present(message, "content").ok_or_else(|| required("content"))?;
    if is_content(content) {
        return Ok(());
    }
    Err(wrong("content", "text or a list of blocks"))
}

fn is_content(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(blocks) => blocks.iter().all(Value::is_object),
        _ => false,
    }
}

fn is_strings(value: &Value) -> bool {
    matches!(value, Value::Array(items) if items.iter().all(Value::is_string))
}

fn is_temperature(value: &Value) -> bool {
    let number = value.as_number().and_then(Number::as_f64);
    number.is_some_and(|number| (0.0..=1.0).contains(&number))
}

fn is_whole(value: &Value) -> bool {
    value.as_number().is_some_and(|number| {
        let digits = number.as_str().trim_start_matches('-');
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn breach(body: &str, purpose: Purpose) -> Option<String> {
        let body = json::read_object(body.as_bytes()).unwrap();
        check(&body, purpose)
            .err()
            .and_then(|failure| failure.param)
    }

    /// A sound body with these members in front; the first of two equal keys loses.
    fn with(members: &str) -> String {
        format!(
            r#"{{"model":"m","max_tokens":1,"messages":[{{"role":"user","content":"x"}}],{members}}}"#
        )
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
}
