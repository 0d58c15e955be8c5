//! Announcements: notices and incidents that the console shows for a time.

use sea_orm::{ConnectionTrait, FromQueryResult};

use crate::database::Transaction;
use crate::error::Result;
use crate::ids::{AnnouncementId, UserId};
use crate::sql;

/// An announcement as stored.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Announcement {
    /// The announcement's id.
    pub id: AnnouncementId,
    /// Its headline.
    pub title: String,
    /// Its text.
    pub body: String,
    /// `notice` or `incident`.
    pub level: String,
    /// `everyone`, `users` or `administrators`.
    pub audience: String,
    /// From when on it is shown.
    pub starts_at: i64,
    /// Until when, if not for ever.
    pub ends_at: Option<i64>,
    /// Who wrote it.
    pub created_by: Option<UserId>,
    /// When it was written.
    pub created_at: i64,
}

/// What it takes to announce something.
#[derive(Clone, Debug)]
pub struct NewAnnouncement {
    /// Its headline.
    pub title: String,
    /// Its text.
    pub body: String,
    /// `notice` or `incident`.
    pub level: &'static str,
    /// `everyone`, `users` or `administrators`.
    pub audience: &'static str,
    /// From when on it is shown.
    pub starts_at: i64,
    /// Until when, if not for ever.
    pub ends_at: Option<i64>,
    /// Who writes it.
    pub created_by: Option<UserId>,
    /// Now, in unix milliseconds.
    pub now: i64,
}

/// Adds an announcement.
pub async fn insert(transaction: &Transaction, new: NewAnnouncement) -> Result<Announcement> {
    let text = "INSERT INTO announcements (title, body, level, starts_at, ends_at, created_by, \
                created_at, audience) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING *";
    let values = [
        new.title.into(),
        new.body.into(),
        new.level.into(),
        new.starts_at.into(),
        new.ends_at.into(),
        new.created_by.into(),
        new.now.into(),
        new.audience.into(),
    ];
    sql::returned(sql::one(transaction, text, values).await?)
}

/// What is shown at a time, newest first.
pub async fn current(connection: &impl ConnectionTrait, at: i64) -> Result<Vec<Announcement>> {
    let text = "SELECT * FROM announcements WHERE starts_at <= $1 \
                AND (ends_at IS NULL OR ends_at > $1) ORDER BY starts_at DESC, id DESC";
    sql::all(connection, text, [at.into()]).await
}

/// All announcements, newest first; there are few.
pub async fn list(connection: &impl ConnectionTrait) -> Result<Vec<Announcement>> {
    let text = "SELECT * FROM announcements ORDER BY starts_at DESC, id DESC";
    sql::all(connection, text, []).await
}

/// The announcement of this id.
pub async fn get(
    connection: &impl ConnectionTrait,
    id: AnnouncementId,
) -> Result<Option<Announcement>> {
    let text = "SELECT * FROM announcements WHERE id = $1";
    sql::one(connection, text, [id.into()]).await
}

/// Replaces what an announcement says and when it is shown; none where there is no such one.
pub async fn update(
    transaction: &Transaction,
    changed: &Announcement,
) -> Result<Option<Announcement>> {
    let text = "UPDATE announcements SET title = $2, body = $3, level = $4, starts_at = $5, \
                ends_at = $6, audience = $7 WHERE id = $1 RETURNING *";
    let values = [
        changed.id.into(),
        changed.title.clone().into(),
        changed.body.clone().into(),
        changed.level.clone().into(),
        changed.starts_at.into(),
        changed.ends_at.into(),
        changed.audience.clone().into(),
    ];
    sql::one(transaction, text, values).await
}

/// Ends an announcement at a time; false where there is no such one.
pub async fn end(transaction: &Transaction, id: AnnouncementId, at: i64) -> Result<bool> {
    let text = "UPDATE announcements SET ends_at = $2 WHERE id = $1";
    Ok(sql::execute(transaction, text, [id.into(), at.into()]).await? > 0)
}

/// Removes an announcement; false where there is no such one.
pub async fn delete(transaction: &Transaction, id: AnnouncementId) -> Result<bool> {
    let text = "DELETE FROM announcements WHERE id = $1";
    Ok(sql::execute(transaction, text, [id.into()]).await? > 0)
}
