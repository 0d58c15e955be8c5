//! What a rule finds in one look.

use serde_json::Value;
use store::ChannelId;
use store::incidents::{Severity, Sighting};

use super::rule::Rule;

/// Something that is wrong now.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    pub(super) rule: Rule,
    /// What it is about; with the rule, what tells causes apart.
    pub(super) cause: String,
    pub(super) severity: Severity,
    pub(super) title: String,
    pub(super) summary: String,
    pub(super) channel_id: Option<ChannelId>,
    pub(super) model: Option<String>,
    pub(super) facts: Value,
}

impl Finding {
    /// A finding about the service as a whole.
    pub(super) fn of_service(
        rule: Rule,
        severity: Severity,
        (title, summary): (impl Into<String>, impl Into<String>),
        facts: Value,
    ) -> Self {
        Self {
            rule,
            cause: "service".to_owned(),
            severity,
            title: title.into(),
            summary: summary.into(),
            channel_id: None,
            model: None,
            facts,
        }
    }

    /// The same about something of it.
    pub(super) fn about(mut self, cause: String) -> Self {
        self.cause = cause;
        self
    }

    /// The same for the records: it has been so since then.
    pub(super) fn seen_since(self, since: i64) -> Sighting {
        Sighting {
            rule: self.rule.name(),
            cause: self.cause,
            severity: self.severity,
            title: self.title,
            summary: self.summary,
            channel_id: self.channel_id,
            model: self.model,
            facts: self.facts,
            since,
        }
    }
}
