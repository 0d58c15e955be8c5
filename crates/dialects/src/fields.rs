//! The members of a client's JSON body, borrowed: found in one pass, and nothing is parsed that is
//! not asked for. What is checked is what is sent: a member that is given twice is refused, names
//! are case-sensitive, and a body goes on as the client's own bytes around what is replaced.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::{Range, RangeInclusive};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::canonical::{Extra, Failure};
use crate::json;

/// The members of one JSON object.
#[derive(Debug)]
pub struct Fields<'a> {
    text: &'a [u8],
    members: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Fields<'a> {
    /// Finds the members of a client's body.
    pub fn read(body: &'a [u8]) -> Result<Self, Failure> {
        let Members(members) = serde_json::from_slice(body).map_err(|error| {
            let message = if error.is_data() {
                "The request body must be a JSON object.".to_owned()
            } else {
                format!("The request body is not valid JSON: {error}.")
            };
            Failure::bad_request("body", message)
        })?;
        Self::unique(body, members, "")
    }

    /// Finds the members of an object inside a body; `path` names it in failures.
    pub fn of(raw: &'a RawValue, path: &str) -> Result<Self, Failure> {
        let text = raw.get().as_bytes();
        let Members(members) =
            serde_json::from_slice(text).map_err(|_| wrong(path, "an object"))?;
        Self::unique(text, members, path)
    }

    fn unique(
        text: &'a [u8],
        members: Vec<(Cow<'a, str>, &'a RawValue)>,
        path: &str,
    ) -> Result<Self, Failure> {
        let mut seen = HashSet::with_capacity(members.len());
        if let Some((name, _)) = members.iter().find(|(name, _)| !seen.insert(name.as_ref())) {
            let name = join(path, name);
            let message = format!("The field `{name}` is given twice.");
            return Err(Failure::bad_request(name, message));
        }
        Ok(Self { text, members })
    }

    /// A member's JSON text; `null` counts as absent.
    pub fn raw(&self, name: &str) -> Option<&'a RawValue> {
        self.member(name).filter(|raw| raw.get() != "null")
    }

    fn member(&self, name: &str) -> Option<&'a RawValue> {
        let found = self.members.iter().find(|(member, _)| member == name);
        found.map(|(_, raw)| *raw)
    }

    /// A member that is text.
    pub fn string(&self, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
        self.parsed::<Text<'a>>(name, "a string")
            .map(|text| text.map(|Text(text)| text))
    }

    /// A member that is text and must be there.
    pub fn required_string(&self, name: &str) -> Result<Cow<'a, str>, Failure> {
        match self.string(name)? {
            Some(text) if !text.is_empty() => Ok(text),
            Some(_) => Err(wrong(name, "a string that is not empty")),
            None => Err(missing(name)),
        }
    }

    /// A member that is true or false.
    pub fn boolean(&self, name: &str) -> Result<Option<bool>, Failure> {
        self.parsed(name, "true or false")
    }

    /// A member that is a whole number, not negative.
    pub fn whole(&self, name: &str) -> Result<Option<u64>, Failure> {
        self.parsed(name, "a whole number, not negative")
    }

    /// A member that is a number; more than a double can hold is refused too.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Failure> {
        self.parsed(name, "a number")
    }

    /// A member of this type.
    pub fn parsed<T: Deserialize<'a>>(
        &self,
        name: &str,
        expected: &str,
    ) -> Result<Option<T>, Failure> {
        let Some(raw) = self.raw(name) else {
            return Ok(None);
        };
        let read = serde_json::from_str(raw.get()).map_err(|_| wrong(name, expected));
        read.map(Some)
    }

    /// Every member except the known ones, in their order. `null` counts as absent.
    pub fn extra(&self, known: &[&str]) -> Result<Extra, Failure> {
        let mut extra = Extra::new();
        for (name, raw) in &self.members {
            if known.contains(&name.as_ref()) || raw.get() == "null" {
                continue;
            }
            let value = serde_json::from_str(raw.get())
                .map_err(|error| Failure::bad_request(name.as_ref(), format!("{error}.")))?;
            extra.insert(name.clone().into_owned(), value);
        }
        Ok(extra)
    }

    /// Where a member's value stands in the body.
    pub fn span(&self, name: &str) -> Option<Range<usize>> {
        let raw = self.member(name)?.get();
        let start = raw.as_ptr() as usize - self.text.as_ptr() as usize;
        Some(start..start + raw.len())
    }

    /// The same object with these members replaced by, or added as, JSON text. Everything else is
    /// the client's own bytes.
    pub fn with(&self, changes: &[(&str, String)]) -> Vec<u8> {
        let mut spans = Vec::new();
        let mut added = Vec::new();
        for (name, value) in changes {
            match self.span(name) {
                Some(span) => spans.push((span, value)),
                None => added.push((name, value)),
            }
        }
        spans.sort_by_key(|(span, _)| span.start);
        let mut out = Vec::with_capacity(self.text.len() + 64);
        let mut from = memchr::memchr(b'{', self.text).map_or(0, |brace| brace + 1);
        out.extend_from_slice(&self.text[..from]);
        for (index, (name, value)) in added.iter().enumerate() {
            json::write_str(&mut out, name);
            out.push(b':');
            out.extend_from_slice(value.as_bytes());
            if index + 1 < added.len() || !self.members.is_empty() {
                out.push(b',');
            }
        }
        for (span, value) in spans {
            out.extend_from_slice(&self.text[from..span.start]);
            out.extend_from_slice(value.as_bytes());
            from = span.end;
        }
        out.extend_from_slice(&self.text[from..]);
        out
    }

    /// The same object with another model's name.
    pub fn with_model(&self, model: &str) -> Vec<u8> {
        self.with(&[("model", quoted(model))])
    }
}

/// A text as JSON.
pub fn quoted(text: &str) -> String {
    json::text(&serde_json::Value::String(text.to_owned()))
}

/// The failure of a member that is not what it must be.
pub fn wrong(name: &str, expected: &str) -> Failure {
    Failure::bad_request(name, format!("`{name}` must be {expected}."))
}

/// A form's text that says yes or no.
pub fn flag(name: &str, text: &str) -> Result<bool, Failure> {
    match text.trim() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(wrong(name, "true or false")),
    }
}

/// Notes a form's field, which must not come a second time.
pub fn once<'n>(seen: &mut Vec<&'n str>, name: &'n str) -> Result<(), Failure> {
    if seen.contains(&name) {
        let message = format!("The field `{name}` is given twice.");
        return Err(Failure::bad_request(name, message));
    }
    seen.push(name);
    Ok(())
}

/// The failure of a member that is not there.
pub fn missing(name: &str) -> Failure {
    Failure::bad_request(name, format!("`{name}` is required."))
}

/// Refuses a number outside of its range.
pub fn in_range<T: PartialOrd + fmt::Display>(
    name: &str,
    value: Option<T>,
    range: &RangeInclusive<T>,
) -> Result<Option<T>, Failure> {
    match value {
        Some(value) if !range.contains(&value) => {
            let expected = format!("between {} and {}", range.start(), range.end());
            Err(wrong(name, &expected))
        }
        value => Ok(value),
    }
}

/// Refuses a word that is not one of these.
pub fn one_of(name: &str, value: Option<&str>, words: &[&str]) -> Result<(), Failure> {
    match value {
        Some(value) if !words.contains(&value) => {
            Err(wrong(name, &format!("one of {}", words.join(", "))))
        }
        _ => Ok(()),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Text that is borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Members<'de>;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(name), raw)) = map.next_entry()? {
                    members.push((name, raw));
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_and_named_when_they_are_wrong() {
        let fields = Fields::read(br#"{"a":"x\n","b":2,"c":null,"d":true,"e":-1}"#).unwrap();
        assert_eq!(fields.string("a").unwrap().unwrap(), "x\n");
        assert_eq!(fields.whole("b"), Ok(Some(2)));
        assert_eq!(fields.string("c"), Ok(None));
        assert_eq!(fields.boolean("d"), Ok(Some(true)));
        let failure = fields.whole("e").unwrap_err();
        assert_eq!(failure.param.as_deref(), Some("e"));
        assert_eq!(failure.message, "`e` must be a whole number, not negative.");
        assert_eq!(fields.number("e"), Ok(Some(-1.0)));
    }

    #[test]
    fn a_member_given_twice_is_refused() {
        let failure = Fields::read(br#"{"model":"a","x":1,"mod\u0065l":"b"}"#).unwrap_err();
        assert_eq!(failure.message, "The field `model` is given twice.");
        assert!(Fields::read(br#"{"model":"a","Model":"b"}"#).is_ok());
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for (body, message) in [
            (&b"[1]"[..], "The request body must be a JSON object."),
            (b"", "The request body is not valid JSON"),
            (b"{\"a\":", "The request body is not valid JSON"),
            (b"{\"a\":\"\xff\"}", "The request body is not valid JSON"),
        ] {
            let failure = Fields::read(body).unwrap_err();
            assert!(failure.message.starts_with(message), "{}", failure.message);
        }
    }

    #[test]
    fn everything_but_the_replaced_values_stays_as_it_was() {
        let body = br#" { "x" : 1.50, "model":"a", "y":[ 1 ] }"#;
        let fields = Fields::read(body).unwrap();
        let changed = fields.with(&[("model", quoted("b\"")), ("z", "3".to_owned())]);
        assert_eq!(
            String::from_utf8(changed).unwrap(),
            r#" {"z":3, "x" : 1.50, "model":"b\"", "y":[ 1 ] }"#
        );
        let empty = Fields::read(b"{}").unwrap();
        assert_eq!(empty.with_model("m"), br#"{"model":"m"}"#);
    }

    #[test]
    fn the_rest_is_kept_in_order() {
        let fields = Fields::read(br#"{"z":1.0,"model":"a","b":null,"a":{}}"#).unwrap();
        let extra = fields.extra(&["model"]).unwrap();
        assert_eq!(
            serde_json::to_string(&extra).unwrap(),
            r#"{"z":1.0,"a":{}}"#
        );
    }
}
