//! What of a channel's settings may hold secrets, shown without them: passwords in a proxy's address,
//! values of headers that carry credentials. What was masked can be sent back and means "unchanged".

use serde_json::Value;

use crate::config::REDACTED;
use crate::management::frame::Patch;

/// Headers whose values are credentials, or parts of names that say so.
const SECRET_WORDS: [&str; 6] = [
    "authorization",
    "key",
    "token",
    "secret",
    "cookie",
    "password",
];

/// A proxy's address without its user and password.
pub fn masked_proxy(proxy: &str) -> String {
    let (scheme, rest) = proxy.split_once("://").unwrap_or(("", proxy));
    match rest.rsplit_once('@') {
        Some((_, host)) if scheme.is_empty() => format!("{REDACTED}@{host}"),
        Some((_, host)) => format!("{scheme}://{REDACTED}@{host}"),
        None => proxy.to_owned(),
    }
}

/// Overrides without the values of credentials.
pub fn masked_overrides(overrides: &Value) -> Value {
    let mut shown = overrides.clone();
    for (name, value) in headers(&mut shown) {
        if is_secret(name) && value.is_string() {
            *value = Value::from(REDACTED);
        }
    }
    shown
}

/// New overrides in which masked values are what they were.
pub fn unmasked_overrides(mut new: Value, former: Option<&Value>) -> Value {
    let former = former.and_then(|former| former.get("headers"));
    for (name, value) in headers(&mut new) {
        let was = former.and_then(|headers| headers.get(name));
        if let (Some(was), true) = (was, *value == REDACTED) {
            *value = was.clone();
        }
    }
    new
}

/// Whether new overrides keep a stored credential: sent back as it was shown, or not mentioned.
pub fn keeps_secrets(new: &Patch<Value>, former: &Value) -> bool {
    let stored = former.get("headers").and_then(Value::as_object);
    let mut secrets = stored
        .into_iter()
        .flatten()
        .filter(|(name, value)| is_secret(name) && value.is_string());
    match new {
        Patch::Absent => secrets.next().is_some(),
        Patch::Clear => false,
        Patch::Set(new) => secrets.any(|(name, _)| new["headers"][name] == REDACTED),
    }
}

fn headers(overrides: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    let headers = overrides.get_mut("headers").and_then(Value::as_object_mut);
    headers.into_iter().flatten()
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn credentials_are_masked_and_come_back_unchanged() {
        assert_eq!(
            masked_proxy("http://u:p@proxy:3128"),
            "http://[secret]@proxy:3128"
        );
        assert_eq!(masked_proxy("http://proxy:3128"), "http://proxy:3128");
        let stored = json!({"headers": {"X-Api-Key": "hidden", "x-team": "a", "user-agent": null}});
        let shown = masked_overrides(&stored);
        let expected =
            json!({"headers": {"X-Api-Key": "[secret]", "x-team": "a", "user-agent": null}});
        assert_eq!(shown, expected);
        assert_eq!(unmasked_overrides(shown, Some(&stored)), stored);
    }
}
