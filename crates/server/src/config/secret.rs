//! A text that cannot be printed: passwords, keys and addresses that carry them. It has no
//! `Display` and no `Serialize`, its `Debug` is redacted, and its memory is wiped on drop.

use std::fmt;

use serde::{Deserialize, Deserializer, de};
use zeroize::Zeroize;

/// What stands in the place of a secret wherever one would be shown.
pub const REDACTED: &str = "[secret]";

/// A secret text; `expose` is the only way to read it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text itself. Call it where it is used, never where it could be logged.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it, which is always a mistake in a configuration.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(REDACTED)
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SecretVisitor)
    }
}

/// Takes text only. The numeric cases exist because the standard message for a wrong type would
/// quote the value, which may well be the secret.
struct SecretVisitor;

impl de::Visitor<'_> for SecretVisitor {
    type Value = Secret;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text in quotes")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Secret, E> {
        Ok(Secret::new(text))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Secret, E> {
        Ok(Secret(text))
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Secret, E> {
        Err(E::custom("expected text in quotes, found a number"))
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Secret, E> {
        Err(E::custom("expected text in quotes, found a number"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_in_its_debug_text() {
        let secret = Secret::new("hunter2");
        assert_eq!(
            format!("{secret:?} {:?}", Some(&secret)),
            "[secret] Some([secret])"
        );
    }

    #[test]
    fn a_secret_written_as_a_number_is_refused_without_quoting_it() {
        let error = Secret::deserialize(toml::Value::Integer(424_242)).expect_err("must refuse");
        assert!(!error.to_string().contains("424242"), "{error}");
    }
}
