//! Lists of incidents, the newest first.

use sea_orm::ConnectionTrait;

use super::incident::{Incident, Severity};
use crate::conditions::Conditions;
use crate::cursor::{Cursor, CursorPage};
use crate::error::Result;
use crate::ids::ChannelId;
use crate::sql;

/// Most incidents a page.
const MAX_PAGE: u32 = 200;

/// Which incidents; what is `None` does not matter.
#[derive(Clone, Debug, Default)]
pub struct IncidentFilter {
    /// Open ones, or closed ones.
    pub is_open: Option<bool>,
    /// Of this rule.
    pub rule: Option<String>,
    /// This bad.
    pub severity: Option<Severity>,
    /// About this channel.
    pub channel_id: Option<ChannelId>,
    /// About this model.
    pub model: Option<String>,
    /// That began then or later.
    pub from_ms: Option<i64>,
    /// That began before then.
    pub until_ms: Option<i64>,
}

/// The incidents after `cursor` that match, newest first, at most `limit` (200).
pub async fn page(
    connection: &impl ConnectionTrait,
    filter: &IncidentFilter,
    cursor: Option<&Cursor>,
    limit: u32,
) -> Result<CursorPage<Incident>> {
    let mut conditions = Conditions::default();
    match filter.is_open {
        Some(true) => conditions.add_plain("open_key IS NOT NULL"),
        Some(false) => conditions.add_plain("open_key IS NULL"),
        None => {}
    }
    conditions.add_some("rule = {}", filter.rule.clone());
    conditions.add_some("severity = {}", filter.severity);
    conditions.add_some("channel_id = {}", filter.channel_id);
    conditions.add_some("model = {}", filter.model.clone());
    conditions.add_some("opened_at >= {}", filter.from_ms);
    conditions.add_some("opened_at < {}", filter.until_ms);
    if let Some(Cursor { created_at, tie }) = cursor {
        let id = tie.parse::<i64>().unwrap_or(i64::MAX);
        conditions.before("opened_at, id", *created_at, id);
    }
    let limit = limit.clamp(1, MAX_PAGE) as usize;
    let text = format!(
        "SELECT * FROM incidents WHERE {} ORDER BY opened_at DESC, id DESC LIMIT {}",
        conditions.sql(),
        limit + 1
    );
    let items: Vec<Incident> = sql::all(connection, &text, conditions.values()).await?;
    Ok(CursorPage::cut(items, limit, |incident| {
        Cursor::new(incident.opened_at, incident.id.to_string())
    }))
}

/// How many are open.
pub async fn open_count(connection: &impl ConnectionTrait) -> Result<i64> {
    let text = "SELECT count(*) FROM incidents WHERE open_key IS NOT NULL";
    Ok(sql::value(connection, text, []).await?.unwrap_or(0))
}
