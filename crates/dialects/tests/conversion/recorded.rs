//! Recorded vendor traffic by dialect, where it is at hand.

use dialects::DialectId;
use serde_json::Value;
use testkit::RecordedTraffic;

/// The recorded traffic.
pub struct Traffic(RecordedTraffic);

impl Traffic {
    /// The traffic, where there is any.
    pub fn open() -> Option<Self> {
        RecordedTraffic::open().map(Self)
    }

    /// The names of all cases, sorted.
    pub fn cases(&self) -> &[String] {
        self.0.cases()
    }

    /// One recorded body.
    pub fn load(&self, case: &str, dialect: DialectId, name: &str) -> Option<Value> {
        self.0.body(case, folder_of(dialect)?, name)
    }

    /// Every recorded body of this dialect under one of these names, with a title.
    pub fn all(&self, dialect: DialectId, names: &[&str]) -> Vec<(String, Value)> {
        folder_of(dialect)
            .map(|folder| self.0.bodies(folder, names))
            .unwrap_or_default()
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
