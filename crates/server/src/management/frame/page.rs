//! Lists: numbered pages of short ones, cursors for endless ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::{Cursor, CursorPage, Page, Paged, Sorted};

use super::reply::ApiError;

const DEFAULT_SIZE: u64 = 20;
const MAX_SIZE: u64 = 100;
/// How many rows deep numbered pages reach; counting further gets slow.
const MAX_DEPTH: u64 = 10_000;
const MAX_LIMIT: u32 = 1_000;

/// Which page of a list.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
pub struct PageQuery {
    /// The page's number, from 1.
    #[serde(default)]
    p: Option<u64>,
    /// Rows a page: 20, at most 100.
    #[serde(default)]
    page_size: Option<u64>,
}

impl PageQuery {
    /// The page for the records; refused where it is too deep.
    pub fn page(self) -> Result<Page, ApiError> {
        let number = self.p.unwrap_or(1).max(1);
        let size = self.page_size.unwrap_or(DEFAULT_SIZE).clamp(1, MAX_SIZE);
        if number.saturating_sub(1).saturating_mul(size) >= MAX_DEPTH {
            let text = "pages reach 10000 rows deep; narrow the search";
            return Err(ApiError::bad_field("p", text));
        }
        Ok(Page { number, size })
    }
}

/// One page of a list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PagedList<T> {
    /// The page's number, from 1.
    page: u64,
    /// Rows a page.
    page_size: u64,
    /// Rows in the whole list; a long one is counted up to 100000,
    /// what a search found up to 10000.
    total: u64,
    /// The rows of this page.
    items: Vec<T>,
}

impl<T> PagedList<T> {
    /// The reply to a page of records, each shown by `show`.
    pub fn of<R>(page: Page, paged: Paged<R>, show: impl FnMut(R) -> T) -> Self {
        Self {
            page: page.number,
            page_size: page.size,
            total: paged.total,
            items: paged.items.into_iter().map(show).collect(),
        }
    }
}

/// How a list is sorted.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SortQuery {
    /// A field to sort by; with a minus before it, the largest first. The newest first otherwise.
    sort: Option<String>,
}

impl SortQuery {
    /// What it says, of what this list can be sorted by.
    pub fn of<By: Copy>(&self, known: &[(&str, By)]) -> Result<Option<Sorted<By>>, ApiError> {
        let Some(text) = self.sort.as_deref().filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let name = text.strip_prefix('-').unwrap_or(text);
        let Some((_, by)) = known.iter().find(|(field, _)| *field == name) else {
            let fields: Vec<&str> = known.iter().map(|(field, _)| *field).collect();
            let text = format!("must be one of {}", fields.join(", "));
            return Err(ApiError::bad_field("sort", &text));
        };
        Ok(Some(Sorted {
            by: *by,
            is_descending: name.len() < text.len(),
        }))
    }
}

/// Where to go on in an endless list.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct CursorQuery {
    /// The `next_cursor` of the page before.
    #[serde(default)]
    cursor: Option<String>,
    /// Rows at most: 20, at most 1000.
    #[serde(default)]
    limit: Option<u32>,
}

impl CursorQuery {
    /// Where to begin, and how many rows to read.
    pub fn bounds(&self) -> Result<(Option<Cursor>, u32), ApiError> {
        let cursor = match self.cursor.as_deref().filter(|text| !text.is_empty()) {
            None => None,
            Some(text) => {
                let cursor = Cursor::parse(text);
                Some(cursor.ok_or_else(|| ApiError::bad_field("cursor", "is not one of ours"))?)
            }
        };
        Ok((cursor, self.limit.unwrap_or(20).clamp(1, MAX_LIMIT)))
    }
}

/// One page of an endless list.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CursorList<T> {
    /// The rows, newest first.
    items: Vec<T>,
    /// Where the next page begins; `null` at the end.
    next_cursor: Option<String>,
}

impl<T> CursorList<T> {
    /// The reply to a page of records, each shown by `show`.
    pub fn of<R>(page: CursorPage<R>, show: impl FnMut(R) -> T) -> Self {
        Self {
            items: page.items.into_iter().map(show).collect(),
            next_cursor: page.next.map(|cursor| cursor.to_text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(p: Option<u64>, page_size: Option<u64>) -> Option<(u64, u64)> {
        let page = PageQuery { p, page_size }.page().ok()?;
        Some((page.number, page.size))
    }

    #[test]
    fn pages_have_defaults_and_bounds() {
        assert_eq!(page(None, None), Some((1, 20)));
        assert_eq!(page(Some(0), Some(0)), Some((1, 1)));
        assert_eq!(page(Some(2), Some(1000)), Some((2, 100)));
        assert_eq!(page(Some(100), Some(100)), Some((100, 100)));
        assert_eq!(page(Some(101), Some(100)), None);
        assert_eq!(page(Some(u64::MAX), None), None);
    }
}
