//! Asks a section which words a key takes, so that the list cannot drift from the enum behind it.

use serde::de::value::{Error, MapDeserializer};
use serde::de::{Deserializer, Error as _, IntoDeserializer, Visitor};

use super::loader::Section;

/// The words that a key takes; empty where it takes other things.
pub fn choices<S: Section>(key: &str) -> Vec<&'static str> {
    let mut words: &'static [&'static str] = &[];
    let entry = std::iter::once((key, Probe(&mut words)));
    // The probe refuses everything after noting the words: the error is the expected end.
    let _ = S::deserialize(MapDeserializer::<_, Error>::new(entry));
    words.to_vec()
}

struct Probe<'a>(&'a mut &'static [&'static str]);

impl IntoDeserializer<'_, Error> for Probe<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Probe<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("not a choice of words"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Error> {
        *self.0 = words;
        Err(Error::custom("words noted"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BillingConfig, MailConfig};

    #[test]
    fn words_are_found_where_a_key_takes_words() {
        assert_eq!(
            choices::<MailConfig>("security"),
            ["starttls", "tls", "none"]
        );
        assert_eq!(choices::<BillingConfig>("unpriced"), ["refuse", "free"]);
        assert!(choices::<MailConfig>("port").is_empty());
        assert!(choices::<MailConfig>("host").is_empty());
    }
}
