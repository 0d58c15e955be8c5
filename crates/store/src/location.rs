//! Where the records live and how to open them: a SQLite file or a PostgreSQL address, and the
//! knobs of `Store::open`. Opens nothing itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Result, StoreError};

/// Where the records live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A SQLite file; created when it does not exist.
    Sqlite(PathBuf),
    /// A PostgreSQL address, `postgres://user:password@host/database?sslmode=…`.
    Postgres(String),
}

impl Location {
    /// Reads `postgres://…`, `postgresql://…`, `sqlite:path` or a plain path.
    pub fn parse(text: &str) -> Result<Self> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").unwrap_or(text);
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() || path == ":memory:" {
            return Err(bad(
                text,
                "name a file: several connections must see the same database",
            ));
        }
        if path.contains("://") {
            let scheme = path.split("://").next().unwrap_or_default();
            return Err(bad(
                scheme,
                "unknown kind of database; use postgres:// or a file path",
            ));
        }
        Ok(Self::Sqlite(Path::new(path).to_owned()))
    }

    /// How to name this place in a message: never with a password.
    pub fn public_name(&self) -> String {
        match self {
            Self::Sqlite(path) => path.display().to_string(),
            Self::Postgres(url) => without_credentials(url),
        }
    }
}

/// How to open the store; `default()` is right for one server process.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// SQLite: connections that only read. The writer comes on top.
    pub sqlite_readers: u32,
    /// PostgreSQL: size of the pool.
    pub postgres_connections: u32,
    /// How long to wait for a free connection, and in SQLite for another process's write lock.
    pub wait: Duration,
    /// PostgreSQL: a statement that runs longer is cancelled by the server.
    pub statement_timeout: Duration,
    /// Bring the schema up to date. Off, the schema must be current already.
    pub migrate: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            sqlite_readers: 4,
            postgres_connections: 16,
            wait: Duration::from_secs(10),
            statement_timeout: Duration::from_secs(30),
            migrate: true,
        }
    }
}

/// What files are called in which charges are on disk before a SQLite database has them.
pub(crate) const SPOOL: [&str; 2] = ["-spool-1", "-spool-2"];

fn bad(location: &str, reason: &str) -> StoreError {
    StoreError::Location {
        location: location.to_owned(),
        reason: reason.to_owned(),
    }
}

fn without_credentials(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let address = rest.split('?').next().unwrap_or_default();
    let (authority, path) = address.split_once('/').unwrap_or((address, ""));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths_are_told_apart() {
        let file = |path: &str| Location::Sqlite(PathBuf::from(path));
        assert_eq!(Location::parse("data/m.db").unwrap(), file("data/m.db"));
        assert_eq!(
            Location::parse("sqlite:data/m.db").unwrap(),
            file("data/m.db")
        );
        assert_eq!(
            Location::parse("sqlite:///var/m.db").unwrap(),
            file("/var/m.db")
        );
        let url = "postgresql://ann@db/records";
        assert_eq!(
            Location::parse(url).unwrap(),
            Location::Postgres(url.to_owned())
        );
    }

    #[test]
    fn unusable_locations_are_refused_without_showing_secrets() {
        for text in ["", "sqlite::memory:", "mysql://root:secret@db/x"] {
            let message = Location::parse(text).unwrap_err().to_string();
            assert!(!message.contains("secret"), "{message}");
        }
    }

    #[test]
    fn the_public_name_has_no_password() {
        let location = Location::parse("postgres://ann:p%40ss@db:5433/records?sslmode=require");
        assert_eq!(
            location.unwrap().public_name(),
            "postgres://db:5433/records"
        );
    }
}
