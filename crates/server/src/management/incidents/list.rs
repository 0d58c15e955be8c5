//! Reading incidents.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::incidents::{self, IncidentFilter, Severity};
use store::{ChannelId, IncidentId};

use super::view::{IncidentDetail, IncidentView, detail, shown};
use crate::app::App;
use crate::management::frame::{ApiError, At, CursorList, CursorQuery, Moment, Reply, Search};

/// Which incidents.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct IncidentSearch {
    /// `open` or `closed`.
    state: Option<String>,
    /// Of exactly this rule.
    rule: Option<String>,
    /// `warning` or `critical`.
    severity: Option<String>,
    /// About this channel.
    channel_id: Option<i64>,
    /// About exactly this model.
    model: Option<String>,
    /// That began then or later.
    from: Option<Moment>,
    /// That began before then.
    to: Option<Moment>,
}

impl IncidentSearch {
    fn filter(self) -> Result<IncidentFilter, ApiError> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let is_open = match given(self.state).as_deref() {
            None => None,
            Some("open") => Some(true),
            Some("closed") => Some(false),
            Some(_) => return Err(ApiError::bad_field("state", "must be open or closed")),
        };
        let severity = match given(self.severity).as_deref() {
            None => None,
            Some("warning") => Some(Severity::Warning),
            Some("critical") => Some(Severity::Critical),
            Some(_) => {
                let text = "must be warning or critical";
                return Err(ApiError::bad_field("severity", text));
            }
        };
        Ok(IncidentFilter {
            is_open,
            rule: given(self.rule),
            severity,
            channel_id: self.channel_id.map(ChannelId),
            model: given(self.model),
            from_ms: self.from.map(|time| time.0),
            until_ms: self.to.map(|time| time.0),
        })
    }
}

/// Lists incidents.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(place): Search<CursorQuery>,
    Search(search): Search<IncidentSearch>,
) -> Result<Reply<CursorList<IncidentView>>, ApiError> {
    let (cursor, limit) = place.bounds()?;
    let filter = search.filter()?;
    let page = incidents::page(app.store().read(), &filter, cursor.as_ref(), limit).await?;
    let show = shown(&app, &page.items).await?;
    Ok(Reply::of(CursorList::of(page, show)))
}

/// Reads one incident.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    At(id): At<i64>,
) -> Result<Reply<IncidentDetail>, ApiError> {
    let incident = incidents::get(app.store().read(), IncidentId(id)).await?;
    let incident = incident.ok_or_else(|| ApiError::not_found("The incident"))?;
    Ok(Reply::of(detail(&app, incident).await?))
}
