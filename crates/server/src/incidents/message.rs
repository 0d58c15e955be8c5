//! What people and their programs are told of an incident: JSON for webhooks, text for mail.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use store::incidents::{Incident, Sighting};

/// The document that is posted.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Message {
    /// `opened`, `closed` or `test`.
    event: &'static str,
    incident: Told,
}

#[derive(Clone, Debug, Serialize)]
struct Told {
    /// None where it could not be written down yet.
    id: Option<i64>,
    rule: String,
    severity: &'static str,
    title: String,
    summary: String,
    channel_id: Option<i64>,
    model: Option<String>,
    node: String,
    opened_at: String,
    closed_at: Option<String>,
    facts: Value,
}

impl Message {
    /// What is told of an incident.
    pub(super) fn of(event: &'static str, incident: &Incident) -> Self {
        Self {
            event,
            incident: Told {
                id: Some(incident.id.0),
                rule: incident.rule.clone(),
                severity: incident.severity.name(),
                title: incident.title.clone(),
                summary: incident.summary.clone(),
                channel_id: incident.channel_id.map(|id| id.0),
                model: incident.model.clone(),
                node: incident.node_id.clone(),
                opened_at: time(incident.opened_at),
                closed_at: incident.closed_at.map(time),
                facts: incident.facts.0.clone(),
            },
        }
    }

    /// What is told of something that is not written down.
    pub(super) fn of_sighting(event: &'static str, seen: &Sighting, node: &str) -> Self {
        Self {
            event,
            incident: Told {
                id: None,
                rule: seen.rule.to_owned(),
                severity: seen.severity.name(),
                title: seen.title.clone(),
                summary: seen.summary.clone(),
                channel_id: seen.channel_id.map(|id| id.0),
                model: seen.model.clone(),
                node: node.to_owned(),
                opened_at: time(seen.since),
                closed_at: None,
                facts: seen.facts.clone(),
            },
        }
    }

    /// As JSON.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("it has string keys and no failing serializer")
    }

    /// The subject of a mail.
    pub(super) fn subject(&self, service: &str) -> String {
        let title = &self.incident.title;
        let word = match self.event {
            "closed" => "over",
            "test" => "test",
            _ => self.incident.severity,
        };
        format!("[{service}] {word}: {title}")
    }

    /// The text of a mail.
    pub(super) fn text(&self, public_url: Option<&str>) -> String {
        let incident = &self.incident;
        let over = incident.closed_at.as_ref();
        let over = over.map_or_else(String::new, |at| format!("Over: {at}\n"));
        let link = public_url.zip(incident.id).map(|(url, id)| {
            let url = url.trim_end_matches('/');
            format!("\n{url}/console/incidents/{id}\n")
        });
        format!(
            "{}\n\n{}\n\nBegan: {}\n{over}Rule: {}\nNode: {}\n{}",
            incident.title,
            incident.summary,
            incident.opened_at,
            incident.rule,
            incident.node,
            link.unwrap_or_default(),
        )
    }
}

fn time(ms: i64) -> String {
    Timestamp::from_millisecond(ms).map_or_else(|_| String::new(), |time| time.to_string())
}
