//! Recorded vendor traffic. It is not part of the repository: tests over it run where the folder is
//! there (`MODELGATE_TRAFFIC`, or beside the checkout) and say so where it is not.

use std::path::{Path, PathBuf};

use dialects::DialectId;
use serde_json::Value;

/// The recorded traffic.
pub struct Traffic {
    folder: PathBuf,
    /// The names of all cases, sorted.
    pub cases: Vec<String>,
}

impl Traffic {
    /// The traffic, where there is any.
    pub fn open() -> Option<Self> {
        let beside = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/vendor-traffic"
        );
        let folder =
            std::env::var_os("MODELGATE_TRAFFIC").map_or_else(|| beside.into(), PathBuf::from);
        let Ok(entries) = std::fs::read_dir(&folder) else {
            eprintln!("left out: no recorded traffic in {}", folder.display());
            return None;
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut cases: Vec<String> = names
            .filter_map(|name| name.into_string().ok())
            .filter(|name| folder.join(name).is_dir())
            .collect();
        cases.sort();
        Some(Self { folder, cases })
    }

    /// One recorded body.
    pub fn load(&self, case: &str, dialect: DialectId, name: &str) -> Option<Value> {
        let file = Path::new(case)
            .join(folder_of(dialect)?)
            .join(format!("{name}.json"));
        let text = std::fs::read(self.folder.join(file)).ok()?;
        Some(serde_json::from_slice(&text).expect("recorded traffic is JSON"))
    }

    /// Every recorded body of this dialect under one of these names, with a title.
    pub fn all(&self, dialect: DialectId, names: &[&str]) -> Vec<(String, Value)> {
        let mut found = Vec::new();
        for case in &self.cases {
            for name in names {
                if let Some(body) = self.load(case, dialect, name) {
                    found.push((format!("{case}/{}/{name}", dialect.name()), body));
                }
            }
        }
        found
    }
}

fn folder_of(dialect: DialectId) -> Option<&'static str> {
    match dialect {
        DialectId::ChatCompletions => Some("chat-completions"),
        DialectId::Messages => Some("anthropic"),
        DialectId::GenerateContent => Some("google"),
        DialectId::Responses => Some("responses"),
        DialectId::TextCompletions => None,
    }
}
