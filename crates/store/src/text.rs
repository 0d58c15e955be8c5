//! Text that many hold at once: a call's log row names its model and its endpoint without a copy of its own.

use std::cell::RefCell;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use sea_orm::{ColIdx, QueryResult, TryGetError, TryGetable};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that is shared and does not change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<str>);

thread_local! {
    /// The names that the program itself carries, as far as this thread has used them.
    static NAMES: RefCell<HashMap<&'static str, Text, RandomState>> = RefCell::default();
}

impl Text {
    /// A name that the program itself carries. Each thread makes its text once.
    pub fn named(name: &'static str) -> Self {
        NAMES.with_borrow_mut(|names| names.entry(name).or_insert_with(|| name.into()).clone())
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same text, held once more.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.0)
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl<T: Into<Arc<str>>> From<T> for Text {
    fn from(text: T) -> Self {
        Self(text.into())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        (*text).to_owned()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl TryGetable for Text {
    fn try_get_by<I: ColIdx>(row: &QueryResult, index: I) -> Result<Self, TryGetError> {
        String::try_get_by(row, index).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_made_once_a_thread() {
        let (one, other) = (Text::named("/v1/messages"), Text::named("/v1/messages"));
        assert!(Arc::ptr_eq(&one.0, &other.0));
        let theirs = std::thread::spawn(|| Text::named("/v1/messages"));
        let theirs = theirs.join().expect("naming does not panic");
        assert_eq!(one, theirs);
        assert!(!Arc::ptr_eq(&one.0, &theirs.0));
    }

    #[test]
    fn it_is_kept_as_any_text() {
        let kept = serde_json::to_string(&Text::from("a \"b\"")).expect("a text is written");
        assert_eq!(kept, r#""a \"b\"""#);
        let read: Text = serde_json::from_str(&kept).expect("and read");
        assert_eq!(read, "a \"b\"");
    }
}
