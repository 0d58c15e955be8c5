//! Where the tables of another gateway come from: a SQLite file, a dump as text, or a PostgreSQL
//! server. What a file is, its first bytes say.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use store::Location;
use store::foreign::ForeignDatabase;

use super::dump::{Dialect, read_dump};
use super::error::ImportError;
use super::table::{Tables, WANTED};

/// How much of a file tells what it is.
const BEGINNING: u64 = 64 * 1024;

/// A place to import from.
#[derive(Clone, Debug)]
pub enum Place {
    /// A file on this machine.
    File(PathBuf),
    /// A PostgreSQL server.
    Postgres(String),
}

impl Place {
    /// Reads an address or a path.
    pub fn parse(text: &str) -> Self {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Self::Postgres(text.to_owned())
        } else {
            Self::File(PathBuf::from(text))
        }
    }
}

/// The tables of a source, and in what form they came.
pub async fn read_tables(place: &Place) -> Result<(Tables, &'static str), ImportError> {
    match place {
        Place::Postgres(url) => {
            let tables = from_database(&Location::Postgres(url.clone())).await?;
            Ok((tables, "postgres"))
        }
        Place::File(path) => match kind_of_file(path)? {
            FileKind::Sqlite => {
                let tables = from_database(&Location::Sqlite(path.clone())).await?;
                Ok((tables, "sqlite"))
            }
            FileKind::Dump(dialect) => {
                let path = path.clone();
                // Parsing is work without waiting: not on the threads that serve.
                let read = tokio::task::spawn_blocking(move || {
                    let file = File::open(&path).map_err(|error| unreadable(&error))?;
                    read_dump(BufReader::new(file), dialect)
                });
                let tables = read.await.map_err(|error| unreadable(&error))??;
                Ok((
                    tables,
                    match dialect {
                        Dialect::MySql => "mysql_dump",
                        Dialect::Postgres => "postgres_dump",
                    },
                ))
            }
        },
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> ImportError {
    ImportError::source(format!("the source cannot be read: {error}"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Sqlite,
    Dump(Dialect),
}

/// Whether a file holds tables, as a database or a dump of one.
pub fn has_tables(path: &Path) -> bool {
    kind_of_file(path).is_ok()
}

fn kind_of_file(path: &Path) -> Result<FileKind, ImportError> {
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let mut beginning = Vec::new();
    let read = file.take(BEGINNING).read_to_end(&mut beginning);
    read.map_err(|error| unreadable(&error))?;
    kind_of(&beginning).map_err(ImportError::source)
}

fn kind_of(beginning: &[u8]) -> Result<FileKind, &'static str> {
    if beginning.starts_with(b"SQLite format 3\0") {
        return Ok(FileKind::Sqlite);
    }
    if beginning.starts_with(b"PGDMP") {
        return Err("this is a dump of pg_dump in its custom form; dump with --format=plain");
    }
    if beginning.starts_with(&[0x1f, 0x8b]) || beginning.starts_with(b"PK\x03\x04") {
        return Err("the file is compressed; unpack it first");
    }
    let text = String::from_utf8_lossy(beginning);
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    if has(&["PostgreSQL database dump", "SET client_encoding"]) {
        return Ok(FileKind::Dump(Dialect::Postgres));
    }
    if has(&["MySQL dump", "MariaDB dump", " TABLE `", " INTO `"]) {
        return Ok(FileKind::Dump(Dialect::MySql));
    }
    Err("this is neither a SQLite file nor a dump of mysqldump or pg_dump")
}

async fn from_database(location: &Location) -> Result<Tables, ImportError> {
    let foreign = |error: store::StoreError| unreadable(&error);
    let database = ForeignDatabase::open(location).await.map_err(foreign)?;
    let mut tables = Tables::default();
    for name in database.tables().await.map_err(foreign)? {
        let columns = if WANTED.contains(&name.as_str()) {
            database.columns(&name).await.map_err(foreign)?
        } else {
            Vec::new()
        };
        tables.declare(&name, columns.clone());
        let mut from = 0;
        while !columns.is_empty() {
            let rows = database
                .rows(&name, &columns, from)
                .await
                .map_err(foreign)?;
            if rows.is_empty() {
                break;
            }
            from += rows.len() as u64;
            for row in rows {
                tables.add(&name, &columns, row)?;
            }
        }
    }
    database.close().await.map_err(foreign)?;
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_beginning() {
        let dump = |dialect| Ok(FileKind::Dump(dialect));
        assert_eq!(kind_of(b"SQLite format 3\0..."), Ok(FileKind::Sqlite));
        assert_eq!(kind_of(b"-- MySQL dump 10.13"), dump(Dialect::MySql));
        assert_eq!(kind_of(b"-- MariaDB dump 10.19"), dump(Dialect::MySql));
        assert_eq!(
            kind_of(b"--\n-- PostgreSQL database dump\n"),
            dump(Dialect::Postgres)
        );
        for wrong in [&b"PGDMP..."[..], &[0x1f, 0x8b, 8], b"hello", b""] {
            assert!(kind_of(wrong).is_err(), "{wrong:?}");
        }
    }
}
