//! Partial updates: an absent field is unchanged, `null` clears. A field of this type needs
//! `#[serde(default)]`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// What a partial update says about one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Nothing: it stays as it is.
    #[default]
    Absent,
    /// `null`: it is cleared.
    Clear,
    /// A new value.
    Set(T),
}

impl<T> Patch<T> {
    /// The form of the records' partial updates: `None` leaves, `Some(None)` clears.
    pub fn into_change(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Clear => Some(None),
            Self::Set(value) => Some(Some(value)),
        }
    }

    /// For a field that cannot be empty: `null` is what it is cleared to.
    pub fn or_cleared(self, cleared: T) -> Option<T> {
        self.into_change().map(|value| value.unwrap_or(cleared))
    }

    /// The new value, where there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            _ => None,
        }
    }

    /// Changes the value, where there is one.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(change(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::deserialize(deserializer)?;
        Ok(value.map_or(Self::Clear, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Option::<T>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Changes {
        #[serde(default)]
        rpm: Patch<i64>,
    }

    #[test]
    fn absent_null_and_a_value_are_told_apart() {
        let read = |text: &str| serde_json::from_str::<Changes>(text).map(|changes| changes.rpm);
        assert_eq!(read("{}").unwrap(), Patch::Absent);
        assert_eq!(read(r#"{"rpm":null}"#).unwrap(), Patch::Clear);
        assert_eq!(
            read(r#"{"rpm":9007199254740993}"#).unwrap(),
            Patch::Set(9_007_199_254_740_993)
        );
        assert!(read(r#"{"rpm":"x"}"#).is_err());
    }
}
