//! What the typed frames of all dialects are made of: streams are read frame by frame, so these borrow
//! from the frame and allocate only where they must.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

/// Reads a frame's data. Text is checked as a whole, which is faster than string by string.
pub(crate) fn read<'a, T: Deserialize<'a>>(data: &'a [u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(data) {
        Ok(text) => serde_json::from_str(text),
        // What is not used may hold anything.
        Err(_) => serde_json::from_slice(data),
    }
}

/// Text that is borrowed from the frame where it has no escapes. (A bare `Option<Cow<str>>` would
/// always be copied.)
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

/// A list that nearly always has one entry, which then needs no memory of its own.
#[derive(Debug)]
pub(crate) struct Few<T> {
    first: Option<T>,
    others: Vec<T>,
}

impl<T> Few<T> {
    /// The entries, in their order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.first.iter().chain(&self.others)
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = std::iter::Chain<std::option::IntoIter<T>, std::vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.others)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FewVisitor<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for FewVisitor<T> {
            type Value = Few<T>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Few<T>, A::Error> {
                let mut few = Few {
                    first: list.next_element()?,
                    others: Vec::new(),
                };
                while let Some(entry) = list.next_element()? {
                    few.others.push(entry);
                }
                Ok(few)
            }
        }

        deserializer.deserialize_seq(FewVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_entries_in_order() {
        for list in ["[]", "[1]", "[1,2,3]"] {
            let few: Few<u32> = read(list.as_bytes()).unwrap();
            let all: Vec<u32> = serde_json::from_str(list).unwrap();
            assert_eq!(few.into_iter().collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn text_is_borrowed_where_it_has_no_escapes() {
        let text: Option<Text<'_>> = read("\"größer\"".as_bytes()).unwrap();
        assert!(matches!(text, Some(Text(Cow::Borrowed("größer")))));
        let text: Option<Text<'_>> = read(b"\"a\\n\"").unwrap();
        assert!(matches!(text, Some(Text(Cow::Owned(text))) if text == "a\n"));
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm_where_they_are_not_used() {
        let few: Few<serde::de::IgnoredAny> = read(b"[\"\xff\"]").unwrap();
        assert_eq!(few.into_iter().count(), 1);
        assert!(read::<Text<'_>>(b"\"\xff\"").is_err());
    }
}
