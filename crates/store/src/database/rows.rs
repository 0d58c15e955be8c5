//! Many rows in few statements.

use std::fmt::Write as _;

use sea_orm::{ConnectionTrait, DbBackend};

/// Rows a statement at most: of up to 63 columns they stay below SQLite's 32,766 parameters.
const MOST_ROWS_A_STATEMENT: usize = 512;

/// Of a number of rows so many binary digits count: there are few sizes, which keeps the statements prepared, and
/// most numbers need one or two of them.
const DIGITS_OF_SIZES: u32 = 3;

/// Rows for one statement each, in few sizes.
pub(crate) fn in_statements<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = rows_of_a_statement(rows.len())?;
        let (these, behind) = rows.split_at(size);
        rows = behind;
        Some(these)
    })
}

/// How many of so many rows go into the next statement; none where there are none.
fn rows_of_a_statement(rows: usize) -> Option<usize> {
    let most = rows.min(MOST_ROWS_A_STATEMENT);
    let digits = most.checked_ilog2()? + 1;
    let left_out = digits.saturating_sub(DIGITS_OF_SIZES);
    Some(most >> left_out << left_out)
}

/// `INSERT INTO table (…) VALUES (…), …` for so many rows.
pub(crate) fn insert_rows(
    connection: &impl ConnectionTrait,
    table: &str,
    columns: &[impl AsRef<str>],
    rows: usize,
) -> String {
    insert_rows_with(connection, table, columns, &[], rows)
}

/// Like [`insert_rows`], where some columns, with their values in SQL, are the same in all rows.
pub(crate) fn insert_rows_with(
    connection: &impl ConnectionTrait,
    table: &str,
    columns: &[impl AsRef<str>],
    same: &[(&str, &str)],
    rows: usize,
) -> String {
    let mut names: Vec<&str> = columns.iter().map(AsRef::as_ref).collect();
    names.extend(same.iter().map(|(name, _)| name));
    let literals: String = same.iter().flat_map(|(_, value)| [", ", *value]).collect();
    let values = rows_of_values(connection, columns.len(), &literals, rows);
    format!("INSERT INTO {table} ({}) {values}", names.join(", "))
}

/// `VALUES (…), …` for so many rows.
pub(crate) fn values_of(connection: &impl ConnectionTrait, columns: usize, rows: usize) -> String {
    rows_of_values(connection, columns, "", rows)
}

/// Rows of parameters, each with the same end. SQLite takes `$1` for a name and looks through all former names at each
/// one, which for thousands of parameters costs more than the statement.
fn rows_of_values(
    connection: &impl ConnectionTrait,
    columns: usize,
    end: &str,
    rows: usize,
) -> String {
    if connection.get_database_backend() != DbBackend::Postgres {
        let row = format!("({}{end})", vec!["?"; columns].join(", "));
        return "VALUES ".to_owned() + &vec![row.as_str(); rows].join(", ");
    }
    let mut text = String::from("VALUES ");
    for row in 0..rows {
        text.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            let number = row * columns + column + 1;
            // Writing into a string cannot fail.
            let _ = write!(text, "{}${number}", if column == 0 { "" } else { ", " });
        }
        text.push_str(end);
        text.push(')');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_go_into_few_statements_of_few_sizes() {
        let mut sizes = BTreeSet::new();
        for count in 0..=2_000 {
            let rows = vec![(); count];
            let statements: Vec<usize> = in_statements(&rows).map(<[()]>::len).collect();
            assert_eq!(statements.iter().sum::<usize>(), count);
            assert!(statements.len() <= count / MOST_ROWS_A_STATEMENT + 3);
            sizes.extend(statements);
        }
        assert_eq!(sizes.len(), 32);
    }
}
