//! The statements of a dump: which tables there are, with which columns, and their rows.

use std::io::BufRead;

use super::Dialect;
use super::bytes::Bytes;
use super::copy::read_rows;
use super::token::{Token, Tokens};
use crate::imports::error::ImportError;
use crate::imports::table::{Cells, Tables, WANTED};

/// What begins a part of a table's definition that is no column; names of columns are in quotes there.
const MYSQL_PARTS: [&str; 9] = [
    "PRIMARY",
    "UNIQUE",
    "KEY",
    "INDEX",
    "CONSTRAINT",
    "FOREIGN",
    "FULLTEXT",
    "SPATIAL",
    "CHECK",
];
/// The same for PostgreSQL, where `key` and `index` may be names without quotes.
const POSTGRES_PARTS: [&str; 7] = [
    "PRIMARY",
    "UNIQUE",
    "CONSTRAINT",
    "FOREIGN",
    "CHECK",
    "EXCLUDE",
    "LIKE",
];

/// Reads the tables of a dump.
pub fn read_dump(reader: impl BufRead, dialect: Dialect) -> Result<Tables, ImportError> {
    let mut dump = Dump {
        tokens: Tokens {
            bytes: Bytes::new(reader),
            dialect,
        },
        tables: Tables::default(),
    };
    while let Some(token) = dump.tokens.next(false)? {
        dump.statement(&token)?;
    }
    Ok(dump.tables)
}

struct Dump<R> {
    tokens: Tokens<R>,
    tables: Tables,
}

impl<R: BufRead> Dump<R> {
    fn statement(&mut self, first: &Token) -> Result<(), ImportError> {
        if first.is_sign(b';') {
            return Ok(());
        }
        if first.is_word("CREATE") {
            let second = self.tokens.must(false)?;
            if second.is_word("TABLE") {
                return self.create_table();
            }
            return self.pass_over(&second);
        }
        if first.is_word("INSERT") || first.is_word("REPLACE") {
            return self.insert();
        }
        if first.is_word("COPY") && self.tokens.dialect == Dialect::Postgres {
            return self.copy();
        }
        if first.is_word("DELIMITER") {
            return self.other_delimiter();
        }
        if first.is_sign(b'\\') {
            // A command of the client program: it is a line.
            self.tokens.bytes.line(0)?;
            return Ok(());
        }
        self.pass_over(first)
    }

    fn pass_over(&mut self, token: &Token) -> Result<(), ImportError> {
        let mut token = token.clone();
        while !token.is_sign(b';') {
            match self.tokens.next(false)? {
                Some(next) => token = next,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    /// Programs in the database are written between other delimiters; nothing in them matters.
    fn other_delimiter(&mut self) -> Result<(), ImportError> {
        let rest = self.tokens.bytes.line(64)?.unwrap_or_default();
        if rest.trim_ascii() == b";" {
            return Ok(());
        }
        while let Some(line) = self.tokens.bytes.line(64)? {
            let mut words = line.split(u8::is_ascii_whitespace);
            let is_delimiter = words.next().is_some_and(|word| word == b"DELIMITER");
            if is_delimiter && words.any(|word| word == b";") {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A table's name, without the schema that it is in; gives the token after it too.
    fn table_name(&mut self) -> Result<(String, Token), ImportError> {
        let mut name = None;
        loop {
            let token = self.tokens.must(false)?;
            match token {
                Token::Name(text) => name = Some(text),
                Token::Word(word) if name.is_none() => {
                    let is_filler = ["IF", "NOT", "EXISTS", "INTO", "IGNORE", "ONLY"]
                        .iter()
                        .any(|filler| word.eq_ignore_ascii_case(filler));
                    if !is_filler {
                        name = Some(word);
                    }
                }
                Token::Sign(b'.') => name = None,
                other => {
                    let problem = "a table has no name";
                    let name = name.ok_or_else(|| self.tokens.bytes.wrong(problem))?;
                    return Ok((name, other));
                }
            }
        }
    }

    fn create_table(&mut self) -> Result<(), ImportError> {
        let (name, mut token) = self.table_name()?;
        if !token.is_sign(b'(') {
            return self.pass_over(&token);
        }
        let parts: &[&str] = match self.tokens.dialect {
            Dialect::MySql => &MYSQL_PARTS,
            Dialect::Postgres => &POSTGRES_PARTS,
        };
        let (mut columns, mut depth, mut is_first) = (Vec::new(), 1, true);
        while depth > 0 {
            token = self.tokens.must(false)?;
            match &token {
                Token::Sign(b'(') => depth += 1,
                Token::Sign(b')') => depth -= 1,
                Token::Sign(b',') if depth == 1 => {
                    is_first = true;
                    continue;
                }
                Token::Name(column) if is_first => columns.push(column.clone()),
                Token::Word(word) if is_first => {
                    let is_part = parts.iter().any(|part| word.eq_ignore_ascii_case(part));
                    if !is_part {
                        columns.push(word.clone());
                    }
                }
                _ => {}
            }
            is_first = false;
        }
        self.tables.declare(&name, columns);
        self.pass_over(&token)
    }

    /// A list of names up to its closing bracket; the opening one was taken.
    fn names(&mut self) -> Result<Vec<String>, ImportError> {
        let mut names = Vec::new();
        loop {
            match self.tokens.must(false)? {
                Token::Name(name) | Token::Word(name) => names.push(name),
                Token::Sign(b')') => return Ok(names),
                Token::Sign(b',') => {}
                _ => return Err(self.tokens.bytes.wrong("a list of columns cannot be read")),
            }
        }
    }

    fn insert(&mut self) -> Result<(), ImportError> {
        let mut into = self.tokens.must(false)?;
        while !into.is_word("INTO") {
            if into.is_sign(b';') {
                return Ok(());
            }
            into = self.tokens.must(false)?;
        }
        let (name, values) = self.insert_head()?;
        let Some(columns) = values else {
            let end = Token::Word(String::new());
            return self.pass_over(&end);
        };
        loop {
            match self.tokens.must(true)? {
                Token::Sign(b'(') => {
                    let cells = self.values()?;
                    self.tables.add(&name, &columns, cells)?;
                }
                Token::Sign(b',') => {}
                Token::Sign(b';') => return Ok(()),
                _ => {
                    return Err(self
                        .tokens
                        .bytes
                        .wrong("the rows of an INSERT cannot be read"));
                }
            }
        }
    }

    /// The table of an INSERT and its columns; none where nobody wants its rows.
    fn insert_head(&mut self) -> Result<(String, Option<Vec<String>>), ImportError> {
        let mut name = None;
        let mut columns = None;
        loop {
            match self.tokens.must(false)? {
                Token::Sign(b'(') => columns = Some(self.names()?),
                Token::Sign(b'.') => name = None,
                Token::Sign(_) | Token::Text(_) | Token::Number(_) => {
                    return Err(self.tokens.bytes.wrong("an INSERT cannot be read"));
                }
                Token::Word(word) if name.is_some() && word.eq_ignore_ascii_case("VALUES") => break,
                Token::Name(text) | Token::Word(text) => name = name.or(Some(text)),
            }
        }
        let name = name.unwrap_or_default();
        if !WANTED.contains(&name.as_str()) {
            self.tables.declare(&name, Vec::new());
            return Ok((name, None));
        }
        let declared = || self.tables.columns(&name).map(<[String]>::to_vec);
        let columns = columns.or_else(declared).ok_or_else(|| {
            let problem = format!(
                "the dump does not say which columns `{name}` has; dump it with its definition \
                 or with --complete-insert"
            );
            self.tokens.bytes.wrong(&problem)
        })?;
        Ok((name, Some(columns)))
    }

    /// The values of a row up to its closing bracket.
    fn values(&mut self) -> Result<Cells, ImportError> {
        let mut cells: Cells = Vec::new();
        let mut cell: Option<Option<String>> = None;
        loop {
            let token = self.tokens.must(true)?;
            let value = match token {
                Token::Sign(sign @ (b',' | b')')) => {
                    let problem = "a row of an INSERT cannot be read";
                    let value = cell.take();
                    cells.push(value.ok_or_else(|| self.tokens.bytes.wrong(problem))?);
                    if sign == b')' {
                        return Ok(cells);
                    }
                    continue;
                }
                Token::Text(bytes) => Some(self.as_text(bytes)?),
                Token::Number(number) => Some(number),
                Token::Word(word) if word.eq_ignore_ascii_case("NULL") => None,
                Token::Word(word) if word.eq_ignore_ascii_case("TRUE") => Some("1".to_owned()),
                Token::Word(word) if word.eq_ignore_ascii_case("FALSE") => Some("0".to_owned()),
                // The character set of the text that follows.
                Token::Word(word) if word.starts_with('_') => continue,
                _ => return Err(self.tokens.bytes.wrong("a value cannot be read")),
            };
            if cell.is_some() {
                return Err(self.tokens.bytes.wrong("two values stand side by side"));
            }
            cell = Some(value);
        }
    }

    fn as_text(&self, bytes: Vec<u8>) -> Result<String, ImportError> {
        String::from_utf8(bytes).map_err(|_| {
            self.tokens
                .bytes
                .wrong("a text is not UTF-8; dump with utf8mb4")
        })
    }

    fn copy(&mut self) -> Result<(), ImportError> {
        let (name, opening) = self.table_name()?;
        if !opening.is_sign(b'(') {
            return Err(self.tokens.bytes.wrong("a COPY does not name its columns"));
        }
        let columns = self.names()?;
        let mut token = self.tokens.must(false)?;
        while !token.is_sign(b';') {
            token = self.tokens.must(false)?;
        }
        self.tokens.bytes.line(0)?;
        self.tables.declare(&name, columns.clone());
        let tables = WANTED.contains(&name.as_str()).then_some(&mut self.tables);
        read_rows(&mut self.tokens.bytes, &name, &columns, tables)
    }
}
