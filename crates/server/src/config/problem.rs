//! What can be wrong with a configuration, one line each: where it was said, which key, and why.

use std::fmt;
use std::path::PathBuf;

/// Where a value was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Nowhere: the built-in default, or a key that is missing.
    Default,
    /// A line of the configuration file.
    File {
        /// The file as it was named on the command line.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A command-line flag.
    Flag(&'static str),
    /// The records: it was changed while the service ran.
    Database,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => formatter.write_str("configuration"),
            Self::File { path, line } => write!(formatter, "{}:{line}", path.display()),
            Self::Environment(name) => write!(formatter, "environment {name}"),
            Self::Flag(name) => write!(formatter, "flag {name}"),
            Self::Database => formatter.write_str("settings"),
        }
    }
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where the value was given.
    pub origin: Origin,
    /// The key with its section, `server.listen`; empty where the whole source is at fault.
    pub key: String,
    /// What is wrong with it.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A line must stay a line, whatever a parser put into its message.
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if self.key.is_empty() {
            write!(formatter, "{}: {text}", self.origin)
        } else {
            write!(formatter, "{}: {}: {text}", self.origin, self.key)
        }
    }
}

/// Everything that is wrong with a configuration; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    /// The first problem, and how many more there are: `modelgate check` prints them all.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.0.first() {
            write!(formatter, "{first}")?;
        }
        match self.0.len() {
            0 | 1 => Ok(()),
            many => write!(formatter, " (and {} more: see `modelgate check`)", many - 1),
        }
    }
}

impl std::error::Error for Problems {}

/// A parser's words for people who do not know the program's types.
pub fn in_plain_words(message: &str) -> String {
    if message == "invalid socket address syntax" {
        return "expected an address and a port like \"127.0.0.1:3000\"".to_owned();
    }
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let expected = match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "i32" | "i64" => "a whole number",
        "a boolean" => "true or false",
        "a string" => "text in quotes",
        "a sequence" => "a list",
        other => other,
    };
    format!("{found}, expected {expected}")
}

/// "; did you mean …?" where one of the known names is close, nothing otherwise.
pub fn suggestion<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let closest = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .max_by(|left, right| left.0.total_cmp(&right.0));
    match closest {
        Some((likeness, name)) if likeness > 0.8 => format!("; did you mean \"{name}\"?"),
        _ => String::new(),
    }
}
