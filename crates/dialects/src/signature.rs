//! Signatures: a vendor's opaque proof that it made a part. They must come back to their origin
//! unchanged and must never reach another vendor, so towards a client of another dialect they
//! travel in an envelope that says where they belong.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use crate::DialectId;
use crate::canonical::ThinkingForm;

/// What every envelope begins with once it is base64 (`gw1`).
const ENVELOPE_START: &str = "Z3cx";
const ENVELOPE_MARK: &str = "gw1|";
/// What divides a chat tool-call id from the signature that rides on it.
const ID_MARK: &str = "__thought__";
/// Larger envelopes are not ours.
const MAX_ENVELOPE: usize = 1 << 20;

/// A vendor's proof that it made a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The dialect whose vendor made it; `None` where a foreign answer had none and an empty
    /// envelope stands in for it.
    pub origin: Option<DialectId>,
    /// The vendor's bytes, as text.
    pub data: String,
}

impl Signature {
    /// A signature as its own vendor gave it.
    pub fn native(origin: DialectId, data: impl Into<String>) -> Self {
        Self {
            origin: Some(origin),
            data: data.into(),
        }
    }

    /// Stands in where a client's dialect needs a signature and the upstream gave none.
    pub fn none() -> Self {
        Self {
            origin: None,
            data: String::new(),
        }
    }

    /// Reads what a client of `dialect` sends back: one of our envelopes, or a native value.
    pub fn from_client(dialect: DialectId, text: &str) -> Self {
        Self::open(text).unwrap_or_else(|| Self::native(dialect, text))
    }

    /// The value for an upstream of `dialect`: only what its own vendor made.
    pub fn for_upstream(&self, dialect: DialectId) -> Option<&str> {
        (self.origin == Some(dialect) && !self.data.is_empty()).then_some(self.data.as_str())
    }

    /// The value for a client of `dialect`: as it is, or in an envelope.
    pub fn for_client(&self, dialect: DialectId) -> Cow<'_, str> {
        if self.origin == Some(dialect) {
            Cow::Borrowed(&self.data)
        } else {
            Cow::Owned(STANDARD.encode(self.envelope()))
        }
    }

    /// Whether the signature of a thought of this form can come back on another part. That of a
    /// redacted block of messages cannot: it would be taken for a thought's own.
    pub(crate) fn travels(&self, form: ThinkingForm) -> bool {
        let is_redacted = form == ThinkingForm::Redacted;
        let is_block = is_redacted && self.origin == Some(DialectId::Messages);
        !self.data.is_empty() && !is_block
    }

    /// A chat tool-call id that carries this signature.
    pub fn ride_on(&self, id: &str) -> String {
        format!("{id}{ID_MARK}{}", URL_SAFE_NO_PAD.encode(self.envelope()))
    }

    /// Divides a chat tool-call id from the signature that rides on it.
    pub fn split_id(id: &str) -> (&str, Option<Self>) {
        let Some((plain, text)) = id.split_once(ID_MARK) else {
            return (id, None);
        };
        (plain, Self::open(text))
    }

    fn envelope(&self) -> String {
        format!(
            "{ENVELOPE_MARK}{}|{}",
            self.origin.map_or("none", DialectId::name),
            self.data
        )
    }

    fn open(text: &str) -> Option<Self> {
        if !text.starts_with(ENVELOPE_START) || text.len() > MAX_ENVELOPE {
            return None;
        }
        // Official clients change the alphabet and the padding on the way.
        let bytes = STANDARD
            .decode(text)
            .or_else(|_| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')))
            .ok()?;
        let envelope = String::from_utf8(bytes).ok()?;
        let (origin, data) = envelope.strip_prefix(ENVELOPE_MARK)?.split_once('|')?;
        Some(Self {
            origin: DialectId::from_name(origin),
            data: data.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_returns_to_its_origin_through_a_foreign_client() {
        let signature = Signature::native(DialectId::GenerateContent, "Eq0C+/=");
        let shown = signature.for_client(DialectId::Messages).into_owned();
        assert!(shown.starts_with("Z3cx"));
        let back = Signature::from_client(DialectId::Messages, &shown);
        assert_eq!(back, signature);
        assert_eq!(
            back.for_upstream(DialectId::GenerateContent),
            Some("Eq0C+/=")
        );
        assert_eq!(back.for_upstream(DialectId::Messages), None);
    }

    #[test]
    fn a_native_signature_stays_as_it_is() {
        let signature = Signature::from_client(DialectId::Messages, "EuoDabc");
        assert_eq!(signature.for_client(DialectId::Messages), "EuoDabc");
        assert_eq!(signature.for_upstream(DialectId::Messages), Some("EuoDabc"));
    }

    #[test]
    fn a_stand_in_is_told_from_a_native_one() {
        let shown = Signature::none()
            .for_client(DialectId::Messages)
            .into_owned();
        let back = Signature::from_client(DialectId::Messages, &shown);
        assert_eq!(back, Signature::none());
        assert_eq!(back.for_upstream(DialectId::Messages), None);
    }

    #[test]
    fn an_envelope_may_come_back_in_the_url_safe_alphabet() {
        let signature = Signature::native(DialectId::Messages, "~~~???>>>éé");
        let shown = signature.for_client(DialectId::GenerateContent);
        let respelled = shown.replace('+', "-").replace('/', "_");
        assert_ne!(respelled, shown);
        assert!(respelled.ends_with('='));
        let back = Signature::from_client(DialectId::GenerateContent, &respelled);
        assert_eq!(back, signature);
    }

    #[test]
    fn a_signature_rides_on_a_call_id() {
        let signature = Signature::native(DialectId::GenerateContent, "abc");
        let id = signature.ride_on("call_1");
        assert_eq!(Signature::split_id(&id), ("call_1", Some(signature)));
        assert_eq!(Signature::split_id("call_2"), ("call_2", None));
    }
}
