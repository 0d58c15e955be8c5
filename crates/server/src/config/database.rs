//! `[database]`: where the records are.

use serde::Deserialize;

use super::loader::Section;
use super::secret::Secret;

/// The `[database]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DatabaseConfig {
    /// `postgres://…` or `sqlite://…`; absent: SQLite in the data folder.
    pub url: Option<Secret>,
    /// Most connections to keep open to PostgreSQL.
    pub connections: u32,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self {
            url: None,
            connections: 16,
        }
    }
}

impl Section for DatabaseConfig {
    const NAME: &'static str = "database";
    const NEEDS_RESTART: &'static [&'static str] = &["url", "connections"];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        if let Some(url) = &self.url {
            let schemes = ["postgres://", "postgresql://", "sqlite:"];
            if !schemes
                .iter()
                .any(|scheme| url.expose().starts_with(scheme))
            {
                refuse("url", "must begin with postgres:// or sqlite://".to_owned());
            }
        }
        if !(1..=1000).contains(&self.connections) {
            refuse("connections", "must be between 1 and 1000".to_owned());
        }
    }
}
