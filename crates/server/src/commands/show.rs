//! What commands print of records: a table or lines for people, JSON for scripts.

use std::io::{self, Write as _};

use serde_json::Value;

/// Whether to print JSON.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Format {
    /// Print JSON, as the management interface gives it.
    #[arg(long, global = true)]
    json: bool,
}

impl Format {
    /// Prints records, one a line, these fields of each.
    pub fn rows(self, rows: &Value, columns: &[&str]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            return writeln!(out, "{rows}");
        }
        out.write_all(table(rows, columns).as_bytes())
    }

    /// Prints one record, a field a line.
    pub fn record(self, record: &Value) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            return writeln!(out, "{record}");
        }
        for (name, value) in record.as_object().into_iter().flatten() {
            writeln!(out, "{name}: {}", cell(value))?;
        }
        Ok(())
    }

    /// Says that something was done; scripts see it by the exit status.
    pub fn done(self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.json {
            return writeln!(out, "null");
        }
        writeln!(out, "{text}")
    }
}

fn table(rows: &Value, columns: &[&str]) -> String {
    let head = columns.iter().map(|name| (*name).to_owned()).collect();
    let mut lines: Vec<Vec<String>> = vec![head];
    for row in rows.as_array().into_iter().flatten() {
        lines.push(columns.iter().map(|name| cell(&row[*name])).collect());
    }
    let widths: Vec<usize> = (0..columns.len())
        .map(|at| {
            lines
                .iter()
                .map(|line| line[at].chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// A value in one line; control characters of names must not reach the terminal.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            items.join(",")
        }
        other => other.to_string(),
    };
    text.chars().filter(|letter| !letter.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_table_has_columns_of_one_width_and_nothing_that_controls_a_terminal() {
        let rows = json!([
            {"id": 1, "name": "ann", "models": ["a", "b"], "group": null},
            {"id": 12, "name": "b\u{1b}[2Job", "models": [], "group": "x"},
        ]);
        let text = table(&rows, &["id", "name", "models", "group"]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "id  name    models  group");
        assert_eq!(lines[1], "1   ann     a,b     -");
        assert_eq!(lines[2], "12  b[2Job          x");
    }
}
