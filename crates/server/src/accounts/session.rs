//! Login sessions: making one after a login, and renewing the secret of the one that outlives a
//! change. The records keep only a hash of the secret.

use std::net::IpAddr;

use store::sessions::{self, NewSession, Session};
use store::users::{self, User, UserChanges};
use store::{StoreError, Transaction, UserId};

use super::device::Device;
use super::one_time::new_secret;
use crate::app::App;
use crate::secrets::hash_token;

/// What the keyed hash of a session's secret is for.
pub const SESSION_PURPOSE: &str = "session";

const LONGEST_USER_AGENT: usize = 256;

/// Where a login comes from.
#[derive(Clone, Debug)]
pub struct Client {
    /// The address.
    pub address: IpAddr,
    /// What the browser or program calls itself.
    pub user_agent: Option<String>,
    /// The request.
    pub request_id: String,
    /// Marks of known devices that came along, not checked yet, by whose they claim to be.
    pub marks: Vec<(UserId, String)>,
}

impl Client {
    /// The client as a known device of a user; none if it is not known.
    pub fn device_of(&self, app: &App, user: UserId) -> Option<Device> {
        let mut marks = self.marks.iter().filter(|(of, _)| *of == user);
        marks.find_map(|(_, mark)| Device::read(app, user, mark))
    }
}

/// A session and the secret of its cookie, which is not shown again.
#[derive(Debug)]
pub struct IssuedSession {
    /// The session.
    pub session: Session,
    /// For the cookie.
    pub secret: String,
    /// What the browser is known by from now on.
    pub device: Device,
}

/// Logs a user in, in the transaction that has checked the credentials. `is_proved` says whether they count as a
/// step-up.
pub async fn issue_session(
    app: &App,
    transaction: &Transaction,
    user: &User,
    client: &Client,
    is_proved: bool,
) -> Result<IssuedSession, StoreError> {
    let now = app.clock().now_ms();
    let secret = new_secret(app.randomness());
    let user_agent = client.user_agent.as_ref();
    let new = NewSession {
        secret_hash: hash_token(app.keys(), SESSION_PURPOSE, &secret).to_vec(),
        user_id: user.id,
        auth_version: user.auth_version,
        ip: Some(client.address.to_string()),
        user_agent: user_agent.map(|text| text.chars().take(LONGEST_USER_AGENT).collect()),
        now,
        expires_at: now + i64::from(app.config().login.session_hours) * 3_600_000,
        is_proved,
    };
    let session = sessions::insert(transaction, new).await?;
    let changes = UserChanges {
        last_login_at: Some(Some(now)),
        ..UserChanges::default()
    };
    users::update(transaction, user.id, changes).await?;
    tracing::info!(user = %user.id, session = %session.id, "logged in");
    let device = client.device_of(app, user.id);
    Ok(IssuedSession {
        session,
        secret,
        device: device.unwrap_or_else(|| Device::new(app, user.id)),
    })
}

/// Why a session is not gone on with.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// It was ended meanwhile.
    #[error("the session was ended")]
    Ended,
    /// The records could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Refuses a session that was ended, or got a new secret, while its request was on the way: the head
/// lets a request in, and its sender may hold the body back for long. Callers without a session have none to lose.
pub async fn hold_session(
    transaction: &Transaction,
    session: Option<&Session>,
) -> Result<(), SessionError> {
    let Some(session) = session else {
        return Ok(());
    };
    let counts = sessions::hold(transaction, session).await?;
    counts.then_some(()).ok_or(SessionError::Ended)
}

/// Ends every other session and pending login of a user. The given session goes on under a new
/// secret, which is returned; one that was ended meanwhile does not come back so.
pub async fn end_other_sessions(
    app: &App,
    transaction: &Transaction,
    user: UserId,
    kept: Option<&Session>,
) -> Result<Option<String>, SessionError> {
    hold_session(transaction, kept).await?;
    let Some(auth_version) = users::raise_auth_version(transaction, user).await? else {
        return Ok(None);
    };
    let Some(kept) = kept else {
        return Ok(None);
    };
    let secret = new_secret(app.randomness());
    let hash = hash_token(app.keys(), SESSION_PURPOSE, &secret);
    let is_kept = sessions::rotate(transaction, kept.id, &hash, auth_version).await?;
    is_kept.then_some(Some(secret)).ok_or(SessionError::Ended)
}
