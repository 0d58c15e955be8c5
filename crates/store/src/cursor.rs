//! Positions in endless lists: opaque text for clients, a place in time for queries. A page
//! begins right after its cursor, so pages neither overlap nor skip while rows are added.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The last row that was seen, newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(crate) created_at: i64,
    /// What tells rows of one millisecond apart.
    pub(crate) tie: String,
}

impl Cursor {
    pub(crate) fn new(created_at: i64, tie: impl Into<String>) -> Self {
        Self {
            created_at,
            tie: tie.into(),
        }
    }

    /// Reads what [`Cursor::to_text`] wrote; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let decoded = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (created_at, tie) = decoded.split_once('.')?;
        Some(Self::new(created_at.parse().ok()?, tie))
    }

    /// The opaque form for clients.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(format!("{}.{}", self.created_at, self.tie))
    }
}

/// One page of an endless list.
#[derive(Clone, Debug)]
pub struct CursorPage<T> {
    /// The rows, newest first.
    pub items: Vec<T>,
    /// Where the next page begins; `None` at the end. A page with few rows or none may have one:
    /// then the search stopped at its bound and goes on from there.
    pub next: Option<Cursor>,
}

impl<T> CursorPage<T> {
    /// A page out of rows of which one more than `limit` was asked for.
    pub(crate) fn cut(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> Cursor) -> Self {
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more).map(place);
        Self { items, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_survives_its_text_form() {
        let cursor = Cursor::new(1_800_000_000_123, "0198.a-b.c");
        assert_eq!(Cursor::parse(&cursor.to_text()), Some(cursor));
    }

    #[test]
    fn foreign_text_is_no_cursor() {
        for text in ["", "1", "!!", "MTIz", "eC55"] {
            assert_eq!(Cursor::parse(text), None, "{text}");
        }
    }
}
