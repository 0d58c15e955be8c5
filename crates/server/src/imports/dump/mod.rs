//! Dumps of databases: SQL as text, written by `mysqldump` or by `pg_dump` in its plain form. Read
//! statement by statement, so that a dump of any length needs little memory; what is not about a
//! wanted table is passed over.

mod bytes;
mod copy;
mod statements;
mod token;

#[cfg(test)]
mod tests;

pub use statements::read_dump;

/// Whose dump it is: the two write texts and names in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// MySQL or MariaDB.
    MySql,
    /// PostgreSQL.
    Postgres,
}
