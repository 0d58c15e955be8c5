//! Times on the interface: RFC 3339 text in UTC goes out; that or unix seconds come in.

use std::borrow::Cow;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// A time in unix milliseconds, which is how times are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(pub i64);

impl Moment {
    /// Reads RFC 3339 text or unix seconds.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(seconds) = text.parse::<i64>() {
            let time = Timestamp::from_second(seconds).ok()?;
            return Some(Self(time.as_millisecond()));
        }
        let time: Timestamp = text.parse().ok()?;
        Some(Self(time.as_millisecond()))
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Timestamp::from_millisecond(self.0) {
            Ok(time) => serializer.collect_str(&time),
            Err(_) => serializer.serialize_none(),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match Value::deserialize(deserializer)? {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        Self::parse(&text)
            .ok_or_else(|| de::Error::custom("expected a time as RFC 3339 text or unix seconds"))
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        if generator.contract().is_serialize() {
            return json_schema!({"type": "string", "format": "date-time"});
        }
        json_schema!({"type": ["string", "integer"], "format": "date-time"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_unix_seconds_are_read_and_text_is_written() {
        for text in [
            "\"2026-01-01T00:00:00Z\"",
            "1767225600",
            "\"2026-01-01T01:00:00+01:00\"",
        ] {
            let moment: Moment = serde_json::from_str(text).unwrap();
            assert_eq!(moment, Moment(1_767_225_600_000), "{text}");
        }
        let written = serde_json::to_string(&Moment(1_767_225_600_123)).unwrap();
        assert_eq!(written, "\"2026-01-01T00:00:00.123Z\"");
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["true", "\"soon\"", "1.5", "99999999999999999", "{}"] {
            assert!(serde_json::from_str::<Moment>(text).is_err(), "{text}");
        }
    }
}
