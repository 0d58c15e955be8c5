//! What happened in an incident, in order: what the service noticed and did, what people did and
//! wrote.

use sea_orm::{ConnectionTrait, DeriveActiveEnum, EnumIter, FromQueryResult, Iterable as _};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{ChannelId, IncidentId, UserId};
use crate::sql;
use crate::told::Told;

/// Most entries of one timeline that are read.
const MOST: u32 = 500;
/// What the service does by itself is left out beyond so many entries: people's come first.
const MOST_ACTS: u32 = 300;
/// Nodes do the same at nearly the same time; within this long it is one entry.
const SAME_MS: i64 = 60_000;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, DeriveActiveEnum)]
#[sea_orm(rs_type = "String", db_type = "Text")]
pub enum EventKind {
    /// A rule found it.
    #[sea_orm(string_value = "opened")]
    Opened,
    /// Somebody was told.
    #[sea_orm(string_value = "notified")]
    Notified,
    /// Somebody could not be told.
    #[sea_orm(string_value = "notify_failed")]
    NotifyFailed,
    /// Somebody looks after it.
    #[sea_orm(string_value = "acknowledged")]
    Acknowledged,
    /// Somebody wrote something.
    #[sea_orm(string_value = "note")]
    Note,
    /// Its channel takes no new calls.
    #[sea_orm(string_value = "drained")]
    Drained,
    /// Its channel was switched off.
    #[sea_orm(string_value = "stopped")]
    Stopped,
    /// Its channel was switched on.
    #[sea_orm(string_value = "resumed")]
    Resumed,
    /// Its channel and another have each other's priority now.
    #[sea_orm(string_value = "reordered")]
    Reordered,
    /// Calls may try more upstreams.
    #[sea_orm(string_value = "attempts_raised")]
    AttemptsRaised,
    /// The service has paused its channel, or a key of it, by itself.
    #[sea_orm(string_value = "paused")]
    Paused,
    /// Such a pause is over.
    #[sea_orm(string_value = "unpaused")]
    Unpaused,
    /// It went away.
    #[sea_orm(string_value = "recovered")]
    Recovered,
    /// Somebody closed it.
    #[sea_orm(string_value = "resolved")]
    Resolved,
}

impl EventKind {
    /// The names of all kinds.
    pub fn names() -> Vec<&'static str> {
        Self::iter().map(Self::name).collect()
    }

    /// Its name in the records and on the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Notified => "notified",
            Self::NotifyFailed => "notify_failed",
            Self::Acknowledged => "acknowledged",
            Self::Note => "note",
            Self::Drained => "drained",
            Self::Stopped => "stopped",
            Self::Resumed => "resumed",
            Self::Reordered => "reordered",
            Self::AttemptsRaised => "attempts_raised",
            Self::Paused => "paused",
            Self::Unpaused => "unpaused",
            Self::Recovered => "recovered",
            Self::Resolved => "resolved",
        }
    }
}

/// An entry of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct TimelineEvent {
    /// The entry's id.
    pub id: i64,
    /// Of which incident.
    pub incident_id: IncidentId,
    /// When.
    pub created_at: i64,
    /// What happened.
    pub kind: EventKind,
    /// Who did it; none for the service itself.
    pub actor_id: Option<UserId>,
    /// What there is to say about it.
    pub message: String,
    /// The same as JSON.
    pub note: Option<String>,
}

/// Adds an entry.
pub async fn note(
    transaction: &Transaction,
    incident: IncidentId,
    kind: EventKind,
    actor: Option<UserId>,
    message: impl Into<Told<'_>>,
    now: i64,
) -> Result<()> {
    let told = message.into();
    let text = "INSERT INTO incident_events (incident_id, created_at, kind, actor_id, message, \
                note) VALUES ($1, $2, $3, $4, $5, $6)";
    let values = [
        incident.into(),
        now.into(),
        kind.into(),
        actor.into(),
        told.text.into(),
        told.note.into(),
    ];
    sql::execute(transaction, text, values).await?;
    Ok(())
}

/// Adds an entry to every open incident about a channel; says to how many.
pub async fn note_channel(
    transaction: &Transaction,
    channel: ChannelId,
    kind: EventKind,
    actor: Option<UserId>,
    message: impl Into<Told<'_>>,
    now: i64,
) -> Result<u64> {
    let told = message.into();
    let text = "INSERT INTO incident_events (incident_id, created_at, kind, actor_id, message, \
                note) SELECT id, $2, $3, $4, $5, $6 FROM incidents \
                WHERE channel_id = $1 AND open_key IS NOT NULL";
    let values = [
        channel.into(),
        now.into(),
        kind.into(),
        actor.into(),
        told.text.into(),
        told.note.into(),
    ];
    sql::execute(transaction, text, values).await
}

/// Adds what the service did by itself, at that time, to every open incident about a channel; says to how
/// many. What another node has noted already is left out.
pub async fn note_act(
    transaction: &Transaction,
    channel: ChannelId,
    kind: EventKind,
    message: impl Into<Told<'_>>,
    at: i64,
) -> Result<u64> {
    let told = message.into();
    let text = format!(
        "INSERT INTO incident_events (incident_id, created_at, kind, message, note) \
         SELECT id, $2, $3, $4, $6 FROM incidents WHERE channel_id = $1 AND open_key IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM incident_events AS same WHERE same.incident_id = incidents.id \
         AND same.kind = $3 AND same.message = $4 AND same.created_at > $5) \
         AND (SELECT COUNT(*) FROM incident_events AS entry \
         WHERE entry.incident_id = incidents.id) < {MOST_ACTS}"
    );
    let values = [
        channel.into(),
        at.into(),
        kind.into(),
        told.text.into(),
        (at - SAME_MS).into(),
        told.note.into(),
    ];
    sql::execute(transaction, &text, values).await
}

/// The timeline of an incident, in order.
pub async fn timeline(
    connection: &impl ConnectionTrait,
    incident: IncidentId,
) -> Result<Vec<TimelineEvent>> {
    let text = format!(
        "SELECT * FROM incident_events WHERE incident_id = $1 ORDER BY created_at, id LIMIT {MOST}"
    );
    sql::all(connection, &text, [incident.into()]).await
}
