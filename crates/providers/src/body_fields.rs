//! Small edits of a JSON object's own members, without reading what is inside them: every other
//! member keeps its bytes.

use std::borrow::Cow;

use bytes::Bytes;
use indexmap::IndexMap;
use serde_json::value::RawValue;

/// The members of a JSON object, in order.
pub(crate) struct BodyFields<'a>(IndexMap<Cow<'a, str>, Cow<'a, RawValue>>);

/// A body that was to be edited is no JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the body is no JSON object")]
pub struct NoObject;

impl<'a> BodyFields<'a> {
    pub(crate) fn read(body: &'a [u8]) -> Result<Self, NoObject> {
        let members: IndexMap<Cow<'a, str>, &'a RawValue> =
            serde_json::from_slice(body).map_err(|_| NoObject)?;
        let borrowed = members
            .into_iter()
            .map(|(name, value)| (name, Cow::Borrowed(value)));
        Ok(Self(borrowed.collect()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The members of a member that is an object.
    pub(crate) fn object(&self, name: &str) -> Option<serde_json::Map<String, serde_json::Value>> {
        serde_json::from_str(self.0.get(name)?.get()).ok()
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.0.shift_remove(name);
    }

    /// Gives a member another name, unless one of that name is there.
    pub(crate) fn rename(&mut self, from: &str, to: &'static str) {
        if let Some(value) = self.0.shift_remove(from) {
            self.0.entry(Cow::Borrowed(to)).or_insert(value);
        }
    }

    pub(crate) fn set(&mut self, name: &'static str, value: &serde_json::Value) {
        let raw = serde_json::value::to_raw_value(value).expect("a JSON value can be written");
        self.0.insert(Cow::Borrowed(name), Cow::Owned(raw));
    }

    pub(crate) fn write(&self) -> Bytes {
        let text = serde_json::to_vec(&self.0).expect("raw JSON can be written");
        Bytes::from(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_members_keep_their_bytes() {
        let body = br#"{"model":"m","n":1.50,"deep":{"a" : [1e2]},"max_completion_tokens":7}"#;
        let mut fields = BodyFields::read(body).unwrap();
        fields.remove("model");
        fields.rename("max_completion_tokens", "max_tokens");
        fields.set("version", &serde_json::json!("v"));
        assert!(fields.has("n") && !fields.has("model"));
        let expected = r#"{"n":1.50,"deep":{"a" : [1e2]},"max_tokens":7,"version":"v"}"#;
        assert_eq!(fields.write(), expected);
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for body in ["", "[]", "{\"a\":", "3"] {
            assert!(BodyFields::read(body.as_bytes()).is_err(), "{body}");
        }
    }
}
