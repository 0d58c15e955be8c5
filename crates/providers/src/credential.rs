//! What a channel signs with: named secrets, pinned to the origin that they were given for.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::{Headers, Origin, Secret, Target};

/// The name of the field of vendors that know a single key.
pub(crate) const API_KEY: &str = "api_key";

/// A field of a provider's credential, for forms and checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CredentialField {
    /// Its name in a JSON credential.
    pub name: &'static str,
    /// What a person calls it.
    pub label: &'static str,
    /// Whether a call cannot be made without it.
    pub required: bool,
}

impl CredentialField {
    /// A field without which there is no call.
    pub(crate) const fn required(name: &'static str, label: &'static str) -> Self {
        Self {
            name,
            label,
            required: true,
        }
    }

    /// A field that may be left out.
    pub(crate) const fn optional(name: &'static str, label: &'static str) -> Self {
        Self {
            name,
            label,
            required: false,
        }
    }
}

/// The named secrets in a channel's key, not yet pinned to an origin.
#[derive(Debug, Clone, Default)]
pub struct KeyFields(BTreeMap<String, Secret>);

/// Named secrets, pinned to an origin.
#[derive(Debug, Clone)]
pub struct Credential {
    fields: KeyFields,
    origin: Origin,
    headers: OnceLock<SecretHeaders>,
}

/// Headers that hold secrets, marked so that nothing prints them.
#[derive(Debug, Clone)]
pub(crate) struct SecretHeaders {
    /// The headers.
    pub(crate) own: Vec<(HeaderName, HeaderValue)>,
    /// The same with the content type of JSON, which is all that most requests have.
    pub(crate) with_json: Arc<HeaderMap>,
}

impl From<Vec<(HeaderName, HeaderValue)>> for SecretHeaders {
    fn from(own: Vec<(HeaderName, HeaderValue)>) -> Self {
        let mut with_json = Headers::only_json().into_map();
        with_json.extend(own.iter().cloned());
        Self {
            own,
            with_json: Arc::new(with_json),
        }
    }
}

/// A key that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCredential {
    /// It begins like JSON and is none.
    #[error("the key looks like JSON but cannot be read")]
    Unreadable,
    /// Something is missing.
    #[error("the key has no field `{0}`")]
    Missing(&'static str),
    /// A character in it cannot be sent.
    #[error("the key contains characters that cannot be sent")]
    Unsendable,
}

impl KeyFields {
    /// Reads a channel's key: the bare key of vendors that have just one, or a JSON object of named
    /// fields, of which those that are text count.
    pub fn parse(text: &str) -> Result<Self, BadCredential> {
        let text = text.trim();
        match text {
            "" => Ok(Self::default()),
            object if object.starts_with('{') => read_object(object),
            key => Ok(Self::of([(API_KEY, key)])),
        }
    }

    /// These fields.
    pub(crate) fn of<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let secrets = fields
            .into_iter()
            .map(|(name, text)| (name.to_owned(), Secret::new(text)));
        Self(secrets.collect())
    }

    /// A field's secret.
    pub fn field(&self, name: &str) -> Option<&Secret> {
        self.0.get(name).filter(|secret| !secret.is_empty())
    }
}

impl Credential {
    /// Pins a key to an origin, and checks that nothing is missing from it.
    pub fn pin(
        fields: KeyFields,
        wanted: &[CredentialField],
        origin: Origin,
    ) -> Result<Self, BadCredential> {
        let credential = Self {
            fields,
            origin,
            headers: OnceLock::new(),
        };
        for field in wanted.iter().filter(|field| field.required) {
            credential.require(field.name)?;
        }
        Ok(credential)
    }

    /// A field's secret.
    pub fn field(&self, name: &str) -> Option<&Secret> {
        self.fields.field(name)
    }

    /// The same secrets for another host of the same vendor, which the vendor's own file names.
    pub(crate) fn pinned_to(&self, origin: Origin) -> Self {
        Self {
            fields: self.fields.clone(),
            origin,
            headers: OnceLock::new(),
        }
    }

    /// The headers that carry this credential, where they are the same in every request: they are made
    /// by the vendor's file once and kept.
    pub(crate) fn headers(
        &self,
        make: fn(&Self) -> Result<SecretHeaders, BadCredential>,
    ) -> Result<&SecretHeaders, BadCredential> {
        if let Some(headers) = self.headers.get() {
            return Ok(headers);
        }
        let headers = make(self)?;
        Ok(self.headers.get_or_init(|| headers))
    }

    /// A field's secret, or which one is missing.
    pub fn require(&self, name: &'static str) -> Result<&Secret, BadCredential> {
        self.field(name).ok_or(BadCredential::Missing(name))
    }

    /// Whether this credential was given for that address.
    pub fn is_for(&self, target: &Target) -> bool {
        self.origin == target.origin
    }
}

fn read_object(text: &str) -> Result<KeyFields, BadCredential> {
    let object: serde_json::Map<String, Value> =
        serde_json::from_str(text).map_err(|_| BadCredential::Unreadable)?;
    let texts = object.into_iter().filter_map(|(name, value)| match value {
        Value::String(text) => Some((name, Secret::new(text))),
        _ => None,
    });
    Ok(KeyFields(texts.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BaseUrl;

    fn parse(text: &str, fields: &[CredentialField]) -> Result<Credential, BadCredential> {
        let base = BaseUrl::parse("https://api.example.com/v1").unwrap();
        Credential::pin(KeyFields::parse(text)?, fields, base.origin().clone())
    }

    #[test]
    fn a_bare_key_and_an_object_are_read() {
        let bare = parse(" sk-1 \n", &[CredentialField::required(API_KEY, "Key")]).unwrap();
        assert_eq!(bare.field(API_KEY).unwrap().expose(), "sk-1");
        let object = parse(r#"{"api_key":"a","n":1,"project":"p"}"#, &[]).unwrap();
        assert_eq!(object.field("project").unwrap().expose(), "p");
        assert!(object.field("n").is_none());
        assert!(!format!("{bare:?}").contains("sk-1"));
    }

    #[test]
    fn what_is_missing_is_named() {
        let fields = [CredentialField::required("region", "Region")];
        assert_eq!(
            parse("sk-1", &fields).unwrap_err(),
            BadCredential::Missing("region")
        );
        assert_eq!(
            parse("{nonsense", &fields).unwrap_err(),
            BadCredential::Unreadable
        );
        assert_eq!(
            parse(r#"{"region":""}"#, &fields).unwrap_err(),
            BadCredential::Missing("region")
        );
    }

    #[test]
    fn a_credential_is_good_for_its_own_origin_only() {
        let credential = parse("sk-1", &[]).unwrap();
        for (url, is_for) in [
            ("https://api.example.com/other", true),
            ("https://API.example.com:443", true),
            ("http://api.example.com", false),
            ("https://api.example.com:8443", false),
            ("https://api.example.com.evil.test", false),
            ("https://evil.test", false),
        ] {
            let target = BaseUrl::parse(url).unwrap().target("/x").unwrap();
            assert_eq!(credential.is_for(&target), is_for, "{url}");
        }
    }
}
