//! JSON as a tree that borrows from its text. Most members of a body are looked at once and left
//! behind, so that none gets a map, a hash or a string of its own here; what is kept becomes a
//! [`Value`] when somebody takes it.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Number, Value};

use crate::canonical::Failure;
use crate::walk::{Broken, Kind, Walk};
use crate::{json, mend};

/// What the parser takes for a number or for raw text where an object begins with it.
const PARSERS_OWN: &str = "$serde_json";

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Node<'a> {
    Null,
    Bool(bool),
    /// As it is spelled.
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Object(Members<'a>),
}

/// The members of an object, in their order; none in the place of one that was taken out. Of a name that
/// is given twice the last one counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, Option<Node<'a>>)>);

/// Most objects and lists have no more members and entries than this.
const FEW: usize = 4;

/// Reads an upstream's answer, which must be an object.
pub(crate) fn read_answer<T>(
    body: &[u8],
    read: impl FnOnce(Members<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if let Some(members) = Members::read(body) {
        return read(members);
    }
    read(Members::of(&json::read_upstream_object(body)?))
}

/// Reads a client's body, which must be an object; see [`mend::read_body`].
pub(crate) fn read_body<T>(
    body: &[u8],
    read: impl FnOnce(Members<'_>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    if let Some(members) = Members::read(body) {
        return read(members);
    }
    read(Members::of(&mend::read_body(body)?))
}

impl<'a> Members<'a> {
    /// The members of the object that a text is. None: the text needs another look by somebody who
    /// can say what is wrong with it.
    fn read(text: &'a [u8]) -> Option<Self> {
        let text = simdutf8::basic::from_utf8(text).ok()?;
        let mut walk = Walk::new(text.as_bytes());
        if walk.kind().ok()? != Kind::Object {
            return None;
        }
        let members = members(text, &mut walk).ok()?;
        walk.end().ok()?;
        Some(members)
    }

    /// The same tree of what was parsed already.
    pub(crate) fn of(map: &'a Map<String, Value>) -> Self {
        let members = map.iter();
        Self(
            members
                .map(|(name, value)| (Cow::Borrowed(name.as_str()), Some(Node::of(value))))
                .collect(),
        )
    }

    /// The member of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Node<'a>> {
        let mut members = self.0.iter().rev();
        let (_, node) = members.find(|(known, node)| known == name && node.is_some())?;
        node.as_ref()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node<'a>)> {
        let members = self.0.iter();
        members.filter_map(|(name, node)| Some((&**name, node.as_ref()?)))
    }

    /// Takes a member out; `null` counts as absent.
    pub(crate) fn take(&mut self, name: &str) -> Option<Node<'a>> {
        let mut last = None;
        for (known, node) in &mut self.0 {
            if known == name {
                last = node.take().or(last);
            }
        }
        last.filter(|node| !matches!(node, Node::Null))
    }

    /// Takes a text out; a value of another type is a failure that names the member.
    pub(crate) fn take_text(&mut self, name: &str) -> Result<Option<Cow<'a, str>>, Failure> {
        self.take_as(name, "a string", |node| match node {
            Node::Text(text) => Some(text),
            _ => None,
        })
    }

    /// The same as a string of its own.
    pub(crate) fn take_string(&mut self, name: &str) -> Result<Option<String>, Failure> {
        Ok(self.take_text(name)?.map(Cow::into_owned))
    }

    /// Takes a number out, its spelling kept.
    pub(crate) fn take_number(&mut self, name: &str) -> Result<Option<Number>, Failure> {
        self.take_as(name, "a number", |node| match node {
            Node::Number(text) => Some(number(text)),
            _ => None,
        })
    }

    /// Takes a whole number out.
    pub(crate) fn take_u64(&mut self, name: &str) -> Result<Option<u64>, Failure> {
        self.take_as(name, "a whole number, not negative", |node| node.as_u64())
    }

    /// Takes a boolean out.
    pub(crate) fn take_bool(&mut self, name: &str) -> Result<Option<bool>, Failure> {
        self.take_as(name, "true or false", |node| match node {
            Node::Bool(is) => Some(is),
            _ => None,
        })
    }

    /// Takes a list out.
    pub(crate) fn take_list(&mut self, name: &str) -> Result<Option<Vec<Node<'a>>>, Failure> {
        self.take_as(name, "a list", |node| match node {
            Node::List(list) => Some(list),
            _ => None,
        })
    }

    fn take_as<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl FnOnce(Node<'a>) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        let Some(node) = self.take(name) else {
            return Ok(None);
        };
        let read = read(node).map(Some);
        read.ok_or_else(|| json::wrong_type(name, expected))
    }

    /// The members as a map of their own.
    pub(crate) fn into_map(self) -> Map<String, Value> {
        let mut map = Map::new();
        self.move_to(&mut map);
        map
    }

    /// Moves the members to a map.
    pub(crate) fn move_to(self, map: &mut Map<String, Value>) {
        for (name, node) in self.0 {
            if let Some(node) = node {
                map.insert(name.into_owned(), node.into_value());
            }
        }
    }
}

impl<'a> Node<'a> {
    fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(*is),
            Value::Number(number) => Self::Number(number.as_str()),
            Value::String(text) => Self::Text(Cow::Borrowed(text)),
            Value::Array(list) => Self::List(list.iter().map(Self::of).collect()),
            Value::Object(map) => Self::Object(Members::of(map)),
        }
    }

    /// The whole number that this is.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The value as one of its own.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is) => Value::Bool(is),
            Self::Number(text) => Value::Number(number(text)),
            Self::Text(text) => Value::String(text.into_owned()),
            Self::List(list) => list.into_iter().map(Self::into_value).collect(),
            Self::Object(members) => Value::Object(members.into_map()),
        }
    }
}

/// A number that was walked past.
fn number(text: &str) -> Number {
    text.parse()
        .expect("what the walk takes for a number is one")
}

fn node<'a>(text: &'a str, walk: &mut Walk<'a>) -> Result<Node<'a>, Broken> {
    Ok(match walk.kind()? {
        Kind::Text => {
            let string = walk.text()?;
            Node::Text(meaning(text, string, walk)?)
        }
        Kind::Number => {
            let number = walk.numeral()?;
            Node::Number(text.get(number).ok_or_else(|| walk.broken())?)
        }
        Kind::Null => walk.skip().map(|_| Node::Null)?,
        Kind::Boolean => Node::Bool(walk.skip()? == b"true"),
        Kind::List => {
            let mut list = Vec::with_capacity(FEW);
            walk.entries(|walk| {
                list.push(node(text, walk)?);
                Ok(())
            })?;
            Node::List(list)
        }
        Kind::Object => Node::Object(members(text, walk)?),
    })
}

fn members<'a>(text: &'a str, walk: &mut Walk<'a>) -> Result<Members<'a>, Broken> {
    let mut members = Vec::with_capacity(FEW);
    walk.named(|name, walk| {
        let name = self::name(text, name, walk)?;
        members.push((name, Some(node(text, walk)?)));
        Ok(())
    })?;
    Ok(Members(members))
}

/// The value that stands here in a text, as one of its own.
pub(crate) fn value<'a>(text: &'a str, walk: &mut Walk<'a>) -> Result<Value, Broken> {
    node(text, walk).map(Node::into_value)
}

/// What a member's name means that was gone past last.
#[inline]
pub(crate) fn name<'a>(
    text: &'a str,
    string: Range<usize>,
    walk: &Walk<'_>,
) -> Result<Cow<'a, str>, Broken> {
    let name = meaning(text, string, walk)?;
    if name.starts_with('$') && name.starts_with(PARSERS_OWN) {
        return Err(walk.broken());
    }
    Ok(name)
}

/// What the string means that was gone past last; half of a surrogate pair means nothing.
#[inline]
pub(crate) fn meaning<'a>(
    text: &'a str,
    string: Range<usize>,
    walk: &Walk<'_>,
) -> Result<Cow<'a, str>, Broken> {
    if walk.is_escaped() {
        let string = text.get(string).ok_or_else(|| walk.broken())?;
        let text = serde_json::from_str(string).map_err(|_| walk.broken())?;
        return Ok(Cow::Owned(text));
    }
    let plain = text.get(string.start + 1..string.end - 1);
    plain.map(Cow::Borrowed).ok_or_else(|| walk.broken())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Value> {
        Members::read(text.as_bytes()).map(|members| Value::Object(members.into_map()))
    }

    #[test]
    fn a_tree_becomes_what_the_parser_makes_of_its_text() {
        for text in [
            "{}",
            r#" {"a" : [1, -0, 2.50, 1E5, 1e+5, 12345678901234567890123] , "b":null}"#,
            r#"{"é\n":"\u00e9\ud83d\ude00\"","":{"x":[{},[],true,false]}}"#,
            r#"{"a":1,"b":2,"a":{"c":3}}"#,
        ] {
            let parsed: Value = serde_json::from_str(text).unwrap();
            let read = read(text).unwrap();
            assert_eq!(read.to_string(), parsed.to_string());
            let Value::Object(map) = parsed else {
                panic!("an object")
            };
            assert_eq!(Members::of(&map).into_map(), map);
        }
    }

    #[test]
    fn what_the_parser_reads_in_its_own_way_is_left_to_it() {
        for text in [
            r#"{"a":"\ud83d"}"#,
            r#"{"a":{"$serde_json::private::Number":"1"}}"#,
            r#"{"a":1"#,
            r#"{"a":01}"#,
            "[]",
            "{} {}",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn of_a_name_that_is_given_twice_the_last_one_counts() {
        let mut members = Members::read(br#"{"a":1,"b":2,"a":3,"n":4,"n":null}"#).unwrap();
        assert_eq!(members.get("a").and_then(Node::as_u64), Some(3));
        assert_eq!(members.take("a").and_then(|node| node.as_u64()), Some(3));
        assert!(members.take("a").is_none());
        assert!(members.take("n").is_none());
        assert_eq!(Value::Object(members.into_map()).to_string(), r#"{"b":2}"#);
    }
}
