//! The file: which cell of which row is what. Whether a cell is fine is not decided here.

use csv::{ReaderBuilder, StringRecord};

use crate::config::Secret;
use crate::management::frame::ApiError;

/// Most rows of a file.
const MOST_ROWS: usize = 5_000;
const COLUMNS: [&str; 7] = [
    "username",
    "email",
    "display_name",
    "group",
    "role",
    "balance_usd",
    "password",
];

/// What a row says; cells that are empty are absent.
#[derive(Debug)]
pub(super) struct Cells {
    pub username: String,
    pub email: Option<String>,
    pub display_name: Option<String>,
    pub group: Option<String>,
    pub role: Option<String>,
    pub balance_usd: Option<String>,
    pub password: Option<Secret>,
}

/// A row of the file.
#[derive(Debug)]
pub(super) struct Row {
    /// The line on which it begins, from 1.
    pub line: u64,
    /// What it says.
    pub cells: Cells,
    /// Whether it has as many cells as there are columns.
    pub is_whole: bool,
}

/// Reads a file; what is wrong with it as a whole is refused.
pub(super) fn read(body: &[u8]) -> Result<Vec<Row>, ApiError> {
    let text = std::str::from_utf8(body)
        .map_err(|_| ApiError::bad_request("The file must be text in UTF-8."))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .delimiter(delimiter(text))
        .from_reader(text.as_bytes());
    let unreadable =
        |error: csv::Error| ApiError::bad_request(format!("The file cannot be read: {error}."));
    let columns = columns(reader.headers().map_err(unreadable)?)?;
    let mut lines = Lines {
        text: text.as_bytes(),
        seen: 0,
        line: 1,
    };
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(unreadable)?;
        if rows.len() == MOST_ROWS {
            let text = format!("The file must have at most {MOST_ROWS} rows.");
            return Err(ApiError::bad_request(text));
        }
        rows.push(Row {
            line: lines.of(&record),
            is_whole: record.len() == columns.len(),
            cells: cells(&columns, &record),
        });
    }
    if rows.is_empty() {
        return Err(ApiError::bad_request("The file has no rows."));
    }
    Ok(rows)
}

/// On which line a record begins. The reader's own count is one less where lines end in CR LF or are
/// blank before it.
struct Lines<'a> {
    text: &'a [u8],
    seen: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, record: &StringRecord) -> u64 {
        let place = record.position().map(csv::Position::byte);
        let place = place.and_then(|place| usize::try_from(place).ok());
        let mut begin = place.unwrap_or(self.seen).max(self.seen);
        while let Some(b'\r' | b'\n') = self.text.get(begin) {
            begin += 1;
        }
        let passed = self.text.get(self.seen..begin).unwrap_or_default();
        let ends = passed.iter().filter(|byte| **byte == b'\n');
        self.line += ends.count() as u64;
        self.seen = begin;
        self.line
    }
}

/// Spreadsheets of many countries write semicolons.
fn delimiter(text: &str) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let has_semicolon_only = first.contains(';') && !first.contains(',');
    if has_semicolon_only { b';' } else { b',' }
}

/// The first line. A column that is not known is refused: what it says would be lost without a word.
fn columns(header: &StringRecord) -> Result<Vec<&'static str>, ApiError> {
    let mut found = Vec::with_capacity(header.len());
    for name in header {
        let name = name.trim().to_lowercase();
        let Some(column) = COLUMNS.iter().find(|column| **column == name) else {
            let name: String = name.chars().take(64).collect();
            let known = COLUMNS.join(", ");
            let text = format!("There is no column {name:?}; the first line names {known}.");
            return Err(ApiError::bad_request(text));
        };
        if found.contains(column) {
            let text = format!("The column {column} is there twice.");
            return Err(ApiError::bad_request(text));
        }
        found.push(*column);
    }
    if !found.contains(&"username") {
        return Err(ApiError::bad_request("The column username is missing."));
    }
    Ok(found)
}

fn cells(columns: &[&str], record: &StringRecord) -> Cells {
    let raw = |column: &str| {
        let place = columns.iter().position(|name| *name == column)?;
        record.get(place).filter(|cell| !cell.is_empty())
    };
    let cell = |column: &str| {
        let text = raw(column).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    Cells {
        username: cell("username").unwrap_or_default(),
        email: cell("email"),
        display_name: cell("display_name"),
        group: cell("group"),
        role: cell("role"),
        balance_usd: cell("balance_usd"),
        // Spaces at the ends of a password are part of it.
        password: raw("password").map(Secret::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_by_name_and_quotes_are_undone() {
        let text = "\u{feff}Email, username ,password\r\n a@b.example ,ann,\" p, w \"\r\n\r\n,\"b\"\"c\nd\",\r\n,last,\r\n";
        let rows = read(text.as_bytes()).unwrap();
        assert_eq!(rows[0].cells.email.as_deref(), Some("a@b.example"));
        let password = rows[0].cells.password.as_ref().map(Secret::expose);
        assert_eq!(password, Some(" p, w "));
        assert_eq!(rows[1].cells.username, "b\"c\nd");
        assert_eq!(rows[1].cells.email, None);
        let lines: Vec<u64> = rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [2, 4, 6]);
        assert!(rows.iter().all(|row| row.is_whole));
    }

    #[test]
    fn semicolons_do_too_and_a_row_of_another_length_is_seen() {
        let rows = read(b"username;balance_usd\nann;1,5\nbob\n").unwrap();
        assert_eq!(rows[0].cells.balance_usd.as_deref(), Some("1,5"));
        assert_eq!((rows[0].is_whole, rows[1].is_whole), (true, false));
    }

    #[test]
    fn what_is_no_such_file_is_refused_with_the_reason() {
        let many = "username\n".to_owned() + &"x\n".repeat(MOST_ROWS + 1);
        for (body, words) in [
            (b"\xff\xfe".as_slice(), "UTF-8"),
            (b"", "username is missing"),
            (b"username\n", "no rows"),
            (b"email\na@b.example\n", "username is missing"),
            (b"username,quota\nann,1\n", "no column \"quota\""),
            (b"username,Username\nann,ann\n", "twice"),
            (many.as_bytes(), "at most 5000 rows"),
        ] {
            let refusal = read(body).unwrap_err().to_string();
            assert!(refusal.contains(words), "{refusal}");
        }
    }
}
