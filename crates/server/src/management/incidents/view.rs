//! Incidents as the interface shows them.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::incidents::{EventKind, Incident, TimelineEvent, timeline};
use store::names::{Named, names};

use super::affected::{AffectedView, affected};
use super::causes::{CauseView, causes};
use crate::app::App;
use crate::incidents::{EventNote, Rule};
use crate::management::frame::{ApiError, Moment};

/// Nodes look every few seconds: what none of them saw for so long is not there any more.
const SEEN_FOR_MS: i64 = 20_000;

/// An incident.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Incident")]
pub struct IncidentView {
    /// The incident's id.
    id: i64,
    /// The rule that found it.
    #[schemars(with = "Rule")]
    rule: String,
    /// `warning` (the service copes) or `critical` (clients notice).
    severity: &'static str,
    /// `open` or `closed`.
    state: &'static str,
    /// A headline, in English: clients that speak another language say it by `rule` and `facts`.
    title: String,
    /// What is known of it, in English.
    summary: String,
    /// The channel that it is about.
    channel_id: Option<i64>,
    /// That channel's name, while it exists.
    channel: Option<String>,
    /// The model that it is about.
    model: Option<String>,
    /// What the rule measured; depends on the rule.
    facts: Value,
    /// The node that saw it first.
    node: String,
    /// When it began.
    opened_at: Moment,
    /// When a node last saw it.
    last_seen_at: Moment,
    /// Whether some node still sees it. An open one that nobody sees is closed after
    /// `incidents.recovery_s`.
    is_seen: bool,
    /// When it was over.
    closed_at: Option<Moment>,
    /// Who closed it; `null` where it went away by itself.
    closed_by: Option<String>,
    /// When somebody said to look after it.
    acknowledged_at: Option<Moment>,
    /// Who did.
    acknowledged_by: Option<String>,
}

/// An incident and all about it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentDetail")]
pub struct IncidentDetail {
    /// The incident.
    incident: IncidentView,
    /// What happened, in order.
    timeline: Vec<EventView>,
    /// What it touches.
    affected: AffectedView,
    /// What upstreams said, from the newest calls of its time.
    causes: Vec<CauseView>,
}

/// An entry of a timeline.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "IncidentEvent")]
pub struct EventView {
    /// The entry's id.
    id: i64,
    /// When.
    at: Moment,
    /// What happened.
    #[schemars(extend("enum" = EventKind::names()))]
    kind: &'static str,
    /// Who did it; `null` for the service itself.
    actor_id: Option<i64>,
    /// The name of who.
    actor: Option<String>,
    /// What there is to say about it, in English where the gateway says it.
    message: String,
    /// The same for clients that say it in another language; `null` where a person wrote it.
    #[schemars(with = "Option<EventNote>")]
    note: Option<Value>,
}

/// Names that views need.
struct Known {
    users: HashMap<i64, String>,
    channels: HashMap<i64, String>,
    now: i64,
}

impl IncidentView {
    fn of(incident: Incident, known: &Known) -> Self {
        let user = |id: Option<store::UserId>| id.and_then(|id| known.users.get(&id.0).cloned());
        let channel_id = incident.channel_id.map(|id| id.0);
        Self {
            id: incident.id.0,
            rule: incident.rule,
            severity: incident.severity.name(),
            state: if incident.open_key.is_some() {
                "open"
            } else {
                "closed"
            },
            title: incident.title,
            summary: incident.summary,
            channel_id,
            channel: channel_id.and_then(|id| known.channels.get(&id).cloned()),
            model: incident.model,
            facts: incident.facts.0,
            node: incident.node_id,
            opened_at: Moment(incident.opened_at),
            last_seen_at: Moment(incident.last_seen_at),
            is_seen: incident.open_key.is_some() && known.now - incident.last_seen_at < SEEN_FOR_MS,
            closed_at: incident.closed_at.map(Moment),
            closed_by: user(incident.closed_by),
            acknowledged_at: incident.acknowledged_at.map(Moment),
            acknowledged_by: user(incident.acknowledged_by),
        }
    }
}

/// Incidents as they are shown.
pub(super) async fn shown(
    app: &App,
    incidents: &[Incident],
) -> Result<impl Fn(Incident) -> IncidentView + use<>, ApiError> {
    let people = incidents
        .iter()
        .flat_map(|one| [one.closed_by, one.acknowledged_by]);
    let people: Vec<i64> = people.flatten().map(|id| id.0).collect();
    let channels = incidents.iter().filter_map(|one| one.channel_id);
    let records = app.store().read();
    let known = Known {
        users: names(records, Named::Users, people).await?,
        channels: names(records, Named::Channels, channels.map(|id| id.0)).await?,
        now: app.clock().now_ms(),
    };
    Ok(move |incident| IncidentView::of(incident, &known))
}

/// An incident and all about it.
pub(super) async fn detail(app: &App, incident: Incident) -> Result<IncidentDetail, ApiError> {
    let records = app.store().read();
    let events = timeline(records, incident.id).await?;
    let actors = events.iter().filter_map(|event| event.actor_id);
    let actors = names(records, Named::Users, actors.map(|id| id.0)).await?;
    let show = |event: TimelineEvent| EventView {
        id: event.id,
        at: Moment(event.created_at),
        kind: event.kind.name(),
        actor_id: event.actor_id.map(|id| id.0),
        actor: event.actor_id.and_then(|id| actors.get(&id.0).cloned()),
        message: event.message,
        note: event.note.and_then(|text| serde_json::from_str(&text).ok()),
    };
    let affected = affected(app, &incident).await?;
    let causes = causes(app, &incident).await?;
    let view = shown(app, std::slice::from_ref(&incident)).await?;
    Ok(IncidentDetail {
        incident: view(incident),
        timeline: events.into_iter().map(show).collect(),
        affected,
        causes,
    })
}
