//! Who is calling: the holder of a login session (cookie) or of a personal access token. Role and
//! state are read anew on every call, so that a change counts at once. Levels are the router's.

use std::sync::Arc;

use axum::extract::{FromRequestParts, OptionalFromRequestParts};
use http::request::Parts;
use http::{HeaderMap, header};
use store::access_tokens::AccessToken;
use store::sessions::Session;
use store::users::{Role, Status, User};
use store::{StoreError, UserId, access_tokens, sessions, users};

use super::reply::ApiError;
use crate::accounts::SESSION_PURPOSE;
use crate::app::App;
use crate::middleware::Caller;
use crate::secrets::hash_token;

/// The cookie of a login session.
pub const SESSION_COOKIE: &str = "session";

/// Begins every personal access token.
pub const PAT_PREFIX: &str = "pat-";

/// What the keyed hash of a personal access token is for.
pub const PAT_PURPOSE: &str = "personal access token";

/// How stale "last used" may be: a write for every call would be too much.
const TOUCH_MS: i64 = 60_000;

/// How a caller proved who it is.
#[derive(Clone, Debug)]
pub enum Carrier {
    /// By a login session.
    Session(Session),
    /// By a personal access token.
    AccessToken(AccessToken),
    /// By running our program on the records.
    CommandLine,
}

/// Somebody who is logged in.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The user as the records have it now.
    pub user: User,
    /// How it was proved.
    pub carrier: Carrier,
    /// The request itself.
    pub caller: Caller,
}

impl Identity {
    /// The operator at the machine, on behalf of a user.
    pub fn of_operator(user: User, caller: Caller) -> Self {
        Self {
            user,
            carrier: Carrier::CommandLine,
            caller,
        }
    }

    /// The user's id.
    pub fn id(&self) -> UserId {
        self.user.id
    }

    /// Whether the user may manage others.
    pub fn is_administrator(&self) -> bool {
        self.user.role >= Role::Administrator
    }

    /// Whether the identity still holds: the user exists, is enabled and has the same role, and the session or
    /// access token has neither been ended nor expired. For responses that last.
    pub async fn still_counts(&self, app: &App) -> Result<bool, StoreError> {
        let (records, now) = (app.store().read(), app.clock().now_ms());
        let is_live = match &self.carrier {
            Carrier::Session(session) => sessions::is_live(records, session.id, now).await?,
            Carrier::AccessToken(token) => access_tokens::is_live(records, token.id, now).await?,
            Carrier::CommandLine => true,
        };
        let user = users::get(records, self.id()).await?;
        Ok(is_live
            && user.is_some_and(|user| {
                user.status == Status::Enabled
                    && user.role == self.user.role
                    && user.auth_version == self.user.auth_version
            }))
    }

    /// The login session, where it is one.
    pub fn session(&self) -> Option<&Session> {
        match &self.carrier {
            Carrier::Session(session) => Some(session),
            Carrier::AccessToken(_) | Carrier::CommandLine => None,
        }
    }
}

/// The identity that the gate has found.
impl<S: Send + Sync> FromRequestParts<S> for Identity {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let found = parts.extensions.get::<Self>().cloned();
        found.ok_or_else(ApiError::not_logged_in)
    }
}

/// The identity of a visitor who need not have one.
impl OptionalFromRequestParts<Arc<App>> for Identity {
    type Rejection = ApiError;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<App>,
    ) -> Result<Option<Self>, ApiError> {
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller = caller.ok_or_else(ApiError::broken)?;
        Ok(authenticate(app, &parts.headers, &caller).await?)
    }
}

/// The cookies of a request by name and value.
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
}

/// The value of a cookie.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    cookies(headers).find_map(|(key, value)| (key == name).then_some(value))
}

/// Who is calling; none without a valid credential. An access token counts before a cookie.
pub(super) async fn authenticate(
    app: &App,
    headers: &HeaderMap,
    caller: &Caller,
) -> Result<Option<Identity>, StoreError> {
    let now = app.clock().now_ms();
    let found = match (bearer(headers), cookie(headers, SESSION_COOKIE)) {
        (Some(token), _) => by_access_token(app, token, now).await?,
        (None, Some(secret)) => by_session(app, secret, now).await?,
        (None, None) => None,
    };
    let Some((user_id, carrier)) = found else {
        return Ok(None);
    };
    let user = users::get(app.store().read(), user_id).await?;
    let user = user.filter(|user| user.status == Status::Enabled);
    Ok(user.map(|user| Identity {
        user,
        carrier,
        caller: caller.clone(),
    }))
}

/// The token of an `Authorization: Bearer` header; other schemes belong to proxies.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

async fn by_session(
    app: &App,
    secret: &str,
    now: i64,
) -> Result<Option<(UserId, Carrier)>, StoreError> {
    let hash = hash_token(app.keys(), SESSION_PURPOSE, secret);
    let Some(session) = sessions::find(app.store().read(), &hash, now).await? else {
        return Ok(None);
    };
    if now - session.last_seen_at > TOUCH_MS {
        let life_ms = i64::from(app.config().login.session_hours) * 3_600_000;
        let transaction = app.store().write().await?;
        sessions::touch(&transaction, session.id, now, now + life_ms).await?;
        transaction.commit().await?;
    }
    Ok(Some((session.user_id, Carrier::Session(session))))
}

async fn by_access_token(
    app: &App,
    token: &str,
    now: i64,
) -> Result<Option<(UserId, Carrier)>, StoreError> {
    if !token.starts_with(PAT_PREFIX) {
        return Ok(None);
    }
    let hash = hash_token(app.keys(), PAT_PURPOSE, token);
    let Some(found) = access_tokens::find(app.store().read(), &hash, now).await? else {
        return Ok(None);
    };
    if found.last_used_at.is_none_or(|last| now - last > TOUCH_MS) {
        let transaction = app.store().write().await?;
        access_tokens::touch(&transaction, found.id, now).await?;
        transaction.commit().await?;
    }
    Ok(Some((found.user_id, Carrier::AccessToken(found))))
}
