//! Opening incidents: once for a cause, on whichever node sees it first; the others only say that
//! they see it too.

use serde_json::Value as Json;

use super::incident::{Incident, Severity};
use crate::database::Transaction;
use crate::document::Document;
use crate::error::Result;
use crate::ids::ChannelId;
use crate::sql;

/// What a node sees.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Which rule found it.
    pub rule: &'static str,
    /// What it is about.
    pub cause: String,
    /// How bad it is.
    pub severity: Severity,
    /// A headline.
    pub title: String,
    /// What is known of it.
    pub summary: String,
    /// The channel that it is about.
    pub channel_id: Option<ChannelId>,
    /// The model that it is about.
    pub model: Option<String>,
    /// What the rule measured.
    pub facts: Json,
    /// Since when, in unix milliseconds.
    pub since: i64,
}

impl Sighting {
    fn key(&self) -> String {
        format!("{}/{}", self.rule, self.cause)
    }
}

/// Says that the open incident of this cause is still seen, and what is known now; false where there
/// is none.
pub async fn see(transaction: &Transaction, seen: &Sighting, now: i64) -> Result<bool> {
    let text = "UPDATE incidents SET last_seen_at = $2, summary = $3, facts = $4, severity = $5 \
                WHERE open_key = $1";
    let values = [
        seen.key().into(),
        now.into(),
        seen.summary.as_str().into(),
        Document(&seen.facts).into(),
        seen.severity.into(),
    ];
    Ok(sql::execute(transaction, text, values).await? > 0)
}

/// Opens an incident. None where the cause has an open one, or where a person closed one of it after
/// `quiet_since`: whoever did that knows.
pub async fn open(
    transaction: &Transaction,
    seen: &Sighting,
    node: &str,
    quiet_since: i64,
    now: i64,
) -> Result<Option<Incident>> {
    let text = "INSERT INTO incidents (rule, cause, open_key, severity, title, summary, channel_id, \
                model, facts, node_id, opened_at, last_seen_at) \
                SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 \
                WHERE NOT EXISTS (SELECT 1 FROM incidents WHERE rule = $1 AND cause = $2 \
                AND closed_by IS NOT NULL AND closed_at > $13) \
                ON CONFLICT (open_key) DO NOTHING RETURNING *";
    let values = [
        seen.rule.into(),
        seen.cause.as_str().into(),
        seen.key().into(),
        seen.severity.into(),
        seen.title.as_str().into(),
        seen.summary.as_str().into(),
        seen.channel_id.into(),
        seen.model.clone().into(),
        Document(&seen.facts).into(),
        node.into(),
        seen.since.into(),
        now.into(),
        quiet_since.into(),
    ];
    sql::one(transaction, text, values).await
}
