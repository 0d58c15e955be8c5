//! Announcements: what administrators tell everybody for a time.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::AnnouncementId;
use store::announcements::{self, Announcement, NewAnnouncement};

use super::frame::{
    Act, ApiError, At, Identity, Input, Level, Moment, Patch, Reply, Route, changes_between,
};
use crate::app::App;

const LONGEST_TITLE: usize = 200;
const LONGEST_BODY: usize = 20_000;

/// The routes of announcements.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/notice/", Level::None, current)
            .about("Read what is announced now")
            .gives::<Vec<NoticeView>>(),
        Route::get("/api/notice/all", Level::Administrator, all)
            .about("List all announcements")
            .gives::<Vec<NoticeView>>(),
        Route::post("/api/notice/", Level::Administrator, create)
            .about("Announce something")
            .takes::<NewNotice>()
            .gives::<NoticeView>(),
        Route::put("/api/notice/", Level::Administrator, update)
            .about("Change an announcement")
            .takes::<NoticeChanges>()
            .gives::<NoticeView>(),
        Route::delete("/api/notice/{id}", Level::Administrator, delete)
            .about("Delete an announcement"),
    ]
}

/// An announcement.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Notice")]
pub struct NoticeView {
    /// The announcement's id.
    id: i64,
    /// Its headline.
    title: String,
    /// Its text, Markdown.
    body: String,
    /// `notice` or `incident`.
    level: String,
    /// Who sees it: `everyone`, `users` who are logged in, or `administrators`.
    audience: String,
    /// From when on it is shown.
    starts_at: Moment,
    /// Until when.
    ends_at: Option<Moment>,
    /// When it was written.
    created_at: Moment,
}

impl NoticeView {
    fn of(one: Announcement) -> Self {
        Self {
            id: one.id.0,
            title: one.title,
            body: one.body,
            level: one.level,
            audience: one.audience,
            starts_at: Moment(one.starts_at),
            ends_at: one.ends_at.map(Moment),
            created_at: Moment(one.created_at),
        }
    }
}

/// Something to announce.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NewNotice {
    /// Its headline.
    title: String,
    /// Its text, Markdown.
    #[serde(default)]
    body: String,
    /// `notice` (the default) or `incident`.
    level: Option<String>,
    /// `everyone` (the default), `users` or `administrators`.
    audience: Option<String>,
    /// From when on; at once where it is not given.
    starts_at: Option<Moment>,
    /// Until when; for ever where it is not given.
    ends_at: Option<Moment>,
}

/// What changes.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct NoticeChanges {
    /// Which announcement.
    id: i64,
    /// Its headline.
    title: Option<String>,
    /// Its text.
    body: Option<String>,
    /// `notice` or `incident`.
    level: Option<String>,
    /// `everyone`, `users` or `administrators`.
    audience: Option<String>,
    /// From when on it is shown.
    starts_at: Option<Moment>,
    /// Until when.
    #[serde(default)]
    ends_at: Patch<Moment>,
}

async fn current(
    State(app): State<Arc<App>>,
    identity: Option<Identity>,
) -> Result<Reply<Vec<NoticeView>>, ApiError> {
    let now = app.clock().now_ms();
    let found = announcements::current(app.store().read(), now).await?;
    let is_meant = |one: &Announcement| match one.audience.as_str() {
        "everyone" => true,
        "users" => identity.is_some(),
        _ => identity.as_ref().is_some_and(Identity::is_administrator),
    };
    let meant = found.into_iter().filter(is_meant);
    Ok(Reply::of(meant.map(NoticeView::of).collect()))
}

async fn all(State(app): State<Arc<App>>) -> Result<Reply<Vec<NoticeView>>, ApiError> {
    let found = announcements::list(app.store().read()).await?;
    Ok(Reply::of(found.into_iter().map(NoticeView::of).collect()))
}

async fn create(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(new): Input<NewNotice>,
) -> Result<Reply<NoticeView>, ApiError> {
    let now = app.clock().now_ms();
    let new = NewAnnouncement {
        title: title(&new.title)?,
        body: body(new.body)?,
        level: level(new.level.as_deref().unwrap_or("notice"))?,
        audience: audience(new.audience.as_deref().unwrap_or("everyone"))?,
        starts_at: new.starts_at.map_or(now, |time| time.0),
        ends_at: new.ends_at.map(|time| time.0),
        created_by: Some(identity.id()),
        now,
    };
    check_times(new.starts_at, new.ends_at)?;
    let transaction = app.store().write().await?;
    let made = NoticeView::of(announcements::insert(&transaction, new).await?);
    act("notice.create", &made, changes_between(&(), &made))
        .note(&transaction, &identity, now)
        .await?;
    transaction.commit().await?;
    Ok(Reply::of(made))
}

async fn update(
    State(app): State<Arc<App>>,
    identity: Identity,
    Input(changes): Input<NoticeChanges>,
) -> Result<Reply<NoticeView>, ApiError> {
    let now = app.clock().now_ms();
    let missing = || ApiError::not_found("The announcement");
    let transaction = app.store().write().await?;
    let before = announcements::get(&transaction, AnnouncementId(changes.id)).await?;
    let before = before.ok_or_else(missing)?;
    let mut edited = before.clone();
    if let Some(text) = changes.title {
        edited.title = title(&text)?;
    }
    if let Some(text) = changes.body {
        edited.body = body(text)?;
    }
    if let Some(name) = changes.level {
        level(&name)?.clone_into(&mut edited.level);
    }
    if let Some(name) = changes.audience {
        audience(&name)?.clone_into(&mut edited.audience);
    }
    if let Some(time) = changes.starts_at {
        edited.starts_at = time.0;
    }
    if let Some(time) = changes.ends_at.into_change() {
        edited.ends_at = time.map(|time| time.0);
    }
    check_times(edited.starts_at, edited.ends_at)?;
    let after = announcements::update(&transaction, &edited).await?;
    let (before, after) = (
        NoticeView::of(before),
        NoticeView::of(after.ok_or_else(missing)?),
    );
    act("notice.update", &after, changes_between(&before, &after))
        .note(&transaction, &identity, now)
        .await?;
    transaction.commit().await?;
    Ok(Reply::of(after))
}

async fn delete(
    State(app): State<Arc<App>>,
    identity: Identity,
    At(id): At<i64>,
) -> Result<Reply<()>, ApiError> {
    let now = app.clock().now_ms();
    let transaction = app.store().write().await?;
    let before = announcements::get(&transaction, AnnouncementId(id)).await?;
    let before = before.ok_or_else(|| ApiError::not_found("The announcement"))?;
    announcements::delete(&transaction, before.id).await?;
    let before = NoticeView::of(before);
    act("notice.delete", &before, changes_between(&before, &()))
        .note(&transaction, &identity, now)
        .await?;
    transaction.commit().await?;
    Ok(Reply::done())
}

fn act(action: &'static str, notice: &NoticeView, changes: serde_json::Value) -> Act {
    Act {
        action,
        object_kind: "notice",
        object_id: notice.id.to_string(),
        changes,
    }
}

fn title(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > LONGEST_TITLE {
        return Err(ApiError::bad_field(
            "title",
            "must have 1 to 200 characters",
        ));
    }
    Ok(text.to_owned())
}

fn body(text: String) -> Result<String, ApiError> {
    if text.chars().count() > LONGEST_BODY {
        return Err(ApiError::bad_field(
            "body",
            "must have at most 20000 characters",
        ));
    }
    Ok(text)
}

fn level(name: &str) -> Result<&'static str, ApiError> {
    match name {
        "notice" => Ok("notice"),
        "incident" => Ok("incident"),
        _ => Err(ApiError::bad_field("level", "must be notice or incident")),
    }
}

fn audience(name: &str) -> Result<&'static str, ApiError> {
    let known = ["everyone", "users", "administrators"];
    let found = known.into_iter().find(|known| *known == name);
    let problem = "must be everyone, users or administrators";
    found.ok_or_else(|| ApiError::bad_field("audience", problem))
}

fn check_times(starts_at: i64, ends_at: Option<i64>) -> Result<(), ApiError> {
    if ends_at.is_some_and(|end| end <= starts_at) {
        return Err(ApiError::bad_field("ends_at", "must be after starts_at"));
    }
    Ok(())
}
