//! Tables of another gateway as text, whatever engine they come from, and their cells as what they
//! should be. Bounded: a source that is too large is refused, not half read.

use std::collections::BTreeMap;

use super::error::ImportError;

/// The longest text of a cell, in bytes.
pub const LONGEST_CELL: usize = 1024 * 1024;
/// The most rows of a source.
const MOST_ROWS: usize = 2_000_000;
/// The most that the cells of a source hold, in bytes.
const MOST_BYTES: usize = 512 * 1024 * 1024;

/// Tables whose rows are read; of all others only the names matter.
pub const WANTED: [&str; 9] = [
    "users",
    "tokens",
    "channels",
    "redemptions",
    "options",
    "LiteLLM_UserTable",
    "LiteLLM_TeamTable",
    "LiteLLM_VerificationToken",
    "LiteLLM_BudgetTable",
];

/// One text a column, none for NULL.
pub type Cells = Vec<Option<String>>;

/// A table.
#[derive(Debug, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<Cells>,
}

/// The tables of a source.
#[derive(Debug, Default)]
pub struct Tables {
    wanted: BTreeMap<String, Table>,
    /// The names of the others.
    pub others: Vec<String>,
    rows: usize,
    bytes: usize,
}

impl Tables {
    /// Notes a table with its columns. One that comes again keeps its rows.
    pub fn declare(&mut self, name: &str, columns: Vec<String>) {
        if WANTED.contains(&name) {
            let table = self.wanted.entry(name.to_owned()).or_default();
            if table.columns.is_empty() {
                table.columns = columns;
            }
        } else if !self.others.iter().any(|other| other == name) {
            self.others.push(name.to_owned());
        }
    }

    /// The columns of a wanted table, as far as they are known.
    pub fn columns(&self, name: &str) -> Option<&[String]> {
        let table = self.wanted.get(name)?;
        (!table.columns.is_empty()).then_some(table.columns.as_slice())
    }

    /// Adds a row whose cells stand in the order of `columns`.
    pub fn add(&mut self, name: &str, columns: &[String], cells: Cells) -> Result<(), ImportError> {
        self.rows += 1;
        let number = self.rows;
        if cells.len() != columns.len() {
            let (has, wants) = (cells.len(), columns.len());
            let text = format!("table `{name}`: a row has {has} values for {wants} columns");
            return Err(ImportError::source(text));
        }
        for (column, cell) in columns.iter().zip(&cells) {
            let length = cell.as_ref().map_or(0, String::len);
            self.bytes += length;
            if length > LONGEST_CELL {
                let text = format!(
                    "table `{name}`: `{column}` of a row has {length} bytes; at most \
                     {LONGEST_CELL} are taken"
                );
                return Err(ImportError::source(text));
            }
        }
        if number > MOST_ROWS || self.bytes > MOST_BYTES {
            let text = format!(
                "the source is too large: at most {MOST_ROWS} rows and {} MiB are taken",
                MOST_BYTES / (1024 * 1024)
            );
            return Err(ImportError::source(text));
        }
        let table = self.wanted.entry(name.to_owned()).or_default();
        if table.columns.is_empty() {
            table.columns = columns.to_vec();
        }
        let cells = if table.columns == columns {
            cells
        } else {
            sorted(&table.columns, columns, cells)
        };
        table.rows.push(cells);
        Ok(())
    }

    /// The rows of a table; none where there is no such table.
    pub fn rows(&self, name: &str) -> impl Iterator<Item = Row<'_>> {
        let table = self.wanted.get(name);
        table.into_iter().flat_map(|table| {
            let columns = &table.columns;
            table.rows.iter().map(move |cells| Row { columns, cells })
        })
    }

    /// Whether there is such a table.
    pub fn has(&self, name: &str) -> bool {
        self.wanted.contains_key(name)
    }

    /// Whether there is such a table with such a column.
    pub fn has_column(&self, name: &str, column: &str) -> bool {
        let table = self.wanted.get(name);
        table.is_some_and(|table| table.columns.iter().any(|one| one == column))
    }
}

/// A row's cells in the table's own order of columns.
fn sorted(wanted: &[String], given: &[String], mut cells: Cells) -> Cells {
    wanted
        .iter()
        .map(|column| {
            let place = given.iter().position(|one| one == column)?;
            cells[place].take()
        })
        .collect()
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    columns: &'a [String],
    cells: &'a [Option<String>],
}

impl<'a> Row<'a> {
    /// The text in a column, trimmed; none where it is empty, NULL or the column is not there.
    pub fn text(&self, column: &str) -> Option<&'a str> {
        let place = self.columns.iter().position(|one| one == column)?;
        let text = self.cells.get(place)?.as_deref()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// The whole number in a column; none where there is none.
    pub fn number(&self, column: &str) -> Option<i64> {
        let text = self.text(column)?;
        // Some engines write whole numbers of a wider type with a fraction of zeros.
        let whole = text.split_once('.').map_or(text, |(whole, zeros)| {
            if zeros.bytes().all(|byte| byte == b'0') {
                whole
            } else {
                text
            }
        });
        whole.parse().ok()
    }

    /// The truth in a column, however the engine writes it.
    pub fn flag(&self, column: &str) -> bool {
        matches!(
            self.text(column),
            Some("1" | "t" | "true" | "TRUE" | "True" | "\u{1}")
        )
    }

    /// A time in unix seconds, as milliseconds; none for zero and for numbers that mean never.
    pub fn time(&self, column: &str) -> Option<i64> {
        let seconds = self.number(column).filter(|seconds| *seconds > 0)?;
        seconds.checked_mul(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() {
        let mut tables = Tables::default();
        tables.declare("users", names(&["id", "quota", "ok"]));
        let cells = |list: &[Option<&str>]| -> Cells {
            list.iter().map(|cell| cell.map(str::to_owned)).collect()
        };
        let own = names(&["id", "quota", "ok"]);
        tables
            .add(
                "users",
                &own,
                cells(&[Some("1"), Some(" 25.00 "), Some("t")]),
            )
            .unwrap();
        let other = names(&["ok", "id"]);
        tables
            .add("users", &other, cells(&[Some("0"), Some("2")]))
            .unwrap();
        let rows: Vec<Row<'_>> = tables.rows("users").collect();
        assert_eq!(rows[0].number("quota"), Some(25));
        assert!(rows[0].flag("ok") && !rows[1].flag("ok"));
        assert_eq!(rows[1].number("id"), Some(2));
        assert_eq!(rows[1].text("quota"), None);
        assert_eq!(rows[1].text("nothing"), None);
        let wrong = tables.add("users", &own, cells(&[None]));
        assert!(wrong.unwrap_err().to_string().contains("1 values for 3"));
        let huge = cells(&[None, None, Some(&"x".repeat(LONGEST_CELL + 1))]);
        assert!(
            tables
                .add("users", &own, huge)
                .unwrap_err()
                .to_string()
                .contains("`ok` of a row")
        );
    }
}
