//! The forms in which a database of another gateway comes: a SQLite file, a dump as mysqldump or
//! `pg_dump` write it, or tables on a PostgreSQL server.

use std::fmt::Write as _;
use std::path::Path;

use sea_orm::{ConnectionTrait as _, Database};

use super::rows::{Foreign, Row};

impl Foreign {
    /// The cells of a row in the order of its table's columns.
    fn cells(&self, (table, cells): &Row) -> Vec<Option<String>> {
        let (_, columns) = self
            .schema
            .iter()
            .find(|(name, _)| name == table)
            .expect("a table");
        let columns: Vec<&str> = columns.split(' ').collect();
        let known = cells
            .iter()
            .all(|(name, _)| columns.contains(&name.as_str()));
        assert!(known, "{table} has no such column: {cells:?}");
        let cell = |column: &str| cells.iter().find(|(name, _)| name == column);
        columns
            .iter()
            .map(|column| cell(column).map(|(_, text)| text.clone()))
            .collect()
    }

    /// Statements that both engines take: names and texts in standard quotes.
    fn statements(&self) -> Vec<String> {
        let mut statements = Vec::new();
        for (table, columns) in self.schema {
            let columns: Vec<String> = columns
                .split(' ')
                .map(|column| format!("\"{column}\" TEXT"))
                .collect();
            statements.push(format!("CREATE TABLE \"{table}\" ({})", columns.join(", ")));
        }
        for row in &self.rows {
            let cells: Vec<String> = self
                .cells(row)
                .into_iter()
                .map(|cell| match cell {
                    Some(text) => format!("'{}'", text.replace('\'', "''")),
                    None => "NULL".to_owned(),
                })
                .collect();
            statements.push(format!(
                "INSERT INTO \"{}\" VALUES ({})",
                row.0,
                cells.join(", ")
            ));
        }
        statements
    }

    /// As a SQLite file.
    pub fn sqlite(&self, path: &Path) {
        self.run(&format!("sqlite:{}?mode=rwc", path.display()), "");
    }

    /// As a copy of a SQLite file that has a write-ahead log, without the log.
    pub fn sqlite_with_log(&self, path: &Path) {
        let last = "PRAGMA journal_mode = WAL";
        self.run(&format!("sqlite:{}?mode=rwc", path.display()), last);
    }

    /// As tables on a PostgreSQL server.
    pub fn postgres(&self, url: &str) {
        self.run(url, "");
    }

    fn run(&self, url: &str, last: &str) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let database = Database::connect(url).await.expect("a database");
            for statement in self.statements() {
                database
                    .execute_unprepared(&statement)
                    .await
                    .expect("a statement");
            }
            database
                .execute_unprepared(last)
                .await
                .expect("a statement");
            database.close().await.expect("it closes");
        });
    }

    /// As mysqldump writes it: several rows a statement, escapes, numbers without quotes.
    pub fn mysql_dump(&self) -> String {
        let mut dump = "-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)\n\
                        /*!40101 SET NAMES utf8mb4 */;\n"
            .to_owned();
        for (table, columns) in self.schema {
            let lines: Vec<String> = columns
                .split(' ')
                .map(|column| format!("  `{column}` longtext"))
                .collect();
            write!(
                dump,
                "DROP TABLE IF EXISTS `{table}`;\nCREATE TABLE `{table}` (\n{},\n  KEY `idx` (`{}`)\n\
                 ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\nLOCK TABLES `{table}` WRITE;\n",
                lines.join(",\n"),
                columns.split(' ').next().unwrap_or_default(),
            )
            .expect("text");
            let rows = self.rows.iter().filter(|row| row.0 == *table);
            let rows: Vec<String> = rows
                .map(|row| {
                    let cells = self.cells(row).into_iter().map(mysql_cell);
                    format!("({})", cells.collect::<Vec<_>>().join(","))
                })
                .collect();
            if !rows.is_empty() {
                writeln!(dump, "INSERT INTO `{table}` VALUES {};", rows.join(",")).expect("text");
            }
            dump.push_str("UNLOCK TABLES;\n");
        }
        dump.push_str("-- Dump completed on 2026-01-01  0:00:00\n");
        dump
    }

    /// As `pg_dump` writes it, with COPY.
    pub fn postgres_dump(&self) -> String {
        let mut dump =
            "--\n-- PostgreSQL database dump\n--\n\nSET client_encoding = 'UTF8';\n".to_owned();
        for (table, columns) in self.schema {
            let names: Vec<String> = columns
                .split(' ')
                .map(|name| format!("\"{name}\""))
                .collect();
            writeln!(
                dump,
                "COPY public.{table} ({}) FROM stdin;",
                names.join(", ")
            )
            .expect("text");
            for row in self.rows.iter().filter(|row| row.0 == *table) {
                let cells = self.cells(row).into_iter().map(|cell| match cell {
                    None => "\\N".to_owned(),
                    Some(text) => text.replace('\\', "\\\\").replace('\n', "\\n"),
                });
                dump.push_str(&cells.collect::<Vec<_>>().join("\t"));
                dump.push('\n');
            }
            dump.push_str("\\.\n\n");
        }
        dump
    }
}

fn mysql_cell(cell: Option<String>) -> String {
    let Some(text) = cell else {
        return "NULL".to_owned();
    };
    if text.parse::<i64>().is_ok() && !text.starts_with('0') {
        return text;
    }
    let text = text
        .replace('\\', "\\\\")
        .replace('\'', "\\'")
        .replace('\n', "\\n");
    format!("'{text}'")
}
