//! The step-up rule, in its one place: whoever makes an administrator, opens the system to the outside or
//! adds a way to log in has proved who they are within the last ten minutes. A session records when its person
//! did so: by password or passkey, and by the second factor if one is set. An access token proves nobody.

use store::users::Role;

use super::access::{Carrier, Identity};
use super::reply::ApiError;
use crate::app::App;

/// How long a proof counts.
pub const FRESH_MS: i64 = 600_000;

/// Refuses access tokens, and sessions whose person has not proved who they are a moment ago.
pub fn require_step_up(app: &App, identity: &Identity) -> Result<(), ApiError> {
    match &identity.carrier {
        Carrier::AccessToken(_) => Err(ApiError::session_required()),
        Carrier::Session(_) | Carrier::CommandLine => require_fresh_session(app, identity),
    }
}

/// The rule for acts on people: a step-up if somebody is or becomes an administrator or root.
pub fn require_step_up_over(
    app: &App,
    identity: &Identity,
    roles: impl IntoIterator<Item = Role>,
) -> Result<(), ApiError> {
    if roles.into_iter().any(|role| role >= Role::Administrator) {
        return require_step_up(app, identity);
    }
    Ok(())
}

/// The rule for credentials of channels, which programs rotate: a session must be fresh, an access token
/// with the scope `write` is enough.
pub fn require_fresh_session(app: &App, identity: &Identity) -> Result<(), ApiError> {
    let Carrier::Session(session) = &identity.carrier else {
        return Ok(());
    };
    let now = app.clock().now_ms();
    let is_fresh = session.proved_at.is_some_and(|at| now - at < FRESH_MS);
    is_fresh
        .then_some(())
        .ok_or_else(ApiError::step_up_required)
}
