//! The record of an incident.

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EnumIter, FromQueryResult};
use serde_json::Value as Json;

use crate::document::Document;
use crate::error::Result;
use crate::ids::{ChannelId, IncidentId, UserId};
use crate::sql;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum Severity {
    /// The service copes.
    #[sea_orm(string_value = "warning")]
    Warning,
    /// Clients notice.
    #[sea_orm(string_value = "critical")]
    Critical,
}

impl Severity {
    /// Its name in the records and on the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

/// An incident as stored.
#[derive(Clone, Debug, PartialEq, FromQueryResult)]
pub struct Incident {
    /// The incident's id.
    pub id: IncidentId,
    /// Which rule found it.
    pub rule: String,
    /// What it is about, for example `channel:7`.
    pub cause: String,
    /// Rule and cause while it is open.
    pub open_key: Option<String>,
    /// How bad it is.
    pub severity: Severity,
    /// Its headline.
    pub title: String,
    /// What is known of it, in a sentence or two.
    pub summary: String,
    /// The channel that it is about.
    pub channel_id: Option<ChannelId>,
    /// The model that it is about.
    pub model: Option<String>,
    /// What the rule measured.
    pub facts: Document<Json>,
    /// The node that saw it first.
    pub node_id: String,
    /// When it began.
    pub opened_at: i64,
    /// When a node last saw it.
    pub last_seen_at: i64,
    /// When it was over.
    pub closed_at: Option<i64>,
    /// Who closed it; none where it went away by itself.
    pub closed_by: Option<UserId>,
    /// When somebody said to look after it.
    pub acknowledged_at: Option<i64>,
    /// Who did.
    pub acknowledged_by: Option<UserId>,
}

/// The incident of this id.
pub async fn get(connection: &impl ConnectionTrait, id: IncidentId) -> Result<Option<Incident>> {
    sql::one(
        connection,
        "SELECT * FROM incidents WHERE id = $1",
        [id.into()],
    )
    .await
}
