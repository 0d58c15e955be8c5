//! Turns merged layers into typed sections, collecting every problem instead of stopping at the
//! first. Each key is read on its own, so that a message can name the line that is at fault.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::DeserializeOwned;
use toml::{Table, Value};

use super::field_names::field_names;
use super::layers::{EntryOrigins, Layers, Setting};
use super::problem::{Origin, Problem, in_plain_words, suggestion};

/// One `[section]` of the configuration.
pub trait Section: DeserializeOwned + Default {
    /// Its name in the file.
    const NAME: &'static str;

    /// Keys whose change takes effect only after a restart; the others change on reload.
    const NEEDS_RESTART: &'static [&'static str];

    /// Keys that change live, but only on the machine: they guard the service's surroundings, and
    /// nobody who gets hold of a login may open them.
    const ON_THE_MACHINE: &'static [&'static str] = &[];

    /// Says what is wrong with values that are well-formed by themselves: `(key, text)`.
    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String));
}

/// One entry of a `[[list]]` of the file.
pub trait Declaration: DeserializeOwned {
    /// The list's name in the file.
    const LIST: &'static str;

    /// Resolves what refers to the environment and says what is wrong: `(key, text)`.
    fn resolve(
        &mut self,
        environment: &BTreeMap<String, String>,
        refuse: &mut dyn FnMut(&'static str, String),
    );

    /// What must be unique in the list: the name of the key and its value.
    fn identity(&self) -> (&'static str, &str);
}

/// The settings that were given explicitly, by section and key. They may hold secrets, so they
/// have a `Debug` that shows none.
#[derive(Clone, Default)]
pub struct Given(pub(super) BTreeMap<(&'static str, String), Setting>);

impl fmt::Debug for Given {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// Reads sections out of layers.
pub struct Loader<'a> {
    layers: Layers,
    environment: &'a BTreeMap<String, String>,
    sections: Vec<&'static str>,
    lists: Vec<&'static str>,
    given: Given,
}

impl<'a> Loader<'a> {
    /// Starts reading.
    pub fn new(layers: Layers, environment: &'a BTreeMap<String, String>) -> Self {
        Self {
            layers,
            environment,
            sections: Vec::new(),
            lists: Vec::new(),
            given: Given::default(),
        }
    }

    /// Hands over what was given explicitly in the sections read so far.
    pub fn take_given(&mut self) -> Given {
        std::mem::take(&mut self.given)
    }

    /// Reads one section; where something is wrong with it, the problem is noted and the
    /// section's default stands in.
    pub fn section<S: Section>(&mut self) -> S {
        self.sections.push(S::NAME);
        let mut table = Table::new();
        let mut origins = BTreeMap::new();
        for (key, setting) in self.take(S::NAME) {
            if let Some(value) = self.read_key::<S>(&key, &setting) {
                table.insert(key.clone(), value.clone());
                origins.insert(key.clone(), setting.origin.clone());
                let setting = Setting {
                    value,
                    origin: setting.origin,
                };
                self.given.0.insert((S::NAME, key), setting);
            }
        }
        // Every key was read on its own before, so only a missing required key could fail here,
        // and sections have none.
        let section = S::deserialize(Value::Table(table)).unwrap_or_default();
        let problems = &mut self.layers.problems;
        section.validate(&mut |key, text| {
            let origin = origins.get(key).cloned().unwrap_or(Origin::Default);
            problems.push(Problem {
                origin,
                key: format!("{}.{key}", S::NAME),
                text,
            });
        });
        section
    }

    fn take(&mut self, section: &str) -> BTreeMap<String, Setting> {
        let settings = std::mem::take(&mut self.layers.settings);
        let (taken, rest): (BTreeMap<_, _>, _) = settings
            .into_iter()
            .partition(|((name, _), _)| name == section);
        self.layers.settings = rest;
        taken
            .into_iter()
            .map(|((_, key), setting)| (key, setting))
            .collect()
    }

    fn read_key<S: Section>(&mut self, key: &str, setting: &Setting) -> Option<Value> {
        let known = field_names::<S>();
        let mut refuse = |text: String| {
            let key = format!("{}.{key}", S::NAME);
            self.layers.problems.push(Problem {
                origin: setting.origin.clone(),
                key,
                text,
            });
        };
        if !known.contains(&key) {
            refuse(format!(
                "unknown key{}",
                suggestion(key, known.iter().copied())
            ));
            return None;
        }
        let mut first_error = None;
        for value in readings(setting) {
            match S::deserialize(Value::Table(Table::from_iter([(
                key.to_owned(),
                value.clone(),
            )]))) {
                Ok(_) => return Some(value),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        if let Some(error) = first_error {
            refuse(in_plain_words(error.message()));
        }
        None
    }

    /// Reads the entries of one list.
    pub fn declarations<D: Declaration>(&mut self) -> Vec<D> {
        self.lists.push(D::LIST);
        let entries = self.layers.declarations.remove(D::LIST).unwrap_or_default();
        let mut read: Vec<D> = Vec::with_capacity(entries.len());
        for (index, written) in entries.into_iter().enumerate() {
            let place = format!("{}[{index}]", D::LIST);
            let origins = written.origins;
            let Some(entry) = self.declaration::<D>(written.table, &origins, &place) else {
                continue;
            };
            let (key, value) = entry.identity();
            if read.iter().any(|other| other.identity().1 == value) {
                let text = format!("\"{value}\" is declared twice");
                self.layers.problems.push(Problem {
                    origin: origins.of(key),
                    key: format!("{place}.{key}"),
                    text,
                });
            }
            read.push(entry);
        }
        read
    }

    /// Refuses entries of one list that are called as entries of another are.
    pub fn refuse_shared_names<A: Declaration, B: Declaration>(
        &mut self,
        ones: &[A],
        others: &[B],
    ) {
        for other in others {
            let (key, name) = other.identity();
            if ones.iter().any(|one| one.identity().1 == name) {
                self.layers.problems.push(Problem {
                    origin: Origin::Default,
                    key: format!("{}.{key}", B::LIST),
                    text: format!("\"{name}\" is declared in [[{}]], too", A::LIST),
                });
            }
        }
    }

    fn declaration<D: Declaration>(
        &mut self,
        table: Table,
        origins: &EntryOrigins,
        place: &str,
    ) -> Option<D> {
        let problems = &mut self.layers.problems;
        let mut refuse = |key: &str, text: String| {
            problems.push(Problem {
                origin: origins.of(key),
                key: format!("{place}.{key}"),
                text,
            });
        };
        let known = field_names::<D>();
        let unknown: Vec<&String> = table
            .keys()
            .filter(|key| !known.contains(&key.as_str()))
            .collect();
        for key in &unknown {
            refuse(
                key,
                format!("unknown key{}", suggestion(key, known.iter().copied())),
            );
        }
        if !unknown.is_empty() {
            return None;
        }
        match D::deserialize(Value::Table(table)) {
            Ok(mut entry) => {
                entry.resolve(self.environment, &mut |key, text| refuse(key, text));
                Some(entry)
            }
            Err(error) => {
                let text = in_plain_words(error.message());
                match key_of(&error) {
                    Some(key) => refuse(&key, text),
                    None => problems.push(Problem {
                        origin: origins.entry.clone(),
                        key: place.to_owned(),
                        text,
                    }),
                }
                None
            }
        }
    }

    /// Notes whatever no section has asked for, and hands over all problems, in reading order.
    pub fn finish(mut self) -> Vec<Problem> {
        for ((section, key), setting) in &self.layers.settings {
            let text = if self.lists.contains(&section.as_str()) {
                format!("[[{section}]] entries can only be declared in the file")
            } else {
                let known = self.sections.iter().chain(&self.lists).copied();
                format!("unknown section [{section}]{}", suggestion(section, known))
            };
            let key = format!("{section}.{key}");
            self.layers.problems.push(Problem {
                origin: setting.origin.clone(),
                key,
                text,
            });
        }
        for (list, entries) in &self.layers.declarations {
            let origin = entries
                .first()
                .map_or(Origin::Default, |first| first.origins.entry.clone());
            let text = format!(
                "unknown list [[{list}]]{}",
                suggestion(list, self.lists.iter().copied())
            );
            self.layers.problems.push(Problem {
                origin,
                key: list.clone(),
                text,
            });
        }
        self.layers
            .problems
            .sort_by_key(|problem| match &problem.origin {
                Origin::File { line, .. } => *line,
                _ => usize::MAX,
            });
        self.layers.problems
    }
}

/// Which key of an entry an error is about: the parser says so behind its message, and nowhere else.
fn key_of(error: &toml::de::Error) -> Option<String> {
    let text = error.to_string();
    let (_, rest) = text.rsplit_once("in `")?;
    Some(rest.split_once('`')?.0.to_owned())
}

/// What a setting may mean. A value of the file is what it is; a text of the environment or of
/// a flag is tried as text, as a TOML value, and as a list separated by commas.
fn readings(setting: &Setting) -> Vec<Value> {
    let Value::String(text) = &setting.value else {
        return vec![setting.value.clone()];
    };
    let mut readings = vec![setting.value.clone()];
    if matches!(setting.origin, Origin::Environment(_) | Origin::Flag(_)) {
        readings.extend(
            format!("value = {text}")
                .parse::<Table>()
                .ok()
                .and_then(|mut table| table.remove("value")),
        );
        let parts = text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        readings.push(Value::Array(
            parts.map(|part| Value::String(part.to_owned())).collect(),
        ));
    }
    readings
}
