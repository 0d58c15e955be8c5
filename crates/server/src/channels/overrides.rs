//! What a channel changes in every request that goes through it: headers and body fields to set or
//! to drop, authorities to trust, and the demo channel's fault switches. Read once, when the
//! channel is opened; what is wrong with it keeps the channel out of routing.

use http::{HeaderName, HeaderValue};
use providers::Headers;
use serde_json::{Map, Value};

/// Headers that belong to the transport or to the signature and cannot be overridden.
const RESERVED: [&str; 10] = [
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "upgrade",
    "te",
    "trailer",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
];

/// The settings, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// Headers to set, over what the client or the provider say.
    pub set_headers: Vec<(HeaderName, HeaderValue)>,
    /// Headers to leave out.
    pub drop_headers: Vec<HeaderName>,
    /// Fields to set at the top of a JSON body.
    pub set_fields: Map<String, Value>,
    /// Fields to leave out of the top of a JSON body.
    pub drop_fields: Vec<String>,
    /// Authorities to trust beside the public ones, as PEM.
    pub tls_roots: Option<String>,
    /// The demo channel's fault switches.
    pub demo: Option<Value>,
}

/// Overrides that cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("overrides.{key}: {text}")]
pub struct BadOverrides {
    /// Which of them.
    pub key: &'static str,
    /// Why.
    pub text: String,
}

impl Overrides {
    /// Reads the document `{"headers": {…}, "drop_headers": […], "body": {…}, "drop_body": […],
    /// "tls_roots": "…", "demo": {…}}`. A header or a field whose value is `null` is dropped.
    pub fn read(document: Option<&Value>) -> Result<Self, BadOverrides> {
        let mut read = Self::default();
        let fields = match document {
            None | Some(Value::Null) => return Ok(read),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err(bad("", "must be an object")),
        };
        for (key, value) in fields {
            match key.as_str() {
                "headers" => read.headers(object("headers", value)?)?,
                "drop_headers" => {
                    for name in names("drop_headers", value)? {
                        read.drop_headers.push(header("drop_headers", name)?);
                    }
                }
                "body" => read.body(object("body", value)?),
                "drop_body" => {
                    let dropped = names("drop_body", value)?;
                    read.drop_fields.extend(dropped.map(str::to_owned));
                }
                "tls_roots" => read.tls_roots = Some(text("tls_roots", value)?.to_owned()),
                "demo" => read.demo = Some(value.clone()),
                _ => return Err(bad("", &format!("`{key}` is not known"))),
            }
        }
        Ok(read)
    }

    fn headers(&mut self, headers: &Map<String, Value>) -> Result<(), BadOverrides> {
        for (name, value) in headers {
            let name = header("headers", name)?;
            if value.is_null() {
                self.drop_headers.push(name);
                continue;
            }
            let value = HeaderValue::from_str(text("headers", value)?)
                .map_err(|_| bad("headers", &format!("the value of `{name}` cannot be sent")))?;
            self.set_headers.push((name, value));
        }
        Ok(())
    }

    fn body(&mut self, fields: &Map<String, Value>) {
        for (name, value) in fields {
            if value.is_null() {
                self.drop_fields.push(name.clone());
            } else {
                self.set_fields.insert(name.clone(), value.clone());
            }
        }
    }

    /// Changes the headers of a request.
    pub fn change_headers(&self, headers: &mut Headers) {
        for name in &self.drop_headers {
            headers.remove(name);
        }
        for (name, value) in &self.set_headers {
            headers.insert(name, value.clone());
        }
    }

    /// Whether JSON bodies are changed at all.
    pub fn changes_body(&self) -> bool {
        !self.set_fields.is_empty() || !self.drop_fields.is_empty()
    }
}

fn header(key: &'static str, name: &str) -> Result<HeaderName, BadOverrides> {
    let name = HeaderName::try_from(name)
        .map_err(|_| bad(key, &format!("`{name}` is no name of a header")))?;
    if RESERVED.contains(&name.as_str()) {
        return Err(bad(key, &format!("`{name}` belongs to the transport")));
    }
    Ok(name)
}

fn object<'a>(key: &'static str, value: &'a Value) -> Result<&'a Map<String, Value>, BadOverrides> {
    value
        .as_object()
        .ok_or_else(|| bad(key, "must be an object"))
}

fn names<'a>(
    key: &'static str,
    value: &'a Value,
) -> Result<impl Iterator<Item = &'a str>, BadOverrides> {
    let list = value
        .as_array()
        .filter(|list| list.iter().all(Value::is_string));
    let list = list.ok_or_else(|| bad(key, "must be a list of names"))?;
    Ok(list.iter().filter_map(Value::as_str))
}

fn text<'a>(key: &'static str, value: &'a Value) -> Result<&'a str, BadOverrides> {
    value.as_str().ok_or_else(|| bad(key, "must be text"))
}

fn bad(key: &'static str, text: &str) -> BadOverrides {
    BadOverrides {
        key,
        text: text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn headers_and_fields_are_set_and_dropped() {
        let document = json!({
            "headers": {"X-Team": "research", "user-agent": null},
            "drop_headers": ["openai-beta"],
            "body": {"service_tier": "flex", "user": null},
            "drop_body": ["metadata"],
        });
        let read = Overrides::read(Some(&document)).unwrap();
        assert_eq!(read.set_headers[0].0, "x-team");
        let dropped: Vec<&str> = read.drop_headers.iter().map(HeaderName::as_str).collect();
        assert_eq!(dropped, ["user-agent", "openai-beta"]);
        assert_eq!(read.set_fields["service_tier"], "flex");
        assert_eq!(read.drop_fields, ["user", "metadata"]);
        assert!(read.changes_body());
        assert_eq!(Overrides::read(None).unwrap(), Overrides::default());
    }

    #[test]
    fn what_cannot_be_applied_is_named() {
        for (document, text) in [
            (json!([]), "overrides.: must be an object"),
            (json!({"header": {}}), "overrides.: `header` is not known"),
            (
                json!({"headers": {"host": "elsewhere"}}),
                "overrides.headers: `host` belongs to the transport",
            ),
            (
                json!({"headers": {"x y": "1"}}),
                "overrides.headers: `x y` is no name of a header",
            ),
            (
                json!({"headers": {"x": "a\nb"}}),
                "overrides.headers: the value of `x` cannot be sent",
            ),
            (
                json!({"drop_body": [1]}),
                "overrides.drop_body: must be a list of names",
            ),
        ] {
            let error = Overrides::read(Some(&document)).unwrap_err();
            assert_eq!(error.to_string(), text);
        }
    }
}
