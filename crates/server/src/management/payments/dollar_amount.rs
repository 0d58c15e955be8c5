//! A dollar amount in a body: decimal text, or a number whose digits are taken as they stand.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use crate::config::{Dollars, NotDollars};

/// A dollar amount.
#[derive(Clone, Copy, Debug)]
pub struct DollarAmount(pub Dollars);

impl<'de> Deserialize<'de> for DollarAmount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => return Err(de::Error::custom(NotDollars)),
        };
        text.parse().map(Self).map_err(de::Error::custom)
    }
}

impl JsonSchema for DollarAmount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "DollarAmount".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "number"], "examples": ["10.00", 10]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_numbers_are_read_exactly() {
        for (text, nanos) in [
            ("\"10.00\"", 10_000_000_000_i64),
            ("10", 10_000_000_000),
            ("12.34", 12_340_000_000),
        ] {
            let amount: DollarAmount = serde_json::from_str(text).unwrap();
            assert_eq!(amount.0.nanos(), nanos, "{text}");
        }
        for text in ["true", "null", "\"ten\"", "-1", "1e3", "{}"] {
            assert!(
                serde_json::from_str::<DollarAmount>(text).is_err(),
                "{text}"
            );
        }
    }
}
