//! Reads the sources of the configuration into flat settings (`section`, `key`, value, origin)
//! and lets later sources win over earlier ones. It knows no section's keys.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::problem::{Origin, Problem};

/// Prefix of the environment variables that are settings.
pub const ENVIRONMENT_PREFIX: &str = "MODELGATE_";

/// One value and where it was given.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The value; text from the environment is not yet in the key's own type.
    pub value: Value,
    /// Where it was given.
    pub origin: Origin,
}

/// One entry of a `[[name]]` list.
pub struct WrittenEntry {
    /// What it says.
    pub table: Table,
    /// Where it says so.
    pub origins: EntryOrigins,
}

/// Where an entry stands, and each of its keys.
pub struct EntryOrigins {
    /// Where it begins.
    pub entry: Origin,
    keys: BTreeMap<String, Origin>,
}

impl EntryOrigins {
    /// Where a key stands; a key that is missing, where the entry begins.
    pub fn of(&self, key: &str) -> Origin {
        // Inside of a value, the key that holds it.
        let key = key.split('.').next().unwrap_or(key);
        self.keys.get(key).unwrap_or(&self.entry).clone()
    }
}

/// All sources merged.
#[derive(Default)]
pub struct Layers {
    /// `(section, key)` → the setting that won.
    pub settings: BTreeMap<(String, String), Setting>,
    /// `[[channels]]`, `[[tokens]]`, `[[prices]]`: only the file can declare them.
    pub declarations: BTreeMap<String, Vec<WrittenEntry>>,
    /// What could not be read at all.
    pub problems: Vec<Problem>,
}

impl Layers {
    /// Adds the settings of a TOML file. `groups` are the names whose tables hold sections
    /// (`payments` holds `payments.stripe`).
    pub fn add_file(&mut self, path: &Path, groups: &[&str]) {
        match std::fs::read_to_string(path) {
            Ok(text) => self.add_text(path, &text, groups),
            Err(error) => self.problems.push(Problem {
                origin: Origin::File {
                    path: path.to_owned(),
                    line: 1,
                },
                key: String::new(),
                text: format!("cannot be read: {error}"),
            }),
        }
    }

    /// Adds the settings of a TOML text that came from `path`.
    pub fn add_text(&mut self, path: &Path, text: &str, groups: &[&str]) {
        let source = Source {
            path: path.to_owned(),
            lines: KeyLines::of(text),
        };
        let table: Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                let error: toml::de::Error = error;
                let offset = error.span().map_or(0, |span| span.start);
                let origin = Origin::File {
                    path: path.to_owned(),
                    line: line_at(text, offset),
                };
                let text = error.message().to_owned();
                self.problems.push(Problem {
                    origin,
                    key: String::new(),
                    text,
                });
                return;
            }
        };
        for (name, value) in table {
            match value {
                Value::Table(table) if groups.contains(&name.as_str()) => {
                    for (part, value) in table {
                        self.add_section(&format!("{name}.{part}"), value, &source);
                    }
                }
                Value::Array(entries) => self.add_declarations(&name, entries, &source),
                other => self.add_section(&name, other, &source),
            }
        }
    }

    fn add_section(&mut self, section: &str, value: Value, source: &Source) {
        let Value::Table(table) = value else {
            let text = "must be inside a [section]".to_owned();
            self.problems.push(Problem {
                origin: source.origin(section),
                key: section.to_owned(),
                text,
            });
            return;
        };
        for (key, value) in table {
            let origin = source.origin(&format!("{section}.{key}"));
            self.settings
                .insert((section.to_owned(), key), Setting { value, origin });
        }
    }

    fn add_declarations(&mut self, name: &str, entries: Vec<Value>, source: &Source) {
        for (index, entry) in entries.into_iter().enumerate() {
            let place = format!("{name}[{index}]");
            let origin = source.origin(&place);
            match entry {
                Value::Table(table) => {
                    let of_key = |key: &String| source.origin(&format!("{place}.{key}"));
                    let keys = table.keys().map(|key| (key.clone(), of_key(key)));
                    let origins = EntryOrigins {
                        entry: origin,
                        keys: keys.collect(),
                    };
                    let entries = self.declarations.entry(name.to_owned()).or_default();
                    entries.push(WrittenEntry { table, origins });
                }
                _ => self.problems.push(Problem {
                    origin,
                    key: name.to_owned(),
                    text: format!("must be written as [[{name}]] entries"),
                }),
            }
        }
    }

    /// Adds the settings of the environment: `MODELGATE_PAYMENTS__STRIPE__SECRET_KEY` is
    /// `secret_key` of `payments.stripe`. Variables without two underscores are not settings,
    /// unless they begin like one: `MODELGATE_DATABASE_URL` is a slip that must not pass unseen.
    pub fn add_environment(&mut self, environment: &BTreeMap<String, String>, sections: &[&str]) {
        for (name, text) in environment {
            let Some(rest) = name.strip_prefix(ENVIRONMENT_PREFIX) else {
                continue;
            };
            let path = rest.to_lowercase();
            if let Some((section, key)) = path.rsplit_once("__") {
                let place = (section.replace("__", "."), key.to_owned());
                let origin = Origin::Environment(name.clone());
                self.settings.insert(
                    place,
                    Setting {
                        value: Value::String(text.clone()),
                        origin,
                    },
                );
            } else if let Some(slip) = sections.iter().find(|section| is_slip(&path, section)) {
                let key = path[slip.len() + 1..].to_uppercase();
                let meant = slip.replace('.', "__").to_uppercase();
                self.problems.push(Problem {
                    origin: Origin::Environment(name.clone()),
                    key: String::new(),
                    text: format!("two underscores stand between section and key: {ENVIRONMENT_PREFIX}{meant}__{key}"),
                });
            }
        }
    }

    /// Adds one command-line flag.
    pub fn add_flag(&mut self, flag: &'static str, section: &str, key: &str, value: &str) {
        let setting = Setting {
            value: Value::String(value.to_owned()),
            origin: Origin::Flag(flag),
        };
        self.settings
            .insert((section.to_owned(), key.to_owned()), setting);
    }
}

fn is_slip(path: &str, section: &str) -> bool {
    let rest = path.strip_prefix(&section.replace('.', "_"));
    rest.is_some_and(|rest| rest.len() > 1 && rest.starts_with('_'))
}

struct Source {
    path: PathBuf,
    lines: KeyLines,
}

impl Source {
    fn origin(&self, key: &str) -> Origin {
        Origin::File {
            path: self.path.clone(),
            line: self.lines.line_of(key),
        }
    }
}

/// On which line of a TOML text each key stands.
struct KeyLines(BTreeMap<String, usize>);

impl KeyLines {
    fn of(text: &str) -> Self {
        let mut lines = BTreeMap::new();
        if let Ok(table) = toml::de::DeTable::parse(text) {
            Self::walk("", table.get_ref(), text, &mut lines);
        }
        Self(lines)
    }

    fn walk(
        prefix: &str,
        table: &toml::de::DeTable<'_>,
        text: &str,
        lines: &mut BTreeMap<String, usize>,
    ) {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            lines.insert(key.clone(), line_at(text, name.span().start));
            match value.get_ref() {
                toml::de::DeValue::Table(inner) => {
                    Self::walk(&format!("{key}."), inner, text, lines);
                }
                toml::de::DeValue::Array(entries) => {
                    for (index, entry) in entries.iter().enumerate() {
                        let place = format!("{key}[{index}]");
                        lines.insert(place.clone(), line_at(text, entry.span().start));
                        if let toml::de::DeValue::Table(inner) = entry.get_ref() {
                            Self::walk(&format!("{place}."), inner, text, lines);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn line_of(&self, key: &str) -> usize {
        self.0.get(key).copied().unwrap_or(1)
    }
}

fn line_at(text: &str, offset: usize) -> usize {
    text.bytes()
        .take(offset)
        .filter(|byte| *byte == b'\n')
        .count()
        + 1
}
