//! The values of a row on their way to an engine, one after the other.

use sea_orm::sqlx::Arguments as _;
use sea_orm::sqlx::error::BoxDynError;
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::sqlite::SqliteArguments;

use crate::text::Text;

type Added = Result<(), BoxDynError>;

/// Takes values in the order of their columns.
pub(crate) trait RowValues {
    /// Makes room for so many.
    fn expect(&mut self, count: usize);
    /// A number, or none.
    fn number(&mut self, value: Option<i64>) -> Added;
    /// A switch.
    fn switch(&mut self, value: bool) -> Added;
    /// A text that others hold as well, or none.
    fn text(&mut self, value: Option<&Text>) -> Added;
    /// A text of its own.
    fn written(&mut self, value: String) -> Added;
}

impl RowValues for SqliteArguments {
    fn expect(&mut self, count: usize) {
        self.reserve(count, 8 * count);
    }

    fn number(&mut self, value: Option<i64>) -> Added {
        self.add(value)
    }

    fn switch(&mut self, value: bool) -> Added {
        self.add(value)
    }

    /// Another hold on the same text: SQLite's thread copies it when it needs it.
    fn text(&mut self, value: Option<&Text>) -> Added {
        self.add(value.map(Text::shared))
    }

    fn written(&mut self, value: String) -> Added {
        self.add(value)
    }
}

impl RowValues for PgArguments {
    fn expect(&mut self, count: usize) {
        self.reserve(count, 8 * count);
    }

    fn number(&mut self, value: Option<i64>) -> Added {
        self.add(value)
    }

    fn switch(&mut self, value: bool) -> Added {
        self.add(value)
    }

    fn text(&mut self, value: Option<&Text>) -> Added {
        self.add(value.map(|text| &**text))
    }

    fn written(&mut self, value: String) -> Added {
        self.add(value)
    }
}
